//! Lineage, read: what led to something, what it led to, and whether the chain and the rows are as they were written.
//!
//! It is written by the store, with whatever writes the rows.

mod fold;
mod verify;

use std::collections::{BTreeMap, BTreeSet};

use pawl_model::{LineageEntry, LineageEvent, LineageKind, LineageNode, UserId};
use pawl_store::lineage::{self, Link};
use pawl_store::{Actor, Scope};
use serde::Serialize;

pub use self::fold::{Shown, folded};
pub use self::verify::{BrokenLink, UnfinishedWrite, Verification};
use crate::{Engine, EngineError};

/// Nodes that are shown in each direction: the nearest.
pub const MOST_NODES: usize = 1_000;
/// Entries that are shown of a node: the newest.
const MOST_ENTRIES: u32 = 200;
/// Ids of one statement.
const AT_ONCE: usize = 500;
/// Links that are read at once.
const MOST_LINKS: u32 = 10_000;

/// Something with what led to it, and what it led to.
#[derive(Clone, Debug, Serialize)]
pub struct Lineage {
    /// The id that was asked for.
    pub id: String,
    /// What has this id: a suggestion, its draft and its approval share theirs.
    pub nodes: Vec<ToldNode>,
    /// What led to it: what stands deeper led to what it stands under.
    pub led_to_it: Vec<Step>,
    /// What it led to: what stands deeper came of what it stands under.
    pub it_led_to: Vec<Step>,
    /// Whether that is all; else it is the nearest of each.
    pub is_complete: bool,
}

/// A node with all that became of it.
#[derive(Clone, Debug, Serialize)]
pub struct ToldNode {
    /// The node.
    #[serde(flatten)]
    pub node: LineageNode,
    /// What a person knows it by, where its row is there and says it.
    pub title: Option<String>,
    /// What became of it, the newest first, at most two hundred.
    pub entries: Vec<LineageEntry>,
}

/// A node in a tree.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Step {
    /// How deep it stands, from 1.
    pub depth: usize,
    /// The node.
    #[serde(flatten)]
    pub node: LineageNode,
    /// What a person knows it by, where its row is there and says it.
    pub title: Option<String>,
    /// What became of it last; none where it has no entry of its own, as rows that are older than the lineage.
    pub newest: Option<LineageEntry>,
    /// Whether it stands further up already, with what stands under it.
    pub is_repeated: bool,
}

/// A direction in which links are followed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Back,
    Forth,
}

impl Engine {
    /// What led to something, and what it led to; none where nothing of this id has a place in the lineage. An
    /// interaction may be called by the id that the agent gave it.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn lineage(&self, user: UserId, id: &str) -> Result<Option<Lineage>, EngineError> {
        let mut scope = self.store.read(Actor::Tenant(user)).await?;
        let mut id = id.to_owned();
        let mut newest = lineage::newest(&mut scope, user, std::slice::from_ref(&id)).await?;
        if newest.is_empty() {
            let known = pawl_store::interactions::known(&mut scope, &[(user, &id)]).await?;
            let Some(known) = known.first() else {
                return Ok(None);
            };
            id = known.id.to_string();
            newest = lineage::newest(&mut scope, user, std::slice::from_ref(&id)).await?;
        }
        let asked: BTreeSet<LineageNode> = newest.into_iter().map(|entry| entry.node).collect();
        if asked.is_empty() {
            return Ok(None);
        }
        let history = lineage::history(&mut scope, user, std::slice::from_ref(&id), MOST_ENTRIES).await?;
        let titles = lineage::titles(&mut scope, user, &asked).await?;
        let nodes = asked.iter().map(|node| ToldNode {
            node: node.clone(),
            title: titles.get(node).cloned(),
            entries: history
                .iter()
                .filter(|entry| entry.node == *node)
                .map(LineageEntry::from)
                .collect(),
        });
        let nodes = nodes.collect();
        let (led_to_it, all_before) = tree(&mut scope, user, &asked, Direction::Back).await?;
        let (it_led_to, all_behind) = tree(&mut scope, user, &asked, Direction::Forth).await?;
        Ok(Some(Lineage {
            id,
            nodes,
            led_to_it,
            it_led_to,
            is_complete: all_before && all_behind,
        }))
    }
}

