//! Patterns by a model: asked about one interaction at a time, as a document in which nothing is an order.

use std::time::Duration;

use futures::{StreamExt as _, stream};
use pawl_checks::mask::Masker;
use pawl_model::{
    Budget, Evidence, ExtractionError, ExtractionErrorType as Type, FailurePattern, FailureType,
    ReproductionContext, Score, Severity,
};
use pawl_providers::ChatModel;
use serde::Deserialize;
use serde_json::{Value, json};
use time::OffsetDateTime;

use super::observe::excerpt;
use super::rules::{Failed, MAX_EXCERPT, MAX_INPUT};
use crate::asking::{Question, Unanswered, object, optional_text, sha256, text, texts};

const INSTRUCTIONS: &str = include_str!("../../prompts/extract_pattern.md");
/// Interactions that a model is asked about at once.
const AT_ONCE: usize = 8;
/// How long a model may take for one interaction, retries included.
const TIMEOUT: Duration = Duration::from_secs(10);
const MAX_OUTPUT_TOKENS: u32 = 2_048;
/// Bytes of an interaction that a model is given whole, and of the end of one that has more.
const MAX_WHOLE: usize = 200 * 1024;
const MAX_TAIL: usize = 100 * 1024;
/// Characters of a text, and items of a list.
const MAX_TITLE: usize = 200;
const MAX_TEXT: usize = 800;
const MAX_NAME: usize = 100;
const MAX_ITEMS: usize = 10;

/// What a model made of an interaction, and what there is to say about it.
struct Extraction {
    /// None where rules have to make the pattern.
    pattern: Option<FailurePattern>,
    error: Option<ExtractionError>,
}

/// A model that makes patterns, and how much it may cost.
pub(super) struct Extractor<'a> {
    pub model: &'a ChatModel,
    pub budget: &'a Budget,
    pub masker: &'a Masker,
}

impl Extractor<'_> {
    /// Asks about interactions, some at once. What the model makes nothing of, rules do, and an error says why.
    pub(super) async fn extract_all(
        &self,
        failed: &[Failed],
        now: OffsetDateTime,
    ) -> (Vec<FailurePattern>, Vec<ExtractionError>) {
        let (mut patterns, mut errors) = (Vec::with_capacity(failed.len()), Vec::new());
        let asked: Vec<_> = failed.iter().map(|failed| self.extract(failed, now)).collect();
        let mut answered = stream::iter(asked).buffered(AT_ONCE).zip(stream::iter(failed));
        while let Some((extraction, failed)) = answered.next().await {
            patterns.push(extraction.pattern.unwrap_or_else(|| failed.pattern(now)));
            errors.extend(extraction.error);
        }
        (patterns, errors)
    }

    /// Asks about one interaction.
    async fn extract(&self, failed: &Failed, now: OffsetDateTime) -> Extraction {
        let (document, bytes) = document(failed);
        let error = |error_type, message: String, said: Option<&str>| ExtractionError {
            source_trace_id: failed.trace_id.clone(),
            error_type,
            error_message: message,
            recorded_at: now,
            model_response_sha256: said.map(sha256),
            model_response_excerpt: said
                .map(|said| excerpt(&self.masker.mask(said).text, MAX_EXCERPT))
                .filter(|excerpt| !excerpt.is_empty()),
        };
        let question = Question {
            instructions: INSTRUCTIONS,
            document,
            schema: ("failure_pattern", schema()),
            member: "failure_type",
            max_output_tokens: MAX_OUTPUT_TOKENS,
            timeout: TIMEOUT,
        };
        let (error_type, message, said) = match question.ask((self.model, self.budget), Answer::check).await {
            Ok((answer, _)) => {
                return Extraction {
                    pattern: Some(self.pattern(answer, failed, now)),
                    error: (bytes > MAX_WHOLE).then(|| {
                        let message = format!("of {bytes} bytes the model was given the last {MAX_TAIL}");
                        error(Type::Oversize, message, None)
                    }),
                };
            }
            Err(Unanswered::Budget(why)) => (Type::Unknown, why.to_string(), None),
            Err(Unanswered::Provider(message)) => (Type::ProviderFailure, message, None),
            Err(Unanswered::Timeout(message)) => (Type::Timeout, message, None),
            Err(Unanswered::InvalidJson { message, said }) => (Type::InvalidJson, message, Some(said)),
            Err(Unanswered::Schema { message, said }) => (Type::SchemaValidation, message, Some(said)),
        };
        Extraction {
            pattern: None,
            error: Some(error(error_type, message, said.as_deref())),
        }
    }

    /// Masked once more: a model may say what it was not told.
    fn pattern(&self, answer: Answer, failed: &Failed, now: OffsetDateTime) -> FailurePattern {
        let text = |text: &str, most| excerpt(&self.masker.mask(text).text, most);
        let texts = |texts: &[String], most| {
            let texts = texts.iter().take(MAX_ITEMS).map(|one| text(one, most));
            texts.filter(|text| !text.is_empty()).collect::<Vec<_>>()
        };
        let context = &answer.reproduction_context;
        FailurePattern {
            title: text(&answer.title, MAX_TITLE),
            failure_type: answer.failure_type,
            trigger_condition: text(&answer.trigger_condition, MAX_TEXT),
            summary: text(&answer.summary, MAX_TEXT),
            root_cause_hypothesis: text(&answer.root_cause_hypothesis, MAX_TEXT),
            evidence: Evidence {
                signals: texts(&answer.evidence.signals, MAX_TEXT),
                excerpt: answer.evidence.excerpt.map(|excerpt| text(&excerpt, MAX_EXCERPT)),
            },
            recommended_actions: texts(&answer.recommended_actions, MAX_TEXT),
            reproduction_context: ReproductionContext {
                input_pattern: text(&context.input_pattern, MAX_INPUT),
                required_state: context.required_state.as_ref().map(|state| text(state, MAX_TEXT)),
                tools_involved: texts(&context.tools_involved, MAX_NAME),
            },
            severity: answer.severity,
            confidence: Score::parse(&answer.confidence.to_string())
                .unwrap_or_else(|| Score::from_percent(0)),
            confidence_rationale: text(&answer.confidence_rationale, MAX_TEXT),
            extracted_by: self.model.spec().to_string(),
            ..failed.pattern(now)
        }
    }
}

