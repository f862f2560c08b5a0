//! Google's answers: the Gemini API's and Vertex AI's.

use serde_json::{Value, json};

use super::asked::Asked;
use super::format::{Tokens, sse};
use super::script::Reply;

pub(super) fn chat(asked: &Asked, reply: &Reply, tokens: Tokens) -> Value {
    if let Some(reason) = &reply.refusal {
        return json!({
            "promptFeedback": {"blockReason": reason}, "modelVersion": asked.model, "usageMetadata": usage(tokens),
        });
    }
    let mut parts = Vec::new();
    if let Some(reasoning) = &reply.reasoning {
        parts.push(json!({"text": reasoning, "thought": true}));
    }
    if !reply.text.is_empty() {
        parts.push(json!({"text": reply.text}));
    }
    parts.extend(tool_calls(reply));
    let mut document = document(asked, &parts, Some(reply));
    document["usageMetadata"] = usage(tokens);
    document
}

pub(super) fn stream(asked: &Asked, reply: &Reply, tokens: Tokens) -> String {
    let words = reply.text.split_inclusive(' ');
    let mut documents: Vec<Value> = words
        .map(|word| document(asked, &[json!({"text": word})], None))
        .collect();
    let mut last = document(asked, &tool_calls(reply).collect::<Vec<_>>(), Some(reply));
    last["usageMetadata"] = usage(tokens);
    documents.push(last);
    documents.iter().map(|document| sse(None, document)).collect()
}

fn document(asked: &Asked, parts: &[Value], finished: Option<&Reply>) -> Value {
    let mut candidate = json!({"content": {"role": "model", "parts": parts}, "index": 0});
    if let Some(reply) = finished {
        let reason = if reply.is_cut_short { "MAX_TOKENS" } else { "STOP" };
        candidate["finishReason"] = json!(reason);
    }
    json!({"candidates": [candidate], "modelVersion": asked.model, "responseId": "scripted"})
}

fn tool_calls(reply: &Reply) -> impl Iterator<Item = Value> {
    let calls = reply.tool_calls.iter();
    calls.map(|call| json!({"functionCall": {"name": call.name, "args": call.arguments}}))
}

fn usage(tokens: Tokens) -> Value {
    json!({
        "promptTokenCount": tokens.input, "candidatesTokenCount": tokens.output,
        "totalTokenCount": tokens.input + tokens.output,
    })
}

pub(super) fn embeddings(vectors: &[Vec<f32>], tokens: Tokens) -> Value {
    let values: Vec<Value> = vectors.iter().map(|vector| json!({"values": vector})).collect();
    json!({"embeddings": values, "usageMetadata": {"promptTokenCount": tokens.input}})
}

/// What Vertex AI's `predict` answers.
pub(super) fn predictions(vectors: &[Vec<f32>], tokens: Tokens) -> Value {
    let share = tokens.input as f64 / vectors.len().max(1) as f64;
    let predictions: Vec<Value> = vectors
        .iter()
        .map(|vector| {
            let statistics = json!({"token_count": share.ceil(), "truncated": false});
            json!({"embeddings": {"values": vector, "statistics": statistics}})
        })
        .collect();
    json!({"predictions": predictions})
}

pub(super) fn error(status: u16, message: &str) -> Value {
    let name = match status {
        401 => "UNAUTHENTICATED",
        403 => "PERMISSION_DENIED",
        404 => "NOT_FOUND",
        429 => "RESOURCE_EXHAUSTED",
        503 => "UNAVAILABLE",
        500.. => "INTERNAL",
        _ => "INVALID_ARGUMENT",
    };
    json!({"error": {"code": status, "message": message, "status": name}})
}
