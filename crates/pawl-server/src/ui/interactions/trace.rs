//! The tool calls and spans behind an interaction, as a tree.

mod span;

use std::collections::HashMap;

use pawl_engine::trace::Span;
use pawl_model::Json;
use serde_json::Value;

use crate::ui::number;

/// How deep the tree is drawn; what is deeper is drawn at this depth.
const DEEPEST: usize = 12;

/// A tool call or a span.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Node {
    /// How many stand above it.
    pub(super) depth: usize,
    pub(super) name: String,
    /// What it is, of a span that says so.
    pub(super) kind: Option<String>,
    /// How long it took.
    pub(super) duration: Option<String>,
    /// What went wrong in it.
    pub(super) error: Option<String>,
    /// All that is known of it: what it is called, and the text.
    pub(super) parts: Vec<(String, String)>,
}

/// Tool calls in their order.
pub(super) fn tool_calls(calls: Option<&Json>) -> Vec<Node> {
    objects(calls).iter().map(|call| node(call, 0)).collect()
}

/// Spans, each behind the one that it belongs to.
pub(super) fn spans(spans: Option<&Json>) -> Vec<Node> {
    let spans = objects(spans);
    let by_id: HashMap<&str, usize> = (0..spans.len())
        .filter_map(|index| Some((text(&spans[index], &IDS)?, index)))
        .collect();
    let mut children: HashMap<Option<usize>, Vec<usize>> = HashMap::new();
    for (index, span) in spans.iter().enumerate() {
        let parent = text(span, &PARENTS).and_then(|parent| by_id.get(parent).copied());
        children
            .entry(parent.filter(|parent| *parent != index))
            .or_default()
            .push(index);
    }
    let mut nodes = Vec::new();
    let mut open: Vec<(usize, usize)> = Vec::new();
    let mut seen = vec![false; spans.len()];
    let roots = children.remove(&None).unwrap_or_default();
    // Behind those with a root come those that only lead to one another.
    for root in roots.into_iter().chain(0..spans.len()) {
        open.push((root, 0));
        while let Some((index, depth)) = open.pop() {
            if std::mem::replace(&mut seen[index], true) {
                continue;
            }
            nodes.push(node(&spans[index], depth.min(DEEPEST)));
            let below = children.get(&Some(index)).into_iter().flatten().rev();
            open.extend(below.map(|child| (*child, depth + 1)));
        }
    }
    nodes
}

const IDS: [&str; 3] = ["span_id", "spanId", "id"];
const PARENTS: [&str; 4] = ["parent_span_id", "parentSpanId", "parent_id", "parent"];
const NAMES: [&str; 3] = ["name", "tool", "type"];
/// What is shown first, in this order; the rest as it is kept.
const FIRST: [&str; 5] = ["arguments", "input", "result", "output", "error"];
const DURATIONS: [&str; 2] = ["duration_ms", "latency_ms"];
const TIMES: [(&str, &str); 2] = [
    ("start_time_unix_nano", "end_time_unix_nano"),
    ("startTimeUnixNano", "endTimeUnixNano"),
];

fn objects(list: Option<&Json>) -> Vec<Value> {
    match list.map(Json::to_value) {
        Some(Value::Array(objects)) => objects,
        _ => Vec::new(),
    }
}

fn text<'v>(object: &'v Value, names: &[&str]) -> Option<&'v str> {
    let found = names.iter().find_map(|name| object.get(name)?.as_str());
    found.filter(|text| !text.is_empty())
}

fn node(object: &Value, depth: usize) -> Node {
    // Spans that came by a protocol have a form; others are shown as they were handed in.
    if let Ok(span) = serde_json::from_value::<Span>(object.clone()) {
        return span::node(&span, depth);
    }
    let parts = object.as_object().into_iter().flatten();
    let mut parts: Vec<(&String, &Value)> = parts
        .filter(|(name, value)| *name != "name" && !value.is_null())
        .collect();
    parts.sort_by_key(|(name, _)| {
        FIRST
            .iter()
            .position(|first| first == name)
            .unwrap_or(FIRST.len())
    });
    Node {
        depth,
        name: text(object, &NAMES).unwrap_or("unnamed").to_owned(),
        kind: None,
        duration: duration(object),
        error: error(object),
        parts: parts
            .into_iter()
            .map(|(name, value)| (name.clone(), shown(value)))
            .collect(),
    }
}

