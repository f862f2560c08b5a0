//! Refresh tokens: rows of `auth.refresh_tokens`, which hold hashes alone. Only the service reads and writes them.

use pawl_model::SessionId;
use time::OffsetDateTime;

use crate::sessions::Session;
use crate::statement::pair;
use crate::{Result, Scope, Statement};

const INSERT: Statement = pair!("tokens/insert");
const SPEND: Statement = pair!("tokens/spend");
const FIND: Statement = pair!("tokens/find");
const FORGET_USED: Statement = pair!("tokens/forget_used");

pub(crate) const STATEMENTS: &[Statement] = &[INSERT, SPEND, FIND, FORGET_USED];

/// A refresh token, as far as it is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RefreshToken {
    /// The log-in that it continues.
    pub session: Session,
    /// When it was used.
    pub used_at: Option<OffsetDateTime>,
    /// When its session was refreshed last.
    pub refreshed_at: OffsetDateTime,
}

/// A token as it is kept at first.
#[derive(Clone, Copy, Debug)]
pub struct NewRefreshToken<'a> {
    /// The log-in that it continues.
    pub session: Session,
    /// The SHA-256 of its text.
    pub hash: &'a [u8],
    /// When it was made.
    pub created_at: OffsetDateTime,
}

/// Adds the next token of a session.
///
/// # Errors
/// [`crate::StoreError::Reference`] when the session has ended; [`crate::StoreError::ForeignRow`] for a tenant.
pub async fn insert(scope: &mut Scope, token: NewRefreshToken<'_>) -> Result<()> {
    scope.require_service()?;
    let values = [
        token.session.user_id.into(),
        token.session.id.into(),
        token.hash.into(),
        token.created_at.into(),
    ];
    scope.execute(&INSERT, &values).await?;
    Ok(())
}

/// Marks a token as used; true for exactly one of those who try at the same time.
///
/// # Errors
/// [`crate::StoreError::ForeignRow`] for a tenant.
pub async fn spend(scope: &mut Scope, hash: &[u8], at: OffsetDateTime) -> Result<bool> {
    scope.require_service()?;
    Ok(scope.execute(&SPEND, &[hash.into(), at.into()]).await? > 0)
}

/// The token with this hash.
///
/// # Errors
/// [`crate::StoreError::ForeignRow`] for a tenant.
pub async fn find(scope: &mut Scope, hash: &[u8]) -> Result<Option<RefreshToken>> {
    scope.require_service()?;
    let row = scope.fetch_one(&FIND, &[hash.into()]).await?;
    row.map(|row| {
        let mut columns = row.columns();
        let user_id = columns.read()?;
        Ok(RefreshToken {
            session: Session {
                user_id,
                id: columns.read()?,
            },
            used_at: columns.read()?,
            refreshed_at: columns.read()?,
        })
    })
    .transpose()
}

/// Forgets those tokens of a session that were used before then.
///
/// # Errors
/// [`crate::StoreError::ForeignRow`] for a tenant.
pub async fn forget_used(scope: &mut Scope, session: SessionId, before: OffsetDateTime) -> Result<()> {
    scope.require_service()?;
    scope
        .execute(&FORGET_USED, &[session.into(), before.into()])
        .await?;
    Ok(())
}
