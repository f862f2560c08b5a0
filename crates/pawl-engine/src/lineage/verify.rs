//! The proof of the chain: every entry follows from the one before it, and every row is what its newest entry says.

use pawl_model::{LineageEvent, LineageKind, LineageNode, UserId};
use pawl_store::Actor;
use pawl_store::lineage::{self, Compared, Hash, RowNow, StoredEntry};
use serde::Serialize;

use crate::{Engine, EngineError};

/// Entries, and rows, that are read at a time.
const PAGE: u32 = 500;
/// Writes without an end that are told of.
const MOST_UNFINISHED: usize = 100;

/// What a verification found.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Verification {
    /// Whether chain and rows are as they were written.
    pub is_whole: bool,
    /// Entries of the chain that were looked at.
    pub entries: u64,
    /// Rows that were compared.
    pub rows: u64,
    /// Rows that are gone, as their entries say.
    pub erased: u64,
    /// The hash at the end of the chain. Whoever notes it elsewhere can tell later whether the chain still leads there.
    pub head: String,
    /// The first link that is broken.
    pub broken: Option<BrokenLink>,
    /// Writes to another store than our database of which nobody has told the end: at most a hundred.
    pub unfinished: Vec<UnfinishedWrite>,
}

/// A link that is broken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BrokenLink {
    /// The entry's place in the chain.
    pub position: i64,
    /// What kind of node it is about, as it says there.
    pub kind: String,
    /// The node.
    pub id: String,
    /// What is wrong.
    pub problem: String,
}

/// A write to another store of which nobody has told the end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UnfinishedWrite {
    /// The entry that says what was intended.
    pub position: i64,
    /// The node.
    #[serde(flatten)]
    pub node: LineageNode,
    /// What the document is.
    pub found: &'static str,
}

impl BrokenLink {
    fn of(entry: &StoredEntry, problem: impl Into<String>) -> Self {
        Self {
            position: entry.position,
            kind: entry.kind.clone(),
            id: entry.node.clone(),
            problem: problem.into(),
        }
    }
}

impl Engine {
    /// Verifies a tenant's lineage, up to the first link that is broken: the chain first, then the rows.
    ///
    /// # Errors
    /// When the database, or the store of suggestions, fails.
    pub async fn verify_lineage(&self, user: UserId) -> Result<Verification, EngineError> {
        let mut found = Verification::default();
        self.verify_chain(user, &mut found).await?;
        if found.broken.is_none() {
            self.verify_rows(user, &mut found).await?;
        }
        found.is_whole = found.broken.is_none();
        Ok(found)
    }

    async fn verify_chain(&self, user: UserId, found: &mut Verification) -> Result<(), EngineError> {
        let (mut position, mut hash) = (0, Vec::new());
        loop {
            let mut scope = self.store.read(Actor::Tenant(user)).await?;
            let page = lineage::page(&mut scope, user, position, PAGE).await?;
            drop(scope);
            for entry in &page {
                if let Some(problem) = wrong_with(entry, user, (position, &hash)) {
                    found.broken = Some(BrokenLink::of(entry, problem));
                    return Ok(());
                }
                position = entry.position;
                hash.clone_from(&entry.hash);
                found.entries += 1;
            }
            if page.len() < PAGE as usize {
                found.head = hex::encode(&hash);
                return Ok(());
            }
        }
    }

    async fn verify_rows(&self, user: UserId, found: &mut Verification) -> Result<(), EngineError> {
        let mut after = String::new();
        let mut first: Option<BrokenLink> = None;
        loop {
            let mut scope = self.store.read(Actor::Tenant(user)).await?;
            let ids = lineage::nodes(&mut scope, user, &after, PAGE).await?;
            let mut compared = lineage::compared(&mut scope, user, &ids).await?;
            drop(scope);
            if compared.iter().any(|one| difference(one).is_some()) {
                // Somebody may have written between our two looks: once more, while nobody can.
                let mut scope = self.store.read(Actor::Tenant(user)).await?;
                lineage::hold(&mut scope, user).await?;
                compared = lineage::compared(&mut scope, user, &ids).await?;
            }
            let (elsewhere, here): (Vec<Compared>, Vec<Compared>) = compared
                .into_iter()
                .partition(|one| one.newest.event.is_elsewhere() && one.row == RowNow::Gone);
            for one in &here {
                *match one.row {
                    RowNow::Gone => &mut found.erased,
                    _ => &mut found.rows,
                } += 1;
            }
            let mut broken: Vec<BrokenLink> = here
                .iter()
                .filter_map(|one| Some(broken(one, difference(one)?)))
                .collect();
            broken.extend(self.verify_documents(user, &elsewhere, found).await?);
            first = first.into_iter().chain(broken).min_by_key(|one| one.position);
            match ids.last() {
                Some(last) if ids.len() == PAGE as usize => after.clone_from(last),
                _ => break,
            }
        }
        found.broken = first;
        Ok(())
    }

