//! Adding to the lineage, as the last thing that a transaction does.

use std::collections::{BTreeMap, BTreeSet};

use pawl_model::{LineageEvent, LineageKind, LineageNode, UserId};
use time::OffsetDateTime;
use uuid::Uuid;

use super::rows::{self, Found};
use super::{
    APPROVALS, EVOLVED_ON, HEAD, Hash, KnownRows, RUN_TESTS, StoredEntry, Touch, children, hash_of, hold,
    known,
};
use crate::insert::{Insert, OnExisting};
use crate::{Result, Scope, StoreError, Value};

/// Rows that are read and hashed at once.
const AT_ONCE: usize = 500;
/// Tests that are named of a run, and patterns of interactions that are gone.
const MANY: i64 = 10_000;

const INSERT: Insert = Insert {
    table: "lineage",
    columns: &[
        "user_id", "position", "kind", "node", "event", "sha256", "at", "hash",
    ],
    on_existing: OnExisting::Fail,
};

const INSERT_PARENTS: Insert = Insert {
    table: "lineage_parents",
    columns: &["user_id", "position", "kind", "node"],
    on_existing: OnExisting::Fail,
};

/// Gives every row that was touched, and is not what its newest entry says, another one.
pub(crate) async fn settle(scope: &mut Scope) -> Result<()> {
    let touched = std::mem::take(&mut scope.touched);
    for (user, touches) in touched {
        // Before anything is read: what others write to these rows they tell before us, or after.
        hold(scope, user).await?;
        let mut chain = None;
        for (kind, mut touches) in by_kind(touches) {
            while !touches.is_empty() {
                let rest = touches
                    .keys()
                    .nth(AT_ONCE)
                    .cloned()
                    .map_or_else(BTreeMap::new, |first| touches.split_off(&first));
                let added = added(scope, user, kind, std::mem::replace(&mut touches, rest)).await?;
                if !added.is_empty() {
                    append(scope, user, &mut chain, added).await?;
                }
            }
        }
    }
    Ok(())
}

fn by_kind(
    touches: BTreeMap<(LineageKind, String), Touch>,
) -> BTreeMap<LineageKind, BTreeMap<String, Touch>> {
    let mut kinds: BTreeMap<LineageKind, BTreeMap<String, Touch>> = BTreeMap::new();
    for ((kind, id), touch) in touches {
        kinds.entry(kind).or_default().insert(id, touch);
    }
    kinds
}

/// An entry on its way.
struct Added {
    node: LineageNode,
    event: LineageEvent,
    sha256: Hash,
    parents: BTreeSet<LineageNode>,
}

/// The entries that rows of a kind need.
async fn added(
    scope: &mut Scope,
    user: UserId,
    kind: LineageKind,
    touches: BTreeMap<String, Touch>,
) -> Result<Vec<Added>> {
    let ids: Vec<String> = touches.keys().cloned().collect();
    let known = known(scope, user, &ids).await?;
    let is_known = |id: &String| known.contains_key(&(kind.table(), id.clone()));
    let told: Vec<String> = touches
        .iter()
        .filter(|(id, touch)| touch.enters || is_known(id))
        .map(|(id, _)| id.clone())
        .collect();
    let found = match told.as_slice() {
        [] => Default::default(),
        told => rows::found(scope, user, kind, told).await?,
    };
    let mut entries = Vec::new();
    let mut erased = Vec::new();
    for (id, touch) in touches {
        let node = LineageNode::new(kind, id);
        let Some((event, sha256)) = event(&node, &touch, found.get(&node.id), &known)? else {
            continue;
        };
        if event == LineageEvent::Erased && kind == LineageKind::Interaction {
            erased.push(node.id.clone());
        }
        let mut parents = touch.parents;
        if event == LineageEvent::Created {
            let evidence = evidence(scope, user, (&node, &parents)).await?;
            parents.extend(evidence);
        }
        entries.push(Added {
            node,
            event,
            sha256,
            parents,
        });
    }
    if !erased.is_empty() {
        // Their patterns went with them.
        let limit = u32::try_from(MANY).unwrap_or(u32::MAX);
        let patterns = children(scope, user, &erased, limit).await?;
        let patterns = patterns.into_iter().map(|(_, pattern)| pattern);
        let gone: BTreeMap<String, Touch> = patterns
            .filter(|node| node.kind == LineageKind::Pattern)
            .map(|node| (node.id, Touch::default()))
            .collect();
        if !gone.is_empty() {
            entries.extend(Box::pin(added(scope, user, LineageKind::Pattern, gone)).await?);
        }
    }
    Ok(entries)
}

