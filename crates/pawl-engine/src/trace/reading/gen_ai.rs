//! `gen_ai.*`: the newer generation records messages in attributes, the older ones in events or under numbered keys.

use serde_json::Value;

use super::super::span::{Attributes, Event, Span};
use super::Role;
use super::message::{Message, messages, numbered, structured, text_of};

const OPERATION: &str = "gen_ai.operation.name";
pub(super) const TOOL_NAME: &str = "gen_ai.tool.name";
pub(super) const TOOL_CALL_ID: &str = "gen_ai.tool.call.id";
pub(super) const TOOL_ARGUMENTS: &str = "gen_ai.tool.call.arguments";
pub(super) const TOOL_RESULT: &str = "gen_ai.tool.call.result";
pub(super) const INPUT_TOKENS: [&str; 2] = ["gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens"];
pub(super) const OUTPUT_TOKENS: [&str; 2] = ["gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens"];
/// No convention has it; these are what instrumentations write.
pub(super) const COST: [&str; 2] = ["gen_ai.usage.cost", "gen_ai.usage.total_cost"];
pub(in super::super) const EVALUATION: &str = "gen_ai.evaluation.result";
pub(in super::super) const EVALUATION_NAME: &str = "gen_ai.evaluation.name";
pub(in super::super) const EVALUATION_SCORE: &str = "gen_ai.evaluation.score.value";

/// The event that holds the messages of a call, where they are not recorded on its span.
const DETAILS: &str = "gen_ai.client.inference.operation.details";

/// What a span is; none where it does not follow these conventions.
pub(super) fn role(attributes: &Attributes) -> Option<Role> {
    let has = |key: &str| attributes.contains_key(key);
    let operation = text_of(attributes, OPERATION).or_else(|| text_of(attributes, "llm.request.type"));
    match operation {
        Some("chat" | "text_completion" | "generate_content" | "completion") => Some(Role::Model),
        Some("invoke_agent" | "invoke_workflow") => Some(Role::Agent),
        Some("execute_tool") => Some(Role::Tool),
        Some("embeddings" | "embedding" | "retrieval") => Some(Role::Retrieval),
        // One of a provider's own is a call of a model where messages came back.
        Some(_) => has("gen_ai.output.messages").then_some(Role::Model),
        None if has(TOOL_NAME) => Some(Role::Tool),
        None if has("gen_ai.request.model") || has("gen_ai.response.model") => Some(Role::Model),
        None if has("gen_ai.agent.name") => Some(Role::Agent),
        None if has("gen_ai.system") || has("gen_ai.provider.name") => Some(Role::Model),
        None => None,
    }
}

/// What went in.
pub(super) fn input(span: &Span) -> Vec<Message> {
    let said = Recorded {
        newer: "gen_ai.input.messages",
        older: "gen_ai.prompt",
        role: "user",
    };
    let mut read = said.read(span);
    if read.is_empty() {
        read = span.events.iter().filter_map(message_of_event).collect();
    }
    read
}

/// What came out.
pub(super) fn output(span: &Span) -> Vec<Message> {
    let said = Recorded {
        newer: "gen_ai.output.messages",
        older: "gen_ai.completion",
        role: "assistant",
    };
    let mut read = said.read(span);
    if read.is_empty() {
        let choices = span.events.iter().filter(|event| event.name == "gen_ai.choice");
        read = choices
            .map(|event| Message::read(&body(event), said.role))
            .collect();
    }
    read
}

/// Where messages of one direction are recorded.
struct Recorded {
    newer: &'static str,
    /// Also the beginning of numbered keys, and the attribute of an event that holds them all.
    older: &'static str,
    role: &'static str,
}

impl Recorded {
    fn read(&self, span: &Span) -> Vec<Message> {
        let details = span.events.iter().filter(|event| event.name == DETAILS);
        let mut places = std::iter::once(&span.attributes).chain(details.map(|event| &event.attributes));
        if let Some(recorded) = places.find_map(|attributes| attributes.get(self.newer)) {
            return messages(recorded, self.role);
        }
        let numbered = numbered(&span.attributes, self.older);
        if !numbered.is_empty() {
            return numbered.iter().map(|item| self.numbered(item)).collect();
        }
        let events = span.events.iter().map(|event| &event.attributes);
        let mut places = std::iter::once(&span.attributes).chain(events);
        places
            .find_map(|attributes| attributes.get(self.older))
            .map(|recorded| messages(recorded, self.role))
            .unwrap_or_default()
    }

    /// A message whose parts have keys of their own.
    fn numbered(&self, parts: &Attributes) -> Message {
        let mut message = parts.clone();
        if let Some(content) = message.get_mut("content") {
            // A text that looks like JSON may be a list of parts, or just what somebody said.
            if let list @ Value::Array(_) = structured(content.clone()) {
                *content = list;
            }
        }
        let calls: Vec<Value> = numbered(parts, "tool_calls")
            .into_iter()
            .map(Value::Object)
            .collect();
        if !calls.is_empty() {
            message.insert("tool_calls".to_owned(), Value::Array(calls));
        }
        Message::read(&Value::Object(message), self.role)
    }
}

/// The message that an event is.
fn message_of_event(event: &Event) -> Option<Message> {
    let role = event.name.strip_prefix("gen_ai.")?.strip_suffix(".message")?;
    matches!(role, "system" | "user" | "assistant" | "tool").then(|| Message::read(&body(event), role))
}

/// What an event says: its attributes, or the one of them that holds it in JSON.
fn body(event: &Event) -> Value {
    let mut members = event.attributes.clone();
    for key in ["gen_ai.event.content", "message", "body"] {
        match members.get(key).cloned().map(structured) {
            Some(Value::Object(inner)) => members.extend(inner),
            Some(Value::String(text)) => {
                members.entry("content").or_insert(Value::String(text));
            }
            _ => continue,
        }
        members.shift_remove(key);
    }
    Value::Object(members)
}
