//! What went wrong: failure patterns, one for each failing interaction.

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::words::words;
use crate::{InteractionId, Score};

words! {
    /// What kind of failure it is. Those that come first win where several fit.
    FailureType {
        /// A guardrail caught it, or a rule of safety was broken.
        GuardrailFailure = "guardrail_failure",
        /// The prompt talked the agent into something.
        PromptInjection = "prompt_injection",
        /// The agent did the same over and over.
        RunawayLoop = "runaway_loop",
        /// Somebody's data was let out.
        PiiLeak = "pii_leak",
        /// It was offensive.
        Toxicity = "toxicity",
        /// It was made up.
        Hallucination = "hallucination",
        /// Another tool should have been called.
        WrongTool = "wrong_tool",
        /// It was true once.
        StaleData = "stale_data",
        /// Something that the agent relies on broke: a status of 500 or more, a time-out, a lost connection.
        InfrastructureError = "infrastructure_error",
        /// The agent asked for what it may not, or what there is not: a status from 400 to 499.
        ClientError = "client_error",
        /// Its score is low, and nothing else is known.
        LowQuality = "low_quality",
        /// A step failed in another way.
        LlmError = "llm_error",
        /// The tenant flags it so, and nothing else is known.
        Unknown = "unknown",
    }
}

words! {
    /// How bad it is.
    Severity {
        /// An annoyance.
        Low = "low",
        /// Somebody was not helped.
        Medium = "medium",
        /// Somebody was misled.
        High = "high",
        /// Somebody may be harmed.
        Critical = "critical",
    }
}

/// What went wrong in one failing interaction. No personal data is in it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FailurePattern {
    /// `pattern_` and the trace's id.
    pub pattern_id: String,
    /// The trace's id, or that of the interaction where there are no spans.
    pub source_trace_id: String,
    /// The interaction.
    pub evaluation_id: InteractionId,
    /// In a few words.
    pub title: String,
    /// Its kind.
    pub failure_type: FailureType,
    /// When it happens.
    pub trigger_condition: String,
    /// What happened.
    pub summary: String,
    /// Why, as far as can be told.
    pub root_cause_hypothesis: String,
    /// What shows it.
    pub evidence: Evidence,
    /// What may be done, at least one thing.
    pub recommended_actions: Vec<String>,
    /// How to see it again.
    pub reproduction_context: ReproductionContext,
    /// How bad it is.
    pub severity: Severity,
    /// How sure that is, from 0 to 1.
    pub confidence: Score,
    /// Why it is that sure.
    pub confidence_rationale: String,
    /// When the interaction happened.
    #[serde(with = "time::serde::rfc3339")]
    pub occurred_at: OffsetDateTime,
    /// When the pattern was made.
    #[serde(with = "time::serde::rfc3339")]
    pub extracted_at: OffsetDateTime,
    /// What made it: `rules`, or a model.
    pub extracted_by: String,
}

/// What shows a failure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// At least one.
    pub signals: Vec<String>,
    /// A piece of what the agent said, at most 500 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub excerpt: Option<String>,
}

/// How to see a failure again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReproductionContext {
    /// What the agent is to be asked.
    pub input_pattern: String,
    /// What has to be so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub required_state: Option<String>,
    /// The tools that were called.
    pub tools_involved: Vec<String>,
}
