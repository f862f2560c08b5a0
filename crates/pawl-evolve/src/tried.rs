//! What was tried already.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::candidate::CandidateDigest;
use crate::example::Split;
use crate::settings::Rules;

/// What was tried before, with the step that tried it, and how often pairs were.
#[derive(Debug)]
pub(crate) struct Tried {
    rules: Rules,
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    candidates: HashMap<CandidateDigest, u64>,
    repetitions: HashMap<(CandidateDigest, Split, usize), u32>,
}

impl Tried {
    pub(crate) fn new(rules: Rules) -> Self {
        let known = Mutex::default();
        Self { rules, known }
    }

    /// Remembers a candidate that a step tried.
    pub(crate) fn insert(&self, digest: CandidateDigest, step: u64) {
        let mut known = self.lock();
        known.candidates.entry(digest).or_insert(step);
    }

    /// Whether one of the first `steps` steps tried a candidate. What later ones did must not matter, or a run would depend
    /// on what is finished first.
    pub(crate) fn contains(&self, digest: &CandidateDigest, steps: u64) -> bool {
        let known = self.lock();
        known.candidates.get(digest).is_some_and(|step| *step < steps)
    }

    /// The examples, each with how often the candidate was tried on it. Only who follows the reference tries twice.
    pub(crate) fn count(
        &self,
        digest: &CandidateDigest,
        split: Split,
        examples: &[usize],
    ) -> Vec<(usize, u32)> {
        if self.rules == Rules::Strict {
            return examples.iter().map(|example| (*example, 0)).collect();
        }
        let mut known = self.lock();
        let counted = examples.iter().map(|example| {
            let count = known
                .repetitions
                .entry((digest.clone(), split, *example))
                .or_default();
            *count += 1;
            (*example, *count - 1)
        });
        counted.collect()
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
