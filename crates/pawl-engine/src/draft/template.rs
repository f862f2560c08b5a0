//! Drafts without a model: what is known of the failure, and places for a person to fill in.

use pawl_model::{DraftAssertions, DraftInput, FailurePattern, MAX_DRAFT_TEXT, MAX_DRAFT_TITLE, Suggestion};
use serde_json::json;

use super::text::capped;
use super::write::Written;
use crate::asking::sha256;

/// How what a person has to write begins.
pub(crate) const PLACEHOLDER: &str = "TODO:";

/// Why a person has to write the test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TemplateReason {
    /// The suggestion has no pattern any more.
    MissingFailurePatterns,
    /// Nothing says what the agent is to be asked.
    InsufficientReproductionContext,
    /// What the run may cost is spent.
    RunBudgetExceeded,
    /// One answer of the model can cost more than a suggestion may.
    SuggestionBudgetExceeded,
    /// No model is configured.
    ModelNotConfigured,
}

impl TemplateReason {
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::MissingFailurePatterns => "missing_failure_patterns",
            Self::InsufficientReproductionContext => "insufficient_reproduction_context",
            Self::RunBudgetExceeded => "run_budget_exceeded",
            Self::SuggestionBudgetExceeded => "suggestion_budget_exceeded",
            Self::ModelNotConfigured => "model_not_configured",
        }
    }

    const fn in_words(self) -> &'static str {
        match self {
            Self::MissingFailurePatterns => "no failure pattern is left to make a test of",
            Self::InsufficientReproductionContext => "nothing says what the agent is to be asked",
            Self::RunBudgetExceeded => "the budget of the run was spent",
            Self::SuggestionBudgetExceeded => "an answer of the model could cost more than a suggestion may",
            Self::ModelNotConfigured => "no model is configured",
        }
    }
}

/// The draft of a suggestion that a person has to finish.
pub(super) fn template(
    suggestion: &Suggestion,
    patterns: &[FailurePattern],
    reason: TemplateReason,
) -> Written {
    let pattern = &suggestion.pattern;
    let pattern_ids: Vec<&str> = patterns
        .iter()
        .map(|pattern| pattern.pattern_id.as_str())
        .collect();
    let context = patterns.first().map(|canonical| &canonical.reproduction_context);
    let asked = context
        .map(|context| context.input_pattern.trim())
        .filter(|asked| !asked.is_empty());
    // The same for the same, so that it can be told whether anything has changed.
    let canonical_json = json!({
        "pattern_ids": pattern_ids,
        "reason": reason.as_str(),
        "suggestion_id": suggestion.suggestion_id,
    })
    .to_string();
    Written {
        title: capped(&format!("Needs human input: {}", pattern.title), MAX_DRAFT_TITLE),
        rationale: capped(
            &format!(
                "{} It happens when: {}",
                pattern.summary, pattern.trigger_condition
            ),
            MAX_DRAFT_TEXT,
        ),
        input: DraftInput {
            prompt: capped(
                asked.unwrap_or("TODO: what the agent is to be asked"),
                MAX_DRAFT_TEXT,
            ),
            required_state: Some(Some("TODO: what has to be so beforehand, or nothing".to_owned())),
            tools_involved: context
                .map(|context| context.tools_involved.clone())
                .unwrap_or_default(),
        },
        assertions: DraftAssertions {
            required: vec![
                "TODO: what the answer must say, such as: Must contain \"30 days\"".to_owned(),
                "TODO: what the agent must do, such as: Must call search_policy".to_owned(),
            ],
            forbidden: vec![
                "TODO: what the answer must not say, such as: Must not contain \"90 days\"".to_owned(),
                "TODO: what the agent must not do, such as: Must not call refund_order before find_order"
                    .to_owned(),
            ],
            golden_output: Some(None),
            notes: Some(Some(format!("This is a template, since {}.", reason.in_words()))),
        },
        needs_human_input: true,
        model: format!("template_{}", reason.as_str()),
        temperature: 0.into(),
        prompt_hash: sha256(&canonical_json),
        response_sha256: sha256(&canonical_json),
    }
}
