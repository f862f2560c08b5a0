//! Ollama's answers.

use serde_json::{Value, json};

use super::asked::Asked;
use super::format::Tokens;
use super::script::Reply;

const CREATED_AT: &str = "2026-01-01T00:00:00Z";

pub(super) fn chat(asked: &Asked, reply: &Reply, tokens: Tokens) -> Value {
    let mut message = json!({"role": "assistant", "content": reply.text});
    if let Some(reasoning) = &reply.reasoning {
        message["thinking"] = json!(reasoning);
    }
    if !reply.tool_calls.is_empty() {
        let calls = reply.tool_calls.iter();
        let calls: Vec<Value> = calls
            .map(|call| json!({"function": {"name": call.name, "arguments": call.arguments}}))
            .collect();
        message["tool_calls"] = Value::Array(calls);
    }
    let reason = if reply.is_cut_short { "length" } else { "stop" };
    json!({
        "model": asked.model, "created_at": CREATED_AT, "message": message, "done": true, "done_reason": reason,
        "prompt_eval_count": tokens.input, "eval_count": tokens.output,
    })
}

/// Lines of JSON: the words, then the rest with an empty text.
pub(super) fn stream(asked: &Asked, reply: &Reply, tokens: Tokens) -> String {
    let mut lines: Vec<Value> = reply
        .text
        .split_inclusive(' ')
        .map(|word| {
            json!({
                "model": asked.model, "created_at": CREATED_AT,
                "message": {"role": "assistant", "content": word}, "done": false,
            })
        })
        .collect();
    let mut last = chat(asked, reply, tokens);
    last["message"]["content"] = json!("");
    lines.push(last);
    lines
        .iter()
        .map(|line| [&line.to_string(), "\n"].concat())
        .collect()
}

pub(super) fn embeddings(asked: &Asked, vectors: &[Vec<f32>], tokens: Tokens) -> Value {
    json!({"model": asked.model, "embeddings": vectors, "prompt_eval_count": tokens.input})
}

pub(super) fn error(message: &str) -> Value {
    json!({"error": message})
}
