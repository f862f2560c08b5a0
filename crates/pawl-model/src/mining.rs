//! Runs of mining, and what could not be read in them.

use serde::Serialize;
use time::OffsetDateTime;

use crate::words::words;

words! {
    /// What set a run going.
    TriggeredBy {
        /// Its time had come.
        Scheduled = "scheduled",
        /// A person.
        Manual = "manual",
    }
}

words! {
    /// Why a model's answer is of no use.
    ExtractionErrorType {
        /// There is no JSON in it.
        InvalidJson = "invalid_json",
        /// It is other JSON than was asked for.
        SchemaValidation = "schema_validation",
        /// The provider failed, after retries too.
        ProviderFailure = "vertex_error",
        /// It did not come in time.
        Timeout = "timeout",
        /// The trace was cut before the model saw it.
        Oversize = "oversize",
        /// Something else.
        Unknown = "unknown",
    }
}

/// A run of mining.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MiningRun {
    /// `run_`, the time it began, and 8 hexadecimal digits.
    pub run_id: String,
    /// What set it going.
    pub triggered_by: TriggeredBy,
    /// What makes patterns: `rules`, or a model.
    pub extracted_by: String,
    /// What makes vectors: `lexical`, or a model.
    pub embedded_by: String,
    /// Interactions since then.
    #[serde(with = "time::serde::rfc3339")]
    pub since: OffsetDateTime,
    /// When it began.
    #[serde(with = "time::serde::rfc3339")]
    pub started_at: OffsetDateTime,
    /// When it ended.
    #[serde(with = "time::serde::rfc3339::option")]
    pub finished_at: Option<OffsetDateTime>,
    /// What came of it.
    #[serde(flatten)]
    pub counts: MiningCounts,
    /// What models cost, in US dollars.
    pub cost_usd: f64,
}

/// What came of a run, or of a part of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct MiningCounts {
    /// Failing interactions that were looked at.
    #[serde(rename = "picked_up_count")]
    pub picked_up: u64,
    /// Patterns that were made.
    #[serde(rename = "pattern_count")]
    pub patterns: u64,
    /// Patterns that joined a suggestion that was there.
    #[serde(rename = "joined_count")]
    pub joined: u64,
    /// Suggestions that were made.
    #[serde(rename = "suggestion_count")]
    pub suggestions: u64,
    /// Interactions that somebody else had seen to by then.
    #[serde(rename = "skipped_count")]
    pub skipped: u64,
    /// Interactions that the model could not make a pattern of; rules did.
    #[serde(rename = "error_count")]
    pub errors: u64,
}

impl MiningCounts {
    /// Adds another part of the same run.
    pub const fn add(&mut self, other: &Self) {
        self.picked_up += other.picked_up;
        self.patterns += other.patterns;
        self.joined += other.joined;
        self.suggestions += other.suggestions;
        self.skipped += other.skipped;
        self.errors += other.errors;
    }
}

/// An interaction that the model could not make a pattern of.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ExtractionError {
    /// The trace's id, or that of the interaction where there are no spans.
    pub source_trace_id: String,
    /// Its kind.
    pub error_type: ExtractionErrorType,
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
