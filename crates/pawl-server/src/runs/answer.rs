//! What `/api/runs` answers. A run, a case and a comparison look as they do on the command line.

use pawl_engine::run::compare::Comparison;
use pawl_engine::run::list::{Page, RunPlace};
use pawl_engine::run::{CheckTally, RunReport, Unpassed};
use pawl_model::{CaseRecord, Run, Tally};
use serde::Serialize;
use utoipa::ToSchema;

use crate::paging::Cursor as _;

use super::schema::{CaseRow, CheckTallySchema, ComparisonSchema, RunRow, TallySchema, UnpassedSchema};

/// A page of runs.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct RunList {
    /// Newest first.
    #[schema(value_type = Vec<RunRow>)]
    runs: Vec<Run>,
    /// `cursor` of the next page; null on the last.
    #[schema(required)]
    next_cursor: Option<String>,
}

impl From<Page<Run>> for RunList {
    fn from(page: Page<Run>) -> Self {
        let last = page.items.last().filter(|_| page.more);
        let place = last.map(|run| RunPlace {
            created_at: run.created_at,
            id: run.id,
        });
        Self {
            next_cursor: place.map(|place| place.write()),
            runs: page.items,
        }
    }
}

/// A page of cases.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CaseList {
    /// In the order of the data set.
    #[schema(value_type = Vec<CaseRow>)]
    cases: Vec<CaseRecord>,
    /// `cursor` of the next page; null on the last.
    #[schema(required)]
    next_cursor: Option<String>,
}

impl From<Page<CaseRecord>> for CaseList {
    fn from(page: Page<CaseRecord>) -> Self {
        let last = page.items.last().filter(|_| page.more);
        Self {
            next_cursor: last.map(|case| case.id.write()),
            cases: page.items,
        }
    }
}

/// A run and what its rows come to.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct RunDetail {
    #[serde(flatten)]
    #[schema(value_type = RunRow)]
    run: Run,
    /// Its rows, counted.
    summary: Summary,
    /// Each check over all rows.
    #[schema(value_type = Vec<CheckTallySchema>)]
    checks: Vec<CheckTally>,
    /// The first rows that did not pass, at most 20.
    #[schema(value_type = Vec<UnpassedSchema>)]
    unpassed: Vec<Unpassed>,
}

/// The rows of a run, counted.
#[derive(Debug, Serialize, ToSchema)]
struct Summary {
    /// All rows: case × trial.
    total: u64,
    #[serde(flatten)]
    #[schema(value_type = TallySchema)]
    tally: Tally,
    /// Passed ÷ all; null of nothing.
    #[schema(required)]
    pass_rate: Option<f64>,
    /// Wilson's 95 % interval of the pass rate: its two ends.
    #[schema(required)]
    pass_rate_interval: Option<[f64; 2]>,
    /// (Passed + failed) ÷ all; null of nothing.
    #[schema(required)]
    coverage: Option<f64>,
    /// Mean over the scored rows; null where there is none.
    #[schema(required)]
    mean_score: Option<f64>,
    /// Rows that have a score.
    scored: u64,
    /// What the target cost where it said so, in US dollars.
    #[schema(required)]
    cost_usd: Option<f64>,
}

impl Summary {
    fn of(report: &RunReport) -> Self {
        let rate = report.pass_rate();
        Self {
            total: report.tally.total(),
            tally: report.tally,
            pass_rate: rate.map(|(rate, _)| rate),
            pass_rate_interval: rate.map(|(_, interval)| [interval.lower, interval.upper]),
            coverage: report.tally.coverage(),
            mean_score: report.mean_score(),
            scored: report.scored(),
            cost_usd: report.cost_usd(),
        }
    }
}

impl From<RunReport> for RunDetail {
    fn from(report: RunReport) -> Self {
        Self {
            summary: Summary::of(&report),
            checks: report.checks(),
            unpassed: report.unpassed().cloned().collect(),
            run: report.run,
        }
    }
}

/// Two runs, paired case by case.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Comparison)]
pub(crate) struct ComparisonAnswer {
    #[serde(flatten)]
    #[schema(value_type = ComparisonSchema)]
    comparison: Comparison,
    /// Whether the second run passes less often, by more than chance explains.
    is_regression: bool,
}

impl From<Comparison> for ComparisonAnswer {
    fn from(comparison: Comparison) -> Self {
        Self {
            is_regression: comparison.is_regression(),
            comparison,
        }
    }
}
