//! Lineage: what led to what, as a chain of entries for each tenant.
//!
//! Functions that write a row with a place in it say so to their [`Scope`]: that the row enters, and what led to it, or
//! that it may have changed. When the transaction is committed all these rows are read and hashed, a kind at a time, and
//! what differs from its newest entry is given another one (`settle`). So whoever writes a row need not know the
//! lineage, and nobody can forget it.

mod compared;
mod rows;
mod settle;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use pawl_model::{LineageEntry, LineageEvent, LineageKind, LineageNode, UserId};
use serde_json::json;
use sha2::{Digest as _, Sha256};
use time::OffsetDateTime;

pub use self::compared::{Compared, RowNow, compared};
pub use self::rows::{NamedTable, TABLES};
pub(crate) use self::settle::settle;
use crate::statement::{pair, shared};
use crate::value::microseconds;
use crate::{Columns, Result, Row, Scope, Statement, StoreError};

const PAGE: Statement = shared!("lineage/page");
const LINKS: Statement = shared!("lineage/links");
const NODES: Statement = shared!("lineage/nodes");
const HISTORY: Statement = pair!("lineage/history");
const PARENTS: Statement = pair!("lineage/parents");
const CHILDREN: Statement = pair!("lineage/children");
const NEWEST: Statement = pair!("lineage/newest");
const HOLD: Statement = pair!("lineage/hold");
const HEAD: Statement = pair!("lineage/head");
const RUN_TESTS: Statement = pair!("lineage/run_tests");
const APPROVALS: Statement = shared!("lineage/approvals");
const EVOLVED_ON: Statement = shared!("lineage/evolved_on");

pub(crate) const STATEMENTS: &[Statement] = &[
    PAGE, LINKS, NODES, HISTORY, PARENTS, CHILDREN, NEWEST, HOLD, HEAD, RUN_TESTS, APPROVALS, EVOLVED_ON,
];

/// A SHA-256.
pub type Hash = [u8; 32];

/// What a transaction does to rows with a place in the lineage, by tenant. Kinds are in the order in which they lead to
/// each other.
pub(crate) type Touched = BTreeMap<UserId, BTreeMap<(LineageKind, String), Touch>>;

/// What is done to a row.
#[derive(Debug, Default)]
pub(crate) struct Touch {
    /// Whether it enters the lineage, where it is not there yet.
    enters: bool,
    /// What led to it.
    parents: BTreeSet<LineageNode>,
    /// What it is about to say in another store, or says there by now.
    document: Option<(LineageEvent, Hash)>,
}

impl Scope {
    fn touch(&mut self, user: UserId, kind: LineageKind, id: String) -> &mut Touch {
        self.touched
            .entry(user)
            .or_default()
            .entry((kind, id))
            .or_default()
    }

    /// A row has a place in the lineage from now on, with what led to it; its other changes are told with it.
    pub(crate) fn enters(
        &mut self,
        user: UserId,
        node: LineageNode,
        parents: impl IntoIterator<Item = LineageNode>,
    ) {
        let touch = self.touch(user, node.kind, node.id);
        touch.enters = true;
        touch.parents.extend(parents);
    }

    /// A row was changed or removed, which is told where it has a place in the lineage.
    pub(crate) fn changed(&mut self, user: UserId, kind: LineageKind, id: impl Into<String>) {
        self.touch(user, kind, id.into());
    }

    /// A document of another store is about to say what hashes to this.
    pub fn intends(&mut self, user: UserId, node: LineageNode, sha256: Hash) {
        self.touch(user, node.kind, node.id).document = Some((LineageEvent::Intended, sha256));
    }

    /// A document of another store says what hashes to this, with what led to it.
    pub fn completes(
        &mut self,
        user: UserId,
        (node, sha256): (LineageNode, Hash),
        parents: impl IntoIterator<Item = LineageNode>,
    ) {
        let touch = self.touch(user, node.kind, node.id);
        touch.document = Some((LineageEvent::Completed, sha256));
        touch.parents.extend(parents);
    }
}

