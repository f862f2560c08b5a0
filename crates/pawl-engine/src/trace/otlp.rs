//! Traces in the JSON of OTLP: protobuf's, but for ids, which are hexadecimal.
//!
//! Source: OpenTelemetry protocol 1.x, "JSON Protobuf Encoding".

mod write;

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::span::{Attributes, Dropped, Event, Link, Origin, Span, SpanKind, Status, StatusCode};
use super::{Export, SpanProblem};
pub use write::document;

/// Why a text is no document of OTLP.
#[derive(Debug, thiserror::Error)]
#[error("no OTLP in JSON: {problem} at line {line}, column {column}")]
pub struct NoDocument {
    problem: String,
    /// From 1.
    pub line: usize,
    /// In bytes, from 1.
    pub column: usize,
}

impl From<serde_json::Error> for NoDocument {
    fn from(error: serde_json::Error) -> Self {
        let (line, column) = (error.line(), error.column());
        let text = error.to_string();
        let problem = text.split(" at line ").next().unwrap_or_default().to_owned();
        Self {
            problem,
            line,
            column,
        }
    }
}

/// A list of which each item is read by itself, so that a short text does not become much of a structure.
type Items<'a> = Option<Vec<&'a RawValue>>;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Document<'a> {
    #[serde(borrow, alias = "resource_spans")]
    resource_spans: Items<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ResourceSpans<'a> {
    #[serde(borrow)]
    resource: Option<&'a RawValue>,
    #[serde(borrow, alias = "scope_spans")]
    scope_spans: Items<'a>,
    #[serde(default, alias = "schema_url")]
    schema_url: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ScopeSpans<'a> {
    #[serde(borrow)]
    scope: Option<&'a RawValue>,
    #[serde(borrow)]
    spans: Items<'a>,
    #[serde(default, alias = "schema_url")]
    schema_url: Option<String>,
}

/// Reads a document.
///
/// # Errors
/// Naming line and column of what is no JSON, or not of OTLP's form outside a span. A span that cannot be read is counted
/// as one that is not taken.
pub fn read(text: &str) -> Result<Export, NoDocument> {
    // Parts are read by themselves later, when it is known that they are JSON.
    serde_json::from_str::<IgnoredAny>(text)?;
    let document: Document<'_> = object(text, text.trim())?;
    let mut export = Export::default();
    for part in document.resource_spans.into_iter().flatten() {
        let of_resource: ResourceSpans<'_> = object(text, part.get())?;
        for part in of_resource.scope_spans.into_iter().flatten() {
            let of_scope: ScopeSpans<'_> = object(text, part.get())?;
            let schema_url = of_scope.schema_url.or_else(|| of_resource.schema_url.clone());
            let origin = origin(of_resource.resource, of_scope.scope, schema_url);
            for span in of_scope.spans.into_iter().flatten() {
                export.take(span.get().len(), || {
                    let origin = origin.as_ref().map_err(|problem| *problem)?;
                    let value: Value =
                        serde_json::from_str(span.get()).map_err(|_| SpanProblem::Malformed)?;
                    read_span(&value, origin)
                });
            }
        }
    }
    Ok(export)
}

/// An object that is a part of a text; what is wrong with it is wrong at its place in the whole.
fn object<'t, T: Deserialize<'t>>(text: &'t str, part: &'t str) -> Result<T, NoDocument> {
    let read = if part.starts_with('{') {
        serde_json::from_str(part).map_err(NoDocument::from)
    } else {
        Err(NoDocument {
            problem: "there should be an object".to_owned(),
            line: 1,
            column: 1,
        })
    };
    read.map_err(|found| {
        let before = &text[..part.as_ptr() as usize - text.as_ptr() as usize];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let is_first = found.line == 1;
        NoDocument {
            line: found.line + before.matches('\n').count(),
            column: found.column + if is_first { before.len() - line_start } else { 0 },
            ..found
        }
    })
}

