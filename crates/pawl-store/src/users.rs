//! Tenants: as much of `auth.users` as ownership needs.

use pawl_model::{User, UserId};

use crate::statement::{pair, shared};
use crate::{Actor, Result, Row, Scope, Statement, StoreError, Value};

const INSERT: Statement = pair!("users/insert");
const FIRST: Statement = pair!("users/first");
const FIND: Statement = pair!("users/find");
const LIST: Statement = pair!("users/list");
const HOLD_OWNERSHIP: Statement = pair!("users/hold_ownership");
const CHANGE_OWNERSHIP: Statement = pair!("users/change_ownership");

/// Gives rows without an owner to the first user; a table comes after those that it refers to.
const ADOPT: [Statement; 5] = [
    shared!("users/adopt_sb_sessions"),
    shared!("users/adopt_sb_stories"),
    shared!("users/adopt_sb_actions"),
    shared!("users/adopt_sb_eval_runs"),
    shared!("users/adopt_sb_eval_cases"),
];

pub(crate) const STATEMENTS: &[Statement] = &[
    INSERT,
    FIRST,
    FIND,
    LIST,
    HOLD_OWNERSHIP,
    CHANGE_OWNERSHIP,
    ADOPT[0],
    ADOPT[1],
    ADOPT[2],
    ADOPT[3],
    ADOPT[4],
];

/// Adds a user, as the service. The first one is given every row that has no owner yet.
///
/// # Errors
/// [`StoreError::Duplicate`] when id or e-mail address is taken; [`StoreError::ForeignRow`] for a tenant.
pub async fn insert(scope: &mut Scope, user: &User) -> Result<()> {
    if scope.actor() != Actor::Service {
        return Err(StoreError::ForeignRow);
    }
    scope.fetch(&CHANGE_OWNERSHIP, &[]).await?;
    let is_first = first(scope).await?.is_none();
    let values = [user.id.into(), user.email.as_ref().into(), user.created_at.into()];
    scope.execute(&INSERT, &values).await?;
    if is_first {
        for adopt in &ADOPT {
            scope.execute(adopt, &[user.id.into()]).await?;
        }
    }
    Ok(())
}

/// The first user: the one who was there first of those whom the actor sees.
async fn first(scope: &mut Scope) -> Result<Option<UserId>> {
    scope
        .fetch_one(&FIRST, &[])
        .await?
        .map(|row| row.columns().read())
        .transpose()
}

/// The first user; where there is none, nobody becomes it before this transaction has ended.
pub(crate) async fn first_or_wait(scope: &mut Scope) -> Result<Option<UserId>> {
    if let Some(user) = first(scope).await? {
        return Ok(Some(user));
    }
    scope.fetch(&HOLD_OWNERSHIP, &[]).await?;
    first(scope).await
}

/// Finds a user by id, or by e-mail address in any case.
///
/// # Errors
/// When the database fails.
pub async fn find(scope: &mut Scope, id_or_email: &str) -> Result<Option<User>> {
    let id: Option<UserId> = id_or_email.parse().ok();
    let row = scope
        .fetch_one(&FIND, &[id.into(), Value::from(id_or_email)])
        .await?;
    row.as_ref().map(read).transpose()
}

/// The first `limit` users, oldest first.
///
/// # Errors
/// When the database fails.
pub async fn list(scope: &mut Scope, limit: u32) -> Result<Vec<User>> {
    scope
        .fetch(&LIST, &[i64::from(limit).into()])
        .await?
        .iter()
        .map(read)
        .collect()
}

fn read(row: &Row) -> Result<User> {
    let mut columns = row.columns();
    Ok(User {
        id: columns.read()?,
        email: columns.read()?,
        created_at: columns.read()?,
    })
}
