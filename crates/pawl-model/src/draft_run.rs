//! Runs that make drafts, and what went wrong in them.

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::TriggeredBy;
use crate::words::words;

words! {
    /// What became of a suggestion in a run.
    DraftOutcomeStatus {
        /// It has a draft now, by a model or from the template.
        Generated = "generated",
        /// It was left as it is.
        Skipped = "skipped",
        /// No draft could be made.
        Error = "error",
    }
}

words! {
    /// Why no draft could be made.
    DraftErrorType {
        /// There is no JSON in what the model said.
        InvalidJson = "invalid_json",
        /// It is other JSON than was asked for.
        SchemaValidation = "schema_validation",
        /// The provider failed, after retries too.
        ProviderFailure = "vertex_error",
        /// It did not come in time.
        Timeout = "timeout",
        /// Something else.
        Unknown = "unknown",
    }
}

/// What became of a suggestion in a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DraftOutcome {
    /// The suggestion.
    pub suggestion_id: String,
    /// What became of it.
    pub status: DraftOutcomeStatus,
    /// Why it was skipped, or went wrong; why the template was taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_reason: Option<String>,
}

/// A run that makes drafts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EvalTestRun {
    /// `run_`, the time it began, and 8 hexadecimal digits.
    pub run_id: String,
    /// When it began.
    #[serde(with = "time::serde::rfc3339")]
    pub started_at: OffsetDateTime,
    /// When it ended.
    #[serde(with = "time::serde::rfc3339")]
    pub finished_at: OffsetDateTime,
    /// What set it going.
    pub triggered_by: TriggeredBy,
    /// The most suggestions that it was to look at.
    pub batch_size: u32,
    /// Those that it looked at.
    pub picked_up_count: u32,
    /// Those that have a draft by it.
    pub generated_count: u32,
    /// Those that it left as they were.
    pub skipped_count: u32,
    /// Those of which no draft could be made.
    pub error_count: u32,
    /// Each of them.
    #[serde(default)]
    pub suggestion_outcomes: Vec<DraftOutcome>,
    /// What models cost, in US dollars.
    #[serde(default)]
    pub cost_usd: f64,
}

/// A suggestion of which no draft could be made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EvalTestError {
    /// The run.
    pub run_id: String,
    /// The suggestion.
    pub suggestion_id: String,
    /// Its kind.
    pub error_type: DraftErrorType,
    /// What went wrong, in words of our own.
    pub error_message: String,
    /// When.
    #[serde(with = "time::serde::rfc3339")]
    pub recorded_at: OffsetDateTime,
    /// Of what the model said: `sha256:` and 64 hexadecimal digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_response_sha256: Option<String>,
    /// Its beginning, without personal data.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_response_excerpt: Option<String>,
}
