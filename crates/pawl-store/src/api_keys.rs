//! Keys of programs: rows of `auth.api_keys`, which hold hashes alone. Only the service reads and writes them.

use pawl_model::{ApiKey, ApiKeyId, UserId};

use crate::row::Columns;
use crate::statement::pair;
use crate::{Result, Scope, Statement};

const INSERT: Statement = pair!("api_keys/insert");
const LIST: Statement = pair!("api_keys/list");
const COUNT: Statement = pair!("api_keys/count");
const FIND: Statement = pair!("api_keys/find");
const DELETE: Statement = pair!("api_keys/delete");

pub(crate) const STATEMENTS: &[Statement] = &[INSERT, LIST, COUNT, FIND, DELETE];

/// Adds a key, by the SHA-256 of its text.
///
/// # Errors
/// [`crate::StoreError::Reference`] when there is no such user; [`crate::StoreError::ForeignRow`] for a tenant.
pub async fn insert(scope: &mut Scope, key: &ApiKey, hash: &[u8]) -> Result<()> {
    scope.require_service()?;
    let values = [
        key.user_id.into(),
        key.id.into(),
        key.scope.into(),
        hash.into(),
        (&key.last_four).into(),
        key.created_at.into(),
    ];
    scope.execute(&INSERT, &values).await?;
    Ok(())
}

/// All keys of a user, oldest first.
///
/// # Errors
/// [`crate::StoreError::ForeignRow`] for a tenant.
pub async fn list(scope: &mut Scope, user: UserId) -> Result<Vec<ApiKey>> {
    scope.require_service()?;
    let rows = scope.fetch(&LIST, &[user.into()]).await?;
    rows.iter().map(|row| read(&mut row.columns())).collect()
}

/// How many keys a user has.
///
/// # Errors
/// [`crate::StoreError::ForeignRow`] for a tenant.
pub async fn count(scope: &mut Scope, user: UserId) -> Result<u64> {
    scope.require_service()?;
    let row = scope.fetch_one(&COUNT, &[user.into()]).await?;
    let count: Option<i64> = row.map(|row| row.columns().read()).transpose()?;
    Ok(count.and_then(|count| u64::try_from(count).ok()).unwrap_or(0))
}

/// The key with this hash, and the hash that is kept.
///
/// # Errors
/// [`crate::StoreError::ForeignRow`] for a tenant.
pub async fn find(scope: &mut Scope, hash: &[u8]) -> Result<Option<(ApiKey, Vec<u8>)>> {
    scope.require_service()?;
    let row = scope.fetch_one(&FIND, &[hash.into()]).await?;
    row.map(|row| {
        let mut columns = row.columns();
        Ok((read(&mut columns)?, columns.read()?))
    })
    .transpose()
}

/// Deletes a key of a user; says whether there was one.
///
/// # Errors
/// [`crate::StoreError::ForeignRow`] for a tenant.
pub async fn delete(scope: &mut Scope, user: UserId, id: ApiKeyId) -> Result<bool> {
    scope.require_service()?;
    Ok(scope.execute(&DELETE, &[user.into(), id.into()]).await? > 0)
}

fn read(columns: &mut Columns<'_>) -> Result<ApiKey> {
    Ok(ApiKey {
        id: columns.read()?,
        user_id: columns.read()?,
        scope: columns.read()?,
        last_four: columns.read()?,
        created_at: columns.read()?,
    })
}
