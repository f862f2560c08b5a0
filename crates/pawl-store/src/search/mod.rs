//! The index of words, which follows behind the commits: for each tenant segments of some thousand interactions, small
//! ones of what is new, which are merged as they become many.

mod find;
mod merge;
mod segment;
mod terms;
mod varint;

use std::collections::{BTreeMap, HashSet};

use pawl_model::{InteractionId, UserId};
use time::OffsetDateTime;
use uuid::Uuid;

pub(crate) use self::find::{Found, find};
pub use self::merge::Merge;
pub(crate) use self::segment::DocumentId;
use self::segment::{Segment, read_documents};
use crate::insert::{Insert, OnExisting};
use crate::query::Dialect;
use crate::row::Columns;
use crate::statement::{documents, pair, shared};
use crate::{Result, Row, Scope, Statement, StoreError, Value};

const TAKE_TURN: Statement = pair!("search/take_turn");
const BEHIND_SINCE: Statement = pair!("search/behind_since");
const UNINDEXED: Statement = pair!("search/unindexed");
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

const ADD_BLOCKS: Insert = Insert {
    table: "_pawl_search_blocks",
    columns: &["segment", "block", "user_id", "postings"],
    narrow_integers: &[],
    on_existing: OnExisting::Fail,
};

/// Calls its second argument with each word of a text.
pub type EachWord = fn(&str, &mut dyn FnMut(&str));

/// What a pass has done.
#[derive(Clone, Debug, Default)]
pub struct Indexed {
    /// How many waiting interactions it saw to.
    pub interactions: u64,
    /// The tenants of whom there is a new segment.
    pub tenants: Vec<UserId>,
}

/// What waits for its words to be indexed.
#[derive(Default)]
struct Waiting {
    interactions: u64,
    queued: Vec<i64>,
    newest: i64,
    /// Those that are there: each with the end of its terms.
    present: BTreeMap<UserId, (Vec<(DocumentId, usize)>, Vec<u32>)>,
    /// Those that earlier segments may have.
    changed: BTreeMap<UserId, Vec<DocumentId>>,
}

/// Indexes the words of about `limit` interactions that wait for it, as the service.
///
/// # Errors
/// [`StoreError::ForeignRow`] for a tenant.
pub async fn index(scope: &mut Scope, limit: u32, each_word: EachWord) -> Result<Indexed> {
    scope.require_service()?;
    if !take_turn(scope).await? {
        return Ok(Indexed::default());
    }
    let waiting = waiting(scope, limit, each_word).await?;
    if waiting.interactions == 0 {
        return Ok(Indexed::default());
    }
    for (user, changed) in &waiting.changed {
        bury(scope, *user, changed).await?;
    }
    let tenants = waiting.present.keys().copied().collect();
    for (user, (ends, terms)) in waiting.present {
        add(scope, user, &Segment::of(&ends, &terms)).await?;
    }
    let queued = documents(waiting.queued.into_iter().map(serde_json::Value::from))?;
    scope.execute(&DEQUEUE, &[Value::from(&queued)]).await?;
    if scope.dialect() == Dialect::Sqlite {
        scope.execute(&MOVE_MARK, &[waiting.newest.into()]).await?;
    }
    Ok(Indexed {
        interactions: waiting.interactions,
        tenants,
    })
}

/// Whether nobody else changes the index, which then nobody does until the transaction ends.
async fn take_turn(scope: &mut Scope) -> Result<bool> {
    let row = scope.fetch_one(&TAKE_TURN, &[]).await?;
    row.map_or(Ok(false), |row| row.columns().read())
}

