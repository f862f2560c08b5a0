//! Which examples the search sees, and who wins.

use std::collections::BTreeMap;

use super::Search;
use crate::draw::Draws;
use crate::example::Task;
use crate::plan::{Plan, Validation, Work};
use crate::pool::Index;
use crate::settings::{Growth, Rules, Settings, Validation as Validated};

/// The order in which examples of validation are seen: as they are where all of them are seen; else by chance, and so that
/// every beginning has each kind of them in its share.
pub(super) fn order(task: &Task, settings: &Settings, draws: Draws) -> Vec<usize> {
    let examples = &task.validation;
    if settings.validation == Validated::Full {
        return (0..examples.len()).collect();
    }
    let mut strata: BTreeMap<Option<&str>, Vec<usize>> = BTreeMap::new();
    let shuffled = draws.order(
        "validation",
        0,
        examples.iter().map(|example| example.id.as_str()),
    );
    for place in shuffled {
        strata
            .entry(examples[place].stratum.as_deref())
            .or_default()
            .push(place);
    }
    let mut spread: Vec<(f64, usize)> = Vec::with_capacity(examples.len());
    for places in strata.values() {
        let count = places.len() as f64;
        spread.extend(
            places
                .iter()
                .enumerate()
                .map(|(nth, place)| ((nth as f64 + 0.5) / count, *place)),
        );
    }
    // Stable: strata that meet keep the order of their names.
    spread.sort_by(|a, b| a.0.total_cmp(&b.0));
    spread.into_iter().map(|(_, place)| place).collect()
}

impl Search<'_> {
    /// Keeps back what the final choice takes.
    pub(super) fn set_aside(&mut self) {
        let finalists = match self.settings.validation {
            Validated::Growing(growth) if !self.decided => growth.finalists,
            _ => 0,
        };
        let calls = finalists * (self.order.len() - self.seen);
        self.ledger.set_aside(self.metric_call.times(calls));
    }

    /// Whether the search should see more: the best one is good enough on what it sees, or too many are as good as it is.
    pub(super) fn is_due_to_grow(&self) -> bool {
        let Validated::Growing(growth) = self.settings.validation else {
            return false;
        };
        if self.seen == self.order.len() {
            return false;
        }
        let best = self.pool.member(self.pool.best());
        let good_enough = self
            .settings
            .limits
            .score
            .is_some_and(|score| best.mean() >= score);
        self.settings.is_perfect(best.mean()) || good_enough || self.crowd() >= growth.crowd
    }

    /// How many cannot be told from the best one: by the mean of the paired differences and its standard error.
    fn crowd(&self) -> usize {
        let best = self.pool.best();
        let best_scores = self.pool.member(best).scores();
        let alike = |index: &Index| {
            let member = self.pool.member(*index);
            if member.retired || *index == best {
                return false;
            }
            let pairs = best_scores
                .iter()
                .zip(member.scores())
                .filter(|(a, b)| a.is_finite() && b.is_finite());
            let (mut count, mut sum, mut squares) = (0.0, 0.0, 0.0);
            for difference in pairs.map(|(a, b)| a - b) {
                count += 1.0;
                sum += difference;
                squares += difference * difference;
            }
            let mean = sum / count;
            let error = ((squares / count - mean * mean).max(0.0) / count).sqrt();
            mean <= error
        };
        (0..self.pool.len()).filter(alike).count()
    }

    /// The best candidates, tried on more examples; where that cannot be paid for, the search is over.
    pub(super) fn grow(&mut self) -> Option<Plan> {
        let Validated::Growing(Growth { block, keep, .. }) = self.settings.validation else {
            return None;
        };
        let seen = (self.seen + block).min(self.order.len());
        let validations = self.validations(keep, seen);
        let calls: usize = validations
            .iter()
            .map(|validation| validation.examples.len())
            .sum();
        let need = self.metric_call.times(calls);
        if let Some(finish) = self.ledger.refusal(need) {
            self.finish = Some(finish);
            return self.decide();
        }
        self.seen = seen;
        Some(self.plan(Work::Validate(validations), need))
    }

    /// The best of those that the search sees, and what they were not tried on among the first `seen` examples.
    fn validations(&self, count: usize, seen: usize) -> Vec<Validation> {
        let eligible = self.pool.eligible();
        let mut best: Vec<Index> = (0..self.pool.len()).filter(|index| eligible[*index]).collect();
        best.sort_by(|a, b| self.pool.rank(*b, *a).then(a.cmp(b)));
        let each = best.into_iter().take(count).map(|index| {
            let member = self.pool.member(index);
            Validation {
                member: index,
                candidate: member.candidate.clone(),
                digest: member.digest.clone(),
                examples: self.order[member.tried().min(seen)..seen].to_vec(),
            }
        });
        each.collect()
    }

    /// Who was not tried on what is new is left behind.
    pub(super) fn leave_behind(&mut self, but: &[Index]) {
        for index in 0..self.pool.len() {
            self.pool.member_mut(index).retired |= !but.contains(&index);
        }
    }

    /// The finalists, tried on all examples, once; as many as can be paid for.
    pub(super) fn decide(&mut self) -> Option<Plan> {
        let Validated::Growing(growth) = self.settings.validation else {
            return None;
        };
        if std::mem::replace(&mut self.decided, true) || self.seen == self.order.len() {
            return None;
        }
        self.set_aside();
        let rest = (self.order.len() - self.seen) as u64;
        let count = match self.ledger.metric_calls_left() {
            Some(left) => (left / rest) as usize,
            None => growth.finalists,
        };
        let validations = self.validations(count, self.order.len());
        let calls: usize = validations
            .iter()
            .map(|validation| validation.examples.len())
            .sum();
        let need = self.metric_call.times(calls);
        if validations.is_empty() || self.ledger.refusal(need).is_some() {
            return None;
        }
        Some(self.plan(Work::Validate(validations), need))
    }

    /// The best of those that were tried on most examples; the oldest of equals.
    ///
    /// The highest of several means is partly luck. Who differs from its parents in one edit is likely to be about as good
    /// as they are: its mean is drawn towards theirs, as by some examples more.
    pub(super) fn winner(&self) -> Index {
        let most = self
            .pool
            .iter()
            .map(|member| member.tried())
            .max()
            .unwrap_or_default();
        let finalists = (0..self.pool.len()).filter(|index| self.pool.member(*index).tried() == most);
        let better = |best: Index, index: Index| {
            let order = self
                .drawn_to_parents(index)
                .total_cmp(&self.drawn_to_parents(best));
            order.then(self.pool.rank(index, best)).is_gt()
        };
        finalists
            .reduce(|best, index| if better(best, index) { index } else { best })
            .unwrap_or(0)
    }

    fn drawn_to_parents(&self, index: Index) -> f64 {
        let member = self.pool.member(index);
        let parents = member
            .parents
            .iter()
            .map(|parent| self.pool.member(*parent).mean());
        let count = member.parents.len();
        if count == 0 || self.settings.rules == Rules::Reference {
            return member.mean();
        }
        let scored = member.scored() as f64;
        let prior = parents.sum::<f64>() / count as f64;
        (scored * member.mean() + WEIGHT_OF_PARENTS * prior) / (scored + WEIGHT_OF_PARENTS)
    }
}

/// How many examples the parents' mean counts for in the final choice.
const WEIGHT_OF_PARENTS: f64 = 10.0;
