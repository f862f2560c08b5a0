use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::{ArrayValue, KeyValueList};
use opentelemetry_proto::tonic::trace::v1::{ResourceSpans, ScopeSpans};
use pawl_engine::trace::MAX_SPANS;
use proptest::prelude::*;
use serde_json::json;

use super::*;

fn span() -> wire::Span {
    wire::Span {
        trace_id: vec![1; 16],
        span_id: vec![2; 8],
        ..wire::Span::default()
    }
}

fn request(resource: Resource, spans: Vec<wire::Span>) -> Vec<u8> {
    let scope_spans = vec![ScopeSpans {
        spans,
        ..ScopeSpans::default()
    }];
    let resource_spans = vec![ResourceSpans {
        resource: Some(resource),
        scope_spans,
        ..ResourceSpans::default()
    }];
    ExportTraceServiceRequest { resource_spans }.encode_to_vec()
}

fn rejected(body: &[u8]) -> Option<(u64, SpanProblem)> {
    read(body).unwrap().rejected()
}

#[test]
fn values_become_json() {
    let some = |value| AnyValue { value: Some(value) };
    let pair = |key: &str, value| KeyValue {
        key: key.to_owned(),
        value: Some(some(value)),
        ..KeyValue::default()
    };
    let read = attributes(vec![
        pair("text", Any::StringValue("x".to_owned())),
        pair("truth", Any::BoolValue(true)),
        pair("int", Any::IntValue(i64::MIN)),
        pair("double", Any::DoubleValue(2.0)),
        pair("nan", Any::DoubleValue(f64::NAN)),
        pair("infinite", Any::DoubleValue(f64::NEG_INFINITY)),
        pair("bytes", Any::BytesValue(b"hi".to_vec())),
        pair(
            "list",
            Any::ArrayValue(ArrayValue {
                values: vec![some(Any::IntValue(1)), AnyValue { value: None }],
            }),
        ),
        pair(
            "map",
            Any::KvlistValue(KeyValueList {
                values: vec![pair("k", Any::IntValue(1))],
            }),
        ),
    ]);
    let expected = json!({"text": "x", "truth": true, "int": i64::MIN, "double": 2.0, "nan": "NaN",
        "infinite": "-Infinity", "bytes": "aGk=", "list": [1, null], "map": {"k": 1}});
    assert_eq!(Value::Object(read), expected);
}

#[test]
fn a_short_body_does_not_become_much() {
    // Two bytes each; as messages they would take a gigabyte.
    let empty_spans = 0x12_00_u16.to_be_bytes().repeat(4_000_000);
    let mut scope_spans = vec![0x12];
    prost::encoding::encode_varint(empty_spans.len() as u64, &mut scope_spans);
    scope_spans.extend(empty_spans);
    let mut body = vec![0x0a];
    prost::encoding::encode_varint(scope_spans.len() as u64, &mut body);
    body.extend(scope_spans);
    let (count, problem) = rejected(&body).unwrap();
    assert_eq!((count, problem), (4_000_000, SpanProblem::TraceId));
    let many = request(Resource::default(), vec![span(); MAX_SPANS + 3]);
    assert_eq!(rejected(&many), Some((3, SpanProblem::TooMany)));
    let large = wire::Span {
        name: "x".repeat(1024 * 1024),
        ..span()
    };
    let body = request(Resource::default(), vec![large, span()]);
    assert_eq!(rejected(&body), Some((1, SpanProblem::TooLarge)));
    let resource = Resource {
        attributes: vec![KeyValue {
            key: "x".repeat(70_000),
            ..KeyValue::default()
        }],
        ..Resource::default()
    };
    assert_eq!(
        rejected(&request(resource, vec![span()])),
        Some((1, SpanProblem::OriginTooLarge))
    );
}

#[test]
fn a_span_that_is_malformed_does_not_take_the_others_with_it() {
    let mut body = request(
        Resource::default(),
        vec![
            span(),
            wire::Span {
                name: "ab".to_owned(),
                ..span()
            },
        ],
    );
    let place = body.windows(2).position(|two| two == b"ab").unwrap();
    body[place] = 0xff;
    assert_eq!(rejected(&body), Some((1, SpanProblem::Malformed)));
    for cut in [1, 2, 5, body.len() - 1] {
        assert!(read(&body[..cut]).is_err(), "{cut}");
    }
}

proptest! {
    /// Whatever is sent, it is read or refused, and counts no more spans than there is room for.
    #[test]
    fn any_bytes(bytes: Vec<u8>) {
        let rejected = read(&bytes).ok().and_then(|export| export.rejected());
        prop_assert!(rejected.map_or(0, |(count, _)| count) <= bytes.len() as u64);
    }

    /// What is changed somewhere in a sound export, too.
    #[test]
    fn nearly_sound(place in 0..60_usize, byte: u8) {
        let mut body = request(Resource::default(), vec![span(), span()]);
        let place = place % body.len();
        body[place] = byte;
        let rejected = read(&body).ok().and_then(|export| export.rejected());
        prop_assert!(rejected.map_or(0, |(count, _)| count) <= body.len() as u64);
    }
}
