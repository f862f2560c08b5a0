//! The candidates that were validated, and what is known of them.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::candidate::{Candidate, CandidateDigest};
use crate::commit::Standing;
use crate::front::Fronts;
use crate::refusal::Refusal;
use crate::rollout::Rollout;
use crate::settings::Frontier;

/// A candidate of the pool, by its place in it.
pub(crate) type Index = usize;

/// A candidate of the pool.
#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) candidate: Candidate,
    pub(crate) digest: CandidateDigest,
    pub(crate) parents: Vec<Index>,
    /// The step that made it.
    pub(crate) step: u64,
    /// The component to write anew next.
    pub(crate) next_component: usize,
    /// Scores on the first examples of validation, in the order in which these are seen; NaN where there is none.
    scores: Vec<f64>,
    sum: f64,
    scored: usize,
    /// By dimension: the sum of its scores and how many there are.
    dimensions: Vec<(f64, u32)>,
    /// What it did on examples for training, with what is to be learned from it.
    pub(crate) train: HashMap<usize, Arc<Rollout>>,
    /// How often proposals for it were made from an example.
    pub(crate) used: HashMap<usize, u32>,
    /// How many proposals in a row came to nothing.
    pub(crate) in_vain: u32,
    /// What came of proposals for it, the latest last.
    pub(crate) refusals: Vec<Refusal>,
    /// Whether it was left behind when the part of the examples grew that the search sees.
    pub(crate) retired: bool,
}

/// What is new about a member.
#[derive(Debug)]
pub(crate) struct Newcomer {
    pub(crate) candidate: Candidate,
    pub(crate) parents: Vec<Index>,
    pub(crate) step: u64,
    pub(crate) next_component: usize,
    pub(crate) train: HashMap<usize, Arc<Rollout>>,
}

impl Member {
    /// The mean over the examples that it has a score on.
    pub(crate) fn known_mean(&self) -> Option<f64> {
        (self.scored > 0).then(|| self.sum / self.scored as f64)
    }

    /// The same; nothing is lower than any.
    pub(crate) fn mean(&self) -> f64 {
        self.known_mean().unwrap_or(f64::NEG_INFINITY)
    }

    /// On how many examples it was tried.
    pub(crate) fn tried(&self) -> usize {
        self.scores.len()
    }

    /// On how many examples it has a score.
    pub(crate) fn scored(&self) -> usize {
        self.scored
    }

    /// Its scores in the order of validation; NaN where there is none.
    pub(crate) fn scores(&self) -> &[f64] {
        &self.scores
    }

    /// The mean of a dimension, where it has any score in it.
    fn dimension_mean(&self, dimension: usize) -> Option<f64> {
        let (sum, count) = *self.dimensions.get(dimension)?;
        (count > 0).then(|| sum / f64::from(count))
    }
}

/// All of them, the seed first, with the fronts that they hold.
#[derive(Debug, Default)]
pub(crate) struct Pool {
    members: Vec<Member>,
    by_digest: HashMap<CandidateDigest, Index>,
    /// Names of dimensions, each with its place.
    dimensions: BTreeMap<String, usize>,
    instance: Fronts,
    /// By example and dimension; kept only where asked for.
    cartesian: Option<BTreeMap<usize, Fronts>>,
}

