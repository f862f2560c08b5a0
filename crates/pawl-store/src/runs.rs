//! Runs: `sb_eval_runs`.

use pawl_model::{LineageKind, LineageNode, Run, RunId, RunStatus, Tally, UserId};
use time::OffsetDateTime;
use time::macros::datetime;
use uuid::Uuid;

use crate::insert::{Insert, OnExisting};
use crate::statement::shared;
use crate::{Result, Row, Scope, Statement, Value};

const GET: Statement = shared!("runs/get");
const LATEST: Statement = shared!("runs/latest");
const LIST: Statement = shared!("runs/list");
const FINISH: Statement = shared!("runs/finish");
const REOPEN: Statement = shared!("runs/reopen");

pub(crate) const STATEMENTS: &[Statement] = &[GET, LATEST, LIST, FINISH, REOPEN];

const INSERT: Insert = Insert {
    table: "sb_eval_runs",
    columns: &[
        "id",
        "created_at",
        "run_name",
        "dataset_version",
        "model",
        "prompt_version",
        "total_cases",
        "passed_cases",
        "failed_cases",
        "status",
        "completed_at",
        "error",
        "user_id",
        "suite",
        "target",
        "suite_hash",
        "dataset_hash",
        "settings",
    ],
    on_existing: OnExisting::Fail,
};

/// Adds a run; it belongs to [`Scope::owner`].
///
/// # Errors
/// [`crate::StoreError::Duplicate`] when the id is taken; see [`Scope::owner`].
pub async fn insert(scope: &mut Scope, run: &Run) -> Result<()> {
    let owner = scope.owner(run.user_id).await?;
    let row: Vec<Value<'_>> = vec![
        run.id.into(),
        run.created_at.into(),
        run.run_name.as_ref().into(),
        (&run.dataset_version).into(),
        run.model.as_ref().into(),
        run.prompt_version.as_ref().into(),
        run.total_cases.into(),
        run.passed_cases.into(),
        run.failed_cases.into(),
        run.status.as_str().into(),
        run.completed_at.into(),
        run.error.as_ref().into(),
        owner.into(),
        run.suite.as_ref().into(),
        run.target.as_ref().into(),
        run.suite_hash.as_ref().into(),
        run.dataset_hash.as_ref().into(),
        run.settings.as_ref().into(),
    ];
    scope.insert(&INSERT, &[row]).await?;
    tell(scope, owner, run.id);
    Ok(())
}

/// The run with this id, if the actor sees it.
///
/// # Errors
/// When the database fails.
pub async fn get(scope: &mut Scope, id: RunId) -> Result<Option<Run>> {
    scope
        .fetch_one(&GET, &[id.into()])
        .await?
        .as_ref()
        .map(read)
        .transpose()
}

/// The newest completed run of a suite, apart from `except`.
///
/// # Errors
/// When the database fails.
pub async fn latest(scope: &mut Scope, suite: &str, except: RunId) -> Result<Option<Run>> {
    scope
        .fetch_one(&LATEST, &[suite.into(), except.into()])
        .await?
        .as_ref()
        .map(read)
        .transpose()
}

/// Which runs a list shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter<'a> {
    /// Only those with this status.
    pub status: Option<&'a str>,
    /// Only those of this suite.
    pub suite: Option<&'a str>,
}

/// Where a run stands in a list: newest first, those of one moment by descending id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// When the run started.
    pub created_at: OffsetDateTime,
    /// Its id.
    pub id: RunId,
}

impl Place {
    /// Before every run.
    const TOP: Self = Self {
        created_at: datetime!(9999-12-31 23:59:59 UTC),
        id: RunId(Uuid::max()),
    };
}

/// Up to `limit` runs behind `after`, newest first.
///
/// # Errors
/// When the database fails.
pub async fn list(
    scope: &mut Scope,
    filter: &Filter<'_>,
    after: Option<Place>,
    limit: u32,
) -> Result<Vec<Run>> {
    let after = after.unwrap_or(Place::TOP);
    let values = [
        filter.status.into(),
        filter.suite.into(),
        after.created_at.into(),
        after.id.into(),
        i64::from(limit).into(),
    ];
    scope.fetch(&LIST, &values).await?.iter().map(read).collect()
}

/// How a run ended.
#[derive(Clone, Debug)]
pub struct Finish<'a> {
    /// `completed` or `failed`.
    pub status: RunStatus,
    /// When.
    pub completed_at: OffsetDateTime,
    /// Why it failed.
    pub error: Option<&'a str>,
    /// Its case rows.
    pub tally: Tally,
}

/// Writes the end of a run and its totals.
///
/// # Errors
/// When the database fails, or the run has more cases than the column can count.
pub async fn finish(scope: &mut Scope, id: RunId, finish: &Finish<'_>) -> Result<()> {
    let count = |n: u64| Value::Int(i64::try_from(n).unwrap_or(i64::MAX));
    let values = [
        id.into(),
        finish.status.as_str().into(),
        finish.completed_at.into(),
        finish.error.into(),
        count(finish.tally.total()),
        count(finish.tally.passed),
        count(finish.tally.failed),
    ];
    let row = scope.fetch_one(&FINISH, &values).await?;
    let owner = row.map(|row| row.columns().read()).transpose()?.flatten();
    tell(scope, owner, id);
    Ok(())
}

/// Marks a run as running again.
///
/// # Errors
/// When the database fails.
pub async fn reopen(scope: &mut Scope, id: RunId) -> Result<()> {
    let row = scope.fetch_one(&REOPEN, &[id.into()]).await?;
    let owner = row.map(|row| row.columns().read()).transpose()?.flatten();
    tell(scope, owner, id);
    Ok(())
}

/// A run has its place in the lineage from its end on; one that belongs to nobody yet has none.
fn tell(scope: &mut Scope, owner: Option<UserId>, id: RunId) {
    if let Some(user) = owner {
        scope.enters(user, LineageNode::new(LineageKind::Run, id.to_string()), []);
    }
}

fn read(row: &Row) -> Result<Run> {
    let mut columns = row.columns();
    Ok(Run {
        id: columns.read()?,
        created_at: columns.read()?,
        run_name: columns.read()?,
        dataset_version: columns.read()?,
        model: columns.read()?,
        prompt_version: columns.read()?,
        total_cases: columns.read()?,
        passed_cases: columns.read()?,
        failed_cases: columns.read()?,
        status: columns.read::<String>()?.into(),
        completed_at: columns.read()?,
        error: columns.read()?,
        user_id: columns.read()?,
        suite: columns.read()?,
        target: columns.read()?,
        suite_hash: columns.read()?,
        dataset_hash: columns.read()?,
        settings: columns.read()?,
    })
}
