//! The Gemini API and Vertex AI: `generateContent`, and their embeddings.

use pawl_model::{ToolCall, Usage};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Answer, Embedded, Unreadable, joined, system_text};
use crate::model::chat::{ChatRequest, Finish, Role};

pub(super) fn chat_body(request: &ChatRequest) -> Value {
    let contents: Vec<Value> = request
        .messages
        .iter()
        .filter_map(|message| {
            let role = match message.role {
                Role::System => return None,
                Role::User => "user",
                Role::Assistant => "model",
            };
            Some(json!({"role": role, "parts": [{"text": message.content}]}))
        })
        .collect();
    let mut settings = json!({});
    if let Some(temperature) = request.temperature {
        settings["temperature"] = json!(temperature);
    }
    if let Some(most) = request.max_output_tokens {
        settings["maxOutputTokens"] = json!(most);
    }
    if let Some(schema) = &request.schema {
        settings["responseMimeType"] = json!("application/json");
        settings["responseJsonSchema"] = schema.schema.clone();
    }
    let mut body = json!({"contents": contents, "generationConfig": settings});
    if let Some(text) = system_text(request) {
        body["systemInstruction"] = json!({"parts": [{"text": text}]});
    }
    body
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Generated {
    #[serde(default)]
    candidates: Vec<Candidate>,
    prompt_feedback: Option<PromptFeedback>,
    usage_metadata: Option<UsageMetadata>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Candidate {
    content: Option<Content>,
    finish_reason: Option<String>,
}

#[derive(Default, Deserialize)]
struct Content {
    #[serde(default)]
    parts: Vec<Part>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Part {
    text: Option<String>,
    #[serde(default)]
    thought: bool,
    function_call: Option<FunctionCall>,
}

#[derive(Deserialize)]
struct FunctionCall {
    name: String,
    #[serde(default)]
    args: Value,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PromptFeedback {
    block_reason: Option<String>,
}

/// Cached tokens are in those of the prompt; those of thoughts are not in those of candidates.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct UsageMetadata {
    prompt_token_count: u64,
    tool_use_prompt_token_count: u64,
    candidates_token_count: u64,
    thoughts_token_count: u64,
    cached_content_token_count: u64,
}

impl From<UsageMetadata> for Usage {
    fn from(usage: UsageMetadata) -> Self {
        Self {
            input_tokens: usage.prompt_token_count + usage.tool_use_prompt_token_count,
            output_tokens: usage.candidates_token_count + usage.thoughts_token_count,
            cached_input_tokens: usage.cached_content_token_count,
            cache_write_tokens: 0,
        }
    }
}

pub(super) fn read_chat(body: &[u8]) -> Result<Answer, Unreadable> {
    let generated: Generated = super::json(body)?;
    let usage = generated.usage_metadata.map(Usage::from);
    let Some(candidate) = generated.candidates.into_iter().next() else {
        let reason = generated
            .prompt_feedback
            .and_then(|feedback| feedback.block_reason);
        return Ok(Answer {
            text: String::new(),
            reasoning: None,
            tool_calls: Vec::new(),
            refusal: Some(reason.ok_or("neither a candidate nor a reason for none")?),
            finish: Finish::Filter,
            usage,
        });
    };
    let parts = candidate.content.unwrap_or_default().parts;
    let texts = |thoughts: bool| {
        let parts = parts.iter().filter(move |part| part.thought == thoughts);
        joined(parts.filter_map(|part| part.text.as_deref()))
    };
    let (text, reasoning) = (texts(false), texts(true));
    let tool_calls: Vec<ToolCall> = parts
        .into_iter()
        .filter_map(|part| part.function_call)
        .map(|call| ToolCall {
            name: call.name,
            arguments: call.args,
            result: None,
            error: None,
        })
        .collect();
    let reason = candidate.finish_reason.unwrap_or_default();
    let finish = match reason.as_str() {
        "STOP" if tool_calls.is_empty() => Finish::Stop,
        "STOP" => Finish::ToolCalls,
        "MAX_TOKENS" => Finish::Length,
        "SAFETY" | "RECITATION" | "LANGUAGE" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII" | "ESCALATION"
        | "MODEL_ARMOR" => Finish::Filter,
        _ => Finish::Other,
    };
    Ok(Answer {
        text: text.unwrap_or_default(),
        reasoning,
        tool_calls,
        refusal: (finish == Finish::Filter).then_some(reason),
        finish,
        usage,
    })
}

pub(super) fn embedding_body(model: &str, texts: &[String]) -> Value {
    let model = format!("models/{model}");
    let requests: Vec<Value> = texts
        .iter()
        .map(|text| json!({"model": model, "content": {"parts": [{"text": text}]}}))
        .collect();
    json!({"requests": requests})
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Embeddings {
    embeddings: Vec<Values>,
    usage_metadata: Option<UsageMetadata>,
}

#[derive(Deserialize)]
struct Values {
    values: Vec<f32>,
}

pub(super) fn read_embeddings(body: &[u8]) -> Result<Embedded, Unreadable> {
    let read: Embeddings = super::json(body)?;
    Ok(Embedded {
        vectors: read
            .embeddings
            .into_iter()
            .map(|embedding| embedding.values)
            .collect(),
        usage: read.usage_metadata.map(Usage::from),
    })
}

/// What Vertex AI's `predict` takes.
pub(super) fn prediction_body(texts: &[String]) -> Value {
    let instances: Vec<Value> = texts.iter().map(|text| json!({"content": text})).collect();
    json!({"instances": instances})
}

#[derive(Deserialize)]
struct Predictions {
    predictions: Vec<Prediction>,
}

#[derive(Deserialize)]
struct Prediction {
    embeddings: PredictedEmbedding,
}

#[derive(Deserialize)]
struct PredictedEmbedding {
    values: Vec<f32>,
    statistics: Option<Statistics>,
}

/// Tokens are counted as a JSON number that may have a fraction of zero.
#[derive(Deserialize)]
struct Statistics {
    token_count: f64,
}

pub(super) fn read_predictions(body: &[u8]) -> Result<Embedded, Unreadable> {
    let read: Predictions = super::json(body)?;
    let tokens: Option<Vec<u64>> = read
        .predictions
        .iter()
        .map(|prediction| {
            let statistics = prediction.embeddings.statistics.as_ref()?;
            Some(statistics.token_count as u64)
        })
        .collect();
    Ok(Embedded {
        vectors: read
            .predictions
            .into_iter()
            .map(|prediction| prediction.embeddings.values)
            .collect(),
        usage: tokens.map(|tokens| Usage {
            input_tokens: tokens.into_iter().sum(),
            ..Usage::default()
        }),
    })
}
