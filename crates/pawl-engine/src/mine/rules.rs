//! Patterns by rules: what kind of failure an interaction is, and what can be said of it without a model.

mod words;

use pawl_checks::mask::Masker;
use pawl_model::{Evidence, FailurePattern, FailureType, Json, ReproductionContext, Score, Severity};
use pawl_store::mining::Candidate;
use time::OffsetDateTime;

use self::words::Words;
use super::observe::{Broken, Observed, excerpt};
use crate::intake::masking::masked_document;

/// What the patterns of this module are marked with.
pub(super) const RULES: &str = "rules";

/// Characters of what a pattern says.
const MAX_TITLE: usize = 120;
const MAX_ASKED: usize = 200;
const MAX_SAID: usize = 300;
/// Of a piece of evidence, and of what the agent is to be asked again.
pub(super) const MAX_EXCERPT: usize = 500;
pub(super) const MAX_INPUT: usize = 800;

/// Words of messages that say that something which the agent relies on broke.
const BREAKDOWNS: [&str; 11] = [
    "no answer",
    "timeout",
    "timed out",
    "deadline exceeded",
    "connection refused",
    "connection reset",
    "unavailable",
    "bad gateway",
    "internal server error",
    "dns",
    "overloaded",
];

/// Flags and what they stand for, those that win first.
const FLAGS: [(&str, FailureType); 10] = [
    ("guardrail_failed", FailureType::GuardrailFailure),
    ("safety_violation", FailureType::GuardrailFailure),
    ("prompt_injection", FailureType::PromptInjection),
    ("runaway_loop", FailureType::RunawayLoop),
    ("pii_leak", FailureType::PiiLeak),
    ("pii_found", FailureType::PiiLeak),
    ("toxicity", FailureType::Toxicity),
    ("hallucination", FailureType::Hallucination),
    ("wrong_tool", FailureType::WrongTool),
    ("stale_data", FailureType::StaleData),
];

/// The kind of a failure, and how bad it is: the first of the list that fits.
pub(super) fn classify(
    flags: &[String],
    score: Option<&Score>,
    observed: &Observed,
) -> (FailureType, Severity) {
    let flagged = FLAGS
        .iter()
        .filter(|(flag, _)| flags.iter().any(|given| given == flag))
        .map(|(_, kind)| *kind)
        .min();
    let looped = observed.looped.is_some().then_some(FailureType::RunawayLoop);
    // Kinds are in the order in which they win.
    if let Some(kind) = flagged.into_iter().chain(looped).min() {
        let severity = match kind {
            FailureType::GuardrailFailure | FailureType::PromptInjection | FailureType::RunawayLoop => {
                Severity::Critical
            }
            FailureType::StaleData => Severity::Medium,
            _ => Severity::High,
        };
        return (kind, severity);
    }
    let broke = |error: &Broken| {
        error.status.map_or_else(
            || {
                let message = error.message.to_lowercase();
                BREAKDOWNS.iter().any(|word| message.contains(word))
            },
            |status| status >= 500,
        )
    };
    if observed.errors.iter().any(broke) {
        return (FailureType::InfrastructureError, Severity::High);
    }
    if observed.errors.iter().any(|error| error.status.is_some()) {
        return (FailureType::ClientError, Severity::Medium);
    }
    match score.map(Score::percent) {
        Some(..30) => (FailureType::LowQuality, Severity::High),
        Some(..50) => (FailureType::LowQuality, Severity::Medium),
        _ if !observed.errors.is_empty() => (FailureType::LlmError, Severity::Medium),
        _ => (FailureType::Unknown, Severity::Medium),
    }
}

/// What is known of a failing interaction, without personal data.
#[derive(Clone, Debug)]
pub(super) struct Failed {
    /// The interaction.
    pub candidate: Candidate,
    /// The trace's id, or that of the interaction.
    pub trace_id: String,
    /// What its tool calls and spans show.
    pub observed: Observed,
    /// The tools that were called, as they were handed in.
    pub tool_calls: Option<Json>,
    /// Its kind, by the rules.
    pub kind: FailureType,
    /// How bad it is.
    pub severity: Severity,
}

impl Failed {
    /// Masks what is kept of an interaction, and classifies it.
    pub(super) fn new(mut candidate: Candidate, masker: &Masker) -> Self {
        let masked = |text: &mut String| {
            let without = masker.mask(text).text;
            if let std::borrow::Cow::Owned(without) = without {
                *text = without;
            }
        };
        masked(&mut candidate.prompt);
        masked(&mut candidate.response);
        let mut observed = Observed::of(candidate.tool_calls.as_ref(), candidate.spans.as_ref());
        let tool_calls = candidate.tool_calls.take();
        let tool_calls = tool_calls.map(|calls| masked_document(masker, &calls));
        // What is kept of them has been observed.
        candidate.spans = None;
        observed.tools.iter_mut().for_each(masked);
        for error in &mut observed.errors {
            masked(&mut error.message);
            masked(&mut error.name);
        }
        let (kind, severity) = classify(&candidate.flags, candidate.score.as_ref(), &observed);
        Self {
            trace_id: candidate.interaction_id.clone(),
            candidate,
            observed,
            tool_calls,
            kind,
            severity,
        }
    }

