//! Changing the index, by one at a time.

use std::collections::{BTreeMap, BTreeSet};

use pawl_model::UserId;

use super::blocks::put_list;
use super::segment::{DocumentId, Segment};
use super::{
    ADD_SEGMENT, BURY, DEQUEUE, Described, MOVE_MARK, REMOVE_SEGMENT, TAKE_TURN, damaged, documents_of,
    segments,
};
use crate::insert::{Insert, OnExisting};
use crate::statement::documents;
use crate::{Result, Scope, Value};

const ADD_BLOCKS: Insert = Insert {
    table: "_pawl_search_blocks",
    columns: &["segment", "block", "user_id", "postings"],
    on_existing: OnExisting::Fail,
};

/// What is to be written.
#[derive(Debug, Default)]
pub struct Change {
    /// What is taken from the queue.
    pub(super) queued: Vec<i64>,
    /// The first and the last of the interactions that are new, where those are not queued.
    pub(super) new: Option<(i64, i64)>,
    /// Documents that segments may have from before.
    pub(super) changed: BTreeMap<UserId, Vec<DocumentId>>,
    /// Segments in whose place others come.
    pub(super) removed: Vec<(UserId, Described)>,
    pub(super) added: Vec<(UserId, Segment)>,
}

impl Change {
    /// Writes it, as the service, and says whose segments are others now; none where somebody else is at it, or has
    /// changed meanwhile what it comes from: nothing of the transaction is of use then.
    ///
    /// # Errors
    /// [`crate::StoreError::ForeignRow`] for a tenant.
    pub async fn write(self, scope: &mut Scope) -> Result<Option<BTreeSet<UserId>>> {
        scope.require_service()?;
        if !take_turn(scope).await? || !self.is_sound(scope).await? {
            return Ok(None);
        }
        for (user, changed) in &self.changed {
            bury(scope, *user, changed).await?;
        }
        for (user, segment) in &self.added {
            add(scope, *user, segment).await?;
        }
        let added = self.added.into_iter().map(|(user, _)| user);
        Ok(Some(added.chain(self.changed.into_keys()).collect()))
    }

    /// Takes away what it comes from, if that is as it was.
    async fn is_sound(&self, scope: &mut Scope) -> Result<bool> {
        if !self.queued.is_empty() {
            let queued = documents(self.queued.iter().copied().map(serde_json::Value::from))?;
            if scope.execute(&DEQUEUE, &[Value::from(&queued)]).await? < self.queued.len() as u64 {
                return Ok(false);
            }
        }
        if let Some((first, last)) = self.new
            && scope.execute(&MOVE_MARK, &[first.into(), last.into()]).await? == 0
        {
            return Ok(false);
        }
        for (user, segment) in &self.removed {
            let gone = Value::Bytes(segment.gone.as_slice().into());
            let values = [(*user).into(), segment.number.into(), gone];
            if scope.execute(&REMOVE_SEGMENT, &values).await? == 0 {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Whether nobody else changes the index, which then nobody does until the transaction ends.
async fn take_turn(scope: &mut Scope) -> Result<bool> {
    let row = scope.fetch_one(&TAKE_TURN, &[]).await?;
    row.map_or(Ok(false), |row| row.columns().read())
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
            put_list(&mut bytes, gone);
            let values = [user.into(), segment.number.into(), Value::Bytes(bytes.into())];
            scope.execute(&BURY, &values).await?;
        }
    }
    Ok(())
}

async fn add(scope: &mut Scope, user: UserId, segment: &Segment) -> Result<()> {
    let values = [
        user.into(),
        (segment.size as i64).into(),
        i64::from(segment.block_count).into(),
        Value::Bytes(Vec::new().into()),
        Value::Bytes(segment.first.to_be_bytes().to_vec().into()),
        Value::Bytes(segment.last.to_be_bytes().to_vec().into()),
        Value::Bytes(segment.documents.as_slice().into()),
    ];
    let row = scope
        .fetch_one(&ADD_SEGMENT, &values)
        .await?
        .ok_or_else(damaged)?;
    let number: i64 = row.columns().read()?;
    let blocks: Vec<Vec<Value<'_>>> = segment
        .blocks
        .iter()
        .map(|(block, postings)| {
            vec![
                number.into(),
                i64::from(*block).into(),
                user.into(),
                Value::Bytes(postings.as_slice().into()),
            ]
        })
        .collect();
    scope.insert(&ADD_BLOCKS, &blocks).await?;
    Ok(())
}
