//! Work that comes again and again.

use pawl_model::{Schedule, ScheduleId};
use time::OffsetDateTime;

use crate::statement::{pair, shared};
use crate::{Result, Row, Scope, Statement};

const IS_DUE: Statement = shared!("schedules/is_due");
const DUE: Statement = pair!("schedules/due");
const ADVANCE: Statement = shared!("schedules/advance");
const ENQUEUE: Statement = pair!("schedules/enqueue");
const LIST: Statement = shared!("schedules/list");
const CHANGE: Statement = pair!("schedules/change");

pub(crate) const STATEMENTS: &[Statement] = &[IS_DUE, DUE, ADVANCE, ENQUEUE, LIST, CHANGE];

/// Whether a schedule's time has come.
///
/// # Errors
/// When the database fails.
pub async fn is_due(scope: &mut Scope, now: OffsetDateTime) -> Result<bool> {
    Ok(scope.fetch_one(&IS_DUE, &[now.into()]).await?.is_some())
}

/// Schedules whose time has come, held until the transaction ends.
///
/// # Errors
/// When the database fails; [`crate::StoreError::ForeignRow`] for a tenant.
pub async fn due(scope: &mut Scope, now: OffsetDateTime) -> Result<Vec<Schedule>> {
    scope.require_service()?;
    let rows = scope.fetch(&DUE, &[now.into()]).await?;
    rows.iter().map(read).collect()
}

/// Queues a job of a schedule for everybody whose it is, and says when the next one is due.
///
/// # Errors
/// When the database fails; [`crate::StoreError::ForeignRow`] for a tenant.
pub async fn run(
    scope: &mut Scope,
    id: ScheduleId,
    now: OffsetDateTime,
    next_at: OffsetDateTime,
) -> Result<u64> {
    scope.require_service()?;
    let queued = scope.execute(&ENQUEUE, &[id.into(), now.into()]).await?;
    scope.execute(&ADVANCE, &[id.into(), next_at.into()]).await?;
    scope.announce_jobs();
    Ok(queued)
}

/// All schedules, by name.
///
/// # Errors
/// When the database fails.
pub async fn list(scope: &mut Scope) -> Result<Vec<Schedule>> {
    let rows = scope.fetch(&LIST, &[]).await?;
    rows.iter().map(read).collect()
}

/// What is to be changed of a schedule.
#[derive(Clone, Copy, Debug)]
pub struct Change<'a> {
    /// Its name.
    pub name: &'a str,
    /// Whether it goes on.
    pub enabled: Option<bool>,
    /// How far apart its jobs begin.
    pub every_seconds: Option<i64>,
    /// The latest time at which the next one begins.
    pub next_at: OffsetDateTime,
}

/// Changes a schedule; says whether there is one of that name.
///
/// # Errors
/// When the database fails; [`crate::StoreError::ForeignRow`] for a tenant.
pub async fn change(scope: &mut Scope, change: Change<'_>) -> Result<bool> {
    scope.require_service()?;
    let values = [
        change.name.into(),
        change.enabled.into(),
        change.every_seconds.into(),
        change.next_at.into(),
    ];
    Ok(scope.execute(&CHANGE, &values).await? > 0)
}

fn read(row: &Row) -> Result<Schedule> {
    let mut columns = row.columns();
    Ok(Schedule {
        id: columns.read()?,
        user_id: columns.read()?,
        name: columns.read()?,
        kind: columns.read()?,
        payload: columns.read()?,
        every_seconds: columns.read()?,
        enabled: columns.read()?,
        next_at: columns.read()?,
    })
}
