//! Drafts by a model: asked once, read without guessing.

use std::time::Duration;

use pawl_model::{
    Budget, BudgetError, Cost, DraftAssertions, DraftErrorType as Type, DraftInput, DraftStatus,
    FailurePattern, MAX_DRAFT_TEXT, MAX_DRAFT_TITLE, Suggestion, Usd,
};
use pawl_providers::ChatModel;
use pawl_store::drafts::Replayed;
use serde::Deserialize;
use serde_json::{Number, Value, json};

use super::template::TemplateReason;
use super::text::Tidy;
use crate::asking::{Question, Unanswered, object, optional_text, sha256, temperature, text, texts};

const INSTRUCTIONS: &str = include_str!("../../prompts/draft_eval_test.md");
/// How long a model may take for one suggestion, retries included.
pub(super) const TIMEOUT: Duration = Duration::from_secs(30);
const MAX_OUTPUT_TOKENS: u32 = 4_096;
/// What a suggestion may cost: $0.10.
pub(crate) const PER_SUGGESTION: Usd = Usd::from_nanos(100_000_000);
/// Failed answers that a model is shown.
const ANSWERS: usize = 5;

/// What a draft says, whoever wrote it.
pub(super) struct Written {
    pub title: String,
    pub rationale: String,
    pub input: DraftInput,
    pub assertions: DraftAssertions,
    pub needs_human_input: bool,
    pub model: String,
    pub temperature: Number,
    pub prompt_hash: String,
    pub response_sha256: String,
}

/// Why a model wrote none.
pub(super) enum NotWritten {
    /// A person has to.
    Template(TemplateReason),
    /// It failed, and what it said.
    Failed {
        error_type: Type,
        message: String,
        said: Option<String>,
    },
}

/// Asks a model for the draft of a suggestion.
pub(super) async fn write(
    (model, budget): (&ChatModel, &Budget),
    suggestion: &Suggestion,
    canonical: &FailurePattern,
    incidents: &[Replayed],
    tidy: &Tidy<'_>,
) -> Result<Written, NotWritten> {
    let question = Question {
        instructions: INSTRUCTIONS,
        document: document(suggestion, canonical, incidents, tidy),
        schema: ("eval_test", schema()),
        member: "assertions",
        max_output_tokens: MAX_OUTPUT_TOKENS,
        timeout: TIMEOUT,
    };
    let upper = model.upper_cost(&question.request());
    if budget.left() < PER_SUGGESTION {
        return Err(NotWritten::Template(TemplateReason::RunBudgetExceeded));
    }
    if matches!(upper, Cost::Known(upper) if upper > PER_SUGGESTION) {
        return Err(NotWritten::Template(TemplateReason::SuggestionBudgetExceeded));
    }
    let (answer, reply) = question
        .ask((model, budget), Answer::check)
        .await
        .map_err(|unanswered| match unanswered {
            Unanswered::Budget(BudgetError::Exceeded { .. }) => {
                NotWritten::Template(TemplateReason::RunBudgetExceeded)
            }
            Unanswered::Budget(error @ BudgetError::UnknownPrice { .. }) => {
                failed(Type::Unknown, error.to_string(), None)
            }
            Unanswered::Provider(message) => failed(Type::ProviderFailure, message, None),
            Unanswered::Timeout(message) => failed(Type::Timeout, message, None),
            Unanswered::InvalidJson { message, said } => failed(Type::InvalidJson, message, Some(said)),
            Unanswered::Schema { message, said } => failed(Type::SchemaValidation, message, Some(said)),
        })?;
    Ok(Written {
        title: tidy.text(&answer.title, MAX_DRAFT_TITLE),
        rationale: tidy.text(&answer.rationale, MAX_DRAFT_TEXT),
        input: tidy.input(&answer.input),
        assertions: tidy.assertions(&answer.assertions),
        needs_human_input: answer.status == DraftStatus::NeedsHumanInput,
        model: model.spec().to_string(),
        temperature: temperature(),
        prompt_hash: sha256(&[INSTRUCTIONS, &question.document].concat()),
        response_sha256: sha256(&reply.text),
    })
}

fn failed(error_type: Type, message: String, said: Option<String>) -> NotWritten {
    NotWritten::Failed {
        error_type,
        message,
        said,
    }
}

/// What a model is given: nothing personal, and nothing outside the one document.
fn document(
    suggestion: &Suggestion,
    canonical: &FailurePattern,
    incidents: &[Replayed],
    tidy: &Tidy<'_>,
) -> String {
    let answers: Vec<Value> = incidents
        .iter()
        .take(ANSWERS)
        .map(|incident| {
            let calls = incident.tool_calls.as_ref();
            json!({
                "response": tidy.text(&incident.response, MAX_DRAFT_TEXT),
                "tools_called": calls.map(|calls| tool_names(&calls.to_value())),
            })
        })
        .collect();
    let document = json!({
        "failure": suggestion.pattern,
        "severity": suggestion.severity,
        "pattern": canonical,
        "answers": answers,
    });
    format!("{document:#}")
}

fn tool_names(calls: &Value) -> Vec<String> {
    let calls = calls.as_array().into_iter().flatten();
    calls
        .filter_map(|call| call["name"].as_str().map(str::to_owned))
        .collect()
}

/// What a model is to answer.
#[derive(Deserialize)]
struct Answer {
    title: String,
    rationale: String,
    input: DraftInput,
    assertions: DraftAssertions,
    status: DraftStatus,
}

impl Answer {
    /// What no type says.
    fn check(&self) -> Result<(), String> {
        let blank = |text: &str| text.trim().is_empty();
        if blank(&self.title) {
            return Err("`title` is empty".to_owned());
        }
        if blank(&self.input.prompt) {
            return Err("`input.prompt` is empty".to_owned());
        }
        let sentences = [&self.assertions.required, &self.assertions.forbidden];
        if sentences.into_iter().flatten().all(|sentence| blank(sentence)) {
            return Err("there is no assertion".to_owned());
        }
        Ok(())
    }
}

/// The schema of [`Answer`].
fn schema() -> Value {
    object(&json!({
        "title": text(),
        "rationale": text(),
        "input": object(&json!({"prompt": text(), "required_state": optional_text(), "tools_involved": texts()})),
        "assertions": object(&json!({
            "required": texts(), "forbidden": texts(), "golden_output": optional_text(), "notes": optional_text(),
        })),
        "status": json!({"type": "string", "enum": ["draft", "needs_human_input"]}),
    }))
}
