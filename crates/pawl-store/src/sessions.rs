//! Log-ins: rows of `auth.sessions`. Only the service reads and writes them.

use pawl_model::{SessionId, UserId};
use time::OffsetDateTime;

use crate::statement::pair;
use crate::{Result, Scope, Statement};

const INSERT: Statement = pair!("sessions/insert");
const GET: Statement = pair!("sessions/get");
const REFRESHED: Statement = pair!("sessions/refreshed");
const DELETE: Statement = pair!("sessions/delete");
const DELETE_OTHERS: Statement = pair!("sessions/delete_others");
const PRUNE: Statement = pair!("sessions/prune");

pub(crate) const STATEMENTS: &[Statement] = &[INSERT, GET, REFRESHED, DELETE, DELETE_OTHERS, PRUNE];

/// A log-in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Session {
    /// What access tokens name.
    pub id: SessionId,
    /// Who logged in.
    pub user_id: UserId,
}

/// Begins a session.
///
/// # Errors
/// [`crate::StoreError::Reference`] when there is no such user; [`crate::StoreError::ForeignRow`] for a tenant.
pub async fn insert(scope: &mut Scope, session: Session, at: OffsetDateTime) -> Result<()> {
    scope.require_service()?;
    scope
        .execute(&INSERT, &[session.user_id.into(), session.id.into(), at.into()])
        .await?;
    Ok(())
}

/// When a session was begun or refreshed last; none when it has ended.
///
/// # Errors
/// [`crate::StoreError::ForeignRow`] for a tenant.
pub async fn refreshed_at(scope: &mut Scope, session: Session) -> Result<Option<OffsetDateTime>> {
    scope.require_service()?;
    scope
        .fetch_one(&GET, &[session.user_id.into(), session.id.into()])
        .await?
        .map(|row| row.columns().read())
        .transpose()
}

/// Notes that a session was refreshed at this time.
///
/// # Errors
/// [`crate::StoreError::ForeignRow`] for a tenant.
pub async fn refreshed(scope: &mut Scope, id: SessionId, at: OffsetDateTime) -> Result<()> {
    scope.require_service()?;
    scope.execute(&REFRESHED, &[id.into(), at.into()]).await?;
    Ok(())
}

/// Ends a session: its refresh tokens go with it.
///
/// # Errors
/// [`crate::StoreError::ForeignRow`] for a tenant.
pub async fn delete(scope: &mut Scope, id: SessionId) -> Result<()> {
    scope.require_service()?;
    scope.execute(&DELETE, &[id.into()]).await?;
    Ok(())
}

/// Ends all sessions of a user but the one to keep.
///
/// # Errors
/// [`crate::StoreError::ForeignRow`] for a tenant.
pub async fn delete_others(scope: &mut Scope, user: UserId, keep: Option<SessionId>) -> Result<()> {
    scope.require_service()?;
    scope.execute(&DELETE_OTHERS, &[user.into(), keep.into()]).await?;
    Ok(())
}

/// Which sessions of a user are kept.
#[derive(Clone, Copy, Debug)]
pub struct Kept {
    /// Those refreshed since then…
    pub since: OffsetDateTime,
    /// …and of them so many, the ones refreshed last.
    pub most: u32,
}

/// Ends those sessions of a user that are not kept.
///
/// # Errors
/// [`crate::StoreError::ForeignRow`] for a tenant.
pub async fn prune(scope: &mut Scope, user: UserId, kept: Kept) -> Result<()> {
    scope.require_service()?;
    scope
        .execute(
            &PRUNE,
            &[user.into(), kept.since.into(), i64::from(kept.most).into()],
        )
        .await?;
    Ok(())
}
