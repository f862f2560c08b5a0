//! `/runs/{id}`: one run, what it came to, and its cases by checks.

use askama::Template;
use askama::filters::HtmlSafe;
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use pawl_engine::run::RunReport;
use pawl_engine::run::list::{CasePlace, RunFilter, RunProgress};
use pawl_model::{CaseId, CaseRecord, Run, RunId, RunStatus, State as CaseState};
use serde::Deserialize;

use super::case::{self, CaseView};
use super::matrix::Matrix;
use super::{Share, Status, address, counts, name, took};
use crate::AppState;
use crate::paging::Cursor as _;
use crate::parameters::{Path, Query};
use crate::problem::{ErrorCode, Problem};
use crate::ui::moment::{Moment, Moments};
use crate::ui::page::Page;
use crate::ui::rate;
use crate::ui::session::Visitor;
use crate::ui::shell::{Section, Shell};

/// Cases of a page.
const ROWS: u32 = 50;
/// Runs to compare with that are offered.
const OFFERED: u32 = 20;
/// The word for the cases that passed in this run or the previous one alone.
const FLIPPED: &str = "flipped";

/// What of a run is looked at.
#[derive(Clone, Debug, Default, Deserialize)]
pub(in crate::ui) struct RunQuery {
    /// The state of the cases, or those that flipped.
    show: Option<String>,
    /// Behind which case the page begins.
    after: Option<String>,
    /// Which case is open.
    case: Option<String>,
}

#[derive(Template)]
#[template(path = "run.html")]
pub(in crate::ui) struct RunPage {
    shell: Shell,
    id: RunId,
    name: String,
    status: Status,
    error: Option<String>,
    progress: Option<Progress>,
    result: Option<Share>,
    facts: Vec<(&'static str, String)>,
    started: Moment,
    checks: Vec<CheckRow>,
    /// Runs of the same suite, the newest first.
    others: Vec<Other>,
    previous: Option<Other>,
    filters: Vec<Filter>,
    cases: Cases,
    open: Option<CaseView>,
}

/// A check over all cases.
struct CheckRow {
    name: String,
    result: Share,
}

/// Another run, to compare this one with.
struct Other {
    id: RunId,
    name: String,
    started: Moment,
}

/// Which cases there are to choose.
struct Filter {
    name: &'static str,
    href: String,
    count: Option<String>,
    is_chosen: bool,
}

/// A page of cases.
struct Cases {
    matrix: Matrix,
    first: Option<String>,
    next: Option<String>,
    /// What to say where there are none, or not all.
    note: Option<String>,
}

/// How far a run is that has not ended.
#[derive(Template)]
#[template(path = "parts/progress.html")]
struct Progress {
    id: RunId,
    counts: String,
    /// Of the rows so far, in percent.
    bar: super::Bar,
    /// When the last row was stored.
    latest: Option<Moment>,
}

/// A run.
pub(in crate::ui) async fn show(
    State(state): State<AppState>,
    visitor: Visitor,
    Path(id): Path<RunId>,
    Query(query): Query<RunQuery>,
) -> Result<Page<RunPage>, Problem> {
    let actor = visitor.actor();
    let report = state.engine.run_report(actor, id).await?;
    let run = &report.run;
    let moments = Moments::of(&state, &visitor).await?;
    let previous = state.engine.previous_run(actor, run).await?;
    let look = Look {
        state: &state,
        visitor: &visitor,
        report: &report,
        previous: previous.as_ref(),
        query: &query,
    };
    let open = look.open_case().await?;
    let cases = look.cases(open.as_ref()).await?;
    let progress = match run.status {
        RunStatus::Running => Some(Progress::of(
            &state.engine.run_progress(actor, id).await?,
            &moments,
        )),
        _ => None,
    };
    let other = |run: &Run| Other {
        id: run.id,
        name: name(run),
        started: moments.show(run.created_at),
    };
    let others = look.others().await?;
    Ok(Page(RunPage {
        shell: visitor.shell(Section::Runs, name(run)),
        id,
        name: name(run),
        status: Status::of(run),
        error: run.error.clone(),
        progress,
        result: (report.tally.total() > 0).then(|| Share::of(&report.tally)),
        facts: facts(&report),
        started: moments.show(run.created_at),
        checks: report
            .checks()
            .into_iter()
            .map(|check| CheckRow {
                name: check.name,
                result: Share::of(&check.tally),
            })
            .collect(),
        others: others.iter().map(other).collect(),
        previous: previous.as_ref().map(other),
        filters: look.filters(),
        open: open
            .as_ref()
            .map(|record| CaseView::of(record, query.with_case(None).url(id))),
        cases,
    }))
}

/// How far a run is; a page that is out of date once it has ended loads anew.
pub(in crate::ui) async fn progress(
    State(state): State<AppState>,
    visitor: Visitor,
    Path(id): Path<RunId>,
) -> Result<Response, Problem> {
    let progress = state.engine.run_progress(visitor.actor(), id).await?;
    if progress.run.status != RunStatus::Running {
        return Ok([("hx-refresh", "true")].into_response());
    }
    let moments = Moments::of(&state, &visitor).await?;
    Ok(Page(Progress::of(&progress, &moments)).into_response())
}

/// What is looked at, and by whom.
struct Look<'l> {
    state: &'l AppState,
    visitor: &'l Visitor,
    report: &'l RunReport,
    previous: Option<&'l Run>,
    query: &'l RunQuery,
}

