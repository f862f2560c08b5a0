//! Anthropic's messages.

use pawl_model::{ToolCall, Usage};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Answer, Unreadable, joined, role_name, system_text};
use crate::model::chat::{ChatRequest, Finish, Role};

/// The most tokens of an answer where the request does not say: the interface has no default.
const DEFAULT_MAX_TOKENS: u32 = 16_384;

pub(super) fn chat_body(model: &str, request: &ChatRequest) -> Value {
    let messages: Vec<Value> = request
        .messages
        .iter()
        .filter(|message| message.role != Role::System)
        .map(|message| json!({"role": role_name(message.role), "content": message.content}))
        .collect();
    let most = request.max_output_tokens.unwrap_or(DEFAULT_MAX_TOKENS);
    let mut body = json!({"model": model, "max_tokens": most, "messages": messages});
    if let Some(text) = system_text(request) {
        body["system"] = json!(text);
    }
    if let Some(temperature) = request.temperature {
        body["temperature"] = json!(temperature);
    }
    if let Some(schema) = &request.schema {
        body["output_config"] = json!({"format": {"type": "json_schema", "schema": schema.schema}});
    }
    body
}

#[derive(Deserialize)]
struct ReceivedMessage {
    content: Vec<Block>,
    stop_reason: Option<String>,
    stop_details: Option<StopDetails>,
    usage: Option<MessageUsage>,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Block {
    Text {
        text: String,
    },
    Thinking {
        thinking: String,
    },
    ToolUse {
        name: String,
        input: Value,
    },
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct StopDetails {
    explanation: Option<String>,
}

/// Tokens from and to the cache are not in `input_tokens`.
#[derive(Deserialize)]
struct MessageUsage {
    input_tokens: u64,
    output_tokens: u64,
    cache_creation_input_tokens: Option<u64>,
    cache_read_input_tokens: Option<u64>,
}

impl From<MessageUsage> for Usage {
    fn from(usage: MessageUsage) -> Self {
        let read = usage.cache_read_input_tokens.unwrap_or(0);
        let written = usage.cache_creation_input_tokens.unwrap_or(0);
        Self {
            input_tokens: usage.input_tokens + read + written,
            output_tokens: usage.output_tokens,
            cached_input_tokens: read,
            cache_write_tokens: written,
        }
    }
}

pub(super) fn read_chat(body: &[u8]) -> Result<Answer, Unreadable> {
    let message: ReceivedMessage = super::json(body)?;
    let text = joined(message.content.iter().filter_map(|block| match block {
        Block::Text { text } => Some(text.as_str()),
        _ => None,
    }));
    let reasoning = joined(message.content.iter().filter_map(|block| match block {
        Block::Thinking { thinking } => Some(thinking.as_str()),
        _ => None,
    }));
    let tool_calls = message
        .content
        .into_iter()
        .filter_map(|block| match block {
            Block::ToolUse { name, input } => Some(ToolCall {
                name,
                arguments: input,
                result: None,
                error: None,
            }),
            _ => None,
        })
        .collect();
    let finish = match message.stop_reason.as_deref() {
        Some("end_turn" | "stop_sequence") => Finish::Stop,
        Some("max_tokens" | "model_context_window_exceeded") => Finish::Length,
        Some("tool_use") => Finish::ToolCalls,
        Some("refusal") => Finish::Filter,
        _ => Finish::Other,
    };
    let explanation = message.stop_details.and_then(|details| details.explanation);
    Ok(Answer {
        text: text.unwrap_or_default(),
        reasoning,
        tool_calls,
        refusal: (finish == Finish::Filter).then(|| explanation.unwrap_or_else(|| "refusal".to_owned())),
        finish,
        usage: message.usage.map(Usage::from),
    })
}