    /// Compares documents of another store.
    async fn verify_documents(
        &self,
        user: UserId,
        compared: &[Compared],
        found: &mut Verification,
    ) -> Result<Vec<BrokenLink>, EngineError> {
        if compared.is_empty() {
            return Ok(Vec::new());
        }
        let ids: Vec<String> = compared.iter().map(|one| one.newest.node.id.clone()).collect();
        let kept = self.suggestions_of(Actor::Tenant(user)).await?;
        let Some(hashes) = kept.hashes(&ids).await? else {
            for one in compared {
                unfinished(
                    found,
                    one,
                    "kept elsewhere than suggestions are now: not looked at",
                );
            }
            return Ok(Vec::new());
        };
        let mut links = Vec::new();
        for one in compared {
            let id = &one.newest.node.id;
            let now: Option<&Hash> = hashes.get(id);
            let is_as_told = now.is_some_and(|now| now.as_slice() == one.newest.sha256);
            found.rows += u64::from(now.is_some());
            match (one.newest.event, is_as_told) {
                (LineageEvent::Intended, true) => unfinished(found, one, "as intended"),
                (LineageEvent::Intended, false) if self.is_as_before(user, one, now).await? => {
                    unfinished(found, one, "as it was before: it was not written");
                }
                (_, true) => {}
                (_, false) => links.push(broken(
                    one,
                    match now {
                        None => "the document is gone",
                        Some(_) => "the document is not what was written",
                    },
                )),
            }
        }
        Ok(links)
    }

    /// Whether a document is what it was before somebody intended to write it.
    async fn is_as_before(
        &self,
        user: UserId,
        one: &Compared,
        now: Option<&Hash>,
    ) -> Result<bool, EngineError> {
        let mut scope = self.store.read(Actor::Tenant(user)).await?;
        let ids = [one.newest.node.id.clone()];
        let history = lineage::history(&mut scope, user, &ids, PAGE).await?;
        let kept = |kind: LineageKind| kind.table() == one.newest.node.kind.table();
        let before = history
            .iter()
            .filter(|entry| kept(entry.node.kind))
            .find(|entry| entry.event != LineageEvent::Intended);
        Ok(match (before, now) {
            (None, now) => now.is_none(),
            (Some(before), Some(now)) => now.as_slice() == before.sha256,
            (Some(_), None) => false,
        })
    }
}

/// What is wrong with an entry behind another one.
fn wrong_with(entry: &StoredEntry, user: UserId, (position, hash): (i64, &[u8])) -> Option<String> {
    if entry.position != position + 1 {
        return Some(format!("entry {} is missing before it", position + 1));
    }
    if entry.hash_after(user, hash).as_slice() != entry.hash {
        return Some(
            "the entry is not what was written, or does not follow from the one before it".to_owned(),
        );
    }
    let is_known = LineageKind::parse(&entry.kind).is_some() && LineageEvent::parse(&entry.event).is_some();
    (!is_known).then(|| "the entry is of a kind that this program does not know".to_owned())
}

/// What is wrong with a row of our database. Documents of another store are looked at there.
fn difference(one: &Compared) -> Option<&'static str> {
    match (one.newest.event, one.row) {
        (LineageEvent::Erased | LineageEvent::Intended | LineageEvent::Completed, RowNow::Gone) => None,
        (LineageEvent::Erased, _) => Some("the row was erased, and is there"),
        (_, RowNow::Gone) => Some("the row is gone, and nobody has erased it"),
        (_, RowNow::Unreadable) => Some("the row cannot be read"),
        (_, RowNow::Hashed(hash)) => {
            (hash.as_slice() != one.newest.sha256).then_some("the row is not what was written")
        }
    }
}

fn broken(one: &Compared, problem: &str) -> BrokenLink {
    let node = &one.newest.node;
    BrokenLink {
        position: one.newest.position,
        kind: node.kind.to_string(),
        id: node.id.clone(),
        problem: format!("{problem} (table {})", node.kind.table()),
    }
}

fn unfinished(found: &mut Verification, one: &Compared, document: &'static str) {
    if found.unfinished.len() < MOST_UNFINISHED {
        found.unfinished.push(UnfinishedWrite {
            position: one.newest.position,
            node: one.newest.node.clone(),
            found: document,
        });
    }
}