async fn waiting(scope: &mut Scope, limit: u32, each_word: EachWord) -> Result<Waiting> {
    let dialect = scope.dialect();
    let mut waiting = Waiting::default();
    // One that was changed since it was added waits twice.
    let mut seen = HashSet::new();
    let take = |row: &Row| {
        let mut columns = row.columns();
        let queued: Option<i64> = columns.read()?;
        waiting
            .queued
            .extend(queued.filter(|number| waiting.queued.last() != Some(number)));
        let id = document_id(&mut columns, dialect)?;
        if let (Dialect::Sqlite, None) = (dialect, queued) {
            waiting.newest = waiting.newest.max(id as i64);
        }
        waiting.interactions += 1;
        if let Some(user) = columns.read::<Option<UserId>>()? {
            waiting.changed.entry(user).or_default().push(id);
        }
        let (user, text): (Option<UserId>, Option<String>) = (columns.read()?, columns.read()?);
        if let (Some(user), Some(text)) = (user, text)
            && seen.insert(id)
        {
            let (ends, terms) = waiting.present.entry(user).or_default();
            terms::terms_of(&text, each_word, terms);
            ends.push((id, terms.len()));
        }
        Ok(())
    };
    scope
        .fetch_each(&UNINDEXED, &[i64::from(limit).into()], take)
        .await?;
    Ok(waiting)
}

pub(crate) fn document_id(columns: &mut Columns<'_>, dialect: Dialect) -> Result<DocumentId> {
    Ok(match dialect {
        Dialect::Sqlite => columns.read::<i64>()? as DocumentId,
        Dialect::Postgres => columns.read::<InteractionId>()?.0.as_u128(),
    })
}

/// What stands for documents in a statement.
pub(crate) fn document_ids(dialect: Dialect, ids: &[DocumentId]) -> Result<Value<'static>> {
    Ok(match dialect {
        Dialect::Sqlite => Value::Json(std::borrow::Cow::Owned(documents(
            ids.iter().map(|id| (*id as i64).into()),
        )?)),
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
        let read = segment::Places::List(&self.gone).each(|place| gone.push(place));
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

/// Marks documents as gone wherever segments have them.
async fn bury(scope: &mut Scope, user: UserId, changed: &[DocumentId]) -> Result<()> {
    let may_have = |segment: &Described| {
        changed
            .iter()
            .any(|id| (segment.first..=segment.last).contains(id))
    };
    let segments: Vec<Described> = segments(scope, user)
        .await?
        .into_iter()
        .filter(may_have)
        .collect();
    let documents = documents_of(scope, user, segments.iter().map(|segment| segment.number)).await?;
    for segment in segments {
        let Some(documents) = documents.get(&segment.number) else {
            continue;
        };
        let mut gone = segment.gone()?;
        let known = gone.len();
        let places = changed.iter().filter_map(|id| documents.binary_search(id).ok());
        gone.extend(places.filter_map(|place| u16::try_from(place).ok()));
        gone.sort_unstable();
        gone.dedup();
        if gone.len() > known {
            let mut bytes = Vec::new();
            segment::put_list(&mut bytes, gone);
            let values = [user.into(), segment.number.into(), Value::Bytes(bytes.into())];
            scope.execute(&BURY, &values).await?;
        }
    }
    Ok(())
}

/// Adds a segment, unless it is empty.
async fn add(scope: &mut Scope, user: UserId, segment: &Segment) -> Result<()> {
    let (Some(first), Some(last)) = (segment.documents.first(), segment.documents.last()) else {
        return Ok(());
    };
    let values = [
        user.into(),
        (segment.documents.len() as i64).into(),
        i64::from(segment.block_count()).into(),
        Value::Bytes(Vec::new().into()),
        Value::Bytes(first.to_be_bytes().to_vec().into()),
        Value::Bytes(last.to_be_bytes().to_vec().into()),
        Value::Bytes(segment.document_bytes().into()),
    ];
    let row = scope
        .fetch_one(&ADD_SEGMENT, &values)
        .await?
        .ok_or_else(damaged)?;
    let number: i64 = row.columns().read()?;
    let blocks: Vec<Vec<Value<'_>>> = segment
        .blocks()
        .into_iter()
        .map(|(block, postings)| {
            vec![
                number.into(),
                i64::from(block).into(),
                user.into(),
                Value::Bytes(postings.into()),
            ]
        })
        .collect();
    ADD_BLOCKS.rows(scope, &blocks).await?;
    Ok(())
}

/// Since when interactions that the actor sees wait for their words to be indexed, where some do.
///
/// # Errors
/// When the database fails.
pub async fn behind_since(scope: &mut Scope) -> Result<Option<OffsetDateTime>> {
    let row = scope.fetch_one(&BEHIND_SINCE, &[]).await?;
    row.map_or(Ok(None), |row| row.columns().read())
}
