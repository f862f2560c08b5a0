//! OpenInference: lists stand under numbered keys.

use serde_json::{Map, Value};

use super::super::span::Attributes;
use super::Role;
use super::message::{Message, messages, numbered, text_of};

pub(super) const INPUT: &str = "input.value";
pub(super) const OUTPUT: &str = "output.value";
pub(super) const TOOL_NAME: &str = "tool.name";
pub(super) const TOOL_CALL_ID: &str = "tool_call.id";
pub(super) const INPUT_TOKENS: [&str; 1] = ["llm.token_count.prompt"];
pub(super) const OUTPUT_TOKENS: [&str; 1] = ["llm.token_count.completion"];
pub(super) const COST: [&str; 1] = ["llm.cost.total"];

/// What a span is; none where it does not follow these conventions.
pub(super) fn role(attributes: &Attributes) -> Option<Role> {
    match text_of(attributes, "openinference.span.kind")? {
        "LLM" => Some(Role::Model),
        "AGENT" => Some(Role::Agent),
        "TOOL" => Some(Role::Tool),
        "CHAIN" => Some(Role::Step),
        "RETRIEVER" | "RERANKER" | "EMBEDDING" => Some(Role::Retrieval),
        _ => None,
    }
}

/// What went in.
pub(super) fn input(attributes: &Attributes) -> Vec<Message> {
    said(attributes, "llm.input_messages", (INPUT, "user"))
}

/// What came out.
pub(super) fn output(attributes: &Attributes) -> Vec<Message> {
    said(attributes, "llm.output_messages", (OUTPUT, "assistant"))
}

fn said(attributes: &Attributes, list: &str, (value, role): (&str, &str)) -> Vec<Message> {
    let listed = numbered(attributes, list);
    if listed.is_empty() {
        return attributes
            .get(value)
            .map(|value| messages(value, role))
            .unwrap_or_default();
    }
    listed.iter().map(|message| read(message, role)).collect()
}

/// A message whose parts have keys of their own, put together as providers have it.
fn read(parts: &Attributes, role: &str) -> Message {
    let mut message = Map::new();
    for key in ["role", "content", "tool_call_id"] {
        if let Some(value) = parts.get(&["message.", key].concat()) {
            message.insert(key.to_owned(), value.clone());
        }
    }
    let contents = numbered(parts, "message.contents");
    if !contents.is_empty() {
        let texts = contents
            .iter()
            .filter_map(|part| part.get("message_content.text").cloned());
        message.insert("parts".to_owned(), Value::Array(texts.collect()));
    }
    let calls: Vec<Value> = numbered(parts, "message.tool_calls")
        .iter()
        .map(|call| {
            let mut read = Map::new();
            for (key, name) in [
                ("tool_call.id", "id"),
                ("tool_call.function.name", "name"),
                ("tool_call.function.arguments", "arguments"),
            ] {
                if let Some(value) = call.get(key) {
                    read.insert(name.to_owned(), value.clone());
                }
            }
            Value::Object(read)
        })
        .collect();
    if !calls.is_empty() {
        message.insert("tool_calls".to_owned(), Value::Array(calls));
    }
    Message::read(&Value::Object(message), role)
}