/// What became of a row; none where there is nothing to tell.
fn event(
    node: &LineageNode,
    touch: &Touch,
    found: Option<&Found>,
    known: &KnownRows,
) -> Result<Option<(LineageEvent, Hash)>> {
    if touch.document.is_some() {
        return Ok(touch.document);
    }
    let newest = known.get(&(node.kind.table(), node.id.clone()));
    let before = newest.map(|(newest, _)| (newest.event, newest.sha256.clone()));
    let Some(found) = found else {
        return Ok(match before {
            None | Some((LineageEvent::Erased, _)) => None,
            // A document of another store: what led to it is told beside what is known of it.
            Some((event, sha256)) if event.is_elsewhere() => {
                let adds = !touch.parents.is_empty();
                adds.then_some((event, hash_of(sha256)?))
            }
            Some((_, sha256)) => Some((LineageEvent::Erased, hash_of(sha256)?)),
        });
    };
    let sha256 = found.sha256.ok_or(StoreError::Corrupt {
        column: 0,
        expected: "a row that can be read",
    })?;
    let is_new = newest.is_none_or(|(newest, kinds)| {
        newest.event == LineageEvent::Erased || touch.enters && !kinds.contains(&node.kind)
    });
    if is_new {
        // A run enters when it has come to its end, whoever writes it.
        let enters = touch.enters && (newest.is_some() || !found.is_running);
        return Ok(enters.then_some((LineageEvent::Created, sha256)));
    }
    let is_as_told = before.is_some_and(|(_, before)| before == sha256);
    let adds_parents = node.kind == LineageKind::Suggestion && !touch.parents.is_empty();
    Ok((!is_as_told || adds_parents).then_some((LineageEvent::Changed, sha256)))
}

/// What led to a row that enters, beside what whoever wrote it knows.
async fn evidence(
    scope: &mut Scope,
    user: UserId,
    (node, parents): (&LineageNode, &BTreeSet<LineageNode>),
) -> Result<Vec<LineageNode>> {
    let has_candidate = parents.iter().any(|parent| parent.kind == LineageKind::Candidate);
    let tests = match node.kind {
        LineageKind::Run => {
            let run: Option<Uuid> = node.id.parse().ok();
            scope
                .fetch(&RUN_TESTS, &[user.into(), run.into(), MANY.into()])
                .await?
        }
        // The gate runs every approved test; a search over them begins with what it is given.
        LineageKind::Verdict if has_candidate => approvals(scope, user).await?,
        LineageKind::Candidate if !has_candidate => {
            let row = scope
                .fetch_one(&EVOLVED_ON, &[user.into(), node.id.as_str().into()])
                .await?;
            match row.map(|row| row.columns().read::<i64>()).transpose()? {
                Some(1..) => approvals(scope, user).await?,
                _ => Vec::new(),
            }
        }
        _ => Vec::new(),
    };
    tests
        .iter()
        .map(|row| {
            Ok(LineageNode::new(
                LineageKind::Approval,
                row.columns().read::<String>()?,
            ))
        })
        .collect()
}

async fn approvals(scope: &mut Scope, user: UserId) -> Result<Vec<crate::Row>> {
    scope.fetch(&APPROVALS, &[user.into(), MANY.into()]).await
}

/// The time, and the end of a tenant's chain: its position and hash, 0 and nothing where there is none.
async fn head(scope: &mut Scope, user: UserId) -> Result<(OffsetDateTime, (i64, Vec<u8>))> {
    let row = scope.fetch_one(&HEAD, &[user.into()]).await?;
    let row = row.ok_or(StoreError::ForeignRow)?;
    let mut columns = row.columns();
    let now = columns.read()?;
    let position: Option<i64> = columns.read()?;
    let hash: Option<Vec<u8>> = columns.read()?;
    Ok((now, (position.unwrap_or(0), hash.unwrap_or_default())))
}

/// Adds entries to the end of a tenant's chain, where `chain` says it is by now.
async fn append(
    scope: &mut Scope,
    user: UserId,
    chain: &mut Option<(OffsetDateTime, (i64, Vec<u8>))>,
    added: Vec<Added>,
) -> Result<()> {
    let (at, (mut position, mut hash)) = match chain.take() {
        Some(end) => end,
        None => head(scope, user).await?,
    };
    let mut entries = Vec::with_capacity(added.len());
    for added in added {
        position += 1;
        let parents = added.parents.into_iter();
        let mut entry = StoredEntry {
            position,
            kind: added.node.kind.as_str().to_owned(),
            node: added.node.id,
            event: added.event.as_str().to_owned(),
            sha256: added.sha256.to_vec(),
            at,
            parents: parents
                .map(|parent| (parent.kind.as_str().to_owned(), parent.id))
                .collect(),
            hash: Vec::new(),
        };
        hash = entry.hash_after(user, &hash).to_vec();
        entry.hash.clone_from(&hash);
        entries.push(entry);
    }
    *chain = Some((at, (position, hash)));
    let rows: Vec<Vec<Value<'_>>> = entries
        .iter()
        .map(|entry| {
            vec![
                user.into(),
                entry.position.into(),
                entry.kind.as_str().into(),
                entry.node.as_str().into(),
                entry.event.as_str().into(),
                entry.sha256.as_slice().into(),
                entry.at.into(),
                entry.hash.as_slice().into(),
            ]
        })
        .collect();
    scope.insert(&INSERT, &rows).await?;
    let rows: Vec<Vec<Value<'_>>> = entries
        .iter()
        .flat_map(|entry| {
            entry.parents.iter().map(|(kind, node)| {
                vec![
                    user.into(),
                    entry.position.into(),
                    kind.as_str().into(),
                    node.as_str().into(),
                ]
            })
        })
        .collect();
    scope.insert(&INSERT_PARENTS, &rows).await?;
    Ok(())
}
