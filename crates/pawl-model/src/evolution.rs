//! Prompts that are evolved, and those that are live.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::Json;
use crate::words::words;

words! {
    /// How far an optimisation is.
    OptimizationStatus {
        /// It waits to begin.
        Pending = "pending",
        /// It is under way, or was when its process died.
        Running = "running",
        /// It came to its end.
        Completed = "completed",
        /// It could not go on.
        Failed = "failed",
        /// Somebody stopped it; it can go on.
        Cancelled = "cancelled",
    }
}

words! {
    /// What became of a candidate.
    CandidateStatus {
        /// It is being tried.
        Proposed = "proposed",
        /// It was worth a validation: it is in the pool.
        Accepted = "accepted",
        /// It was no better than its parents.
        Rejected = "rejected",
        /// It was not worth a single try.
        Refused = "refused",
    }
}

words! {
    /// How a version of a prompt became live, or did not.
    VerdictKind {
        /// The first one, without a comparison.
        Initial = "initial",
        /// It passed the gate.
        Promoted = "promoted",
        /// It did not.
        Refused = "refused",
        /// It did not, and somebody took it all the same.
        Overridden = "overridden",
        /// An earlier version is live again.
        RolledBack = "rolled_back",
    }
}

/// A text of a prompt, by its name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PromptComponent {
    /// Its name, unique in the prompt.
    pub name: String,
    /// What it says.
    pub text: String,
}

/// An optimisation of a prompt.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Optimization {
    /// `aor_` and random letters.
    pub id: String,
    /// The prompt.
    #[serde(rename = "signature_name")]
    pub name: String,
    /// How far it is.
    pub status: OptimizationStatus,
    /// What it was asked to do, and how.
    pub config: Json,
    /// The mean of the best candidate, in 0..=1.
    pub best_score: Option<f64>,
    /// The best candidate.
    pub best_candidate_id: Option<String>,
    /// Steps that are decided.
    pub iterations: i64,
    /// How much each dimension counts in a score.
    pub dimension_weights: Json,
    /// Why it ended.
    pub finish: Option<String>,
    /// Why it could not go on.
    pub error: Option<String>,
    /// How long it has taken, in milliseconds, all its sessions together.
    pub elapsed_ms: i64,
    /// When it was asked for.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    /// When it came to its end.
    #[serde(with = "time::serde::rfc3339::option")]
    pub completed_at: Option<OffsetDateTime>,
}

/// A version of a prompt inside an optimisation.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PromptCandidate {
    /// `apc_` and random letters.
    pub id: String,
    /// The optimisation.
    pub run_id: String,
    /// The one text, or all of them under headings.
    pub instructions: String,
    /// The texts.
    pub components: Vec<PromptComponent>,
    /// Its content, in short.
    pub digest: String,
    /// What became of it.
    pub status: CandidateStatus,
    /// What it was made of, the first first; none for the seed.
    pub parents: Vec<String>,
    /// The texts that differ from those of its first parent.
    pub edited: Vec<String>,
    /// Why it was refused or rejected.
    pub reason: Option<String>,
    /// The step that made it; 0 for the seed.
    pub step: i64,
    /// How many generations there are before it.
    pub generation: i64,
    /// Examples of validation on which nobody is better.
    pub coverage: i64,
    /// The mean of its scores on examples of validation, in 0..=1.
    pub avg_score: Option<f64>,
    /// The same by dimension.
    pub dimension_scores: BTreeMap<String, f64>,
    /// When it was proposed.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
}

/// One candidate on one example.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PromptEvaluation {
    /// `ape_` and random letters.
    pub id: String,
    /// The candidate.
    pub candidate_id: String,
    /// The split and the example: `train:…`, `validation:…` or `gate:…`.
    pub example_id: String,
    /// How good it was, in 0..=1, as 32 bits keep it.
    pub score: f64,
    /// What went wrong, and what to change.
    pub feedback: Option<String>,
    /// What happened.
    pub trace: Option<Json>,
    /// Scores by dimension.
    pub dimension_scores: BTreeMap<String, f64>,
    /// When it was tried.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
}

/// A version of a prompt.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PromptVersion {
    /// The prompt.
    pub name: String,
    /// From 1.
    pub version: i64,
    /// The texts.
    pub components: Vec<PromptComponent>,
    /// The candidate that it was; none for one that came by hand.
    pub candidate_id: Option<String>,
    /// When it was added.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
}

/// A recorded decision about what is live.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PromotionVerdict {
    /// `apv_` and random letters.
    pub id: String,
    /// The prompt.
    pub name: String,
    /// What was decided.
    pub kind: VerdictKind,
    /// The version that was live before.
    pub from_version: Option<i64>,
    /// The version that is live after; none where nothing changed.
    pub to_version: Option<i64>,
    /// The candidate that it is about.
    pub candidate_id: Option<String>,
    /// Who decided.
    pub decided_by: String,
    /// Why.
    pub reason: String,
    /// All the numbers.
    pub findings: Json,
    /// When.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
}
