//! Tenants: rows of `auth.users`, and the hashes of their passwords.

use pawl_model::{Account, User, UserId};
use time::OffsetDateTime;

use crate::statement::{pair, shared};
use crate::{Result, Row, Scope, Statement, Value};

const INSERT: Statement = pair!("users/insert");
const FIRST: Statement = pair!("users/first");
const FIND: Statement = pair!("users/find");
const LIST: Statement = pair!("users/list");
const ACCOUNT: Statement = pair!("users/account");
const ACCOUNTS: Statement = pair!("users/accounts");
const COUNT: Statement = pair!("users/count");
const UPDATE: Statement = pair!("users/update");
const SIGNED_IN: Statement = pair!("users/signed_in");
const DELETE: Statement = pair!("users/delete");
const HOLD: Statement = pair!("users/hold");
const PASSWORD: Statement = pair!("users/password");
const SET_PASSWORD: Statement = pair!("users/set_password");
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
    ACCOUNT,
    ACCOUNTS,
    COUNT,
    UPDATE,
    SIGNED_IN,
    DELETE,
    HOLD,
    PASSWORD,
    SET_PASSWORD,
    HOLD_OWNERSHIP,
    CHANGE_OWNERSHIP,
    ADOPT[0],
    ADOPT[1],
    ADOPT[2],
    ADOPT[3],
    ADOPT[4],
];

/// Adds a user, as the service, and says whether it is the first one, who is given every row that has no owner yet.
/// Nobody is added as older than the first user: their time is moved behind.
///
/// # Errors
/// [`crate::StoreError::Duplicate`] when id or e-mail address is taken; [`crate::StoreError::ForeignRow`] for a tenant.
pub async fn insert(scope: &mut Scope, user: &User) -> Result<bool> {
    scope.require_service()?;
    scope.fetch(&CHANGE_OWNERSHIP, &[]).await?;
    let is_first = first(scope).await?.is_none();
    let values = [user.id.into(), user.email.as_ref().into(), user.created_at.into()];
    scope.execute(&INSERT, &values).await?;
    if is_first {
        for adopt in &ADOPT {
            scope.execute(adopt, &[user.id.into()]).await?;
        }
    }
    Ok(is_first)
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

/// A user with everything that is shown of them, as the service.
///
/// # Errors
/// [`crate::StoreError::ForeignRow`] for a tenant.
pub async fn account(scope: &mut Scope, id: UserId) -> Result<Option<Account>> {
    scope.require_service()?;
    let row = scope.fetch_one(&ACCOUNT, &[id.into()]).await?;
    row.as_ref().map(read_account).transpose()
}

/// Some of the users.
#[derive(Clone, Copy, Debug)]
pub struct Page {
    /// At most so many.
    pub limit: u32,
    /// Without so many newer ones.
    pub offset: u64,
}

/// Users, newest first, as the service.
///
/// # Errors
/// [`crate::StoreError::ForeignRow`] for a tenant.
pub async fn accounts(scope: &mut Scope, page: Page) -> Result<Vec<Account>> {
    scope.require_service()?;
    let offset = i64::try_from(page.offset).unwrap_or(i64::MAX);
    scope
        .fetch(&ACCOUNTS, &[i64::from(page.limit).into(), offset.into()])
        .await?
        .iter()
        .map(read_account)
        .collect()
}

/// How many users the actor sees.
///
/// # Errors
/// When the database fails.
pub async fn count(scope: &mut Scope) -> Result<u64> {
    let row = scope.fetch_one(&COUNT, &[]).await?;
    let count: Option<i64> = row.map(|row| row.columns().read()).transpose()?;
    Ok(count.and_then(|count| u64::try_from(count).ok()).unwrap_or(0))
}

/// Writes address, metadata and `updated_at` of a user, as the service.
///
/// # Errors
/// [`crate::StoreError::Duplicate`] when the address is taken; [`crate::StoreError::ForeignRow`] for a tenant.
pub async fn update(scope: &mut Scope, account: &Account) -> Result<()> {
    scope.require_service()?;
    let values = [
        account.id.into(),
        account.email.as_ref().into(),
        (&account.app_metadata).into(),
        (&account.user_metadata).into(),
        account.updated_at.into(),
    ];
    scope.execute(&UPDATE, &values).await?;
    Ok(())
}

/// Notes that a user logged in at this time, as the service.
///
/// # Errors
/// [`crate::StoreError::ForeignRow`] for a tenant.
pub async fn signed_in(scope: &mut Scope, id: UserId, at: OffsetDateTime) -> Result<()> {
    scope.require_service()?;
    scope.execute(&SIGNED_IN, &[id.into(), at.into()]).await?;
    Ok(())
}

/// Deletes a user with all their rows, as the service; says whether there was one.
///
/// # Errors
/// [`crate::StoreError::ForeignRow`] for a tenant.
pub async fn delete(scope: &mut Scope, id: UserId) -> Result<bool> {
    scope.require_service()?;
    Ok(scope.execute(&DELETE, &[id.into()]).await? > 0)
}

/// Until the transaction ends nobody else changes this user or what they log in by; says whether there is one.
///
/// # Errors
/// When the database fails.
pub async fn hold(scope: &mut Scope, id: UserId) -> Result<bool> {
    Ok(scope.fetch_one(&HOLD, &[id.into()]).await?.is_some())
}

/// Whose password is meant.
#[derive(Clone, Copy, Debug)]
pub enum Login<'a> {
    /// Of this user.
    Id(UserId),
    /// Of the user with this address, in lower case.
    Email(&'a str),
}

/// The user and, where they have one, the hash of their password, as the service.
///
/// # Errors
/// [`crate::StoreError::ForeignRow`] for a tenant.
pub async fn password(scope: &mut Scope, login: Login<'_>) -> Result<Option<(UserId, Option<String>)>> {
    scope.require_service()?;
    let values: [Value<'_>; 2] = match login {
        Login::Id(id) => [id.into(), Value::Null],
        Login::Email(email) => [Value::Null, email.into()],
    };
    let row = scope.fetch_one(&PASSWORD, &values).await?;
    row.map(|row| {
        let mut columns = row.columns();
        Ok((columns.read()?, columns.read()?))
    })
    .transpose()
}

/// What a user logs in by.
#[derive(Clone, Copy, Debug)]
pub struct Credentials<'a> {
    /// The user.
    pub user_id: UserId,
    /// The hash of the password, as a PHC string.
    pub password_hash: &'a str,
    /// When it was set.
    pub changed_at: OffsetDateTime,
}

/// Sets the hash of a user's password, as the service.
///
/// # Errors
/// [`crate::StoreError::Reference`] when there is no such user; [`crate::StoreError::ForeignRow`] for a tenant.
pub async fn set_password(scope: &mut Scope, credentials: Credentials<'_>) -> Result<()> {
    scope.require_service()?;
    let values = [
        credentials.user_id.into(),
        credentials.password_hash.into(),
        credentials.changed_at.into(),
    ];
    scope.execute(&SET_PASSWORD, &values).await?;
    Ok(())
}

fn read_account(row: &Row) -> Result<Account> {
    let mut columns = row.columns();
    Ok(Account {
        id: columns.read()?,
        email: columns.read()?,
        created_at: columns.read()?,
        updated_at: columns.read()?,
        last_sign_in_at: columns.read()?,
        app_metadata: columns.read()?,
        user_metadata: columns.read()?,
        is_owner: columns.read()?,
    })
}
