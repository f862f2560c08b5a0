//! A span that came by a protocol, as a node of the tree.

use pawl_engine::trace::{Attributes, Event, Span};
use serde_json::Value;

use super::{Node, shown, shown_milliseconds};

pub(super) fn node(span: &Span, depth: usize) -> Node {
    let mut parts = shown_attributes(&span.attributes);
    parts.extend(span.events.iter().map(|event| shown_event(span, event)));
    parts.extend(span.links.iter().map(|link| {
        let to = [&link.trace_id, " ", &link.span_id].concat();
        ("linked to".to_owned(), to)
    }));
    let origin = &span.origin;
    if !origin.resource.is_empty() {
        let resource = Value::Object(origin.resource.clone());
        parts.push(("resource".to_owned(), shown(&resource)));
    }
    if !origin.scope.is_empty() {
        let scope = [origin.scope.as_str(), " ", &origin.scope_version].concat();
        parts.push(("scope".to_owned(), scope.trim_end().to_owned()));
    }
    Node {
        depth,
        name: span.name.clone(),
        kind: kind(span),
        duration: milliseconds(span.start_time_unix_nano, span.end_time_unix_nano),
        error: span.error().map(str::to_owned),
        parts,
    }
}

/// What it does, or else which end of a call it is.
fn kind(span: &Span) -> Option<String> {
    let named = ["gen_ai.operation.name", "openinference.span.kind"];
    let mut named = named.iter().filter_map(|key| span.attributes.get(*key)?.as_str());
    if let Some(named) = named.next() {
        return Some(named.to_lowercase());
    }
    match serde_json::to_value(span.kind) {
        Ok(Value::String(kind)) if kind != "unspecified" => Some(kind),
        _ => None,
    }
}

fn milliseconds(began: u64, ended: u64) -> Option<String> {
    let nanoseconds = ended.checked_sub(began).filter(|_| began > 0)?;
    shown_milliseconds(nanoseconds as f64 / 1e6)
}

fn shown_attributes(attributes: &Attributes) -> Vec<(String, String)> {
    let mut shown_all: Vec<(String, String)> = attributes
        .iter()
        .map(|(key, value)| (key.clone(), shown(&structured(value))))
        .collect();
    shown_all.sort();
    shown_all
}

fn shown_event(span: &Span, event: &Event) -> (String, String) {
    let after = milliseconds(span.start_time_unix_nano, event.time_unix_nano);
    let after = after.map_or_else(String::new, |after| [" after ", &after].concat());
    let said = shown_attributes(&event.attributes);
    let said: Vec<String> = said
        .into_iter()
        .map(|(key, value)| [&key, ": ", &value].concat())
        .collect();
    (["event ", &event.name, &after].concat(), said.join("\n"))
}

/// A text that is JSON, as that, so that it is shown with its lines.
fn structured(value: &Value) -> Value {
    match value {
        Value::String(text) if text.trim_start().starts_with(['{', '[']) => {
            serde_json::from_str(text).unwrap_or_else(|_| value.clone())
        }
        _ => value.clone(),
    }
}

#[cfg(test)]
mod tests {
    use pawl_engine::trace::otlp;
    use pawl_model::Json;

    use super::super::spans;

    #[test]
    fn spans_say_what_they_are() {
        let document = include_str!("../../../../../../examples/traces/agent.otlp.json");
        let stored = otlp::read(document).unwrap().stored().unwrap();
        let nodes = spans(Some(&stored));
        let shown: Vec<(usize, &str, Option<&str>, Option<&str>)> = nodes
            .iter()
            .map(|node| {
                (
                    node.depth,
                    node.name.as_str(),
                    node.kind.as_deref(),
                    node.duration.as_deref(),
                )
            })
            .collect();
        assert_eq!(
            shown,
            [
                (
                    0,
                    "invoke_agent refunds",
                    Some("invoke_agent"),
                    Some("1\u{202f}840 ms")
                ),
                (1, "chat gpt-5-mini", Some("chat"), Some("610 ms")),
                (
                    1,
                    "execute_tool find_refund",
                    Some("execute_tool"),
                    Some("280 ms")
                ),
                (1, "chat gpt-5-mini", Some("chat"), Some("910 ms")),
            ]
        );
        let part = |name: &str| {
            let found = nodes[0].parts.iter().find(|(part, _)| part.starts_with(name));
            found.map(|(_, text)| text.as_str()).unwrap_or_default()
        };
        assert!(
            part("gen_ai.input.messages").starts_with("[\n  {"),
            "{}",
            part("gen_ai.input.messages")
        );
        let verdict = part("event gen_ai.evaluation.result after 1\u{202f}835 ms");
        assert!(
            verdict.contains("gen_ai.evaluation.score.value: 0.75"),
            "{verdict}"
        );
        assert_eq!(part("scope"), "refunds.agent 1.4.0");
        assert!(spans(Some(&Json::empty_array())).is_empty());
    }
}
