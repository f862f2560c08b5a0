//! Which candidate was made of which: a tree of those in the pool.

use std::collections::HashMap;

use pawl_model::{CandidateStatus, PromptCandidate};

/// A candidate in the tree, in the order of a walk through it.
pub(super) struct Node {
    pub(super) href: String,
    pub(super) step: i64,
    pub(super) score: Option<String>,
    pub(super) is_best: bool,
    /// Proposals made of it that were no better.
    pub(super) in_vain: usize,
    /// Whether it is the first of a list.
    pub(super) opens: bool,
    /// Lists that end behind it.
    pub(super) closes: usize,
}

/// The candidates in the pool, each behind what it was made of.
pub(super) fn tree(run: &str, candidates: &[PromptCandidate], best: Option<&str>) -> Vec<Node> {
    let mut children: HashMap<Option<&str>, Vec<&PromptCandidate>> = HashMap::new();
    let mut in_vain: HashMap<&str, usize> = HashMap::new();
    for candidate in candidates {
        let parent = candidate.parents.first().map(String::as_str);
        match candidate.status {
            CandidateStatus::Accepted => children.entry(parent).or_default().push(candidate),
            CandidateStatus::Rejected => *in_vain.entry(parent.unwrap_or_default()).or_default() += 1,
            CandidateStatus::Proposed | CandidateStatus::Refused => {}
        }
    }
    let mut nodes: Vec<Node> = Vec::new();
    // What is still to be walked through, the next at the end; with how many lists end behind it besides its own.
    let mut waiting: Vec<(&PromptCandidate, bool, usize)> = Vec::new();
    push(&mut waiting, children.remove(&None).unwrap_or_default(), 0);
    while let Some((candidate, opens, closes)) = waiting.pop() {
        let below = children.remove(&Some(&*candidate.id)).unwrap_or_default();
        nodes.push(Node {
            href: format!("/optimizations/{run}?candidate={}#candidate", candidate.id),
            step: candidate.step,
            score: candidate.avg_score.map(|score| format!("{score:.3}")),
            is_best: best == Some(&*candidate.id),
            in_vain: in_vain.get(&*candidate.id).copied().unwrap_or(0),
            opens,
            closes: if below.is_empty() { closes } else { 0 },
        });
        push(&mut waiting, below, closes);
    }
    nodes
}

/// The last of a list ends it, and what ends behind it.
fn push<'c>(
    waiting: &mut Vec<(&'c PromptCandidate, bool, usize)>,
    list: Vec<&'c PromptCandidate>,
    closes: usize,
) {
    let last = list.len();
    let list = list.into_iter().enumerate();
    waiting.extend(
        list.map(|(place, one)| (one, place == 0, if place + 1 == last { closes + 1 } else { 0 }))
            .rev(),
    );
}
