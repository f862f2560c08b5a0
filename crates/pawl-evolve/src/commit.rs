//! What a step came to.

use serde::{Deserialize, Serialize};

use crate::candidate::CandidateDigest;
use crate::refusal::Refusal;
use crate::rollout::{Failure, Spend};

/// The step of the final choice, whenever it comes. It fits a signed integer of 64 bits.
pub const DECISION: u64 = i64::MAX as u64;

/// A step, decided. Steps are numbered from 0, without gaps; only the final choice is [`DECISION`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Commit {
    /// Which one.
    pub step: u64,
    /// What came of it.
    pub outcome: Outcome,
    /// What its calls took, those included whose answers were known.
    pub spend: Spend,
}

/// What came of a step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The seed was validated, and is in the pool.
    Seeded(Standing),
    /// A proposal was better than its parents on its minibatch, and is in the pool.
    Accepted {
        /// Where it stands.
        standing: Standing,
        /// What it was made of, by their places in the pool.
        parents: Vec<usize>,
        /// The components that are new, against the first parent.
        components: Vec<String>,
        /// How it did on what it was screened on.
        screen: Screen,
    },
    /// A proposal was no better, and is not in the pool.
    Rejected {
        /// Which one.
        candidate: CandidateDigest,
        /// What it was made of, by their places in the pool.
        parents: Vec<usize>,
        /// The components that were new.
        components: Vec<String>,
        /// How it did on what it was screened on.
        screen: Screen,
    },
    /// A proposal was not worth a rollout.
    Refused {
        /// Whose successor it would have been, by its place in the pool.
        parent: usize,
        /// What was wrong with it.
        refusal: Refusal,
    },
    /// There was nothing to learn.
    Skipped {
        /// From whom, by its place in the pool.
        parent: usize,
        /// Why.
        reason: SkipReason,
    },
    /// Calls failed, and what was left did not suffice.
    Failed {
        /// Whose successor was sought, by its place in the pool.
        parent: usize,
        /// The last failure.
        failure: Failure,
    },
    /// The part of the examples grew that the search sees, and the best candidates were tried on the new ones.
    Grown {
        /// Examples that it has now.
        examples: usize,
        /// Who was tried on them, by their places in the pool.
        candidates: Vec<usize>,
    },
    /// The finalists were tried on all examples.
    Decided {
        /// Who they were, by their places in the pool, the winner first.
        candidates: Vec<usize>,
    },
}

/// Where a candidate of the pool stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Standing {
    /// Its place in the pool.
    pub index: usize,
    /// What it is.
    pub candidate: CandidateDigest,
    /// Its mean over the examples that it has a score on; none where there are none.
    pub mean: Option<f64>,
    /// How many these are.
    pub scored: usize,
}

/// Two candidates on the same examples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Screen {
    /// Examples on which both have a score.
    pub examples: usize,
    /// The sum of the parent's scores.
    pub before: f64,
    /// The sum of the proposal's.
    pub after: f64,
    /// By how much the sum of its dimensions is higher, over those that both have.
    pub dimensions: f64,
}

/// Why there was nothing to learn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SkipReason {
    /// The parent is perfect on its minibatch.
    Perfect,
    /// The merged candidate is one of the pool.
    KnownMerge,
}
