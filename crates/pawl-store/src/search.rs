//! The index of words, which follows behind the commits.

use time::OffsetDateTime;

use crate::rollups::Stretch;
use crate::statement::{pair, shared};
use crate::{Result, Scope, Statement};

const INDEX: Statement = pair!("search/index");
const ADVANCE: Statement = pair!("search/advance");
const PROGRESS: Statement = shared!("search/progress");
const PENDING: Statement = pair!("search/pending");
const REINDEX: Statement = pair!("search/reindex");

pub(crate) const STATEMENTS: &[Statement] = &[INDEX, ADVANCE, PENDING, PROGRESS, REINDEX];

/// Indexes the next interactions, at most `limit`, as the service; says how many. `now` is the time at which the
/// transaction began.
///
/// # Errors
/// [`crate::StoreError::ForeignRow`] for a tenant.
pub async fn index(scope: &mut Scope, limit: u32, now: OffsetDateTime) -> Result<u64> {
    scope.require_service()?;
    let indexed = scope.execute(&INDEX, &[i64::from(limit).into()]).await?;
    let all = indexed < u64::from(limit);
    scope.execute(&ADVANCE, &[all.into(), now.into()]).await?;
    Ok(indexed)
}

/// Whether there are interactions that the actor sees and that are not indexed.
///
/// # Errors
/// When the database fails.
pub async fn is_behind(scope: &mut Scope) -> Result<bool> {
    let row = scope.fetch_one(&PENDING, &[]).await?;
    row.map_or(Ok(false), |row| row.columns().read())
}

/// Up to when interactions are searchable, where some are not indexed yet.
///
/// # Errors
/// When the database fails.
pub async fn indexed_until(scope: &mut Scope) -> Result<OffsetDateTime> {
    let row = scope.fetch_one(&PROGRESS, &[]).await?;
    row.map_or(Ok(OffsetDateTime::UNIX_EPOCH), |row| row.columns().read())
}

/// Indexes what of a stretch was changed behind our back.
///
/// # Errors
/// When the database fails.
pub async fn reindex(scope: &mut Scope, stretch: &Stretch) -> Result<()> {
    let values = [stretch.user_id.into(), stretch.from.into(), stretch.until.into()];
    scope.execute(&REINDEX, &values).await?;
    Ok(())
}
