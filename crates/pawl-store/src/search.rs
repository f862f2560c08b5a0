//! The index of words, which follows behind the commits.

use pawl_model::{InteractionId, UserId};
use serde_json::json;
use time::OffsetDateTime;

use crate::query::Dialect;
use crate::statement::{documents, pair, shared};
use crate::{Result, Scope, Statement, Value};

const BEHIND_SINCE: Statement = shared!("search/behind_since");
const UNINDEXED: Statement = pair!("search/unindexed");
const DEQUEUE: Statement = pair!("search/dequeue");
const ADD: Statement = pair!("search/add");

pub(crate) const STATEMENTS: &[Statement] = &[BEHIND_SINCE, UNINDEXED, DEQUEUE, ADD];

/// Indexes the words of about `limit` interactions that wait for it, as the service; says how many did. `words` tells
/// the words of a text, each once.
///
/// # Errors
/// [`crate::StoreError::ForeignRow`] for a tenant.
pub async fn index(scope: &mut Scope, limit: u32, words: impl Fn(&str) -> Vec<String>) -> Result<u64> {
    scope.require_service()?;
    let rows = scope.fetch(&UNINDEXED, &[i64::from(limit).into()]).await?;
    let mut taken: Vec<i64> = Vec::with_capacity(rows.len());
    let mut indexed = Vec::with_capacity(rows.len());
    for row in &rows {
        let mut columns = row.columns();
        let number: i64 = columns.read()?;
        let (id, user, text): (Option<InteractionId>, Option<UserId>, Option<String>) =
            (columns.read()?, columns.read()?, columns.read()?);
        taken.push(number);
        // It may be gone.
        if let (Some(id), Some(user), Some(text)) = (id, user, text) {
            let words = words(&text);
            indexed.push(match scope.dialect() {
                Dialect::Sqlite => json!([number, user, document(user, &words)]),
                Dialect::Postgres => json!([id, user, hashes(user, &words)]),
            });
        }
    }
    if !taken.is_empty() {
        taken.dedup();
        let taken = documents(taken.into_iter().map(serde_json::Value::from))?;
        scope.execute(&DEQUEUE, &[Value::from(&taken)]).await?;
        let indexed = documents(indexed.into_iter())?;
        scope.execute(&ADD, &[Value::from(&indexed)]).await?;
    }
    Ok(rows.len() as u64)
}

/// Since when interactions that the actor sees wait for their words to be indexed, where some do.
///
/// # Errors
/// When the database fails.
pub async fn behind_since(scope: &mut Scope) -> Result<Option<OffsetDateTime>> {
    let row = scope.fetch_one(&BEHIND_SINCE, &[]).await?;
    row.map_or(Ok(None), |row| row.columns().read())
}

/// What SQLite indexes: the words, and the tenant as a word that no text has.
fn document(user: UserId, words: &[String]) -> String {
    [&tenant_word(user), " ", &words.join(" ")].concat()
}

/// What SQLite looks for. A word is within quotes, where nothing is an operator.
pub(crate) fn expression(user: UserId, words: &[String]) -> String {
    let mut expression = ["\"", &tenant_word(user), "\""].concat();
    for word in words {
        expression.push_str(&[" AND \"", &word.replace('"', "\"\""), "\""].concat());
    }
    expression
}

/// Longer than any word of a text.
fn tenant_word(user: UserId) -> String {
    ["t".repeat(33).as_str(), &user.0.simple().to_string()].concat()
}

/// What PostgreSQL indexes and looks for, as an array's text: the words hashed together with the tenant, since a posting
/// of a number takes a fraction of the room, and no other tenant's rows are among it. Two words of a million have the
/// same hash about as often as a row is found that has neither: once in four thousand searches.
pub(crate) fn hashes(user: UserId, words: &[String]) -> String {
    let hashes: Vec<String> = words.iter().map(|word| hash(user, word).to_string()).collect();
    ["{", &hashes.join(","), "}"].concat()
}

/// FNV-1a of 64 bits, folded to 32: <http://www.isthe.com/chongo/tech/comp/fnv/>.
fn hash(user: UserId, word: &str) -> i32 {
    let bytes = user.0.as_bytes().iter().chain(word.as_bytes());
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    let folded = (hash >> 32) ^ (hash & 0xffff_ffff);
    u32::try_from(folded).unwrap_or(0).cast_signed()
}