/// The nodes that are reached from some, as a tree, and whether they are all.
async fn tree(
    scope: &mut Scope,
    user: UserId,
    asked: &BTreeSet<LineageNode>,
    direction: Direction,
) -> Result<(Vec<Step>, bool), EngineError> {
    let mut reached: BTreeMap<LineageNode, BTreeSet<LineageNode>> = BTreeMap::new();
    let mut known = asked.clone();
    let mut frontier = asked.clone();
    let mut is_complete = true;
    while !frontier.is_empty() {
        let mut next = BTreeSet::new();
        for (from, to) in links(scope, user, &frontier, direction).await? {
            if !frontier.contains(&from) {
                continue;
            }
            if !known.contains(&to) {
                if known.len() - asked.len() >= MOST_NODES {
                    is_complete = false;
                    continue;
                }
                known.insert(to.clone());
                next.insert(to.clone());
            }
            reached.entry(from).or_default().insert(to);
        }
        frontier = next;
    }
    let mut newest: BTreeMap<LineageNode, LineageEntry> = BTreeMap::new();
    let titles = lineage::titles(scope, user, &known).await?;
    let ids: BTreeSet<String> = known.into_iter().map(|node| node.id).collect();
    let ids: Vec<String> = ids.into_iter().collect();
    for ids in ids.chunks(AT_ONCE) {
        for entry in lineage::newest(scope, user, ids).await? {
            newest.insert(entry.node.clone(), LineageEntry::from(&entry));
        }
    }
    // Nodes that are asked for stand together at the root: what leads from one of them to another stands there already.
    let mut shown = asked.clone();
    let mut steps = Vec::new();
    let first = asked.iter().filter_map(|node| reached.get(node)).flatten();
    let first: BTreeSet<&LineageNode> = first.filter(|node| !asked.contains(node)).collect();
    let mut stack: Vec<(usize, &LineageNode)> = first.into_iter().rev().map(|node| (1, node)).collect();
    while let Some((depth, node)) = stack.pop() {
        let is_repeated = !shown.insert(node.clone());
        let further = reached.get(node);
        steps.push(Step {
            depth,
            node: node.clone(),
            title: titles.get(node).cloned(),
            newest: newest.get(node).cloned(),
            is_repeated: is_repeated && further.is_some(),
        });
        if !is_repeated {
            let further = further.into_iter().flatten().rev();
            stack.extend(
                further
                    .filter(|node| !asked.contains(node))
                    .map(|node| (depth + 1, node)),
            );
        }
    }
    Ok((steps, is_complete))
}

/// Links from nodes in a direction, each as where it leads from and to.
async fn links(
    scope: &mut Scope,
    user: UserId,
    nodes: &BTreeSet<LineageNode>,
    direction: Direction,
) -> Result<Vec<Link>, EngineError> {
    let ids: Vec<String> = nodes.iter().map(|node| node.id.clone()).collect();
    let mut links = Vec::new();
    for ids in ids.chunks(AT_ONCE) {
        links.extend(match direction {
            Direction::Back => lineage::parents(scope, user, ids, MOST_LINKS).await?,
            Direction::Forth => lineage::children(scope, user, ids, MOST_LINKS).await?,
        });
    }
    Ok(links)
}

/// What became of a node, in a word or two.
#[must_use]
pub const fn event_text(kind: LineageKind, event: LineageEvent) -> &'static str {
    match (event, kind) {
        (LineageEvent::Created, LineageKind::Interaction) => "cited",
        (LineageEvent::Created, LineageKind::Pattern) => "mined",
        (LineageEvent::Created, LineageKind::Draft) => "drafted",
        (LineageEvent::Created, LineageKind::Approval) => "approved",
        (LineageEvent::Created, LineageKind::Rejection) => "rejected",
        (LineageEvent::Created, LineageKind::Run) => "finished",
        (LineageEvent::Created, LineageKind::Candidate | LineageKind::Verdict) => "decided",
        (LineageEvent::Created, LineageKind::Prompt) => "live",
        (LineageEvent::Created, LineageKind::Suggestion | LineageKind::Version) => "made",
        (LineageEvent::Changed, _) => "changed",
        (LineageEvent::Erased, _) => "erased",
        (LineageEvent::Intended, _) => "about to be written",
        (LineageEvent::Completed, _) => "written",
    }
}
