//! Messages between people, agents and models, in the many forms in which they are recorded.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::super::span::Attributes;

/// A message.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in super::super) struct Message {
    /// Who says it: `user`, `assistant`, `system`, `tool` and others; empty where that is not recorded.
    pub(in super::super) role: String,
    /// What it says.
    pub(in super::super) text: String,
    /// The tools that it asks for.
    pub(in super::super) calls: Vec<Call>,
    /// What tools answered, with the id of the call.
    pub(in super::super) results: Vec<(Option<String>, Value)>,
}

/// A call of a tool.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in super::super) struct Call {
    /// What the model called it.
    pub(in super::super) id: Option<String>,
    /// The tool.
    pub(in super::super) name: String,
    /// What it was given.
    pub(in super::super) arguments: Option<Value>,
    /// What it answered.
    pub(in super::super) result: Option<Value>,
    /// What went wrong.
    pub(in super::super) error: Option<String>,
}

impl Message {
    /// A message that is no more than a text.
    pub(super) fn plain(role: &str, text: impl Into<String>) -> Self {
        Self {
            role: role.to_owned(),
            text: text.into(),
            ..Self::default()
        }
    }

    /// Reads a message that is recorded as an object, as OpenTelemetry or a provider's API has it. `role` is what it
    /// has where it does not say.
    pub(super) fn read(message: &Value, role: &str) -> Self {
        let Value::Object(members) = message else {
            return Self::plain(role, shown(message));
        };
        // A choice holds its message.
        if let Some(inner @ Value::Object(_)) = members.get("message") {
            return Self::read(inner, role);
        }
        let mut read = Self::plain(text_of(members, "role").unwrap_or(role), "");
        for key in ["parts", "content"] {
            if let Some(content) = members.get(key) {
                read.add_content(content);
            }
        }
        let calls = members.get("tool_calls").map(|calls| structured(calls.clone()));
        if let Some(Value::Array(calls)) = calls {
            read.calls.extend(calls.iter().filter_map(Call::read));
        }
        if read.role == "tool" && read.results.is_empty() && !read.text.is_empty() {
            let id = text_of(members, "tool_call_id").or_else(|| text_of(members, "id"));
            read.results = vec![(id.map(str::to_owned), Value::String(read.text.clone()))];
        }
        read
    }

    fn add_content(&mut self, content: &Value) {
        match content {
            Value::Array(parts) => parts.iter().for_each(|part| self.add_part(part)),
            Value::Null => {}
            Value::Object(_) => self.add_part(content),
            other => self.add_text(&shown(other)),
        }
    }

    fn add_part(&mut self, part: &Value) {
        let Value::Object(members) = part else {
            return self.add_text(&shown(part));
        };
        let result = || {
            let keys = ["response", "result", "content"];
            keys.iter().find_map(|key| members.get(*key)).cloned()
        };
        match text_of(members, "type").unwrap_or("text") {
            "tool_call" | "tool_use" => self.calls.extend(Call::read(part)),
            "tool_call_response" | "tool_result" => {
                let id = text_of(members, "id").or_else(|| text_of(members, "tool_use_id"));
                let result = result().map(structured).unwrap_or_default();
                self.results.push((id.map(str::to_owned), result));
            }
            // What a model thought is not what it said.
            "reasoning" | "thinking" => {}
            _ => {
                let said = ["content", "text"].iter().find_map(|key| text_of(members, key));
                self.add_text(said.unwrap_or_default());
            }
        }
    }

    fn add_text(&mut self, text: &str) {
        if !self.text.is_empty() && !text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(text);
    }
}

impl Call {
    /// Reads a call that a message asks for: `{id, name, arguments}`, or with `function` around the last two.
    fn read(call: &Value) -> Option<Self> {
        let call = call.as_object()?;
        let function = call.get("function").and_then(Value::as_object).unwrap_or(call);
        Some(Self {
            id: text_of(call, "id").map(str::to_owned),
            name: text_of(function, "name")?.to_owned(),
            arguments: ["arguments", "input"]
                .iter()
                .find_map(|key| function.get(*key))
                .cloned()
                .map(structured),
            ..Self::default()
        })
    }
}

/// The messages of a value: a list of them, one, an object that holds a list, or a text which is one of these in JSON.
/// What is none of them is said by `role`.
pub(super) fn messages(value: &Value, role: &str) -> Vec<Message> {
    match structured(value.clone()) {
        Value::Array(items) if items.iter().any(is_message) => {
            items.iter().map(|item| Message::read(item, role)).collect()
        }
        Value::Object(members) => match members.get("messages") {
            Some(Value::Array(items)) => {
                // Some frameworks have a list for each of several conversations.
                let items = items.iter().flat_map(|item| match item {
                    Value::Array(nested) => nested.as_slice(),
                    single => std::slice::from_ref(single),
                });
                items.map(|item| Message::read(item, role)).collect()
            }
            _ if is_message(&Value::Object(members.clone())) => {
                vec![Message::read(&Value::Object(members), role)]
            }
            _ => vec![Message::plain(role, shown(value))],
        },
        Value::Null => Vec::new(),
        _ => vec![Message::plain(role, shown(value))],
    }
}

fn is_message(value: &Value) -> bool {
    let has = |key| value.get(key).is_some();
    has("role") || has("parts") || has("message")
}

/// What stands under numbered keys, `{prefix}.{number}.{rest}`: in the order of the numbers the rests with their values.
pub(super) fn numbered(attributes: &Attributes, prefix: &str) -> Vec<Attributes> {
    let mut items: BTreeMap<u32, Attributes> = BTreeMap::new();
    for (key, value) in attributes {
        let Some((number, rest)) = key
            .strip_prefix(prefix)
            .and_then(|rest| rest.strip_prefix('.'))
            .and_then(|rest| rest.split_once('.'))
        else {
            continue;
        };
        if let Ok(number) = number.parse() {
            items
                .entry(number)
                .or_default()
                .insert(rest.to_owned(), value.clone());
        }
    }
    items.into_values().collect()
}

/// A text that is a JSON object or list, as that; everything else as it is.
pub(super) fn structured(value: Value) -> Value {
    match &value {
        Value::String(text) if text.trim_start().starts_with(['{', '[']) => {
            serde_json::from_str(text).unwrap_or(value)
        }
        _ => value,
    }
}

/// A value as a text.
pub(super) fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

pub(super) fn text_of<'v>(members: &'v Map<String, Value>, key: &str) -> Option<&'v str> {
    members.get(key)?.as_str().filter(|text| !text.is_empty())
}
