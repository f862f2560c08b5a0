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
    pub(crate) draws: Draws,
}

impl Minibatch<'_> {
    /// The places of the examples for a parent in an iteration; each at most once.
    pub(crate) fn draw(&self, parent: Index, iteration: u64) -> Vec<usize> {
        let size = self.size.clamp(1, self.train.len());
        match self.sampler {
            Sampler::Epochs => self.chunk(size, iteration),
            Sampler::HardFirst => self.first_by(size, iteration, |example| self.hardness(parent, example)),
            Sampler::Variance => self.first_by(size, iteration, |example| self.variance(example)),
        }
    }

    /// The next of an epoch's chunks; the last one of an epoch may be short.
    fn chunk(&self, size: usize, iteration: u64) -> Vec<usize> {
        let chunks = self.train.len().div_ceil(size) as u64;
        let order = self.order("epoch", iteration / chunks);
        let chunk = (iteration % chunks) as usize;
        order.into_iter().skip(chunk * size).take(size).collect()
    }

    /// Those with the highest value; by chance among equals.
    fn first_by(&self, size: usize, iteration: u64, value: impl Fn(usize) -> f64) -> Vec<usize> {
        let mut order = self.order("batch", iteration);
        order.sort_by(|a, b| value(*b).total_cmp(&value(*a)));
        order.truncate(size);
        order
    }

    fn order(&self, purpose: &str, counter: u64) -> Vec<usize> {
        let ids = self.train.iter().map(|example| example.id.as_str());
        self.draws.order(purpose, counter, ids)
    }

    /// How badly the parent did on an example; unknown ones count as its mean.
    fn hardness(&self, parent: Index, example: usize) -> f64 {
        let parent = self.pool.member(parent);
        let score = parent
            .train
            .get(&example)
            .map_or_else(|| parent.mean(), |rollout| rollout.score);
        -score
    }

    /// How much the scores of an example differ between candidates; unknown ones come first.
    fn variance(&self, example: usize) -> f64 {
        let known = self
            .pool
            .iter()
            .filter_map(|member| Some(member.train.get(&example)?.score));
        let (mut count, mut sum, mut squares) = (0_u32, 0.0, 0.0);
        for score in known {
            count += 1;
            sum += score;
            squares += score * score;
        }
        if count < 2 {
            return f64::INFINITY;
        }
        let count = f64::from(count);
        squares / count - (sum / count) * (sum / count)
    }
}
