//! The index of words, which follows behind the commits: for each tenant segments of some thousand interactions, small
//! ones of what is new, which are merged as they become many.

mod blocks;
mod change;
mod find;
mod gather;
mod merge;
mod segment;
mod terms;
mod varint;

use std::borrow::Cow;
use std::collections::BTreeMap;

use pawl_model::{InteractionId, UserId};
use time::OffsetDateTime;
use uuid::Uuid;

pub use self::change::Change;
pub(crate) use self::find::{Found, find};
pub use self::gather::{Gathered, claim};
pub use self::merge::Merge;
pub(crate) use self::segment::DocumentId;
use self::segment::read_documents;
use crate::query::Dialect;
use crate::row::Columns;
use crate::statement::{documents, pair, shared};
use crate::{Result, Scope, Statement, StoreError, Value};

const TAKE_TURN: Statement = pair!("search/take_turn");
const BEHIND_SINCE: Statement = pair!("search/behind_since");
const UNINDEXED: Statement = pair!("search/unindexed");
const CLAIM: Statement = pair!("search/claim");
const DEQUEUE: Statement = pair!("search/dequeue");
const MOVE_MARK: Statement = pair!("search/move_mark");
const SEGMENTS: Statement = shared!("search/segments");
const DOCUMENTS: Statement = pair!("search/documents");
const BLOCKS: Statement = pair!("search/blocks");
const ALL_BLOCKS: Statement = shared!("search/all_blocks");
const ADD_SEGMENT: Statement = pair!("search/add_segment");
const BURY: Statement = shared!("search/bury");
const REMOVE_SEGMENT: Statement = shared!("search/remove_segment");

pub(crate) const STATEMENTS: &[Statement] = &[
    TAKE_TURN,
    BEHIND_SINCE,
    UNINDEXED,
    CLAIM,
    DEQUEUE,
    MOVE_MARK,
    SEGMENTS,
    DOCUMENTS,
    BLOCKS,
    ALL_BLOCKS,
    ADD_SEGMENT,
    BURY,
    REMOVE_SEGMENT,
];

/// Calls its second argument with each word of a text.
pub type EachWord = fn(&str, &mut dyn FnMut(&str));

pub(crate) fn document_id(columns: &mut Columns<'_>, dialect: Dialect) -> Result<DocumentId> {
    Ok(match dialect {
        Dialect::Sqlite => columns.read::<i64>()? as DocumentId,
        Dialect::Postgres => columns.read::<InteractionId>()?.0.as_u128(),
    })
}

/// What stands for documents in a statement.
pub(crate) fn document_ids(dialect: Dialect, ids: &[DocumentId]) -> Result<Value<'static>> {
    Ok(match dialect {
        Dialect::Sqlite => Value::Json(Cow::Owned(documents(ids.iter().map(|id| (*id as i64).into()))?)),
        Dialect::Postgres => {
            let texts = ids.iter().map(|id| Uuid::from_u128(*id).to_string());
            Value::TextList(texts.collect())
        }
    })
}

/// A segment as it is described.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Described {
    number: i64,
    size: usize,
    blocks: u32,
    /// In the form of a list of places.
    gone: Vec<u8>,
    first: DocumentId,
    last: DocumentId,
}

impl Described {
    /// The places of documents that were changed since, or are no more.
    fn gone(&self) -> Result<Vec<u16>> {
        let mut gone = Vec::new();
        let read = blocks::Places::List(&self.gone).each(|place| gone.push(place));
        read.ok_or_else(damaged)?;
        Ok(gone)
    }
}

fn damaged() -> StoreError {
    StoreError::Corrupt {
        column: 1,
        expected: "a part of the index of words",
    }
}

async fn segments(scope: &mut Scope, user: UserId) -> Result<Vec<Described>> {
    let rows = scope.fetch(&SEGMENTS, &[user.into()]).await?;
    rows.iter()
        .map(|row| {
            let mut columns = row.columns();
            Ok(Described {
                number: columns.read()?,
                size: usize::try_from(columns.read::<i64>()?).map_err(|_| damaged())?,
                blocks: u32::try_from(columns.read::<i64>()?).map_err(|_| damaged())?,
                gone: columns.read()?,
                first: edge(&columns.read::<Vec<u8>>()?)?,
                last: edge(&columns.read::<Vec<u8>>()?)?,
            })
        })
        .collect()
}

fn edge(bytes: &[u8]) -> Result<DocumentId> {
    bytes
        .try_into()
        .map(DocumentId::from_be_bytes)
        .map_err(|_| damaged())
}

/// The documents of some segments, by the number of the segment.
async fn documents_of(
    scope: &mut Scope,
    user: UserId,
    numbers: impl IntoIterator<Item = i64>,
) -> Result<BTreeMap<i64, Vec<DocumentId>>> {
    let numbers = documents(numbers.into_iter().map(serde_json::Value::from))?;
    let rows = scope
        .fetch(&DOCUMENTS, &[user.into(), Value::from(&numbers)])
        .await?;
    rows.iter()
        .map(|row| {
            let mut columns = row.columns();
            let number = columns.read()?;
            let documents = read_documents(&columns.read::<Vec<u8>>()?).ok_or_else(damaged)?;
            Ok((number, documents))
        })
        .collect()
}

/// Since when interactions that the actor sees wait for their words to be indexed, where some do.
///
/// # Errors
/// When the database fails.
pub async fn behind_since(scope: &mut Scope) -> Result<Option<OffsetDateTime>> {
    let row = scope.fetch_one(&BEHIND_SINCE, &[]).await?;
    row.map_or(Ok(None), |row| row.columns().read())
}
