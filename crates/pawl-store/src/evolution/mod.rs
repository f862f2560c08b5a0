//! Optimisations of prompts: runs, their candidates, every candidate tried on an example, and the journal by which a run
//! that was killed goes on.

mod candidates;
mod journal;
mod service;

use pawl_model::{Optimization, OptimizationStatus, UserId};
use serde::de::DeserializeOwned;
use time::OffsetDateTime;

pub(crate) use self::candidates::STATEMENTS as CANDIDATE_STATEMENTS;
pub use self::candidates::{
    ExampleScore, candidate, candidates, decide_candidate, evaluations, insert_evaluations, propose, scores,
    set_standing,
};
pub(crate) use self::journal::STATEMENTS as JOURNAL_STATEMENTS;
pub use self::journal::{
    CallAnswer, CallCosts, NewCall, RecalledCall, Scored, begin, commit_step, finish, opened, recall,
    reusable, steps,
};
pub(crate) use self::service::STATEMENTS as SERVICE_STATEMENTS;
pub use self::service::{Pulse, cancel, led_to, pulse, resume, take_up, worst};
use crate::insert::{Insert, OnExisting};
use crate::row::Columns;
use crate::statement::shared;
use crate::{Result, Row, Scope, Statement};

const RUN: Statement = shared!("evolution/run");
const RUNS: Statement = shared!("evolution/runs");
const SET_STATUS: Statement = shared!("evolution/set_status");

pub(crate) const STATEMENTS: &[Statement] = &[RUN, RUNS, SET_STATUS];

const INSERT_RUN: Insert = Insert {
    table: "prompt_optimization_runs",
    columns: &[
        "id",
        "user_id",
        "signature_name",
        "status",
        "config",
        "dimension_weights",
        "created_at",
    ],
    on_existing: OnExisting::Fail,
};

/// Adds an optimisation.
///
/// # Errors
/// [`crate::StoreError::Duplicate`] when the id is taken.
pub async fn insert_run(scope: &mut Scope, user: UserId, run: &Optimization) -> Result<()> {
    let owner = scope.owner(Some(user)).await?;
    let row = vec![
        run.id.as_str().into(),
        owner.into(),
        run.name.as_str().into(),
        run.status.as_str().into(),
        (&run.config).into(),
        (&run.dimension_weights).into(),
        run.created_at.into(),
    ];
    scope.insert(&INSERT_RUN, &[row]).await?;
    Ok(())
}

/// Writes how far an optimisation is: its status, its best candidate, its steps, why it ended, how long it took.
///
/// # Errors
/// When the database fails.
pub async fn set_status(scope: &mut Scope, run: &Optimization) -> Result<()> {
    let values = [
        run.id.as_str().into(),
        run.status.as_str().into(),
        run.best_score.into(),
        run.best_candidate_id.as_deref().into(),
        run.iterations.into(),
        run.finish.as_deref().into(),
        run.error.as_deref().into(),
        run.elapsed_ms.into(),
        run.completed_at.into(),
    ];
    scope.execute(&SET_STATUS, &values).await?;
    Ok(())
}

/// An optimisation, where the actor sees it.
///
/// # Errors
/// When the database fails.
pub async fn run(scope: &mut Scope, id: &str) -> Result<Option<Optimization>> {
    let row = scope.fetch_one(&RUN, &[id.into()]).await?;
    row.as_ref().map(read_run).transpose()
}

/// Optimisations, the newest first.
///
/// # Errors
/// When the database fails.
pub async fn runs(scope: &mut Scope, limit: u32) -> Result<Vec<Optimization>> {
    let rows = scope.fetch(&RUNS, &[i64::from(limit).into()]).await?;
    rows.iter().map(read_run).collect()
}

fn read_run(row: &Row) -> Result<Optimization> {
    let mut columns = row.columns();
    let (id, name): (String, String) = (columns.read()?, columns.read()?);
    let status: OptimizationStatus = columns.read()?;
    let config = columns.read()?;
    let best_score = columns.read()?;
    let best_candidate_id = columns.read()?;
    let iterations = columns.read()?;
    let dimension_weights = columns.read()?;
    let finish = columns.read()?;
    let error = columns.read()?;
    let elapsed_ms = columns.read()?;
    let created_at: OffsetDateTime = columns.read()?;
    Ok(Optimization {
        id,
        name,
        status,
        config,
        best_score,
        best_candidate_id,
        iterations,
        dimension_weights,
        finish,
        error,
        elapsed_ms,
        created_at,
        completed_at: columns.read()?,
    })
}

fn document<T: DeserializeOwned + Default>(columns: &mut Columns<'_>) -> Result<T> {
    let document = columns.some_document("a document of a candidate")?;
    Ok(document.unwrap_or_default())
}
