//! Drafts by a model: asked once, read without guessing.

use std::time::Duration;

use pawl_checks::extract;
use pawl_model::{
    Budget, BudgetError, Cost, DraftAssertions, DraftErrorType as Type, DraftInput, DraftStatus,
    FailurePattern, Suggestion, Usd,
};
use pawl_providers::{ChatModel, ChatRequest, Finish, Message, ModelFailureKind, OutputSchema};
use pawl_store::drafts::Replayed;
use serde::Deserialize;
use serde_json::{Number, Value, json};
use sha2::{Digest as _, Sha256};

use super::template::TemplateReason;
use super::text::{MAX_TEXT, MAX_TITLE, Tidy};

const INSTRUCTIONS: &str = include_str!("../../prompts/draft_eval_test.md");
/// How long a model may take for one suggestion, retries included.
pub(super) const TIMEOUT: Duration = Duration::from_secs(30);
const TEMPERATURE: f64 = 0.2;
const MAX_OUTPUT_TOKENS: u32 = 4_096;
/// What a suggestion may cost: $0.10.
pub(super) const PER_SUGGESTION: Usd = Usd::from_nanos(100_000_000);
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

/// `sha256:` and the hash of a text.
pub(super) fn sha256(text: &str) -> String {
    format!("sha256:{}", hex::encode(Sha256::digest(text)))
}

/// Asks a model for the draft of a suggestion.
pub(super) async fn write(
    (model, budget): (&ChatModel, &Budget),
    suggestion: &Suggestion,
    canonical: &FailurePattern,
    incidents: &[Replayed],
    tidy: &Tidy<'_>,
) -> Result<Written, NotWritten> {
    let document = document(suggestion, canonical, incidents, tidy);
    let request = ChatRequest {
        temperature: Some(TEMPERATURE),
        max_output_tokens: Some(MAX_OUTPUT_TOKENS),
        schema: Some(OutputSchema {
            name: "eval_test".to_owned(),
            schema: schema(),
        }),
        ..ChatRequest::new(
            vec![Message::system(INSTRUCTIONS), Message::user(document.as_str())],
            TIMEOUT,
        )
    };
    let upper = model.upper_cost(&request);
    if budget.left() < PER_SUGGESTION {
        return Err(NotWritten::Template(TemplateReason::RunBudgetExceeded));
    }
    if matches!(upper, Cost::Known(upper) if upper > PER_SUGGESTION) {
        return Err(NotWritten::Template(TemplateReason::SuggestionBudgetExceeded));
    }
    let reserved = budget.reserve(upper).map_err(|error| match error {
        BudgetError::Exceeded { .. } => NotWritten::Template(TemplateReason::RunBudgetExceeded),
        BudgetError::UnknownPrice { .. } => failed(Type::Unknown, error.to_string(), None),
    })?;
    let reply = match model.complete(&request).await {
        Ok(reply) => reply,
        Err(failure) => {
            let error_type = match failure.kind {
                // What was under way may be billed: all that was reserved is charged.
                ModelFailureKind::Timeout => Type::Timeout,
                ModelFailureKind::Broken | ModelFailureKind::TooLong => Type::ProviderFailure,
                ModelFailureKind::Throttled
                | ModelFailureKind::Unauthorized
                | ModelFailureKind::Refused(_) => {
                    reserved.release();
                    Type::ProviderFailure
                }
            };
            return Err(failed(error_type, failure.message, None));
        }
    };
    reserved.settle(reply.cost);
    let said = || Some(reply.text.clone());
    let found = extract::object(&reply.text, |object| object.contains_key("assertions"))
        .map_err(|error| failed(Type::InvalidJson, error.to_string(), said()))?;
    if found.is_truncated || reply.finish == Finish::Length {
        let message = "the answer ends in the middle of the JSON object".to_owned();
        return Err(failed(Type::InvalidJson, message, said()));
    }
    let answer: Answer = serde_json::from_value(Value::Object(found.object))
        .map_err(|error| failed(Type::SchemaValidation, error.to_string(), said()))?;
    answer
        .check()
        .map_err(|what| failed(Type::SchemaValidation, what.to_owned(), said()))?;
    Ok(Written {
        title: tidy.text(&answer.title, MAX_TITLE),
        rationale: tidy.text(&answer.rationale, MAX_TEXT),
        input: tidy.input(&answer.input),
        assertions: tidy.assertions(&answer.assertions),
        needs_human_input: answer.status == DraftStatus::NeedsHumanInput,
        model: model.spec().to_string(),
        temperature: Number::from_f64(TEMPERATURE).unwrap_or_else(|| 0.into()),
        prompt_hash: sha256(&[INSTRUCTIONS, &document].concat()),
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
                "response": tidy.text(&incident.response, MAX_TEXT),
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
    fn check(&self) -> Result<(), &'static str> {
        let blank = |text: &str| text.trim().is_empty();
        if blank(&self.title) {
            return Err("`title` is empty");
        }
        if blank(&self.input.prompt) {
            return Err("`input.prompt` is empty");
        }
        let sentences = [&self.assertions.required, &self.assertions.forbidden];
        if sentences.into_iter().flatten().all(|sentence| blank(sentence)) {
            return Err("there is no assertion");
        }
        Ok(())
    }
}

/// The schema of [`Answer`]: every property required and no others, which is what OpenAI asks for.
fn schema() -> Value {
    let text = || json!({"type": "string"});
    let texts = || json!({"type": "array", "items": text()});
    let optional = || json!({"type": ["string", "null"]});
    let object = |properties: Value| {
        let required: Vec<&String> = properties
            .as_object()
            .into_iter()
            .flat_map(|all| all.keys())
            .collect();
        json!({
            "type": "object", "properties": properties, "required": required, "additionalProperties": false,
        })
    };
    object(json!({
        "title": text(),
        "rationale": text(),
        "input": object(json!({"prompt": text(), "required_state": optional(), "tools_involved": texts()})),
        "assertions": object(json!({
            "required": texts(), "forbidden": texts(), "golden_output": optional(), "notes": optional(),
        })),
        "status": json!({"type": "string", "enum": ["draft", "needs_human_input"]}),
    }))
}