/// An entry as it is stored: its words may be any, where somebody has changed them.
#[derive(Clone, Debug)]
pub struct StoredEntry {
    /// Its place in the chain.
    pub position: i64,
    /// What kind of node it is about.
    pub kind: String,
    /// The node.
    pub node: String,
    /// What became of it.
    pub event: String,
    /// Of the row.
    pub sha256: Vec<u8>,
    /// When.
    pub at: OffsetDateTime,
    /// What led to the node, as kinds and ids.
    pub parents: BTreeSet<(String, String)>,
    /// Of the entry.
    pub hash: Vec<u8>,
}

impl StoredEntry {
    /// The hash that it has where nobody has changed it, after one with the hash `previous`.
    #[must_use]
    pub fn hash_after(&self, user: UserId, previous: &[u8]) -> Hash {
        let text = json!([
            user,
            self.position,
            self.kind,
            self.node,
            self.event,
            hex::encode(&self.sha256),
            microseconds(self.at),
            self.parents,
            hex::encode(previous),
        ]);
        Sha256::digest(text.to_string()).into()
    }
}

/// Entries of a tenant behind a position, in the order of the chain.
///
/// # Errors
/// When the database fails.
pub async fn page(scope: &mut Scope, user: UserId, after: i64, limit: u32) -> Result<Vec<StoredEntry>> {
    let rows = scope
        .fetch(&PAGE, &[user.into(), after.into(), i64::from(limit).into()])
        .await?;
    let mut entries = Vec::with_capacity(rows.len());
    for row in &rows {
        let mut columns = row.columns();
        entries.push(StoredEntry {
            position: columns.read()?,
            kind: columns.read()?,
            node: columns.read()?,
            event: columns.read()?,
            sha256: columns.read()?,
            at: columns.read()?,
            parents: BTreeSet::new(),
            hash: columns.read()?,
        });
    }
    let Some(last) = entries.last().map(|last| last.position) else {
        return Ok(entries);
    };
    let rows = scope
        .fetch(&LINKS, &[user.into(), after.into(), last.into()])
        .await?;
    for row in &rows {
        let mut columns = row.columns();
        let position: i64 = columns.read()?;
        if let Ok(place) = entries.binary_search_by_key(&position, |entry| entry.position) {
            entries[place].parents.insert((columns.read()?, columns.read()?));
        }
    }
    Ok(entries)
}

/// Ids that have a place in a tenant's lineage, behind one, in their order.
///
/// # Errors
/// When the database fails.
pub async fn nodes(scope: &mut Scope, user: UserId, after: &str, limit: u32) -> Result<Vec<String>> {
    let rows = scope
        .fetch(&NODES, &[user.into(), after.into(), i64::from(limit).into()])
        .await?;
    rows.iter().map(|row| row.columns().read()).collect()
}

/// An entry about a node.
#[derive(Clone, Debug)]
pub struct NodeEntry {
    /// The node.
    pub node: LineageNode,
    /// Its place in the chain.
    pub position: i64,
    /// What became of the row.
    pub event: LineageEvent,
    /// When, by the database's clock.
    pub at: OffsetDateTime,
    /// Of the row.
    pub sha256: Vec<u8>,
}

impl From<&NodeEntry> for LineageEntry {
    fn from(entry: &NodeEntry) -> Self {
        Self {
            position: entry.position,
            event: entry.event,
            at: entry.at,
            sha256: hex::encode(&entry.sha256),
        }
    }
}

/// The newest entry about each node with one of these ids.
///
/// # Errors
/// When the database fails.
pub async fn newest(scope: &mut Scope, user: UserId, ids: &[String]) -> Result<Vec<NodeEntry>> {
    let rows = scope.fetch(&NEWEST, &[user.into(), ids.into()]).await?;
    rows.iter().map(read_entry).collect()
}

