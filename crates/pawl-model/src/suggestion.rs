//! Suggestions: groups of failure patterns that are one and the same failure.

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::words::words;
use crate::{FailureType, Json, Severity};

words! {
    /// What is suggested.
    SuggestionType {
        /// A regression test.
        Eval = "eval",
        /// A guardrail.
        Guardrail = "guardrail",
        /// A runbook.
        Runbook = "runbook",
    }
}

words! {
    /// What people decided.
    SuggestionStatus {
        /// Nothing yet.
        Pending = "pending",
        /// It is good.
        Approved = "approved",
        /// It is not wanted.
        Rejected = "rejected",
    }
}

impl SuggestionType {
    /// What a kind of failure calls for.
    #[must_use]
    pub const fn for_failure(failure: FailureType) -> Self {
        match failure {
            FailureType::RunawayLoop => Self::Guardrail,
            FailureType::InfrastructureError => Self::Runbook,
            _ => Self::Eval,
        }
    }
}

/// A group of failure patterns.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Suggestion {
    /// `sugg_` and 12 hexadecimal digits.
    pub suggestion_id: String,
    /// What is suggested.
    #[serde(rename = "type")]
    pub suggestion_type: SuggestionType,
    /// What people decided.
    pub status: SuggestionStatus,
    /// The worst of its patterns'.
    pub severity: Severity,
    /// What happens again and again, as its first pattern says it.
    pub pattern: SuggestedPattern,
    /// `group_` and 8 hexadecimal digits: the same for what is alike, as a rejected suggestion and its recurrence.
    pub similarity_group: String,
    /// The rejected suggestion that this is a recurrence of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recurrence_of: Option<String>,
    /// Drafts: `eval_test`, `guardrail`, `runbook_snippet`.
    pub suggestion_content: Json,
    /// Who decided, and when.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approval_metadata: Option<Json>,
    /// What became of it: at least that it was made.
    pub version_history: Json,
    /// How many patterns it has.
    pub recurrence_count: u64,
    /// How many people it is known to have happened to.
    pub affected_users: u64,
    /// When it happened first.
    #[serde(with = "time::serde::rfc3339::option")]
    pub first_seen_at: Option<OffsetDateTime>,
    /// When it happened last.
    #[serde(with = "time::serde::rfc3339::option")]
    pub last_seen_at: Option<OffsetDateTime>,
    /// When it was made.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    /// When it was changed last.
    #[serde(with = "time::serde::rfc3339")]
    pub updated_at: OffsetDateTime,
}

/// What happens again and again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SuggestedPattern {
    /// Its kind.
    pub failure_type: FailureType,
    /// When it happens.
    pub trigger_condition: String,
    /// In a few words.
    pub title: String,
    /// What happened.
    pub summary: String,
}

/// A trace that stands behind a suggestion.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SourceTrace {
    /// The trace.
    pub trace_id: String,
    /// Its pattern.
    pub pattern_id: String,
    /// When it was added.
    #[serde(with = "time::serde::rfc3339")]
    pub added_at: OffsetDateTime,
    /// How alike it was to what was there; none for the first.
    #[serde(default)]
    pub similarity_score: Option<f64>,
}
