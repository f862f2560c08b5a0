//! What a run came to.

use serde::{Deserialize, Serialize};

use crate::candidate::{Candidate, CandidateDigest};
use crate::ledger::Finish;
use crate::pool::Pool;
use crate::rollout::Spend;

/// What a run came to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Everyone who was validated, the seed first.
    pub candidates: Vec<ReportedCandidate>,
    /// The best one, by its place among them.
    pub winner: usize,
    /// Why the search ended.
    pub finish: Finish,
    /// What steps took that were committed.
    pub spent: Spend,
    /// What was spent on calls that have no answer, or whose step was not committed.
    pub lost: Spend,
    /// How many steps came to what.
    pub counts: Counts,
}

/// Someone who was validated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReportedCandidate {
    /// What it is.
    pub candidate: Candidate,
    /// Its content, in short.
    pub digest: CandidateDigest,
    /// What it was made of, by their places; always earlier ones.
    pub parents: Vec<usize>,
    /// The step that made it.
    pub step: u64,
    /// Its mean over the examples of validation that it has a score on; none where there are none.
    pub mean: Option<f64>,
    /// How many these are.
    pub scored: usize,
}

/// How many steps came to what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Steps, all of them.
    pub steps: u64,
    /// Proposals that are in the pool.
    pub accepted: u64,
    /// Proposals that were no better than their parents.
    pub rejected: u64,
    /// Proposals that were not worth a rollout.
    pub refused: u64,
    /// Steps with nothing to learn.
    pub skipped: u64,
    /// Steps that came to nothing because calls failed.
    pub failed: u64,
}

impl Report {
    /// The best candidate.
    #[must_use]
    pub fn best(&self) -> &ReportedCandidate {
        &self.candidates[self.winner]
    }
}

/// Everyone, for a report.
pub(crate) fn reported(pool: &Pool) -> Vec<ReportedCandidate> {
    let each = pool.iter().map(|member| ReportedCandidate {
        candidate: member.candidate.clone(),
        digest: member.digest.clone(),
        parents: member.parents.clone(),
        step: member.step,
        mean: member.known_mean(),
        scored: member.scored(),
    });
    each.collect()
}