/// What a person knows nodes by, where their rows are there and say it.
///
/// # Errors
/// When the database fails.
pub async fn titles(
    scope: &mut Scope,
    user: UserId,
    nodes: impl IntoIterator<Item = &LineageNode>,
) -> Result<HashMap<LineageNode, String>> {
    let mut by_table: BTreeMap<&str, BTreeMap<&String, Vec<LineageKind>>> = BTreeMap::new();
    for node in nodes {
        let ids = by_table.entry(node.kind.table()).or_default();
        ids.entry(&node.id).or_default().push(node.kind);
    }
    let mut titles = HashMap::new();
    for table in &TABLES {
        let Some(kinds) = by_table.get(table.name) else {
            continue;
        };
        let ids: Vec<String> = kinds.keys().map(|id| (*id).clone()).collect();
        for (id, title) in rows::titles(scope, user, table, &ids).await? {
            for kind in kinds.get(&id).into_iter().flatten() {
                titles.insert(LineageNode::new(*kind, id.clone()), title.clone());
            }
        }
    }
    Ok(titles)
}

/// What became of nodes with these ids, the newest first.
///
/// # Errors
/// When the database fails.
pub async fn history(scope: &mut Scope, user: UserId, ids: &[String], limit: u32) -> Result<Vec<NodeEntry>> {
    let values = [user.into(), ids.into(), i64::from(limit).into()];
    let rows = scope.fetch(&HISTORY, &values).await?;
    rows.iter().map(read_entry).collect()
}

fn read_entry(row: &Row) -> Result<NodeEntry> {
    let mut columns = row.columns();
    Ok(NodeEntry {
        node: read_node(&mut columns)?,
        position: columns.read()?,
        event: columns.read()?,
        at: columns.read()?,
        sha256: columns.read()?,
    })
}

/// What is known of rows, by their table and what they are called: the newest entry, and every kind of node that it is.
pub(crate) type KnownRows = BTreeMap<(&'static str, String), (NodeEntry, BTreeSet<LineageKind>)>;

pub(crate) async fn known(scope: &mut Scope, user: UserId, ids: &[String]) -> Result<KnownRows> {
    let mut rows = KnownRows::new();
    for entry in newest(scope, user, ids).await? {
        let key = (entry.node.kind.table(), entry.node.id.clone());
        let (newest, kinds) = rows
            .entry(key)
            .or_insert_with(|| (entry.clone(), BTreeSet::new()));
        kinds.insert(entry.node.kind);
        if entry.position > newest.position {
            *newest = entry;
        }
    }
    Ok(rows)
}

/// Until the transaction ends nobody else adds to the lineage of this tenant.
///
/// # Errors
/// When the database fails.
pub async fn hold(scope: &mut Scope, user: UserId) -> Result<()> {
    scope.execute(&HOLD, &[user.into()]).await?;
    Ok(())
}

/// What led to another node, and that node.
pub type Link = (LineageNode, LineageNode);

/// What led to nodes with these ids: them, and what did.
///
/// # Errors
/// When the database fails.
pub async fn parents(scope: &mut Scope, user: UserId, ids: &[String], limit: u32) -> Result<Vec<Link>> {
    links(scope, &PARENTS, (user, ids), limit).await
}

/// What nodes with these ids led to: them, and what they did.
///
/// # Errors
/// When the database fails.
pub async fn children(scope: &mut Scope, user: UserId, ids: &[String], limit: u32) -> Result<Vec<Link>> {
    links(scope, &CHILDREN, (user, ids), limit).await
}

async fn links(
    scope: &mut Scope,
    statement: &Statement,
    (user, ids): (UserId, &[String]),
    limit: u32,
) -> Result<Vec<Link>> {
    let rows = scope
        .fetch(statement, &[user.into(), ids.into(), i64::from(limit).into()])
        .await?;
    rows.iter()
        .map(|row| {
            let mut columns = row.columns();
            Ok((read_node(&mut columns)?, read_node(&mut columns)?))
        })
        .collect()
}

fn read_node(columns: &mut Columns<'_>) -> Result<LineageNode> {
    Ok(LineageNode {
        kind: columns.read()?,
        id: columns.read()?,
    })
}

/// What was hashed is a fixed number of bytes.
pub(crate) fn hash_of(bytes: Vec<u8>) -> Result<Hash> {
    bytes.try_into().map_err(|_| StoreError::Corrupt {
        column: 0,
        expected: "a SHA-256",
    })
}
