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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::candidate::Candidate;
    use crate::pool::Newcomer;
    use crate::rollout::Rollout;
    use crate::settings::Settings;

    /// A pool with these scores, each member with one dimension that is one less its mean.
    fn pool(rows: &[&[f64]]) -> Pool {
        let mut pool = Pool::new(true);
        for (step, row) in rows.iter().enumerate() {
            let index = pool.add(Newcomer {
                candidate: Candidate::single(step.to_string()),
                parents: Vec::new(),
                step: step as u64,
                next_component: 0,
                train: Default::default(),
            });
            let rollouts = row.iter().map(|score| {
                let dimensions = [("other".to_owned(), 1.0 - score)].into();
                Some(Arc::new(Rollout {
                    score: *score,
                    dimensions,
                    ..Rollout::default()
                }))
            });
            pool.score(index, &rollouts.collect::<Vec<_>>());
        }
        pool
    }

    fn picked(pool: &Pool, sources: &[ParentSource], patience: Option<u32>) -> Vec<usize> {
        let by_id: Vec<usize> = (0..pool.member(0).tried()).collect();
        let parents = Parents {
            pool,
            sources,
            by_id: &by_id,
            patience,
            draws: Draws::new(5),
        };
        let mut picked = vec![0; pool.len()];
        (0..600).for_each(|iteration| picked[parents.pick(iteration)] += 1);
        picked
    }

    fn only(pick: Pick) -> Vec<ParentSource> {
        vec![ParentSource { weight: 1, pick }]
    }

    /// Passes and failures: the last one is the best, and others make up for it on every front.
    fn covered() -> Pool {
        pool(&[
            &[1.0, 1.0, 1.0, 0.0, 0.0, 0.0],
            &[0.0, 0.0, 0.0, 1.0, 1.0, 1.0],
            &[1.0, 1.0, 0.0, 1.0, 1.0, 0.0],
        ])
    }

    #[test]
    fn each_source_picks_its_own() {
        let pool = covered();
        assert_eq!(picked(&pool, &only(Pick::Best), None), [0, 0, 600]);
        assert_eq!(picked(&pool, &only(Pick::TopFront(1)), None), [0, 0, 600]);
        for frontier in [Frontier::Instance, Frontier::Hybrid] {
            let picked = picked(&pool, &only(Pick::Front(frontier)), None);
            assert!(picked[0] > 100 && picked[1] > 100, "{frontier:?}: {picked:?}");
        }
        // By the dimension's mean the first two are equally good, and the first one goes.
        assert_eq!(
            picked(&pool, &only(Pick::Front(Frontier::Objective)), None),
            [0, 600, 0]
        );
        let explored = picked(&pool, &only(Pick::EpsilonGreedy(0.3)), None);
        assert!(
            explored[2] > 400 && explored[0] > 30 && explored[1] > 30,
            "{explored:?}"
        );
    }

    #[test]
    fn the_best_one_has_its_share_whatever_is_on_the_fronts() {
        let picked = picked(&covered(), &Settings::default().parents, None);
        assert!(picked[2] > 150, "{picked:?}");
    }

    #[test]
    fn who_was_improved_in_vain_is_passed_over() {
        let mut pool = covered();
        pool.member_mut(2).in_vain = 8;
        let sources = Settings::default().parents;
        let picked = picked(&pool, &sources, Some(8));
        assert!(picked[2] < 20, "{picked:?}");
    }
}
