//! Log-ins by browsers: rows of `auth.browser_sessions`, which hold hashes alone. Only the service reads and writes them.

use pawl_model::{BrowserSessionId, UserId};
use time::OffsetDateTime;

use crate::statement::pair;
use crate::{Result, Scope, Statement};

const INSERT: Statement = pair!("browser_sessions/insert");
const FIND: Statement = pair!("browser_sessions/find");
const ROTATE: Statement = pair!("browser_sessions/rotate");
const DELETE: Statement = pair!("browser_sessions/delete");
const DELETE_OTHERS: Statement = pair!("browser_sessions/delete_others");
const PRUNE: Statement = pair!("browser_sessions/prune");

pub(crate) const STATEMENTS: &[Statement] = &[INSERT, FIND, ROTATE, DELETE, DELETE_OTHERS, PRUNE];

/// A log-in as it is kept at first.
#[derive(Clone, Copy, Debug)]
pub struct NewBrowserSession<'a> {
    /// What it is ended by.
    pub id: BrowserSessionId,
    /// Who logged in.
    pub user_id: UserId,
    /// The SHA-256 of its secret.
    pub hash: &'a [u8],
    /// When it begins.
    pub created_at: OffsetDateTime,
}

/// A log-in, found by one of its secrets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BrowserSession {
    /// What it is ended by.
    pub id: BrowserSessionId,
    /// Who logged in.
    pub user_id: UserId,
    /// Which of its secrets it was found by.
    pub found_by: Secret,
    /// When it began.
    pub created_at: OffsetDateTime,
    /// When its secret was made.
    pub rotated_at: OffsetDateTime,
}

/// A secret of a log-in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Secret {
    /// The one that it has now.
    Current,
    /// The one that it had before.
    Previous,
}

/// Begins a session.
///
/// # Errors
/// [`crate::StoreError::Reference`] when there is no such user; [`crate::StoreError::ForeignRow`] for a tenant.
pub async fn insert(scope: &mut Scope, session: NewBrowserSession<'_>) -> Result<()> {
    scope.require_service()?;
    let values = [
        session.user_id.into(),
        session.id.into(),
        session.hash.into(),
        session.created_at.into(),
    ];
    scope.execute(&INSERT, &values).await?;
    Ok(())
}

/// The session that has, or had before, the secret with this hash.
///
/// # Errors
/// [`crate::StoreError::ForeignRow`] for a tenant.
pub async fn find(scope: &mut Scope, hash: &[u8]) -> Result<Option<BrowserSession>> {
    scope.require_service()?;
    let row = scope.fetch_one(&FIND, &[hash.into()]).await?;
    row.map(|row| {
        let mut columns = row.columns();
        Ok(BrowserSession {
            id: columns.read()?,
            user_id: columns.read()?,
            found_by: match columns.read()? {
                true => Secret::Current,
                false => Secret::Previous,
            },
            created_at: columns.read()?,
            rotated_at: columns.read()?,
        })
    })
    .transpose()
}

/// What takes the place of a secret.
#[derive(Clone, Copy, Debug)]
pub struct Rotation<'a> {
    /// The SHA-256 of the secret.
    pub hash: &'a [u8],
    /// The SHA-256 of the next one.
    pub next: &'a [u8],
    /// When it is made.
    pub at: OffsetDateTime,
}

/// Replaces a secret by the next one; nothing happens where that was done already.
///
/// # Errors
/// [`crate::StoreError::ForeignRow`] for a tenant.
pub async fn rotate(scope: &mut Scope, rotation: Rotation<'_>) -> Result<()> {
    scope.require_service()?;
    let values = [rotation.hash.into(), rotation.next.into(), rotation.at.into()];
    scope.execute(&ROTATE, &values).await?;
    Ok(())
}

/// Ends a session.
///
/// # Errors
/// [`crate::StoreError::ForeignRow`] for a tenant.
pub async fn delete(scope: &mut Scope, id: BrowserSessionId) -> Result<()> {
    scope.require_service()?;
    scope.execute(&DELETE, &[id.into()]).await?;
    Ok(())
}

/// Ends all sessions of a user but the one to keep.
///
/// # Errors
/// [`crate::StoreError::ForeignRow`] for a tenant.
pub async fn delete_others(scope: &mut Scope, user: UserId, keep: Option<BrowserSessionId>) -> Result<()> {
    scope.require_service()?;
    scope.execute(&DELETE_OTHERS, &[user.into(), keep.into()]).await?;
    Ok(())
}

/// Which sessions of a user are kept.
#[derive(Clone, Copy, Debug)]
pub struct Kept {
    /// Those whose secret was made since then…
    pub rotated_since: OffsetDateTime,
    /// …and that began since then…
    pub created_since: OffsetDateTime,
    /// …and of them so many, the ones used last.
    pub most: u32,
}

/// Ends those sessions of a user that are not kept.
///
/// # Errors
/// [`crate::StoreError::ForeignRow`] for a tenant.
pub async fn prune(scope: &mut Scope, user: UserId, kept: Kept) -> Result<()> {
    scope.require_service()?;
    let values = [
        user.into(),
        kept.rotated_since.into(),
        kept.created_since.into(),
        i64::from(kept.most).into(),
    ];
    scope.execute(&PRUNE, &values).await?;
    Ok(())
}
