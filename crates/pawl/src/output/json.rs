//! One JSON document: of a run everything but its rows first, then the rows, one line each.

use std::io::{self, Write};

use pawl_engine::run::compare::Comparison;
use pawl_engine::run::{CheckTally, GateOutcome, RunReport};
use pawl_model::{CaseRecord, Run, Tally};
use serde::Serialize;

use super::comparison::Conclusion;
use super::{FinishedRun, RowFormat};

/// A document under way.
pub(super) struct Document<'a> {
    out: &'a mut dyn Write,
    runs: u64,
    rows: u64,
}

/// Everything of a run but its rows. Nothing in it depends on how long the run took.
#[derive(Serialize)]
struct Head<'a> {
    #[serde(flatten)]
    run: &'a Run,
    summary: Summary,
    checks: Vec<CheckTally>,
    gate: Gate<'a>,
    baseline: Option<Concluded<'a>>,
}

#[derive(Serialize)]
struct Summary {
    total: u64,
    #[serde(flatten)]
    tally: Tally,
    pass_rate: Option<f64>,
    pass_rate_interval: Option<[f64; 2]>,
    coverage: Option<f64>,
    mean_score: Option<f64>,
    scored: u64,
    cost_usd: Option<f64>,
    resumed: u64,
}

#[derive(Serialize)]
struct Gate<'a> {
    outcome: &'static str,
    reasons: &'a [String],
}

#[derive(Serialize)]
struct Concluded<'a> {
    conclusion: Conclusion,
    #[serde(flatten)]
    comparison: &'a Comparison,
}

impl<'a> Document<'a> {
    pub(super) fn new(out: &'a mut dyn Write) -> Self {
        Self {
            out,
            runs: 0,
            rows: 0,
        }
    }
}

impl RowFormat for Document<'_> {
    fn start(&mut self, _runs: &[FinishedRun]) -> anyhow::Result<()> {
        write!(self.out, "{{\n  \"runs\": [")?;
        Ok(())
    }

    fn start_run(&mut self, finished: &FinishedRun) -> anyhow::Result<()> {
        let head = serde_json::to_string_pretty(&Head::of(finished))?.replace('\n', "\n    ");
        // The object stays open for the rows.
        let open = head.trim_end_matches('}').trim_end();
        write!(
            self.out,
            "{}\n    {open},\n      \"cases\": [",
            separator(self.runs)
        )?;
        self.runs += 1;
        self.rows = 0;
        Ok(())
    }

    fn row(&mut self, case: &CaseRecord) -> anyhow::Result<()> {
        write!(self.out, "{}\n        ", separator(self.rows))?;
        serde_json::to_writer(&mut *self.out, case).map_err(io::Error::from)?;
        self.rows += 1;
        Ok(())
    }

    fn end_run(&mut self) -> anyhow::Result<()> {
        let end = if self.rows > 0 { "\n      ]" } else { "]" };
        write!(self.out, "{end}\n    }}")?;
        Ok(())
    }

    fn end(&mut self) -> anyhow::Result<()> {
        let end = if self.runs > 0 { "\n  ]" } else { "]" };
        writeln!(self.out, "{end}\n}}")?;
        Ok(())
    }
}

/// What stands before the next of several, after so many.
const fn separator(written: u64) -> &'static str {
    if written > 0 { "," } else { "" }
}

impl<'a> Head<'a> {
    fn of(finished: &'a FinishedRun) -> Self {
        Self {
            run: &finished.report.run,
            summary: Summary::of(&finished.report),
            checks: finished.report.checks(),
            gate: Gate::of(&finished.gate),
            baseline: finished.baseline.as_ref().map(Concluded::of),
        }
    }
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
            resumed: report.resumed,
        }
    }
}

impl<'a> Gate<'a> {
    const fn of(outcome: &'a GateOutcome) -> Self {
        match outcome {
            GateOutcome::Passed => Self {
                outcome: "passed",
                reasons: &[],
            },
            GateOutcome::Failed(reasons) => Self {
                outcome: "failed",
                reasons: reasons.as_slice(),
            },
            GateOutcome::Uncovered(reason) => Self {
                outcome: "uncovered",
                reasons: std::slice::from_ref(reason),
            },
        }
    }
}

impl<'a> Concluded<'a> {
    fn of(comparison: &'a Comparison) -> Self {
        Self {
            conclusion: Conclusion::of(comparison),
            comparison,
        }
    }
}

/// Writes a comparison, with what it comes to.
pub(super) fn write_comparison(comparison: &Comparison, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, &Concluded::of(comparison))?;
    writeln!(out)
}
