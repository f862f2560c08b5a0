//! What is known of a draft before a person looks at it: whether it would have caught what it is for, and what it would
//! have caught besides.

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::words::words;

words! {
    /// What a proof comes to.
    ProofVerdict {
        /// Every incident would have been caught, and nothing else.
        Proven = "proven",
        /// An incident would have passed, or something healthy would have failed.
        Refuted = "refuted",
        /// Too much of it needs a judge.
        Unproven = "unproven",
    }
}

/// How often something was so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Share {
    /// So often.
    pub count: u32,
    /// Of so many.
    pub of: u32,
}

/// A draft replayed on what is there already: the card that stands beside it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProofCard {
    /// What it comes to.
    pub verdict: ProofVerdict,
    /// In a sentence.
    pub summary: String,
    /// Incidents that it fails, as it should.
    pub caught: Share,
    /// Healthy interactions like them that it fails, as it should not.
    pub false_alarms: Share,
    /// Whether the golden output passes; none where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub golden_passes: Option<bool>,
    /// Sentences that need a judge, and had none.
    pub needs_judge: Share,
    /// The model that judged the rest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge: Option<String>,
    /// Each sentence, those that must hold first.
    pub sentences: Vec<ProvenSentence>,
    /// When it was made.
    #[serde(with = "time::serde::rfc3339")]
    pub proven_at: OffsetDateTime,
}

impl ProofCard {
    /// Whether it is the proof of a draft that was changed last at this time, and of no earlier one.
    #[must_use]
    pub fn is_of(&self, updated_at: OffsetDateTime) -> bool {
        self.proven_at >= updated_at
    }
}

/// What a proof says of a sentence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProvenSentence {
    /// The sentence.
    pub text: String,
    /// Whether it needs no judge.
    pub is_compiled: bool,
    /// Whether a judge was heard on it.
    #[serde(default)]
    pub is_judged: bool,
    /// Incidents that it fails.
    pub caught: u32,
    /// Healthy interactions that it fails.
    pub false_alarms: u32,
    /// Why it fails the first incident that it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}
