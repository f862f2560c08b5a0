//! Which examples a proposal is made from.

use crate::draw::Draws;
use crate::example::Example;
use crate::pool::{Index, Pool};
use crate::settings::Sampler;

/// What a minibatch depends on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Minibatch<'a> {
    pub(crate) pool: &'a Pool,
    pub(crate) train: &'a [Example],
    pub(crate) sampler: Sampler,
    pub(crate) size: usize,
    pub(crate) perfect: Option<f64>,
    pub(crate) draws: Draws,
}

impl Minibatch<'_> {
    /// The places of the examples for a parent in an iteration; each at most once.
    pub(crate) fn draw(&self, parent: Index, iteration: u64) -> Vec<usize> {
        match self.sampler {
            Sampler::Epochs => self.chunk(iteration),
            Sampler::Stored => self.stored(parent, iteration),
            Sampler::Hard => self.weighted(iteration, |example| self.hardness(parent, example)),
            Sampler::Variance => self.weighted(iteration, |example| self.variance(example)),
        }
    }

    fn size(&self) -> usize {
        self.size.clamp(1, self.train.len())
    }

    /// The next of an epoch's chunks; the last one of an epoch may be short.
    fn chunk(&self, iteration: u64) -> Vec<usize> {
        let chunks = self.train.len().div_ceil(self.size()) as u64;
        let order = self.order("epoch", iteration / chunks);
        let before = (iteration % chunks) as usize * self.size();
        order.into_iter().skip(before).take(self.size()).collect()
    }

    /// Failures that were used least, before new examples when they were never used and after them when they were; what
    /// the parent is perfect on comes last.
    fn stored(&self, parent: Index, iteration: u64) -> Vec<usize> {
        let member = self.pool.member(parent);
        let turn = |example: usize| {
            let used = member.used.get(&example).copied().unwrap_or_default();
            match member.train.get(&example) {
                Some(rollout) if self.perfect.is_some_and(|perfect| rollout.score >= perfect) => u32::MAX,
                Some(_) => 2 * used,
                // Another step under way may be trying it.
                None => 2 * used + 1,
            }
        };
        let mut order = self.order("batch", iteration);
        order.sort_by_key(|example| turn(*example));
        order.truncate(self.size());
        order
    }

    /// So many by chance, without putting back: the smallest of -ln(u) / weight (Efraimidis and Spirakis 2006).
    fn weighted(&self, iteration: u64, weight: impl Fn(usize) -> f64) -> Vec<usize> {
        let mut keyed: Vec<(f64, usize)> = (0..self.train.len())
            .map(|example| {
                let purpose = format!("weighted-{}", self.train[example].id);
                // From above 0 to 1.
                let chance =
                    ((self.draws.number(&purpose, iteration) >> 11) + 1) as f64 / (1_u64 << 53) as f64;
                (-chance.ln() / weight(example).max(LEAST_WEIGHT), example)
            })
            .collect();
        keyed.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        keyed
            .into_iter()
            .take(self.size())
            .map(|(_, example)| example)
            .collect()
    }

    fn order(&self, purpose: &str, counter: u64) -> Vec<usize> {
        let ids = self.train.iter().map(|example| example.id.as_str());
        self.draws.order(purpose, counter, ids)
    }

    /// How far the parent is from perfect on an example; unknown ones count as its mean.
    fn hardness(&self, parent: Index, example: usize) -> f64 {
        let top = self.perfect.unwrap_or(1.0);
        let member = self.pool.member(parent);
        top - member
            .train
            .get(&example)
            .map_or_else(|| member.mean(), |rollout| rollout.score)
    }

    /// The variance of an example's scores between candidates; unknown ones have that of a fair coin.
    fn variance(&self, example: usize) -> f64 {
        let known = self
            .pool
            .iter()
            .filter_map(|member| Some(member.train.get(&example)?.score));
        let (mut count, mut sum, mut squares) = (0.0, 0.0, 0.0);
        for score in known {
            count += 1.0;
            sum += score;
            squares += score * score;
        }
        if count < 2.0 {
            return 0.25;
        }
        squares / count - (sum / count) * (sum / count)
    }
}

/// What keeps an example from never being drawn.
const LEAST_WEIGHT: f64 = 0.05;

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::sync::Arc;

    use super::*;
    use crate::candidate::Candidate;
    use crate::pool::Newcomer;
    use crate::rollout::Rollout;

    /// A pool of one that has these scores on the first examples for training.
    fn pool(scores: &[f64]) -> Pool {
        let mut pool = Pool::default();
        let train = scores.iter().enumerate().map(|(example, score)| {
            (
                example,
                Arc::new(Rollout {
                    score: *score,
                    ..Rollout::default()
                }),
            )
        });
        pool.add(Newcomer {
            candidate: Candidate::single("seed"),
            parents: Vec::new(),
            step: 0,
            next_component: 0,
            train: train.collect(),
        });
        pool
    }

    fn drawn(pool: &Pool, sampler: Sampler, iteration: u64) -> Vec<usize> {
        let train: Vec<Example> = (0..10).map(|nth| Example::new(nth.to_string(), "")).collect();
        let draws = Draws::new(1);
        Minibatch {
            pool,
            train: &train,
            sampler,
            size: 4,
            perfect: Some(1.0),
            draws,
        }
        .draw(0, iteration)
    }

    #[test]
    fn an_epoch_has_every_example_once() {
        let pool = pool(&[]);
        let epoch: Vec<usize> = (0..3)
            .flat_map(|iteration| drawn(&pool, Sampler::Epochs, iteration))
            .collect();
        assert_eq!(
            (epoch.len(), epoch.iter().collect::<HashSet<_>>().len()),
            (10, 10)
        );
        assert_eq!(
            drawn(&pool, Sampler::Epochs, 2).len(),
            2,
            "the last chunk is short"
        );
    }

    #[test]
    fn known_failures_come_before_new_examples_once() {
        let mut pool = pool(&[0.0, 1.0, 0.5]);
        for iteration in 0..20 {
            let batch: HashSet<usize> = drawn(&pool, Sampler::Stored, iteration).into_iter().collect();
            assert!(
                batch.contains(&0) && batch.contains(&2) && !batch.contains(&1),
                "{batch:?}"
            );
        }
        pool.member_mut(0).used.extend([(0, 1), (2, 1)]);
        for iteration in 0..20 {
            let batch = drawn(&pool, Sampler::Stored, iteration);
            assert!(batch.iter().all(|example| *example > 2), "{batch:?}");
        }
    }

    #[test]
    fn hard_examples_are_drawn_more_often_and_none_twice() {
        let pool = pool(&[0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0]);
        let mut hard = 0;
        for iteration in 0..100 {
            let batch = drawn(&pool, Sampler::Hard, iteration);
            assert_eq!(batch.iter().collect::<HashSet<_>>().len(), 4);
            hard += batch.iter().filter(|example| *example % 2 == 0).count();
            assert_eq!(
                drawn(&pool, Sampler::Variance, iteration)
                    .iter()
                    .collect::<HashSet<_>>()
                    .len(),
                4
            );
        }
        assert!(hard > 320, "{hard} of 400");
    }
}
