//! Spans in protobuf. Each is decoded by itself, within limits that are known before: a short body can stand for a message
//! that takes a hundred times as much memory.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use opentelemetry_proto::tonic::common::v1::any_value::Value as Any;
use opentelemetry_proto::tonic::common::v1::{AnyValue, InstrumentationScope, KeyValue};
use opentelemetry_proto::tonic::resource::v1::Resource;
use opentelemetry_proto::tonic::trace::v1::{self as wire, span};
use pawl_engine::trace::otlp::double;
use pawl_engine::trace::{
    Attributes, Dropped, Event, Export, Link, Origin, Span, SpanKind, SpanProblem, Status, StatusCode,
};
use prost::encoding::{DecodeContext, WireType, decode_key, decode_varint, skip_field};
use prost::{DecodeError, Message};
use serde_json::Value;

/// Why a body is no export.
#[derive(Debug, thiserror::Error)]
pub enum NoExport {
    /// A message in it ends too early.
    #[error("the body is no ExportTraceServiceRequest in protobuf: a message in it is cut off")]
    CutOff,
    /// A message in it is none.
    #[error("the body is no ExportTraceServiceRequest in protobuf")]
    Malformed(#[from] DecodeError),
}

// Numbers of the fields that hold messages.
const RESOURCE_SPANS: u32 = 1;
const RESOURCE: u32 = 1;
const SCOPE_SPANS: u32 = 2;
const SCOPE: u32 = 1;
const SPANS: u32 = 2;
const SCHEMA_URL: u32 = 3;

/// Reads an `ExportTraceServiceRequest` in protobuf. A span that is malformed within is counted as one that is not taken.
///
/// # Errors
/// When the messages around the spans are malformed.
pub fn read(body: &[u8]) -> Result<Export, NoExport> {
    let mut export = Export::default();
    for part in Fields(body).of(RESOURCE_SPANS) {
        read_resource_spans(part?, &mut export)?;
    }
    Ok(export)
}

fn read_resource_spans(body: &[u8], export: &mut Export) -> Result<(), NoExport> {
    let resource = Fields(body).last(RESOURCE)?;
    let of_resource = Fields(body).last(SCHEMA_URL)?;
    for part in Fields(body).of(SCOPE_SPANS) {
        let part = part?;
        let scope = Fields(part).last(SCOPE)?;
        let schema_url = Fields(part).last(SCHEMA_URL)?.or(of_resource);
        let origin = origin([resource, scope, schema_url].map(Option::unwrap_or_default));
        for span in Fields(part).of(SPANS) {
            let span = span?;
            export.take(span.len(), || {
                let origin = origin.as_ref().map_err(|problem| *problem)?;
                read_span(wire::Span::decode(span).map_err(malformed)?, origin)
            });
        }
    }
    Ok(())
}

/// The fields of a message that hold bytes, each with its number, in their order.
#[derive(Clone, Copy)]
struct Fields<'b>(&'b [u8]);

impl<'b> Fields<'b> {
    /// Those of a number.
    fn of(self, number: u32) -> impl Iterator<Item = Result<&'b [u8], NoExport>> {
        self.filter_map(move |field| match field {
            Ok((found, part)) => (found == number).then_some(Ok(part)),
            Err(error) => Some(Err(error)),
        })
    }

    /// A field that a message has once: of several the last one counts.
    fn last(self, number: u32) -> Result<Option<&'b [u8]>, NoExport> {
        self.of(number).try_fold(None, |_, part| part.map(Some))
    }

    fn read(&mut self) -> Result<(u32, &'b [u8]), NoExport> {
        let (number, wire_type) = decode_key(&mut self.0)?;
        if wire_type != WireType::LengthDelimited {
            skip_field(wire_type, number, &mut self.0, DecodeContext::default())?;
            // A field without bytes has none that could be asked for.
            return Ok((0, &[]));
        }
        let length = decode_varint(&mut self.0)?;
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        let (part, rest) = self.0.split_at_checked(length).ok_or(NoExport::CutOff)?;
        self.0 = rest;
        Ok((number, part))
    }
}

impl<'b> Iterator for Fields<'b> {
    type Item = Result<(u32, &'b [u8]), NoExport>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }
        let field = self.read();
        if field.is_err() {
            // What follows something malformed means nothing.
            self.0 = &[];
        }
        Some(field)
    }
}

