//! The best score of every key, and who holds it.

/// Fronts, kept up to date as scores come in. Holders of a front are in ascending order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fronts(Vec<Front>);

#[derive(Clone, Debug)]
struct Front {
    best: f64,
    holders: Vec<u32>,
}

impl Fronts {
    /// Takes a score for a key into account.
    pub(crate) fn offer(&mut self, key: usize, candidate: usize, score: f64) {
        if self.0.len() <= key {
            let none = Front {
                best: f64::NEG_INFINITY,
                holders: Vec::new(),
            };
            self.0.resize(key + 1, none);
        }
        let front = &mut self.0[key];
        let candidate = candidate as u32;
        if score > front.best {
            front.best = score;
            front.holders.clear();
            front.holders.push(candidate);
        } else if score == front.best
            && let Err(place) = front.holders.binary_search(&candidate)
        {
            front.holders.insert(place, candidate);
        }
    }

    /// Adds the keys of other fronts behind these.
    pub(crate) fn extend(&mut self, other: &Self) {
        self.0.extend_from_slice(&other.0);
    }

    /// How many keys there are.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Who holds a key.
    pub(crate) fn holders(&self, key: usize) -> impl Iterator<Item = usize> {
        let holders = self.0.get(key).map(|front| front.holders.as_slice());
        holders.unwrap_or_default().iter().map(|holder| *holder as usize)
    }

    /// Tells who is left where everyone has gone for whom others make up on every front: `in_question` are walked from
    /// the lowest of `means` upwards, equal ones by number, and leave where each of their fronts is held by another one.
    ///
    /// One walk is enough, since fronts only shrink: who could not go at its turn can never go. Who is not in question is
    /// not on any front either.
    pub(crate) fn survivors(&self, means: &[f64], in_question: &[bool]) -> Vec<bool> {
        let mut keys_of: Vec<Vec<u32>> = vec![Vec::new(); means.len()];
        let mut left = vec![0_u32; self.len()];
        for (key, left) in left.iter_mut().enumerate() {
            for holder in self.holders(key).filter(|holder| in_question[*holder]) {
                keys_of[holder].push(key as u32);
                *left += 1;
            }
        }
        let mut walk: Vec<usize> = (0..means.len())
            .filter(|candidate| !keys_of[*candidate].is_empty())
            .collect();
        walk.sort_by(|a, b| means[*a].total_cmp(&means[*b]).then(a.cmp(b)));
        let mut survivors = vec![false; means.len()];
        for candidate in walk {
            let keys = &keys_of[candidate];
            if keys.iter().all(|key| left[*key as usize] > 1) {
                keys.iter().for_each(|key| left[*key as usize] -= 1);
            } else {
                survivors[candidate] = true;
            }
        }
        survivors
    }

    /// Bytes on the heap, for whoever measures.
    pub(crate) fn heap_bytes(&self) -> usize {
        let fronts = self.0.capacity() * size_of::<Front>();
        fronts
            + self
                .0
                .iter()
                .map(|front| front.holders.capacity() * size_of::<u32>())
                .sum::<usize>()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A table of scores, row by candidate.
    fn tables() -> impl Strategy<Value = Vec<Vec<u8>>> {
        (1_usize..12, 1_usize..10).prop_flat_map(|(candidates, keys)| {
            prop::collection::vec(prop::collection::vec(0_u8..4, keys), candidates)
        })
    }

    fn fronts(table: &[Vec<u8>]) -> (Fronts, Vec<f64>) {
        let mut fronts = Fronts::default();
        for (candidate, row) in table.iter().enumerate() {
            for (key, score) in row.iter().enumerate() {
                fronts.offer(key, candidate, f64::from(*score));
            }
        }
        let means = table
            .iter()
            .map(|row| row.iter().map(|score| f64::from(*score)).sum())
            .collect();
        (fronts, means)
    }

    /// As it is written in the reference: look for somebody who can go, from the lowest mean, and begin anew.
    fn rescanned(table: &[Vec<u8>], means: &[f64]) -> Vec<bool> {
        let best: Vec<u8> = (0..table[0].len())
            .map(|key| table.iter().map(|row| row[key]).max().unwrap())
            .collect();
        let holds = |candidate: usize, key: usize| table[candidate][key] == best[key];
        let mut alive: Vec<bool> = (0..table.len())
            .map(|candidate| (0..best.len()).any(|key| holds(candidate, key)))
            .collect();
        let mut walk: Vec<usize> = (0..table.len()).collect();
        walk.sort_by(|a, b| means[*a].total_cmp(&means[*b]).then(a.cmp(b)));
        while let Some(gone) = walk.iter().copied().find(|candidate| {
            alive[*candidate]
                && (0..best.len()).filter(|key| holds(*candidate, *key)).all(|key| {
                    (0..table.len()).any(|other| other != *candidate && alive[other] && holds(other, key))
                })
        }) {
            alive[gone] = false;
        }
        alive
    }

    proptest! {
        #[test]
        fn fronts_are_the_best_of_each_key(table in tables()) {
            let (fronts, _) = fronts(&table);
            for key in 0..table[0].len() {
                let best = table.iter().map(|row| row[key]).max().unwrap();
                let expected: Vec<usize> = (0..table.len()).filter(|row| table[*row][key] == best).collect();
                prop_assert_eq!(fronts.holders(key).collect::<Vec<_>>(), expected);
            }
        }

        #[test]
        fn one_walk_leaves_whom_rescans_leave(table in tables()) {
            let (fronts, means) = fronts(&table);
            let survivors = fronts.survivors(&means, &vec![true; table.len()]);
            prop_assert_eq!(survivors, rescanned(&table, &means));
        }

        #[test]
        fn the_order_of_scores_does_not_matter(table in tables()) {
            let (forwards, means) = fronts(&table);
            let mut backwards = Fronts::default();
            for (candidate, row) in table.iter().enumerate().rev() {
                for (key, score) in row.iter().enumerate() {
                    backwards.offer(key, candidate, f64::from(*score));
                }
            }
            let all = vec![true; table.len()];
            prop_assert_eq!(forwards.survivors(&means, &all), backwards.survivors(&means, &all));
        }
    }
}