fn origin(
    resource: Option<&RawValue>,
    scope: Option<&RawValue>,
    schema_url: Option<String>,
) -> Result<Arc<Origin>, SpanProblem> {
    let parsed = |part: Option<&RawValue>| {
        let text = part.map_or("null", RawValue::get);
        Export::check_origin(text.len())?;
        serde_json::from_str::<Value>(text).map_err(|_| SpanProblem::Malformed)
    };
    let (resource, scope) = (Object(&parsed(resource)?), &parsed(scope)?);
    let scope = Object(scope);
    Ok(Arc::new(Origin {
        resource: resource.attributes()?,
        scope: scope.text("name")?,
        scope_version: scope.text("version")?,
        scope_attributes: scope.attributes()?,
        schema_url: schema_url.unwrap_or_default(),
    }))
}

fn read_span(value: &Value, origin: &Arc<Origin>) -> Result<Span, SpanProblem> {
    let span = Object(value);
    if !value.is_object() {
        return Err(SpanProblem::Malformed);
    }
    let status = span.member("status");
    let status = Object(status.unwrap_or(&Value::Null));
    let events = span.list("events")?;
    let links = span.list("links")?;
    Ok(Span {
        trace_id: span.id::<32>("traceId")?.ok_or(SpanProblem::TraceId)?,
        span_id: span.id::<16>("spanId")?.ok_or(SpanProblem::SpanId)?,
        parent_span_id: span.id::<16>("parentSpanId")?,
        name: span.text("name")?,
        kind: SpanKind::of_number(span.named("kind", &KINDS)?),
        start_time_unix_nano: span.number("startTimeUnixNano")?,
        end_time_unix_nano: span.number("endTimeUnixNano")?,
        status: Status {
            code: StatusCode::of_number(status.named("code", &CODES)?),
            message: status.text("message")?,
        },
        attributes: span.attributes()?,
        events: events.iter().map(read_event).collect::<Result<_, _>>()?,
        links: links.iter().map(read_link).collect::<Result<_, _>>()?,
        trace_state: span.text("traceState")?,
        flags: span.small_number("flags")?,
        dropped: Dropped {
            attributes: span.small_number("droppedAttributesCount")?,
            events: span.small_number("droppedEventsCount")?,
            links: span.small_number("droppedLinksCount")?,
        },
        origin: Arc::clone(origin),
        redactions: None,
    })
}

fn read_event(value: &Value) -> Result<Event, SpanProblem> {
    let event = Object(value);
    Ok(Event {
        time_unix_nano: event.number("timeUnixNano")?,
        name: event.text("name")?,
        attributes: event.attributes()?,
        dropped_attributes: event.small_number("droppedAttributesCount")?,
    })
}

fn read_link(value: &Value) -> Result<Link, SpanProblem> {
    let link = Object(value);
    Ok(Link {
        trace_id: link.id::<32>("traceId")?.ok_or(SpanProblem::TraceId)?,
        span_id: link.id::<16>("spanId")?.ok_or(SpanProblem::SpanId)?,
        trace_state: link.text("traceState")?,
        attributes: link.attributes()?,
        dropped_attributes: link.small_number("droppedAttributesCount")?,
        flags: link.small_number("flags")?,
    })
}

/// Names of protobuf's enumerations by their numbers.
const KINDS: [&str; 6] = [
    "SPAN_KIND_UNSPECIFIED",
    "SPAN_KIND_INTERNAL",
    "SPAN_KIND_SERVER",
    "SPAN_KIND_CLIENT",
    "SPAN_KIND_PRODUCER",
    "SPAN_KIND_CONSUMER",
];
const CODES: [&str; 3] = ["STATUS_CODE_UNSET", "STATUS_CODE_OK", "STATUS_CODE_ERROR"];

/// An object whose members may be left out or null, as protobuf's JSON has them; members that are unknown are passed
/// over, as the protocol asks.
struct Object<'v>(&'v Value);

