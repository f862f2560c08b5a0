//! Answers that may be used again: `response_cache`.

use pawl_model::UserId;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::insert::{Insert, OnExisting};
use crate::statement::shared;
use crate::{Result, Scope, Statement, Value};

const GET: Statement = shared!("response_cache/get");
const PRUNE: Statement = shared!("response_cache/prune");

pub(crate) const STATEMENTS: &[Statement] = &[GET, PRUNE];

const INSERT: Insert = Insert {
    table: "response_cache",
    columns: &["id", "user_id", "value", "created_at"],
    // The same question may have been asked twice at once, and one answer is as good as the other.
    on_existing: OnExisting::Keep(&["id"]),
};

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CachedResponse {
    /// What it is found by: a hash of its tenant and of all that it depends on.
    pub id: Uuid,
    /// The answer, as JSON.
    pub value: String,
}

/// The answer that was kept under an id at this time or later.
///
/// # Errors
/// When the database fails.
pub async fn get(scope: &mut Scope, id: Uuid, since: OffsetDateTime) -> Result<Option<String>> {
    let row = scope.fetch_one(&GET, &[id.into(), since.into()]).await?;
    row.map(|row| row.columns().read()).transpose()
}

/// Keeps answers; those that are there already stay. They belong to [`Scope::owner`].
///
/// # Errors
/// [`crate::StoreError::ForeignRow`] when they are to be somebody else's.
pub async fn insert(
    scope: &mut Scope,
    owner: Option<UserId>,
    responses: &[CachedResponse],
    at: OffsetDateTime,
) -> Result<()> {
    if responses.is_empty() {
        return Ok(());
    }
    let owner = scope.owner(owner).await?;
    let rows: Vec<Vec<Value<'_>>> = responses
        .iter()
        .map(|response| {
            vec![
                response.id.into(),
                owner.into(),
                (&response.value).into(),
                at.into(),
            ]
        })
        .collect();
    scope.insert(&INSERT, &rows).await?;
    Ok(())
}

/// Forgets the actor's answers from before this time.
///
/// # Errors
/// When the database fails.
pub async fn prune(scope: &mut Scope, before: OffsetDateTime) -> Result<u64> {
    scope.execute(&PRUNE, &[before.into()]).await
}
