//! OpenAI's answers.

use serde_json::{Value, json};

use super::asked::Asked;
use super::format::{Tokens, sse};
use super::script::Reply;

const ID: &str = "chatcmpl-scripted";

pub(super) fn chat(asked: &Asked, reply: &Reply, tokens: Tokens) -> Value {
    let mut message = json!({
        "role": "assistant",
        "content": (!reply.text.is_empty()).then_some(&reply.text),
        "refusal": reply.refusal,
    });
    if !reply.tool_calls.is_empty() {
        message["tool_calls"] = Value::Array(tool_calls(reply));
    }
    if let Some(reasoning) = &reply.reasoning {
        message["reasoning_content"] = json!(reasoning);
    }
    json!({
        "id": ID, "object": "chat.completion", "created": 0, "model": asked.model,
        "choices": [{"index": 0, "message": message, "logprobs": null, "finish_reason": finish(reply)}],
        "usage": usage(tokens),
    })
}

pub(super) fn stream(asked: &Asked, reply: &Reply, tokens: Tokens) -> String {
    let chunk = |choices: Value| {
        let mut chunk = json!({
            "id": ID, "object": "chat.completion.chunk", "created": 0, "model": asked.model, "choices": choices,
        });
        if asked.body["stream_options"]["include_usage"] == true {
            chunk["usage"] = Value::Null;
        }
        chunk
    };
    let delta = |delta: Value| chunk(json!([{"index": 0, "delta": delta, "finish_reason": null}]));
    let mut chunks = vec![delta(json!({"role": "assistant", "content": ""}))];
    let words = reply.text.split_inclusive(' ');
    chunks.extend(words.map(|word| delta(json!({"content": word}))));
    for (index, mut call) in tool_calls(reply).into_iter().enumerate() {
        call["index"] = json!(index);
        chunks.push(delta(json!({"tool_calls": [call]})));
    }
    chunks.push(chunk(
        json!([{"index": 0, "delta": {}, "finish_reason": finish(reply)}]),
    ));
    if asked.body["stream_options"]["include_usage"] == true {
        let mut last = chunk(json!([]));
        last["usage"] = usage(tokens);
        chunks.push(last);
    }
    let events: String = chunks.iter().map(|chunk| sse(None, chunk)).collect();
    events + "data: [DONE]\n\n"
}

fn tool_calls(reply: &Reply) -> Vec<Value> {
    let calls = reply.tool_calls.iter().enumerate();
    calls
        .map(|(index, call)| {
            json!({
                "id": format!("call_{index}"), "type": "function",
                "function": {"name": call.name, "arguments": call.arguments.to_string()},
            })
        })
        .collect()
}

const fn finish(reply: &Reply) -> &'static str {
    match reply {
        Reply {
            is_cut_short: true, ..
        } => "length",
        _ if !reply.tool_calls.is_empty() => "tool_calls",
        _ => "stop",
    }
}

fn usage(tokens: Tokens) -> Value {
    json!({
        "prompt_tokens": tokens.input, "completion_tokens": tokens.output, "total_tokens": tokens.input + tokens.output,
    })
}

/// The client of OpenAI asks for numbers in base64 and reads others as well.
pub(super) fn embeddings(asked: &Asked, vectors: &[Vec<f32>], tokens: Tokens) -> Value {
    let data: Vec<Value> = vectors
        .iter()
        .enumerate()
        .map(|(index, vector)| json!({"object": "embedding", "index": index, "embedding": vector}))
        .collect();
    let usage = json!({"prompt_tokens": tokens.input, "total_tokens": tokens.input});
    json!({"object": "list", "model": asked.model, "data": data, "usage": usage})
}

pub(super) fn error(status: u16, message: &str) -> Value {
    let kind = match status {
        401 => "authentication_error",
        429 => "rate_limit_error",
        500.. => "server_error",
        _ => "invalid_request_error",
    };
    json!({"error": {"message": message, "type": kind, "param": null, "code": null}})
}
