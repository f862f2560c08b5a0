//! The index of words, which follows behind the commits.

use std::collections::HashSet;

use pawl_model::{InteractionId, UserId};
use time::OffsetDateTime;

use crate::insert::{Insert, OnExisting};
use crate::query::Dialect;
use crate::statement::{documents, pair, shared};
use crate::{Result, Scope, Statement, Value};

const BEHIND_SINCE: Statement = shared!("search/behind_since");
const UNINDEXED: Statement = pair!("search/unindexed");
const DEQUEUE: Statement = pair!("search/dequeue");

pub(crate) const STATEMENTS: &[Statement] = &[BEHIND_SINCE, UNINDEXED, DEQUEUE];

const ADD_SQLITE: Insert = Insert {
    table: "_pawl_search",
    columns: &["rowid", "document"],
    narrow_integers: &[],
    on_existing: OnExisting::Fail,
};

const ADD_POSTGRES: Insert = Insert {
    table: "_pawl_search",
    columns: &["evaluation_id", "user_id", "words"],
    narrow_integers: &[],
    on_existing: OnExisting::Replace {
        key: &["evaluation_id"],
        columns: &["words"],
    },
};

/// Calls its second argument with each word of a text.
pub type EachWord = fn(&str, &mut dyn FnMut(&str));

/// Indexes the words of about `limit` interactions that wait for it, as the service; says how many did.
///
/// # Errors
/// [`crate::StoreError::ForeignRow`] for a tenant.
pub async fn index(scope: &mut Scope, limit: u32, each_word: EachWord) -> Result<u64> {
    scope.require_service()?;
    let waiting = scope.fetch(&UNINDEXED, &[i64::from(limit).into()]).await?;
    let mut numbers: Vec<i64> = Vec::with_capacity(waiting.len());
    let mut rows = Vec::with_capacity(waiting.len());
    // One that was changed since it was added waits twice.
    let mut seen = HashSet::with_capacity(waiting.len());
    for row in &waiting {
        let mut columns = row.columns();
        let number: i64 = columns.read()?;
        let (id, user, text): (Option<InteractionId>, Option<UserId>, Option<String>) =
            (columns.read()?, columns.read()?, columns.read()?);
        numbers.push(number);
        // It may be gone.
        if let (Some(id), Some(user), Some(text)) = (id, user, text)
            && seen.insert(id)
        {
            rows.push(match scope.dialect() {
                Dialect::Sqlite => vec![number.into(), document(user, &text, each_word).into()],
                Dialect::Postgres => vec![id.into(), user.into(), hashes(user, &text, each_word)],
            });
        }
    }
    if !numbers.is_empty() {
        numbers.dedup();
        let numbers = documents(numbers.into_iter().map(serde_json::Value::from))?;
        scope.execute(&DEQUEUE, &[Value::from(&numbers)]).await?;
        let add = match scope.dialect() {
            Dialect::Sqlite => ADD_SQLITE,
            Dialect::Postgres => ADD_POSTGRES,
        };
        add.rows(scope, &rows).await?;
    }
    Ok(waiting.len() as u64)
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
fn document(user: UserId, text: &str, each_word: EachWord) -> String {
    let mut document = String::with_capacity(text.len() + 80);
    document.push_str(&tenant_word(user));
    each_word(text, &mut |word| {
        document.push(' ');
        document.push_str(word);
    });
    document
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

/// What PostgreSQL indexes: the words hashed together with the tenant, since a number takes a fraction of the room, and
/// no other tenant's rows are among its. A row without the word that is looked for is found where one of its words has
/// the same hash: of a row with a thousand words, once in four million.
fn hashes(user: UserId, text: &str, each_word: EachWord) -> Value<'static> {
    let mut hashes = Vec::new();
    each_word(text, &mut |word| hashes.push(hash(user, word)));
    hashes.sort_unstable();
    hashes.dedup();
    Value::IntList(hashes)
}

/// What PostgreSQL looks for.
pub(crate) fn hashed(user: UserId, words: &[String]) -> Value<'static> {
    Value::IntList(words.iter().map(|word| hash(user, word)).collect())
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
