//! Chat completions and embeddings as OpenAI and many servers speak them.

use pawl_model::{ToolCall, Usage};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Answer, Embedded, Unreadable, role_name, sampling};
use crate::model::chat::{ChatRequest, Finish};
use crate::model::spec::ModelSpec;

pub(super) fn chat_body(spec: &ModelSpec, request: &ChatRequest) -> Value {
    let messages: Vec<Value> = request
        .messages
        .iter()
        .map(|message| json!({"role": role_name(message.role), "content": message.content}))
        .collect();
    let mut body = json!({"model": spec.model(), "messages": messages});
    if let Some(temperature) = request.temperature {
        body["temperature"] = json!(temperature);
    }
    if let Some(most) = request.max_output_tokens {
        // Models that reason know the new name only, many servers the old one only.
        let name = if sampling::reasons(spec.model()) {
            "max_completion_tokens"
        } else {
            "max_tokens"
        };
        body[name] = json!(most);
    }
    if let Some(schema) = &request.schema {
        body["response_format"] = json!({
            "type": "json_schema",
            "json_schema": {"name": schema.name, "schema": schema.schema, "strict": true},
        });
    }
    body
}

#[derive(Deserialize)]
struct Completion {
    choices: Vec<Choice>,
    usage: Option<CompletionUsage>,
}

#[derive(Deserialize)]
struct Choice {
    message: ChoiceMessage,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct ChoiceMessage {
    content: Option<String>,
    refusal: Option<String>,
    /// Not OpenAI's, but of many servers that speak its format.
    reasoning_content: Option<String>,
    tool_calls: Option<Vec<CompletionToolCall>>,
}

#[derive(Deserialize)]
struct CompletionToolCall {
    function: Option<Function>,
}

#[derive(Deserialize)]
struct Function {
    name: String,
    arguments: String,
}

#[derive(Deserialize)]
struct CompletionUsage {
    prompt_tokens: u64,
    #[serde(default)]
    completion_tokens: u64,
    prompt_tokens_details: Option<PromptDetails>,
}

#[derive(Default, Deserialize)]
struct PromptDetails {
    cached_tokens: Option<u64>,
    cache_write_tokens: Option<u64>,
}

impl From<CompletionUsage> for Usage {
    fn from(usage: CompletionUsage) -> Self {
        let details = usage.prompt_tokens_details.unwrap_or_default();
        Self {
            input_tokens: usage.prompt_tokens,
            output_tokens: usage.completion_tokens,
            cached_input_tokens: details.cached_tokens.unwrap_or(0),
            cache_write_tokens: details.cache_write_tokens.unwrap_or(0),
        }
    }
}

pub(super) fn read_chat(body: &[u8]) -> Result<Answer, Unreadable> {
    let completion: Completion = super::json(body)?;
    let choice = completion.choices.into_iter().next();
    let Choice {
        message,
        finish_reason,
    } = choice.ok_or("no choice in the completion")?;
    let functions = message
        .tool_calls
        .unwrap_or_default()
        .into_iter()
        .filter_map(|call| call.function);
    let tool_calls: Vec<ToolCall> = functions
        .map(|Function { name, arguments }| ToolCall {
            name,
            arguments: serde_json::from_str(&arguments).unwrap_or(Value::String(arguments)),
            result: None,
            error: None,
        })
        .collect();
    let finish = match finish_reason.as_deref() {
        _ if message.refusal.is_some() => Finish::Filter,
        Some("stop") => Finish::Stop,
        Some("length") => Finish::Length,
        Some("content_filter") => Finish::Filter,
        Some("tool_calls" | "function_call") => Finish::ToolCalls,
        _ => Finish::Other,
    };
    Ok(Answer {
        text: message.content.unwrap_or_default(),
        reasoning: message.reasoning_content,
        tool_calls,
        refusal: message.refusal,
        finish,
        usage: completion.usage.map(Usage::from),
    })
}

pub(super) fn embedding_body(model: &str, texts: &[String]) -> Value {
    json!({"model": model, "input": texts, "encoding_format": "float"})
}

#[derive(Deserialize)]
struct Embeddings {
    data: Vec<Embedding>,
    usage: Option<CompletionUsage>,
}

#[derive(Deserialize)]
struct Embedding {
    index: usize,
    embedding: Vec<f32>,
}

pub(super) fn read_embeddings(body: &[u8]) -> Result<Embedded, Unreadable> {
    let mut embeddings: Embeddings = super::json(body)?;
    embeddings.data.sort_by_key(|embedding| embedding.index);
    let in_place = |(place, embedding): (usize, &Embedding)| embedding.index == place;
    if !embeddings.data.iter().enumerate().all(in_place) {
        return Err("an embedding is missing or there twice".to_owned());
    }
    Ok(Embedded {
        vectors: embeddings
            .data
            .into_iter()
            .map(|embedding| embedding.embedding)
            .collect(),
        usage: embeddings.usage.map(Usage::from),
    })
}
