//! Which candidate is to be improved next.

use crate::draw::Draws;
use crate::pool::{Index, Pool};
use crate::settings::{Frontier, ParentSource, Pick};

/// What a choice of a parent depends on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parents<'a> {
    pub(crate) pool: &'a Pool,
    pub(crate) sources: &'a [ParentSource],
    /// Places of the examples of validation in the order of their ids.
    pub(crate) by_id: &'a [usize],
    pub(crate) patience: Option<u32>,
    pub(crate) draws: Draws,
}

/// How often a parent is drawn for a step, at most.
const DRAWS: u64 = 5;

impl Parents<'_> {
    /// The parent of an iteration: the first one drawn for which proposals did not come to nothing too often, or the one
    /// of which that is least true.
    pub(crate) fn pick(&self, iteration: u64) -> Index {
        let in_vain = |parent: Index| self.pool.member(parent).in_vain;
        let mut least = self.drawn(iteration);
        for draw in 1..DRAWS {
            if self.patience.is_none_or(|patience| in_vain(least) < patience) {
                break;
            }
            let parent = self.drawn(iteration + (draw << 32));
            if in_vain(parent) < in_vain(least) {
                least = parent;
            }
        }
        least
    }

    fn drawn(&self, iteration: u64) -> Index {
        match self.source(iteration) {
            Pick::Best => self.pool.best(),
            Pick::Front(frontier) => {
                let eligible = self.pool.eligible();
                self.ticket(frontier, &eligible, iteration)
            }
            Pick::EpsilonGreedy(epsilon) => self.epsilon_greedy(epsilon, iteration),
            Pick::TopFront(count) => {
                let top = self.top(count);
                self.ticket(Frontier::Instance, &top, iteration)
            }
        }
    }

    fn source(&self, iteration: u64) -> Pick {
        let total: u64 = self.sources.iter().map(|source| u64::from(source.weight)).sum();
        if self.sources.len() > 1 && total > 0 {
            let mut ticket = self.draws.number("source", iteration) % total;
            for source in self.sources {
                if ticket < u64::from(source.weight) {
                    return source.pick;
                }
                ticket -= u64::from(source.weight);
            }
        }
        self.sources.first().map_or(Pick::Best, |source| source.pick)
    }

    /// One of the tickets: for each key in the order of names, each holder that is left.
    fn ticket(&self, frontier: Frontier, in_question: &[bool], iteration: u64) -> Index {
        let (fronts, keys) = self.pool.fronts(frontier, self.by_id);
        let survivors = fronts.survivors(&self.pool.means(), in_question);
        let tickets = || {
            keys.iter()
                .flat_map(|key| fronts.holders(*key))
                .filter(|holder| survivors[*holder])
        };
        let count = tickets().count();
        let drawn = tickets().nth(self.draws.place("parent", iteration, count));
        drawn.unwrap_or_else(|| self.pool.best())
    }

    fn epsilon_greedy(&self, epsilon: f64, iteration: u64) -> Index {
        // 53 bits, so that the quotient is exact.
        let chance = (self.draws.number("explore", iteration) >> 11) as f64 / (1_u64 << 53) as f64;
        if chance >= epsilon {
            return self.pool.best();
        }
        let eligible = self.pool.eligible();
        let indices: Vec<Index> = (0..self.pool.len()).filter(|index| eligible[*index]).collect();
        let place = self.draws.place("parent", iteration, indices.len());
        indices.get(place).copied().unwrap_or_default()
    }

    /// Who has one of the highest means.
    fn top(&self, count: usize) -> Vec<bool> {
        let (means, eligible) = (self.pool.means(), self.pool.eligible());
        let mut order: Vec<Index> = (0..self.pool.len()).filter(|index| eligible[*index]).collect();
        order.sort_by(|a, b| means[*b].total_cmp(&means[*a]).then(a.cmp(b)));
        let mut top = vec![false; self.pool.len()];
        order.into_iter().take(count).for_each(|index| top[index] = true);
        top
    }
}

/// Who is left on the fronts of examples: the partners of a merge.
pub(crate) fn front_members(pool: &Pool) -> Vec<Index> {
    let (fronts, _) = pool.fronts(Frontier::Instance, &[]);
    let survivors = fronts.survivors(&pool.means(), &pool.eligible());
    (0..pool.len()).filter(|index| survivors[*index]).collect()
}