fn duration(object: &Value) -> Option<String> {
    let given = DURATIONS.iter().find_map(|name| object.get(name)?.as_f64());
    let milliseconds = given.or_else(|| {
        let nanoseconds = |name: &str| {
            let value = object.get(name)?;
            value.as_f64().or_else(|| value.as_str()?.parse().ok())
        };
        TIMES
            .iter()
            .find_map(|(start, end)| Some((nanoseconds(end)? - nanoseconds(start)?) / 1e6))
    })?;
    shown_milliseconds(milliseconds)
}

fn shown_milliseconds(milliseconds: f64) -> Option<String> {
    let whole = milliseconds.round();
    // A duration that fits into a span is far below 2^53.
    (whole >= 0.0).then(|| [&number::count(whole as u64), " ms"].concat())
}

/// What went wrong: the text of `error`, or a status that says so.
fn error(object: &Value) -> Option<String> {
    match object.get("error") {
        None | Some(Value::Null | Value::Bool(false)) => {}
        Some(Value::String(text)) if text.is_empty() => {}
        Some(value) => return Some(shown(value)),
    }
    let status = object.get("status").or_else(|| object.get("status_code"))?;
    let code = status.get("code").unwrap_or(status);
    let is_error = code
        .as_str()
        .is_some_and(|code| code.to_lowercase().ends_with("error"))
        || (status.is_object() && code.as_u64() == Some(2));
    let message = status.get("message").and_then(Value::as_str);
    is_error.then(|| message.unwrap_or("error").to_owned())
}

/// A value for people: texts as they are, the rest as indented JSON.
fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        value => serde_json::to_string_pretty(value).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(json: &str) -> Vec<(usize, String)> {
        let nodes = spans(Some(&Json::parse(json).unwrap()));
        nodes.into_iter().map(|node| (node.depth, node.name)).collect()
    }

    #[test]
    fn spans_stand_below_what_they_belong_to() {
        let json = r#"[
            {"span_id": "c", "parent_span_id": "b", "name": "C"},
            {"span_id": "a", "name": "A"},
            {"span_id": "b", "parent_span_id": "a", "name": "B"},
            {"span_id": "d", "parent_span_id": "a", "name": "D"},
            {"span_id": "e", "parent_span_id": "elsewhere", "name": "E"},
            {"name": "F"}
        ]"#;
        let expected = [(0, "A"), (1, "B"), (2, "C"), (1, "D"), (0, "E"), (0, "F")];
        assert_eq!(tree(json), expected.map(|(depth, name)| (depth, name.to_owned())));
    }

    #[test]
    fn rings_and_odd_spans_are_shown_once() {
        let json = r#"[{"id": "a", "parent_id": "b"}, {"id": "b", "parent_id": "a"}, {"id": "c", "parent_id": "c"}, {}]"#;
        assert_eq!(tree(json).len(), 4);
        assert!(spans(Some(&Json::parse("{}").unwrap())).is_empty() && spans(None).is_empty());
    }

    #[test]
    fn a_node_says_how_long_and_what_went_wrong() {
        let json = r#"[
            {"name": "search", "arguments": {"q": 1}, "result": "two\nlines", "error": "timed out", "duration_ms": 1240.4},
            {"name": "ok", "status": {"code": 1}, "startTimeUnixNano": "1000000", "endTimeUnixNano": "3000000"},
            {"name": "bad", "status": {"code": 2, "message": "no"}, "error": null},
            {"name": "worse", "status_code": "STATUS_CODE_ERROR"}
        ]"#;
        let nodes = tool_calls(Some(&Json::parse(json).unwrap()));
        assert_eq!(nodes[0].duration.as_deref(), Some("1\u{202f}240 ms"));
        assert_eq!(nodes[1].duration.as_deref(), Some("2 ms"));
        let errors: Vec<Option<&str>> = nodes.iter().map(|node| node.error.as_deref()).collect();
        assert_eq!(errors, [Some("timed out"), None, Some("no"), Some("error")]);
        assert!(
            nodes[0]
                .parts
                .contains(&("arguments".to_owned(), "{\n  \"q\": 1\n}".to_owned()))
        );
        assert!(
            nodes[0]
                .parts
                .contains(&("result".to_owned(), "two\nlines".to_owned()))
        );
    }
}
