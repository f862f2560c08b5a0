//! Anthropic's answers.

use serde_json::{Value, json};

use super::asked::Asked;
use super::format::{Tokens, sse};
use super::script::Reply;

pub(super) fn chat(asked: &Asked, reply: &Reply, tokens: Tokens) -> Value {
    let mut message = message(asked, &blocks(reply), tokens);
    message["stop_reason"] = json!(stop_reason(reply));
    if let Some(refusal) = &reply.refusal {
        message["stop_details"] = json!({"type": "refusal", "category": null, "explanation": refusal});
    }
    message
}

pub(super) fn stream(asked: &Asked, reply: &Reply, tokens: Tokens) -> String {
    let started = message(asked, &[], Tokens { output: 1, ..tokens });
    let mut events = vec![json!({"type": "message_start", "message": started})];
    for (index, block) in blocks(reply).into_iter().enumerate() {
        let (empty, deltas) = pieces(&block);
        events.push(json!({"type": "content_block_start", "index": index, "content_block": empty}));
        let deltas = deltas.into_iter();
        events.extend(
            deltas.map(|delta| json!({"type": "content_block_delta", "index": index, "delta": delta})),
        );
        events.push(json!({"type": "content_block_stop", "index": index}));
    }
    let delta = json!({"stop_reason": stop_reason(reply), "stop_sequence": null});
    events.push(json!({"type": "message_delta", "delta": delta, "usage": {"output_tokens": tokens.output}}));
    events.push(json!({"type": "message_stop"}));
    events
        .iter()
        .map(|event| sse(event["type"].as_str(), event))
        .collect()
}

fn message(asked: &Asked, content: &[Value], tokens: Tokens) -> Value {
    json!({
        "id": "msg_scripted", "type": "message", "role": "assistant", "model": asked.model, "content": content,
        "stop_reason": null, "stop_sequence": null,
        "usage": {
            "input_tokens": tokens.input, "output_tokens": tokens.output,
            "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0,
        },
    })
}

fn blocks(reply: &Reply) -> Vec<Value> {
    let mut blocks = Vec::new();
    if let Some(reasoning) = &reply.reasoning {
        blocks.push(json!({"type": "thinking", "thinking": reasoning, "signature": "scripted"}));
    }
    if !reply.text.is_empty() {
        blocks.push(json!({"type": "text", "text": reply.text}));
    }
    for (index, call) in reply.tool_calls.iter().enumerate() {
        let id = format!("toolu_{index}");
        blocks.push(json!({"type": "tool_use", "id": id, "name": call.name, "input": call.arguments}));
    }
    blocks
}

/// A block as it begins, and what is added to it.
fn pieces(block: &Value) -> (Value, Vec<Value>) {
    let mut empty = block.clone();
    let deltas = match block["type"].as_str() {
        Some("tool_use") => {
            empty["input"] = json!({});
            vec![json!({"type": "input_json_delta", "partial_json": block["input"].to_string()})]
        }
        Some("thinking") => {
            empty["thinking"] = json!("");
            vec![json!({"type": "thinking_delta", "thinking": block["thinking"]})]
        }
        _ => {
            empty["text"] = json!("");
            let words = block["text"].as_str().unwrap_or_default().split_inclusive(' ');
            words
                .map(|word| json!({"type": "text_delta", "text": word}))
                .collect()
        }
    };
    (empty, deltas)
}

const fn stop_reason(reply: &Reply) -> &'static str {
    match reply {
        Reply { refusal: Some(_), .. } => "refusal",
        Reply {
            is_cut_short: true, ..
        } => "max_tokens",
        _ if !reply.tool_calls.is_empty() => "tool_use",
        _ => "end_turn",
    }
}

pub(super) fn error(status: u16, message: &str) -> Value {
    let kind = match status {
        401 => "authentication_error",
        403 => "permission_error",
        404 => "not_found_error",
        429 => "rate_limit_error",
        529 => "overloaded_error",
        500.. => "api_error",
        _ => "invalid_request_error",
    };
    json!({"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_scripted"})
}