impl Pool {
    pub(crate) fn new(keep_cartesian: bool) -> Self {
        Self {
            cartesian: keep_cartesian.then(BTreeMap::new),
            ..Self::default()
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.members.len()
    }

    pub(crate) fn member(&self, index: Index) -> &Member {
        &self.members[index]
    }

    pub(crate) fn member_mut(&mut self, index: Index) -> &mut Member {
        &mut self.members[index]
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Member> {
        self.members.iter()
    }

    pub(crate) fn find(&self, digest: &CandidateDigest) -> Option<Index> {
        self.by_digest.get(digest).copied()
    }

    /// Adds a member without scores.
    pub(crate) fn add(&mut self, newcomer: Newcomer) -> Index {
        let index = self.members.len();
        let digest = newcomer.candidate.digest();
        self.by_digest.entry(digest.clone()).or_insert(index);
        self.members.push(Member {
            candidate: newcomer.candidate,
            digest,
            parents: newcomer.parents,
            step: newcomer.step,
            next_component: newcomer.next_component,
            scores: Vec::new(),
            sum: 0.0,
            scored: 0,
            dimensions: Vec::new(),
            train: newcomer.train,
            used: HashMap::new(),
            in_vain: 0,
            refusals: Vec::new(),
            retired: false,
        });
        index
    }

    /// Adds what a member did on the examples that follow those it was tried on already.
    pub(crate) fn score(&mut self, index: Index, rollouts: &[Option<Arc<Rollout>>]) {
        let member = &mut self.members[index];
        for rollout in rollouts {
            let example = member.scores.len();
            let Some(rollout) = rollout else {
                member.scores.push(f64::NAN);
                continue;
            };
            member.scores.push(rollout.score);
            member.sum += rollout.score;
            member.scored += 1;
            self.instance.offer(example, index, rollout.score);
            for (name, score) in &rollout.dimensions {
                let count = self.dimensions.len();
                let dimension = *self.dimensions.entry(name.clone()).or_insert(count);
                if member.dimensions.len() <= dimension {
                    member.dimensions.resize(dimension + 1, (0.0, 0));
                }
                let (sum, count) = &mut member.dimensions[dimension];
                *sum += score;
                *count += 1;
                if let Some(cartesian) = &mut self.cartesian {
                    cartesian
                        .entry(example)
                        .or_default()
                        .offer(dimension, index, *score);
                }
            }
        }
        member.scores.shrink_to_fit();
    }

    /// The mean of every member; what was left behind counts as well.
    pub(crate) fn means(&self) -> Vec<f64> {
        self.members.iter().map(Member::mean).collect()
    }

    /// Who may be a parent: those that were tried on all that the search sees.
    pub(crate) fn eligible(&self) -> Vec<bool> {
        self.members
            .iter()
            .map(|member| !member.retired && member.scored > 0)
            .collect()
    }

    /// Who has the highest mean among those that may be a parent; the oldest one of equals.
    pub(crate) fn best(&self) -> Index {
        let eligible = self
            .members
            .iter()
            .enumerate()
            .filter(|(_, member)| !member.retired);
        let better = |best: Index, index: Index| self.rank(index, best) == Ordering::Greater;
        eligible
            .map(|(index, _)| index)
            .reduce(|best, index| if better(best, index) { index } else { best })
            .unwrap_or(0)
    }

    /// The order of members: by their means, and where these are equal by their dimensions.
    pub(crate) fn rank(&self, one: Index, other: Index) -> Ordering {
        let (a, b) = (&self.members[one], &self.members[other]);
        a.mean().total_cmp(&b.mean()).then_with(|| {
            let dimensions = |member: &Member| -> f64 {
                (0..self.dimensions.len())
                    .filter_map(|dimension| member.dimension_mean(dimension))
                    .sum()
            };
            dimensions(a).total_cmp(&dimensions(b))
        })
    }

    /// The fronts of a kind, and their keys in the order of their names; `by_id` are the places of the examples of
    /// validation in the order of their ids.
    pub(crate) fn fronts(&self, frontier: Frontier, by_id: &[usize]) -> (Cow<'_, Fronts>, Vec<usize>) {
        let seen = |example: &&usize| **example < self.instance.len();
        let instance = || by_id.iter().filter(seen).copied();
        let objective = || self.dimensions.values().copied();
        match frontier {
            Frontier::Instance => (Cow::Borrowed(&self.instance), instance().collect()),
            Frontier::Objective => (Cow::Owned(self.objective()), objective().collect()),
            Frontier::Hybrid => {
                let mut fronts = self.objective();
                let before = fronts.len();
                fronts.extend(&self.instance);
                (
                    Cow::Owned(fronts),
                    objective().chain(instance().map(|key| before + key)).collect(),
                )
            }
            Frontier::Cartesian => {
                let mut all = Fronts::default();
                let mut keys = Vec::new();
                let cartesian = self.cartesian.as_ref();
                for fronts in instance().filter_map(|example| cartesian?.get(&example)) {
                    let before = all.len();
                    all.extend(fronts);
                    keys.extend(
                        objective()
                            .filter(|key| *key < fronts.len())
                            .map(|key| before + key),
                    );
                }
                (Cow::Owned(all), keys)
            }
        }
    }

    fn objective(&self) -> Fronts {
        let mut fronts = Fronts::default();
        for (index, member) in self
            .members
            .iter()
            .enumerate()
            .filter(|(_, member)| !member.retired)
        {
            for dimension in 0..self.dimensions.len() {
                if let Some(mean) = member.dimension_mean(dimension) {
                    fronts.offer(dimension, index, mean);
                }
            }
        }
        fronts
    }

    /// Where a member stands.
    pub(crate) fn standing(&self, index: Index) -> Standing {
        let member = self.member(index);
        Standing {
            index,
            candidate: member.digest.clone(),
            mean: member.known_mean(),
            scored: member.scored,
        }
    }

    /// Bytes that scores and fronts take, for whoever measures: neither texts nor traces.
    pub(crate) fn score_bytes(&self) -> usize {
        let scores = |member: &Member| {
            member.scores.capacity() * size_of::<f64>()
                + member.dimensions.capacity() * size_of::<(f64, u32)>()
        };
        let cartesian = self
            .cartesian
            .iter()
            .flat_map(BTreeMap::values)
            .map(Fronts::heap_bytes);
        self.members.iter().map(scores).sum::<usize>() + self.instance.heap_bytes() + cartesian.sum::<usize>()
    }
}