impl<'v> Object<'v> {
    fn member(&self, name: &str) -> Option<&'v Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    fn text(&self, name: &str) -> Result<String, SpanProblem> {
        match self.member(name) {
            None => Ok(String::new()),
            Some(Value::String(text)) => Ok(text.clone()),
            Some(_) => Err(SpanProblem::Malformed),
        }
    }

    /// A number of 64 bits, which may be written as a text.
    fn number(&self, name: &str) -> Result<u64, SpanProblem> {
        match self.member(name) {
            None => Ok(0),
            Some(value) => value
                .as_u64()
                .or_else(|| value.as_str()?.parse().ok())
                .ok_or(SpanProblem::Malformed),
        }
    }

    fn small_number(&self, name: &str) -> Result<u32, SpanProblem> {
        u32::try_from(self.number(name)?).map_err(|_| SpanProblem::Malformed)
    }

    /// A number that may be written as the name which it has.
    fn named(&self, name: &str, names: &[&str]) -> Result<i64, SpanProblem> {
        match self.member(name) {
            None => Ok(0),
            Some(Value::String(word)) => {
                let place = names.iter().position(|known| known == word);
                let place = place.and_then(|place| i64::try_from(place).ok());
                place.or_else(|| word.parse().ok()).ok_or(SpanProblem::Malformed)
            }
            Some(value) => value.as_i64().ok_or(SpanProblem::Malformed),
        }
    }

    /// An id of so many hexadecimal digits, in lower case; none where it is left out or all zero.
    fn id<const DIGITS: usize>(&self, name: &str) -> Result<Option<String>, SpanProblem> {
        let text = self.text(name)?;
        if text.is_empty() {
            return Ok(None);
        }
        if text.len() != DIGITS || !text.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return Err(if DIGITS == 32 {
                SpanProblem::TraceId
            } else {
                SpanProblem::SpanId
            });
        }
        let is_zero = text.bytes().all(|digit| digit == b'0');
        Ok((!is_zero).then(|| text.to_ascii_lowercase()))
    }

    fn list(&self, name: &str) -> Result<&'v [Value], SpanProblem> {
        match self.member(name) {
            None => Ok(&[]),
            Some(Value::Array(items)) => Ok(items),
            Some(_) => Err(SpanProblem::Malformed),
        }
    }

    fn attributes(&self) -> Result<Attributes, SpanProblem> {
        key_values(self.list("attributes")?)
    }
}

fn key_values(items: &[Value]) -> Result<Attributes, SpanProblem> {
    let mut attributes = Map::new();
    for item in items {
        let item = Object(item);
        let value = item.member("value").map(any_value).transpose()?;
        attributes.insert(item.text("key")?, value.unwrap_or_default());
    }
    Ok(attributes)
}

fn any_value(value: &Value) -> Result<Value, SpanProblem> {
    let value = Object(value);
    if let Some(text) = value.member("stringValue") {
        return text
            .is_string()
            .then(|| text.clone())
            .ok_or(SpanProblem::Malformed);
    }
    if let Some(truth) = value.member("boolValue") {
        return truth
            .is_boolean()
            .then(|| truth.clone())
            .ok_or(SpanProblem::Malformed);
    }
    if let Some(number) = value.member("intValue") {
        let number = number.as_i64().or_else(|| number.as_str()?.parse().ok());
        return number.map(Value::from).ok_or(SpanProblem::Malformed);
    }
    if let Some(number) = value.member("doubleValue") {
        let number = number.as_f64().or_else(|| number.as_str()?.parse().ok());
        return number.map(double).ok_or(SpanProblem::Malformed);
    }
    if let Some(list) = value.member("arrayValue") {
        let items = Object(list).list("values")?;
        return items
            .iter()
            .map(any_value)
            .collect::<Result<_, _>>()
            .map(Value::Array);
    }
    if let Some(list) = value.member("kvlistValue") {
        return key_values(Object(list).list("values")?).map(Value::Object);
    }
    if let Some(bytes) = value.member("bytesValue") {
        let is_base64 = bytes.as_str().is_some_and(|text| BASE64.decode(text).is_ok());
        return is_base64.then(|| bytes.clone()).ok_or(SpanProblem::Malformed);
    }
    Ok(Value::Null)
}

/// A number as attributes have it.
#[must_use]
pub fn double(number: f64) -> Value {
    serde_json::Number::from_f64(number).map_or_else(|| not_finite(number), Value::Number)
}

fn not_finite(number: f64) -> Value {
    let word = if number.is_nan() {
        "NaN"
    } else if number > 0.0 {
        "Infinity"
    } else {
        "-Infinity"
    };
    Value::from(word)
}

#[cfg(test)]
mod tests;
