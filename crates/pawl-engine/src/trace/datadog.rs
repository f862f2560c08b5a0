//! Spans as Datadog's LLM Observability exports them, a page of its answers a document.
//!
//! Source: Datadog, LLM Observability, Export API (`/api/v2/llm-obs/v1/spans/events`).

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::reading::{EVALUATION, EVALUATION_NAME, EVALUATION_SCORE};
use super::span::{Attributes, Event, Span, Status, StatusCode};
use super::{Export, SpanProblem};

/// Below this, a beginning is in milliseconds, as some answers have it in spite of its name.
const MILLISECONDS: u64 = 1_000_000_000_000_000;
/// What costs are told in, a billionth of a dollar.
const NANO_DOLLARS: f64 = 1e-9;
/// What the parent of a root is called.
const NO_PARENT: &str = "undefined";

#[derive(Deserialize)]
struct Page<'a> {
    #[serde(borrow)]
    data: Vec<&'a RawValue>,
}

/// Reads a page of an export. Its ids are kept as they are.
///
/// # Errors
/// When it is no JSON, or has no list `data`.
pub fn read(text: &str) -> Result<Export, serde_json::Error> {
    let page: Page<'_> = serde_json::from_str(text)?;
    let mut export = Export::default();
    for item in page.data {
        export.take(item.get().len(), || {
            let item: Value = serde_json::from_str(item.get()).map_err(|_| SpanProblem::Malformed)?;
            match item.get("attributes") {
                Some(Value::Object(attributes)) => read_span(attributes),
                _ => Err(SpanProblem::Malformed),
            }
        });
    }
    Ok(export)
}

fn read_span(found: &Map<String, Value>) -> Result<Span, SpanProblem> {
    let text = |name: &str| {
        found
            .get(name)
            .and_then(Value::as_str)
            .filter(|text| !text.is_empty())
    };
    let number = |name: &str| {
        found
            .get(name)
            .and_then(Value::as_f64)
            .filter(|number| *number >= 0.0)
    };
    // Nanoseconds since 1970 do not fit into a float.
    let began = found.get("start_ns").and_then(Value::as_u64);
    let began = began.map_or(0, |at| if at < MILLISECONDS { at * 1_000_000 } else { at });
    let took = number("duration").map_or(0, |nanoseconds| nanoseconds as u64);
    let is_error = text("status") == Some("error");
    Ok(Span {
        trace_id: text("trace_id").ok_or(SpanProblem::TraceId)?.to_owned(),
        span_id: text("span_id").ok_or(SpanProblem::SpanId)?.to_owned(),
        parent_span_id: text("parent_id").filter(|id| *id != NO_PARENT).map(str::to_owned),
        name: text("name").unwrap_or_default().to_owned(),
        start_time_unix_nano: began,
        end_time_unix_nano: began.saturating_add(took),
        status: Status {
            code: if is_error {
                StatusCode::Error
            } else {
                StatusCode::Ok
            },
            message: String::new(),
        },
        attributes: attributes(found),
        events: evaluations(found, began.saturating_add(took)),
        ..Span::default()
    })
}

/// What a span says, under the names that OpenTelemetry has for it; the rest under Datadog's.
fn attributes(found: &Map<String, Value>) -> Attributes {
    let mut attributes = Map::new();
    let mut put = |key: &str, value: Value| {
        attributes.insert(key.to_owned(), value);
    };
    let kind = found.get("span_kind").and_then(Value::as_str).unwrap_or_default();
    let operation = match kind {
        "llm" => Some("chat"),
        "agent" => Some("invoke_agent"),
        "workflow" => Some("invoke_workflow"),
        "tool" => Some("execute_tool"),
        "embedding" => Some("embeddings"),
        "retrieval" => Some("retrieval"),
        _ => None,
    };
    if let Some(operation) = operation {
        put("gen_ai.operation.name", json!(operation));
    }
    for (name, key) in [
        ("model_name", "gen_ai.request.model"),
        ("model_provider", "gen_ai.provider.name"),
    ] {
        if let Some(value) = found.get(name).filter(|value| !value.is_null()) {
            put(key, value.clone());
        }
    }
    if kind == "tool" {
        put("gen_ai.tool.name", found.get("name").cloned().unwrap_or_default());
    }
    for (side, said, of_tool) in [
        ("input", "gen_ai.input.messages", "gen_ai.tool.call.arguments"),
        ("output", "gen_ai.output.messages", "gen_ai.tool.call.result"),
    ] {
        let Some(side) = found.get(side) else { continue };
        let messages = side
            .get("messages")
            .and_then(Value::as_array)
            .filter(|list| !list.is_empty());
        let value = side.get("value").filter(|value| !value.is_null());
        match (messages, value) {
            (_, Some(value)) if kind == "tool" => put(of_tool, value.clone()),
            (Some(messages), _) => put(said, messages.iter().map(message).collect()),
            (None, Some(value)) => put(said, value.clone()),
            (None, None) => {}
        }
    }
    let metrics = found.get("metrics").and_then(Value::as_object);
    let metric = |name: &str| metrics?.get(name).filter(|value| value.is_number()).cloned();
    for (name, key) in [
        ("input_tokens", "gen_ai.usage.input_tokens"),
        ("output_tokens", "gen_ai.usage.output_tokens"),
    ] {
        if let Some(count) = metric(name) {
            put(key, count);
        }
    }
    if let Some(cost) = metric("estimated_total_cost").and_then(|cost| cost.as_f64()) {
        put("gen_ai.usage.cost", json!(cost * NANO_DOLLARS));
    }
    for name in [
        "ml_app",
        "tags",
        "metadata",
        "metrics",
        "tool_definitions",
        "intent",
    ] {
        if let Some(value) = found.get(name) {
            put(&["datadog.", name].concat(), value.clone());
        }
    }
    attributes
}