impl Look<'_> {
    fn id(&self) -> RunId {
        self.report.run.id
    }

    /// The case that the address opens, if it is one of the run's.
    async fn open_case(&self) -> Result<Option<CaseRecord>, Problem> {
        let Some(word) = &self.query.case else {
            return Ok(None);
        };
        let not_found = || Problem::new(ErrorCode::NotFound);
        let id = CaseId::parse(word).ok_or_else(not_found)?;
        let record = self.state.engine.case(self.visitor.actor(), id).await?;
        let record = record.filter(|record| record.run_id == self.id());
        Ok(Some(record.ok_or_else(not_found)?))
    }

    async fn others(&self) -> Result<Vec<Run>, Problem> {
        let Some(suite) = self.report.run.suite.as_deref() else {
            return Ok(Vec::new());
        };
        let filter = RunFilter {
            status: None,
            suite: Some(suite),
        };
        let runs = self
            .state
            .engine
            .list_runs(self.visitor.actor(), &filter, None, OFFERED)
            .await?;
        Ok(runs.items.into_iter().filter(|run| run.id != self.id()).collect())
    }

    fn filters(&self) -> Vec<Filter> {
        let tally = &self.report.tally;
        let filter = |name, show: Option<&str>, count: Option<u64>| {
            let query = RunQuery {
                show: show.map(str::to_owned),
                ..RunQuery::default()
            };
            Filter {
                name,
                href: query.url(self.id()),
                count: count.map(crate::ui::number::count),
                is_chosen: self.query.show.as_deref() == show,
            }
        };
        let mut filters = vec![filter("All", None, Some(tally.total()))];
        for (name, state) in [
            ("Failed", CaseState::Failed),
            ("Error", CaseState::Error),
            ("Skipped", CaseState::Skipped),
            ("Passed", CaseState::Passed),
        ] {
            filters.push(filter(name, Some(state.as_str()), Some(tally.of(state))));
        }
        if self.previous.is_some() {
            filters.push(filter("Flipped", Some(FLIPPED), None));
        }
        filters
    }

    async fn cases(&self, open: Option<&CaseRecord>) -> Result<Cases, Problem> {
        let (items, more, note) = match (self.query.show.as_deref(), self.previous) {
            (Some(FLIPPED), Some(previous)) => self.flipped(previous).await?,
            (Some(FLIPPED), None) => (
                Vec::new(),
                false,
                Some("There is no run before this one.".to_owned()),
            ),
            (show, _) => self.page(show).await?,
        };
        let next = items.last().filter(|_| more).map(|last| RunQuery {
            after: Some(last.id.write()),
            ..self.query.with_case(None)
        });
        let href = |record: &CaseRecord| self.query.with_case(Some(record.id)).url(self.id());
        let start = RunQuery {
            after: None,
            ..self.query.with_case(None)
        };
        let is_empty = items.is_empty();
        Ok(Cases {
            matrix: Matrix::of(&self.report.checks(), &items, open, href),
            first: self.query.after.as_ref().map(|_| start.url(self.id())),
            next: next.map(|next| next.url(self.id())),
            note: note.or_else(|| is_empty.then(|| "No case is like that.".to_owned())),
        })
    }

    /// A page of the cases in a state, or of all.
    async fn page(&self, show: Option<&str>) -> Result<(Vec<CaseRecord>, bool, Option<String>), Problem> {
        let invalid = || Problem::new(ErrorCode::InvalidParameter);
        let state = show
            .map(|word| CaseState::parse(word).ok_or_else(invalid))
            .transpose()?;
        let place = CasePlace {
            after: self.query.after.as_deref().map(CaseId::read).transpose()?,
            limit: ROWS,
        };
        let page = self
            .state
            .engine
            .list_cases(self.visitor.actor(), self.id(), state, place)
            .await?;
        Ok((page.items, page.more, None))
    }

    /// The cases that passed in this run or the previous one alone, as many as a comparison names.
    async fn flipped(&self, previous: &Run) -> Result<(Vec<CaseRecord>, bool, Option<String>), Problem> {
        let (engine, actor) = (&self.state.engine, self.visitor.actor());
        let comparison = engine.compare(actor, previous.id, self.id()).await?;
        let flips = engine.flips(actor, &comparison).await?;
        let all = comparison.lost.count + comparison.gained.count;
        let shown = flips.len() as u64;
        let note = match (all, shown) {
            (0, _) => Some("No case flipped since the run before.".to_owned()),
            (all, shown) if all > shown => {
                Some(["The first of ", &rate::of(shown, all), " that flipped."].concat())
            }
            _ => None,
        };
        Ok((flips.into_iter().map(|flip| flip.b).collect(), false, note))
    }
}

