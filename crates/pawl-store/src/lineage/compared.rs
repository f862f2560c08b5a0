//! Rows beside their newest entries, to be verified.

use std::collections::BTreeMap;

use pawl_model::{LineageKind, UserId};

use super::{Hash, NodeEntry, known, rows};
use crate::{Result, Scope};

/// A row beside its newest entry.
#[derive(Clone, Debug)]
pub struct Compared {
    /// The entry.
    pub newest: NodeEntry,
    /// What the row is now.
    pub row: RowNow,
}

/// What a row is now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowNow {
    /// It is not there.
    Gone,
    /// It is there, and cannot be read.
    Unreadable,
    /// It has this hash.
    Hashed(Hash),
}

/// The rows of these nodes beside their newest entries, in the order of the chain.
///
/// # Errors
/// When the database fails.
pub async fn compared(scope: &mut Scope, user: UserId, ids: &[String]) -> Result<Vec<Compared>> {
    let known = known(scope, user, ids).await?;
    let mut by_kind: BTreeMap<LineageKind, Vec<String>> = BTreeMap::new();
    for (newest, _) in known.values() {
        let ids = by_kind.entry(newest.node.kind).or_default();
        ids.push(newest.node.id.clone());
    }
    let mut found = BTreeMap::new();
    for (kind, ids) in by_kind {
        for (id, row) in rows::found(scope, user, kind, &ids).await? {
            found.insert((kind.table(), id), row);
        }
    }
    let mut compared: Vec<Compared> = known
        .into_iter()
        .map(|(key, (newest, _))| Compared {
            newest,
            row: match found.get(&key) {
                None => RowNow::Gone,
                Some(row) => row.sha256.map_or(RowNow::Unreadable, RowNow::Hashed),
            },
        })
        .collect();
    compared.sort_by_key(|one| one.newest.position);
    Ok(compared)
}