/// A message with its calls and results as parts.
fn message(message: &Value) -> Value {
    let list = |name: &str| {
        message
            .get(name)
            .and_then(Value::as_array)
            .cloned()
            .unwrap_or_default()
    };
    let mut parts: Vec<Value> = message
        .get("content")
        .and_then(Value::as_str)
        .filter(|text| !text.is_empty())
        .map(|text| json!({"type": "text", "content": text}))
        .into_iter()
        .collect();
    for call in list("tool_calls") {
        parts.push(json!({"type": "tool_call", "id": call["tool_id"], "name": call["name"], "arguments": call["arguments"]}));
    }
    for result in list("tool_results") {
        parts.push(
            json!({"type": "tool_call_response", "id": result["tool_id"], "response": result["result"]}),
        );
    }
    json!({"role": message["role"], "parts": parts})
}

/// Evaluations with a number as events; one of another form says something, and is no score.
fn evaluations(found: &Map<String, Value>, at: u64) -> Vec<Event> {
    let evaluations = found.get("evaluation").and_then(Value::as_object);
    let event = |(name, said): (&String, &Value)| {
        let mut attributes = Map::new();
        attributes.insert(EVALUATION_NAME.to_owned(), json!(name));
        match said.get("value") {
            Some(value @ Value::Number(_)) => attributes.insert(EVALUATION_SCORE.to_owned(), value.clone()),
            Some(value) => attributes.insert("gen_ai.evaluation.score.label".to_owned(), value.clone()),
            None => None,
        };
        attributes.insert("datadog.evaluation".to_owned(), said.clone());
        Event {
            time_unix_nano: at,
            name: EVALUATION.to_owned(),
            attributes,
            ..Event::default()
        }
    };
    evaluations.into_iter().flatten().map(event).collect()
}

#[cfg(test)]
mod tests {
    use pawl_model::Score;

    use super::*;
    use crate::trace::Assembled;

    const EXPORT: &str = include_str!("../../../../examples/traces/agent.datadog.json");

    #[test]
    fn an_export_is_read() {
        let mut export = read(EXPORT).unwrap();
        assert_eq!(export.rejected(), None);
        let spans = export.take_spans();
        assert!(
            spans
                .iter()
                .all(|span| span.trace_id == "dd_trace_6903738200000000af2d3775dfc70530")
        );
        let made = Assembled::of(&spans.iter().collect::<Vec<_>>()).unwrap();
        assert_eq!(made.prompt, "Where is my refund for order 4711?");
        assert_eq!(made.response, "Your refund of 20 EUR was paid on 3 January.");
        assert_eq!((made.latency_ms, made.score), (Some(1_840), Score::parse("0.75")));
        assert_eq!((made.input_tokens, made.output_tokens), (Some(82), Some(17)));
        let cost = made.cost_usd.unwrap();
        assert!((cost - 0.000_007_5).abs() < 1e-12, "{cost}");
        let calls = json!([{"name": "find_refund", "arguments": {"order": "4711"}, "result": "timed out", "error": "error"}]);
        assert_eq!(made.tool_calls.unwrap().to_value(), calls);
        assert_eq!(spans[0].attributes["datadog.ml_app"], "refunds");
    }

    #[test]
    fn what_is_no_export_is_refused() {
        for text in ["", "[]", "{}", r#"{"data": {}}"#] {
            assert!(read(text).is_err(), "{text}");
        }
        let odd = r#"{"data": [7, {"attributes": {}}, {"attributes": {"trace_id": "t"}}]}"#;
        assert_eq!(read(odd).unwrap().rejected(), Some((3, SpanProblem::Malformed)));
    }
}
