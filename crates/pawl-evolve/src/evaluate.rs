//! Who tries candidates on examples.

use crate::candidate::Candidate;
use crate::example::{Example, Split};
use crate::rollout::{Cost, Failure, Rollout};

/// What is asked of an [`Evaluate`].
#[derive(Clone, Copy, Debug)]
pub struct Trial<'a> {
    /// What is tried.
    pub candidate: &'a Candidate,
    /// What it is tried on.
    pub example: &'a Example,
    /// Where the example is from.
    pub split: Split,
    /// How often the pair was tried before, for who wants answers to differ or be cached apart.
    pub repetition: u32,
}

/// Tries a candidate on an example, and scores what comes out. Does the I/O, under any executor.
pub trait Evaluate: Sync {
    /// Tries it once. There is no need to retry or to count; a failure is retried from outside.
    ///
    /// # Errors
    /// A [`Failure`] where there is no score that says something about the candidate.
    fn evaluate(&self, trial: Trial<'_>) -> impl Future<Output = Result<Rollout, Failure>> + Send;

    /// What one call takes at most. `None`: not known, so that tokens and dollars cannot be limited.
    fn at_most(&self) -> Option<Cost> {
        None
    }
}