fn origin([resource, scope, schema_url]: [&[u8]; 3]) -> Result<Arc<Origin>, SpanProblem> {
    Export::check_origin(resource.len().max(scope.len()).max(schema_url.len()))?;
    let resource = Resource::decode(resource).map_err(malformed)?;
    let scope = InstrumentationScope::decode(scope).map_err(malformed)?;
    let schema_url = std::str::from_utf8(schema_url).map_err(|_| SpanProblem::Malformed)?;
    Ok(Arc::new(Origin {
        resource: attributes(resource.attributes),
        scope: scope.name,
        scope_version: scope.version,
        scope_attributes: attributes(scope.attributes),
        schema_url: schema_url.to_owned(),
    }))
}

fn malformed(_: DecodeError) -> SpanProblem {
    SpanProblem::Malformed
}

fn read_span(span: wire::Span, origin: &Arc<Origin>) -> Result<Span, SpanProblem> {
    let status = span.status.unwrap_or_default();
    Ok(Span {
        trace_id: id::<16>(&span.trace_id).ok_or(SpanProblem::TraceId)?,
        span_id: id::<8>(&span.span_id).ok_or(SpanProblem::SpanId)?,
        parent_span_id: parent(&span.parent_span_id)?,
        name: span.name,
        kind: SpanKind::of_number(span.kind.into()),
        start_time_unix_nano: span.start_time_unix_nano,
        end_time_unix_nano: span.end_time_unix_nano,
        status: Status {
            code: StatusCode::of_number(status.code.into()),
            message: status.message,
        },
        attributes: attributes(span.attributes),
        events: span.events.into_iter().map(event).collect(),
        links: span.links.into_iter().map(link).collect::<Result<_, _>>()?,
        trace_state: span.trace_state,
        flags: span.flags,
        dropped: Dropped {
            attributes: span.dropped_attributes_count,
            events: span.dropped_events_count,
            links: span.dropped_links_count,
        },
        origin: Arc::clone(origin),
        redactions: None,
    })
}

fn event(event: span::Event) -> Event {
    Event {
        time_unix_nano: event.time_unix_nano,
        name: event.name,
        attributes: attributes(event.attributes),
        dropped_attributes: event.dropped_attributes_count,
    }
}

fn link(link: span::Link) -> Result<Link, SpanProblem> {
    Ok(Link {
        trace_id: id::<16>(&link.trace_id).ok_or(SpanProblem::TraceId)?,
        span_id: id::<8>(&link.span_id).ok_or(SpanProblem::SpanId)?,
        trace_state: link.trace_state,
        attributes: attributes(link.attributes),
        dropped_attributes: link.dropped_attributes_count,
        flags: link.flags,
    })
}

/// An id of so many bytes; none where it is of another length or all zero.
fn id<const LENGTH: usize>(bytes: &[u8]) -> Option<String> {
    let is_id = bytes.len() == LENGTH && bytes.iter().any(|byte| *byte != 0);
    is_id.then(|| hex::encode(bytes))
}

fn parent(bytes: &[u8]) -> Result<Option<String>, SpanProblem> {
    match bytes.len() {
        0 => Ok(None),
        8 => Ok(id::<8>(bytes)),
        _ => Err(SpanProblem::SpanId),
    }
}

fn attributes(pairs: Vec<KeyValue>) -> Attributes {
    let value = |value: Option<AnyValue>| value.and_then(|value| value.value).map(any).unwrap_or_default();
    pairs
        .into_iter()
        .map(|pair| (pair.key, value(pair.value)))
        .collect()
}

fn any(value: Any) -> Value {
    match value {
        Any::StringValue(text) => Value::String(text),
        Any::BoolValue(truth) => Value::Bool(truth),
        Any::IntValue(number) => Value::from(number),
        Any::DoubleValue(number) => double(number),
        Any::ArrayValue(list) => {
            let items = list.values.into_iter().map(|item| item.value.map(any));
            Value::Array(items.map(Option::unwrap_or_default).collect())
        }
        Any::KvlistValue(list) => Value::Object(attributes(list.values)),
        Any::BytesValue(bytes) => Value::String(BASE64.encode(bytes)),
        // A place in a table of texts, which profiles have and traces do not.
        Any::StringValueStrindex(_) => Value::Null,
    }
}

#[cfg(test)]
mod tests;
