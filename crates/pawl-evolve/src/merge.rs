//! Two candidates whose gains can be joined.

use std::collections::HashSet;

use crate::candidate::{Candidate, CandidateDigest};
use crate::draw::Draws;
use crate::parent::front_members;
use crate::plan::Merging;
use crate::pool::{Index, Pool};
use crate::settings::Merge;

/// How often partners are drawn before it is given up.
const DRAWS: usize = 100;

/// What was merged, and what may be.
#[derive(Debug, Default)]
pub(crate) struct Merges {
    /// How many are due: one for each mutation that was accepted.
    due: usize,
    accepted: usize,
    /// Whether the step before was a mutation that was accepted.
    fresh: bool,
    /// Partners and their ancestor, and partners and what came of them.
    tried: HashSet<(Index, Index, Index)>,
    made: HashSet<(Index, Index, CandidateDigest)>,
}

impl Merges {
    /// A mutation was accepted.
    pub(crate) fn mutation_accepted(&mut self, merge: Option<Merge>) {
        if merge.is_some_and(|merge| self.accepted < merge.limit) {
            self.due += 1;
        }
        self.fresh = true;
    }

    /// A step came to something else.
    pub(crate) fn other_outcome(&mut self) {
        self.fresh = false;
    }

    /// A merged candidate was accepted.
    pub(crate) fn merge_accepted(&mut self) {
        self.due = self.due.saturating_sub(1);
        self.accepted += 1;
    }

    /// A merge, where one is due and partners are found.
    pub(crate) fn plan(
        &mut self,
        pool: &Pool,
        merge: Merge,
        draws: Draws,
        iteration: u64,
    ) -> Option<Merging> {
        if self.due == 0 || !std::mem::take(&mut self.fresh) {
            return None;
        }
        let front = front_members(pool);
        if front.len() < 2 {
            return None;
        }
        for attempt in 0..DRAWS {
            let mut draw = Chance {
                draws,
                iteration,
                purpose: format!("merge-{attempt}"),
                count: 0,
            };
            let (one, other) = (front[draw.place(front.len())], front[draw.place(front.len())]);
            let (one, other) = (one.min(other), one.max(other));
            if let Some(merging) = self.join(pool, [one, other], merge, &mut draw) {
                return Some(merging);
            }
        }
        None
    }

    fn join(
        &mut self,
        pool: &Pool,
        [one, other]: [Index; 2],
        merge: Merge,
        draw: &mut Chance,
    ) -> Option<Merging> {
        if one == other {
            return None;
        }
        let common = self.ancestors(pool, one, other)?;
        let means: Vec<f64> = common
            .iter()
            .map(|ancestor| pool.member(*ancestor).mean().max(0.0))
            .collect();
        let ancestor = common[draw.weighted(&means)];
        let candidate = joined(pool, [one, other], ancestor, draw);
        let digest = candidate.digest();
        if self.made.contains(&(one, other, digest.clone())) {
            return None;
        }
        let screen = screen(pool, [one, other], merge.overlap, draw)?;
        self.tried.insert((one, other, ancestor));
        self.made.insert((one, other, digest));
        let sum = |member: Index| {
            screen
                .iter()
                .map(|example| pool.member(member).scores()[*example])
                .sum::<f64>()
        };
        let before = sum(one).max(sum(other));
        let texts = candidate
            .components()
            .iter()
            .zip(pool.member(one).candidate.components());
        let changed = texts.filter(|(new, old)| new.text != old.text);
        Some(Merging {
            parents: [one, other],
            digests: [one, other].map(|index| pool.member(index).digest.clone()),
            components: changed.map(|(new, _)| new.name.clone()).collect(),
            candidate,
            screen,
            before,
            validation: Vec::new(),
        })
    }

