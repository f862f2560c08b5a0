//! Ollama's `/api/chat` and `/api/embed`.

use pawl_model::{ToolCall, Usage};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Answer, Embedded, Unreadable, role_name};
use crate::model::chat::{ChatRequest, Finish};

pub(super) fn chat_body(model: &str, request: &ChatRequest) -> Value {
    let messages: Vec<Value> = request
        .messages
        .iter()
        .map(|message| json!({"role": role_name(message.role), "content": message.content}))
        .collect();
    let mut options = json!({});
    if let Some(temperature) = request.temperature {
        options["temperature"] = json!(temperature);
    }
    if let Some(most) = request.max_output_tokens {
        options["num_predict"] = json!(most);
    }
    let mut body = json!({"model": model, "messages": messages, "stream": false, "options": options});
    if let Some(schema) = &request.schema {
        body["format"] = schema.schema.clone();
    }
    body
}

#[derive(Deserialize)]
struct Chat {
    message: ChatMessage,
    done_reason: Option<String>,
    prompt_eval_count: Option<u64>,
    eval_count: Option<u64>,
}

#[derive(Deserialize)]
struct ChatMessage {
    #[serde(default)]
    content: String,
    thinking: Option<String>,
    tool_calls: Option<Vec<ChatToolCall>>,
}

#[derive(Deserialize)]
struct ChatToolCall {
    function: Function,
}

#[derive(Deserialize)]
struct Function {
    name: String,
    #[serde(default)]
    arguments: Value,
}

pub(super) fn read_chat(body: &[u8]) -> Result<Answer, Unreadable> {
    let chat: Chat = super::json(body)?;
    let tool_calls: Vec<ToolCall> = chat
        .message
        .tool_calls
        .unwrap_or_default()
        .into_iter()
        .map(|call| ToolCall {
            name: call.function.name,
            arguments: call.function.arguments,
            result: None,
            error: None,
        })
        .collect();
    let finish = match chat.done_reason.as_deref() {
        Some("stop") if tool_calls.is_empty() => Finish::Stop,
        Some("stop") => Finish::ToolCalls,
        Some("length") => Finish::Length,
        _ => Finish::Other,
    };
    // A prompt that is cached whole is not counted.
    let usage = chat.eval_count.map(|output_tokens| Usage {
        input_tokens: chat.prompt_eval_count.unwrap_or(0),
        output_tokens,
        ..Usage::default()
    });
    Ok(Answer {
        text: chat.message.content,
        reasoning: chat.message.thinking,
        tool_calls,
        refusal: None,
        finish,
        usage,
    })
}

pub(super) fn embedding_body(model: &str, texts: &[String]) -> Value {
    json!({"model": model, "input": texts})
}

#[derive(Deserialize)]
struct Embeddings {
    embeddings: Vec<Vec<f32>>,
    prompt_eval_count: Option<u64>,
}

pub(super) fn read_embeddings(body: &[u8]) -> Result<Embedded, Unreadable> {
    let read: Embeddings = super::json(body)?;
    Ok(Embedded {
        vectors: read.embeddings,
        usage: read.prompt_eval_count.map(|input_tokens| Usage {
            input_tokens,
            ..Usage::default()
        }),
    })
}
