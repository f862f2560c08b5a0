//! Cases of runs: `sb_eval_cases`.

use pawl_model::{CaseId, CaseRecord, Json, RunId, State, Tally};
use serde_json::json;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::insert::{Insert, OnExisting};
use crate::statement::{documents, pair, shared};
use crate::{Result, Row, Scope, Statement, Value};

const PAGE: Statement = shared!("cases/page");
const LIST: Statement = shared!("cases/list");
const OUTCOMES: Statement = pair!("cases/outcomes");
const SOME: Statement = pair!("cases/some");
const TALLY: Statement = shared!("cases/tally");

pub(crate) const STATEMENTS: &[Statement] = &[PAGE, LIST, OUTCOMES, SOME, TALLY];

const INSERT: Insert = Insert {
    table: "sb_eval_cases",
    columns: &[
        "id",
        "run_id",
        "created_at",
        "input_data",
        "output_story",
        "session_id",
        "story_id",
        "action_id",
        "eval_results",
        "passed",
        "error",
        "user_id",
        "trial",
        "status",
        "score",
        "latency_ms",
        "cost_usd",
        "output",
        "details",
    ],
    // A case that stands there was stored by the run that this one resumes: its id is its position.
    on_existing: OnExisting::Keep(&["id"]),
};

/// Adds cases of one run that are not there yet, and says how many were new. They belong to [`Scope::owner`].
///
/// # Errors
/// [`crate::StoreError::Reference`] when the run does not exist or is somebody else's.
pub async fn insert(scope: &mut Scope, cases: &[CaseRecord]) -> Result<u64> {
    let Some(first) = cases.first() else { return Ok(0) };
    let owner = scope.owner(first.user_id).await?;
    let rows: Vec<Vec<Value<'_>>> = cases
        .iter()
        .map(|case| {
            vec![
                case.id.into(),
                case.run_id.into(),
                case.created_at.into(),
                (&case.input_data).into(),
                case.output_story.as_ref().into(),
                case.session_id.into(),
                case.story_id.into(),
                case.action_id.into(),
                (&case.eval_results).into(),
                case.passed.into(),
                case.error.as_ref().into(),
                owner.into(),
                case.trial.into(),
                case.status.into(),
                case.score.into(),
                case.latency_ms.into(),
                case.cost_usd.into(),
                case.output.as_ref().into(),
                case.details.as_ref().into(),
            ]
        })
        .collect();
    scope.insert(&INSERT, &rows).await
}

/// Up to `limit` cases of a run behind `after`, by id: of our own runs, in the order of the data set.
///
/// # Errors
/// When the database fails.
pub async fn page(
    scope: &mut Scope,
    run: RunId,
    after: Option<CaseId>,
    limit: u32,
) -> Result<Vec<CaseRecord>> {
    let rows = scope.fetch(&PAGE, &place(run, after, limit)).await?;
    rows.iter().map(read).collect()
}

/// As [`page`], those in this state alone, whoever wrote them: see [`State::of_row`].
///
/// # Errors
/// When the database fails.
pub async fn list(scope: &mut Scope, run: RunId, state: State, page: Page) -> Result<Vec<CaseRecord>> {
    let [run, after, limit] = place(run, page.after, page.limit);
    let rows = scope
        .fetch(&LIST, &[run, after, limit, state.as_str().into()])
        .await?;
    rows.iter().map(read).collect()
}

/// Those of these cases that the actor sees, by id.
///
/// # Errors
/// When the database fails.
pub async fn some(scope: &mut Scope, ids: &[CaseId]) -> Result<Vec<CaseRecord>> {
    let ids = documents(ids.iter().map(|id| json!(id)))?;
    let rows = scope.fetch(&SOME, &[(&ids).into()]).await?;
    rows.iter().map(read).collect()
}

/// How many cases of a run stand there in which state, and when the last one was stored; none where there is none.
///
/// # Errors
/// When the database fails.
pub async fn tally(scope: &mut Scope, run: RunId) -> Result<(Tally, Option<OffsetDateTime>)> {
    let mut tally = Tally::default();
    let mut latest = None;
    for row in scope.fetch(&TALLY, &[run.into()]).await? {
        let mut columns = row.columns();
        let state = State::of_row(columns.read()?, columns.read()?, columns.read()?);
        tally.add_many(state, u64::try_from(columns.read::<i64>()?).unwrap_or_default());
        latest = latest.max(columns.read()?);
    }
    Ok((tally, latest))
}

/// A page of cases.
#[derive(Clone, Copy, Debug)]
pub struct Page {
    /// Behind this one; none from the first on.
    pub after: Option<CaseId>,
    /// At most so many.
    pub limit: u32,
}

/// What a comparison needs of a case.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The row.
    pub id: CaseId,
    /// The case's id in its suite; none where the input has none.
    pub input_id: Option<String>,
    /// The repetition.
    pub trial: i32,
    /// Its state.
    pub state: State,
    /// Its score; none where it was not scored.
    pub score: Option<f64>,
    /// Its checks.
    pub eval_results: Json,
}

/// As [`page`], the outcomes alone.
///
/// # Errors
/// When the database fails.
pub async fn outcomes(
    scope: &mut Scope,
    run: RunId,
    after: Option<CaseId>,
    limit: u32,
) -> Result<Vec<Outcome>> {
    let rows = scope.fetch(&OUTCOMES, &place(run, after, limit)).await?;
    rows.iter()
        .map(|row| {
            let mut columns = row.columns();
            let (id, input_id, trial) = (columns.read()?, columns.read()?, columns.read()?);
            let state = State::of_row(columns.read()?, columns.read()?, columns.read()?);
            Ok(Outcome {
                id,
                input_id,
                trial,
                state,
                score: columns.read()?,
                eval_results: columns.read()?,
            })
        })
        .collect()
}

fn place(run: RunId, after: Option<CaseId>, limit: u32) -> [Value<'static>; 3] {
    [
        run.into(),
        after.unwrap_or(CaseId(Uuid::nil())).into(),
        i64::from(limit).into(),
    ]
}

fn read(row: &Row) -> Result<CaseRecord> {
    let mut columns = row.columns();
    Ok(CaseRecord {
        id: columns.read()?,
        run_id: columns.read()?,
        created_at: columns.read()?,
        input_data: columns.read()?,
        output_story: columns.read()?,
        session_id: columns.read()?,
        story_id: columns.read()?,
        action_id: columns.read()?,
        eval_results: columns.read()?,
        passed: columns.read()?,
        error: columns.read()?,
        user_id: columns.read()?,
        trial: columns.read()?,
        status: columns.read()?,
        score: columns.read()?,
        latency_ms: columns.read()?,
        cost_usd: columns.read()?,
        output: columns.read()?,
        details: columns.read()?,
    })
}