    /// Common ancestors that something can be joined over, if there are any.
    fn ancestors(&self, pool: &Pool, one: Index, other: Index) -> Option<Vec<Index>> {
        let (of_one, of_other) = (ancestry(pool, one), ancestry(pool, other));
        if of_one.contains(&other) || of_other.contains(&one) {
            return None;
        }
        let worst = pool.member(one).mean().min(pool.member(other).mean());
        let complementary = |ancestor: Index| {
            let texts = |index: Index| pool.member(index).candidate.components();
            let all = texts(ancestor).iter().zip(texts(one)).zip(texts(other));
            all.into_iter()
                .any(|((old, a), b)| (old.text == a.text) != (old.text == b.text))
        };
        let mut common: Vec<Index> = of_one
            .intersection(&of_other)
            .copied()
            .filter(|ancestor| !self.tried.contains(&(one, other, *ancestor)))
            .filter(|ancestor| pool.member(*ancestor).mean() <= worst && complementary(*ancestor))
            .collect();
        common.sort_unstable();
        (!common.is_empty()).then_some(common)
    }
}

/// Everyone that a member descends from.
fn ancestry(pool: &Pool, index: Index) -> HashSet<Index> {
    let mut found = HashSet::new();
    let mut open = pool.member(index).parents.clone();
    while let Some(parent) = open.pop() {
        if found.insert(parent) {
            open.extend(&pool.member(parent).parents);
        }
    }
    found
}

/// For each component the text that changed; where both did, that of the better one.
fn joined(pool: &Pool, [one, other]: [Index; 2], ancestor: Index, draw: &mut Chance) -> Candidate {
    let mut candidate = pool.member(one).candidate.clone();
    let (first, second) = (pool.member(one), pool.member(other));
    for (place, old) in pool.member(ancestor).candidate.components().iter().enumerate() {
        let text = |index: Index| &pool.member(index).candidate.components()[place].text;
        let second_is_better = match first.mean().total_cmp(&second.mean()) {
            std::cmp::Ordering::Less => true,
            std::cmp::Ordering::Greater => false,
            std::cmp::Ordering::Equal => draw.place(2) == 1,
        };
        let take_second = *text(one) == old.text || (*text(other) != old.text && second_is_better);
        if take_second {
            candidate = candidate.with(place, text(other).clone());
        }
    }
    candidate
}

/// Examples that both have a score on: some where one is better, some where the other one is, and others.
fn screen(pool: &Pool, [one, other]: [Index; 2], size: usize, draw: &mut Chance) -> Option<Vec<usize>> {
    let scores = pool.member(one).scores().iter().zip(pool.member(other).scores());
    let mut groups: [Vec<usize>; 3] = Default::default();
    for (example, (a, b)) in scores.enumerate() {
        match a.partial_cmp(b) {
            Some(std::cmp::Ordering::Greater) => groups[0].push(example),
            Some(std::cmp::Ordering::Less) => groups[1].push(example),
            Some(std::cmp::Ordering::Equal) => groups[2].push(example),
            None => {}
        }
    }
    if groups.iter().map(Vec::len).sum::<usize>() < size {
        return None;
    }
    let share = size.div_ceil(3);
    let mut chosen = Vec::new();
    for group in &mut groups {
        for _ in 0..share.min(group.len()).min(size - chosen.len()) {
            chosen.push(group.swap_remove(draw.place(group.len())));
        }
    }
    let mut rest = groups.concat();
    rest.sort_unstable();
    while chosen.len() < size {
        chosen.push(rest.swap_remove(draw.place(rest.len())));
    }
    Some(chosen)
}

/// Choices by chance, one after the other, for one purpose.
struct Chance {
    draws: Draws,
    iteration: u64,
    purpose: String,
    count: usize,
}

impl Chance {
    fn place(&mut self, count: usize) -> usize {
        self.count += 1;
        self.draws
            .place(&format!("{}-{}", self.purpose, self.count), self.iteration, count)
    }

    /// A place with the chance of its weight; where all weights are zero, all are equal.
    fn weighted(&mut self, weights: &[f64]) -> usize {
        let total: f64 = weights.iter().sum();
        if total <= 0.0 {
            return self.place(weights.len());
        }
        let mut ticket = self.place(1 << 52) as f64 / (1_u64 << 52) as f64 * total;
        for (place, weight) in weights.iter().enumerate() {
            if ticket < *weight {
                return place;
            }
            ticket -= weight;
        }
        weights.len() - 1
    }
}