impl RunQuery {
    fn with_case(&self, case: Option<CaseId>) -> Self {
        Self {
            case: case.map(|case| case.write()),
            ..self.clone()
        }
    }

    fn url(&self, id: RunId) -> String {
        let query = [("show", &self.show), ("after", &self.after), ("case", &self.case)];
        address(&["/runs/", &id.to_string()].concat(), query)
    }
}

/// It is a template, which has escaped what stands in it.
impl HtmlSafe for Progress {}

impl Progress {
    fn of(progress: &RunProgress, moments: &Moments) -> Self {
        Self {
            id: progress.run.id,
            counts: counts(&progress.tally),
            bar: super::Bar::of(&progress.tally),
            latest: progress.latest.map(|at| moments.show(at)),
        }
    }
}

/// What else is known of a run.
fn facts(report: &RunReport) -> Vec<(&'static str, String)> {
    let run = &report.run;
    let scored = |mean| {
        [
            rate::score(mean),
            " · ".to_owned(),
            rate::of(report.scored(), report.tally.total()),
        ]
        .concat()
    };
    [
        ("Mean score", report.mean_score().map(scored)),
        ("Cost", report.cost_usd().map(case::dollars)),
        ("Suite", run.suite.clone()),
        ("Target", run.target.clone()),
        ("Model", run.model.clone()),
        ("Prompt", run.prompt_version.clone()),
        ("Data set", Some(run.dataset_version.clone())),
        ("Took", took(run, run.completed_at)),
    ]
    .into_iter()
    .filter_map(|(name, value)| Some((name, value.filter(|value| !value.is_empty())?)))
    .collect()
}
