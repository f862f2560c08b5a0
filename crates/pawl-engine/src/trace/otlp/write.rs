//! Spans as a document of OTLP in JSON.

use std::sync::Arc;

use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use super::super::span::{Attributes, Origin, Span};

/// The document of these spans, by whoever sent them.
#[must_use]
pub fn document(spans: &[Span]) -> Value {
    let mut by_origin: Vec<(&Arc<Origin>, Vec<Value>)> = Vec::new();
    for span in spans {
        match by_origin.iter_mut().find(|(origin, _)| **origin == span.origin) {
            Some((_, written)) => written.push(write_span(span)),
            None => by_origin.push((&span.origin, vec![write_span(span)])),
        }
    }
    let of_resources = by_origin.into_iter().map(|(origin, spans)| {
        let mut scope = object([("attributes", key_values(&origin.scope_attributes))]);
        insert_text(&mut scope, "name", &origin.scope);
        insert_text(&mut scope, "version", &origin.scope_version);
        let mut of_scope = object([("scope", Value::Object(scope)), ("spans", Value::Array(spans))]);
        insert_text(&mut of_scope, "schemaUrl", &origin.schema_url);
        json!({"resource": {"attributes": key_values(&origin.resource)}, "scopeSpans": [of_scope]})
    });
    json!({"resourceSpans": of_resources.collect::<Vec<_>>()})
}

fn write_span(span: &Span) -> Value {
    let mut written = object([
        ("traceId", Value::String(id::<32>(&span.trace_id))),
        ("spanId", Value::String(id::<16>(&span.span_id))),
        ("name", Value::from(span.name.as_str())),
        ("kind", Value::from(span.kind.number())),
        (
            "startTimeUnixNano",
            Value::from(span.start_time_unix_nano.to_string()),
        ),
        (
            "endTimeUnixNano",
            Value::from(span.end_time_unix_nano.to_string()),
        ),
        ("attributes", key_values(&span.attributes)),
    ]);
    if let Some(parent) = &span.parent_span_id {
        written.insert("parentSpanId".to_owned(), Value::String(id::<16>(parent)));
    }
    insert_text(&mut written, "traceState", &span.trace_state);
    let mut status = object([("code", Value::from(span.status.code.number()))]);
    insert_text(&mut status, "message", &span.status.message);
    written.insert("status".to_owned(), Value::Object(status));
    let events = span.events.iter().map(|event| {
        let mut written = object([
            ("timeUnixNano", Value::from(event.time_unix_nano.to_string())),
            ("name", Value::from(event.name.as_str())),
            ("attributes", key_values(&event.attributes)),
        ]);
        insert_count(&mut written, "droppedAttributesCount", event.dropped_attributes);
        Value::Object(written)
    });
    insert_list(&mut written, "events", events.collect());
    let links = span.links.iter().map(|link| {
        let mut written = object([
            ("traceId", Value::String(id::<32>(&link.trace_id))),
            ("spanId", Value::String(id::<16>(&link.span_id))),
            ("attributes", key_values(&link.attributes)),
        ]);
        insert_text(&mut written, "traceState", &link.trace_state);
        insert_count(&mut written, "droppedAttributesCount", link.dropped_attributes);
        insert_count(&mut written, "flags", link.flags);
        Value::Object(written)
    });
    insert_list(&mut written, "links", links.collect());
    insert_count(&mut written, "flags", span.flags);
    insert_count(&mut written, "droppedAttributesCount", span.dropped.attributes);
    insert_count(&mut written, "droppedEventsCount", span.dropped.events);
    insert_count(&mut written, "droppedLinksCount", span.dropped.links);
    Value::Object(written)
}

fn object<const N: usize>(members: [(&str, Value); N]) -> Map<String, Value> {
    members
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

fn insert_text(object: &mut Map<String, Value>, name: &str, text: &str) {
    if !text.is_empty() {
        object.insert(name.to_owned(), Value::from(text));
    }
}

fn insert_count(object: &mut Map<String, Value>, name: &str, count: u32) {
    if count > 0 {
        object.insert(name.to_owned(), Value::from(count));
    }
}

fn insert_list(object: &mut Map<String, Value>, name: &str, list: Vec<Value>) {
    if !list.is_empty() {
        object.insert(name.to_owned(), Value::Array(list));
    }
}

fn key_values(attributes: &Attributes) -> Value {
    let pairs = attributes.iter();
    pairs
        .map(|(key, value)| json!({"key": key, "value": any_value(value)}))
        .collect()
}

fn any_value(value: &Value) -> Value {
    match value {
        Value::Null => json!({}),
        Value::Bool(truth) => json!({"boolValue": truth}),
        Value::String(text) => json!({"stringValue": text}),
        Value::Array(items) => {
            let items: Vec<Value> = items.iter().map(any_value).collect();
            json!({"arrayValue": {"values": items}})
        }
        Value::Object(members) => json!({"kvlistValue": {"values": key_values(members)}}),
        Value::Number(number) => match number.as_i64() {
            Some(whole) => json!({"intValue": whole.to_string()}),
            None => json!({"doubleValue": number}),
        },
    }
}

/// An id of so many hexadecimal digits: as it is where it is one already, a decimal number as that, else from its hash.
fn id<const DIGITS: usize>(id: &str) -> String {
    if id.len() == DIGITS && id.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return id.to_ascii_lowercase();
    }
    match id.parse::<u64>() {
        Ok(number) if number > 0 => format!("{number:0DIGITS$x}"),
        _ => {
            let mut digits = hex::encode(Sha256::digest(id.as_bytes()));
            digits.truncate(DIGITS);
            digits
        }
    }
}