/// What a model is given of an interaction, and how many bytes all of it has.
fn document(failed: &Failed) -> (String, usize) {
    let candidate = &failed.candidate;
    let errors: Vec<Value> = failed
        .observed
        .errors
        .iter()
        .map(|error| json!({"name": error.name, "message": error.message}))
        .collect();
    let document = json!({
        "prompt": candidate.prompt,
        "response": candidate.response,
        "score": candidate.score,
        "flags": candidate.flags,
        "tool_calls": failed.tool_calls,
        "errors": errors,
    });
    let text = format!("{document:#}");
    let bytes = text.len();
    if bytes <= MAX_WHOLE {
        return (text, bytes);
    }
    let start = text.ceil_char_boundary(bytes - MAX_TAIL);
    (json!({"end_of_the_document": &text[start..]}).to_string(), bytes)
}

/// What a model is to answer.
#[derive(Deserialize)]
struct Answer {
    title: String,
    failure_type: FailureType,
    trigger_condition: String,
    summary: String,
    root_cause_hypothesis: String,
    evidence: Evidence,
    recommended_actions: Vec<String>,
    reproduction_context: ReproductionContext,
    severity: Severity,
    confidence: serde_json::Number,
    confidence_rationale: String,
}

impl Answer {
    /// What no type says.
    fn check(&self) -> Result<(), String> {
        let blank = |texts: &[String]| texts.iter().all(|text| text.trim().is_empty());
        for (name, is_wrong) in [
            ("title", self.title.trim().is_empty()),
            ("trigger_condition", self.trigger_condition.trim().is_empty()),
            ("summary", self.summary.trim().is_empty()),
            ("evidence.signals", blank(&self.evidence.signals)),
            ("recommended_actions", blank(&self.recommended_actions)),
        ] {
            if is_wrong {
                return Err(format!("`{name}` is empty"));
            }
        }
        match Score::parse(&self.confidence.to_string()) {
            Some(_) => Ok(()),
            None => Err("`confidence` is not a number from 0 to 1".to_owned()),
        }
    }
}

/// The schema of [`Answer`].
fn schema() -> Value {
    let words = |all: Vec<&str>| json!({"type": "string", "enum": all});
    object(&json!({
        "title": text(),
        "failure_type": words(FailureType::ALL.iter().map(|one| one.as_str()).collect()),
        "trigger_condition": text(),
        "summary": text(),
        "root_cause_hypothesis": text(),
        "evidence": object(&json!({"signals": texts(), "excerpt": text()})),
        "recommended_actions": texts(),
        "reproduction_context": object(&json!({
            "input_pattern": text(),
            "required_state": optional_text(),
            "tools_involved": texts(),
        })),
        "severity": words(Severity::ALL.iter().map(|one| one.as_str()).collect()),
        "confidence": {"type": "number"},
        "confidence_rationale": text(),
    }))
}