    /// The pattern, as far as rules can tell.
    pub(super) fn pattern(&self, now: OffsetDateTime) -> FailurePattern {
        let Candidate { prompt, response, .. } = &self.candidate;
        let asked = excerpt(prompt, MAX_ASKED);
        let words = Words::of(self.kind);
        let what = match (self.observed.errors.first(), &self.observed.looped) {
            (_, Some((tool, times))) if self.kind == FailureType::RunawayLoop => {
                format!("{tool} called {times} times alike")
            }
            (Some(Broken { name, message, .. }), _) => format!("{name}: {message}"),
            _ => asked.clone(),
        };
        let mut trigger = format!("asked “{asked}”");
        if !self.observed.tools.is_empty() {
            trigger.push_str(&format!(", with {}", self.observed.tools.join(", ")));
        }
        for Broken { name, message, .. } in &self.observed.errors {
            trigger.push_str(&format!(", when {name} broke: {message}"));
        }
        let (confidence, confidence_rationale) = self.confidence();
        FailurePattern {
            pattern_id: format!("pattern_{}", self.trace_id),
            source_trace_id: self.trace_id.clone(),
            evaluation_id: self.candidate.id,
            title: excerpt(&format!("{}: {what}", words.title), MAX_TITLE),
            failure_type: self.kind,
            trigger_condition: excerpt(&trigger, MAX_INPUT),
            summary: format!("{}: “{}”", words.summary, excerpt(response, MAX_SAID)),
            root_cause_hypothesis: words.cause.to_owned(),
            evidence: Evidence {
                signals: self.signals(),
                excerpt: Some(excerpt(response, MAX_EXCERPT)).filter(|excerpt| !excerpt.is_empty()),
            },
            recommended_actions: vec![words.action.to_owned()],
            reproduction_context: ReproductionContext {
                input_pattern: excerpt(prompt, MAX_INPUT),
                required_state: None,
                tools_involved: self.observed.tools.clone(),
            },
            severity: self.severity,
            confidence,
            confidence_rationale: confidence_rationale.to_owned(),
            occurred_at: self.candidate.created_at,
            extracted_at: now,
            extracted_by: RULES.to_owned(),
        }
    }

    /// What shows the failure.
    pub(super) fn signals(&self) -> Vec<String> {
        let mut signals: Vec<String> = self
            .candidate
            .flags
            .iter()
            .map(|flag| format!("flag {flag}"))
            .collect();
        if let Some(score) = &self.candidate.score {
            signals.push(format!("score {score}"));
        }
        for Broken { name, message, .. } in &self.observed.errors {
            signals.push(format!("{name} broke: {message}"));
        }
        if let Some((tool, times)) = &self.observed.looped {
            signals.push(format!("{tool} was called {times} times with the same arguments"));
        }
        if signals.is_empty() {
            signals.push("an error in a tool call or span".to_owned());
        }
        signals
    }

    fn confidence(&self) -> (Score, &'static str) {
        let (percent, why) = match self.kind {
            FailureType::RunawayLoop if self.observed.looped.is_some() => (90, "the same call was counted"),
            FailureType::InfrastructureError | FailureType::ClientError => (90, "a call says what broke"),
            FailureType::LlmError => (60, "a step broke, and does not say how"),
            FailureType::LowQuality => (40, "the score alone tells"),
            FailureType::Unknown => (30, "nothing tells what kind of failure it is"),
            _ => (80, "the interaction was flagged so"),
        };
        (Score::from_percent(percent), why)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(
        flags: &[&str],
        score: Option<&str>,
        error: Option<(&str, Option<u16>)>,
    ) -> (FailureType, Severity) {
        let flags: Vec<String> = flags.iter().map(|flag| (*flag).to_owned()).collect();
        let errors = error.map(|(message, status)| Broken {
            name: "call".to_owned(),
            message: message.to_owned(),
            status,
        });
        let observed = Observed {
            errors: errors.into_iter().collect(),
            ..Observed::default()
        };
        classify(&flags, score.and_then(Score::parse).as_ref(), &observed)
    }

    #[test]
    fn the_first_of_the_list_wins() {
        use FailureType as Type;
        use Severity::{Critical, High, Medium};
        let cases = [
            (
                kind(&["toxicity", "guardrail_failed"], None, None),
                (Type::GuardrailFailure, Critical),
            ),
            (
                kind(&["prompt_injection", "hallucination"], Some("0.1"), None),
                (Type::PromptInjection, Critical),
            ),
            (
                kind(&["runaway_loop", "toxicity"], None, None),
                (Type::RunawayLoop, Critical),
            ),
            (
                kind(&["toxicity", "hallucination"], None, None),
                (Type::Toxicity, High),
            ),
            (
                kind(&["hallucination"], None, Some(("HTTP 502", Some(502)))),
                (Type::Hallucination, High),
            ),
            (
                kind(&["stale_data"], Some("0.1"), None),
                (Type::StaleData, Medium),
            ),
            (
                kind(&[], Some("0.1"), Some(("HTTP 502", Some(502)))),
                (Type::InfrastructureError, High),
            ),
            (
                kind(&[], None, Some(("gateway timeout", None))),
                (Type::InfrastructureError, High),
            ),
            (
                kind(&[], None, Some(("403 forbidden", Some(403)))),
                (Type::ClientError, Medium),
            ),
            (
                kind(&[], Some("0.29"), Some(("oops", None))),
                (Type::LowQuality, High),
            ),
            (kind(&[], Some("0.49"), None), (Type::LowQuality, Medium)),
            (
                kind(&[], Some("0.9"), Some(("oops", None))),
                (Type::LlmError, Medium),
            ),
            (kind(&["own_flag"], Some("0.9"), None), (Type::Unknown, Medium)),
        ];
        for (number, (found, expected)) in cases.into_iter().enumerate() {
            assert_eq!(found, expected, "case {number}");
        }
        let looped = Observed {
            looped: Some(("search".to_owned(), 7)),
            ..Observed::default()
        };
        assert_eq!(classify(&[], None, &looped), (Type::RunawayLoop, Critical));
    }
}
