//! Runs that mine: what came of each, what it cost, and what could not be read.

use pawl_model::{ExtractionError, JobId, MiningCounts, MiningRun, TriggeredBy, UserId};
pub use sqlx::types::BigDecimal as Cost;
use time::OffsetDateTime;

use crate::insert::{Insert, OnExisting};
use crate::statement::{pair, shared};
use crate::{Columns, Result, Scope, Statement, StoreError, Value};

const START: Statement = pair!("mining/start");
const ADD: Statement = shared!("mining/add");
const FINISH: Statement = shared!("mining/finish");
const RUNS: Statement = pair!("mining/runs");
const ERRORS: Statement = shared!("mining/errors");

pub(crate) const STATEMENTS: &[Statement] = &[START, ADD, FINISH, RUNS, ERRORS];

const INSERT_ERRORS: Insert = Insert {
    table: "mining_errors",
    columns: &[
        "user_id",
        "run_id",
        "source_trace_id",
        "error_type",
        "error_message",
        "recorded_at",
        "model_response_sha256",
        "model_response_excerpt",
    ],
    on_existing: OnExisting::Keep(&["user_id", "run_id", "source_trace_id"]),
};

/// A run that begins, or goes on.
#[derive(Clone, Debug)]
pub struct NewRun<'a> {
    /// Whose.
    pub user_id: UserId,
    /// Its id, where it is a new one.
    pub run_id: &'a str,
    /// The job that it is the work of.
    pub job_id: Option<JobId>,
    /// What set it going.
    pub triggered_by: TriggeredBy,
    /// What makes patterns.
    pub extracted_by: &'a str,
    /// What makes vectors.
    pub embedded_by: &'a str,
    /// Interactions since then.
    pub since: OffsetDateTime,
    /// Now.
    pub started_at: OffsetDateTime,
}

/// Begins a run, or goes on with that of the same job. Gives its id, and what it has cost so far, in US dollars.
///
/// # Errors
/// When the database fails.
pub async fn start(scope: &mut Scope, run: &NewRun<'_>) -> Result<(String, Cost)> {
    let values = [
        run.user_id.into(),
        run.run_id.into(),
        run.job_id.into(),
        run.triggered_by.as_str().into(),
        run.extracted_by.into(),
        run.embedded_by.into(),
        run.since.into(),
        run.started_at.into(),
    ];
    let row = scope
        .fetch_one(&START, &values)
        .await?
        .ok_or(StoreError::ForeignRow)?;
    let mut columns = row.columns();
    Ok((columns.read()?, columns.read()?))
}

/// A part of a run.
#[derive(Clone, Debug)]
pub struct RunPart<'a> {
    /// Whose.
    pub user_id: UserId,
    /// The run.
    pub run_id: &'a str,
    /// What came of this part.
    pub counts: MiningCounts,
    /// What the run has cost by now, in US dollars.
    pub cost_usd: &'a Cost,
    /// What could not be read.
    pub errors: &'a [ExtractionError],
}

/// Adds what came of a part of a run.
///
/// # Errors
/// When the database fails.
pub async fn add(scope: &mut Scope, part: &RunPart<'_>) -> Result<()> {
    let counts = &part.counts;
    let count = |count: u64| Value::from(i64::try_from(count).unwrap_or(i64::MAX));
    let values = [
        part.user_id.into(),
        part.run_id.into(),
        count(counts.picked_up),
        count(counts.patterns),
        count(counts.joined),
        count(counts.suggestions),
        count(counts.skipped),
        count(counts.errors),
        part.cost_usd.into(),
    ];
    scope.execute(&ADD, &values).await?;
    let rows: Vec<Vec<Value<'_>>> = part
        .errors
        .iter()
        .map(|error| {
            vec![
                part.user_id.into(),
                part.run_id.into(),
                error.source_trace_id.as_str().into(),
                error.error_type.as_str().into(),
                error.error_message.as_str().into(),
                error.recorded_at.into(),
                error.model_response_sha256.as_deref().into(),
                error.model_response_excerpt.as_deref().into(),
            ]
        })
        .collect();
    scope.insert(&INSERT_ERRORS, &rows).await?;
    Ok(())
}

/// Ends a run.
///
/// # Errors
/// When the database fails.
pub async fn finish(scope: &mut Scope, user: UserId, run_id: &str, at: OffsetDateTime) -> Result<()> {
    scope
        .execute(&FINISH, &[user.into(), run_id.into(), at.into()])
        .await?;
    Ok(())
}

/// Runs, the newest first; of one id where that is asked.
///
/// # Errors
/// When the database fails.
pub async fn runs(scope: &mut Scope, id: Option<&str>, limit: u32) -> Result<Vec<MiningRun>> {
    let rows = scope.fetch(&RUNS, &[i64::from(limit).into(), id.into()]).await?;
    rows.iter()
        .map(|row| {
            let mut columns = row.columns();
            Ok(MiningRun {
                run_id: columns.read()?,
                triggered_by: columns.read()?,
                extracted_by: columns.read()?,
                embedded_by: columns.read()?,
                since: columns.read()?,
                started_at: columns.read()?,
                finished_at: columns.read()?,
                counts: MiningCounts {
                    picked_up: count(&mut columns)?,
                    patterns: count(&mut columns)?,
                    joined: count(&mut columns)?,
                    suggestions: count(&mut columns)?,
                    skipped: count(&mut columns)?,
                    errors: count(&mut columns)?,
                },
                cost_usd: columns.read::<Cost>()?.to_string().parse().unwrap_or_default(),
            })
        })
        .collect()
}

/// What could not be read in a run, at most `limit` of it.
///
/// # Errors
/// When the database fails.
pub async fn errors(scope: &mut Scope, run_id: &str, limit: u32) -> Result<Vec<ExtractionError>> {
    let rows = scope
        .fetch(&ERRORS, &[run_id.into(), i64::from(limit).into()])
        .await?;
    rows.iter()
        .map(|row| {
            let mut columns = row.columns();
            Ok(ExtractionError {
                source_trace_id: columns.read()?,
                error_type: columns.read()?,
                error_message: columns.read()?,
                recorded_at: columns.read()?,
                model_response_sha256: columns.read()?,
                model_response_excerpt: columns.read()?,
            })
        })
        .collect()
}

fn count(columns: &mut Columns<'_>) -> Result<u64> {
    Ok(u64::try_from(columns.read::<i64>()?).unwrap_or(0))
}
