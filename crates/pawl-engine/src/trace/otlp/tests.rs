use serde_json::json;

use super::*;

fn document(span: &Value) -> String {
    json!({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}).to_string()
}

/// A span with what it needs, and these members.
fn with(members: &Value) -> Value {
    let mut span = json!({"traceId": "5B8EFFF798038103D269B633813FC60C", "spanId": "EEE19B7EC3C1B174"});
    span.as_object_mut()
        .unwrap()
        .extend(members.as_object().unwrap().clone());
    span
}

fn one(members: &Value) -> Span {
    let mut export = read(&document(&with(members))).unwrap();
    assert_eq!(export.rejected(), None, "{members}");
    export.take_spans().pop().unwrap()
}

fn problem(span: &Value) -> Option<SpanProblem> {
    let export = read(&document(span)).unwrap();
    export.rejected().map(|(_, problem)| problem)
}

#[test]
fn everything_of_a_span_is_read() {
    let text = json!({"resourceSpans": [{
        "resource": {"attributes": [{"key": "service.name", "value": {"stringValue": "shop"}}]},
        "schemaUrl": "https://opentelemetry.io/schemas/1.37.0",
        "scopeSpans": [{
            "scope": {"name": "lib", "version": "1", "attributes": [{"key": "s", "value": {"boolValue": true}}]},
            "spans": [with(&json!({
                "parentSpanId": "00f067aa0ba902b7", "name": "GET /", "kind": "SPAN_KIND_SERVER", "flags": 257,
                "traceState": "a=b", "startTimeUnixNano": "1544712660000000000", "endTimeUnixNano": 1_544_712_661_000_000_000_u64,
                "status": {"code": 2, "message": "no"}, "droppedAttributesCount": 1, "droppedEventsCount": 2, "droppedLinksCount": 3,
                "events": [{"timeUnixNano": "5", "name": "e", "attributes": [], "droppedAttributesCount": 4}],
                "links": [{"traceId": "5b8efff798038103d269b633813fc60d", "spanId": "00f067aa0ba902b8", "traceState": "c=d"}],
                "attributes": [
                    {"key": "int", "value": {"intValue": "9007199254740993"}},
                    {"key": "double", "value": {"doubleValue": 1.0}},
                    {"key": "nan", "value": {"doubleValue": "NaN"}},
                    {"key": "bytes", "value": {"bytesValue": "aGk="}},
                    {"key": "list", "value": {"arrayValue": {"values": [{"stringValue": "x"}, {}]}}},
                    {"key": "map", "value": {"kvlistValue": {"values": [{"key": "k", "value": {"intValue": 1}}]}}},
                    {"key": "none"}
                ], "of a later version": {}
            }))]
        }]
    }]});
    let span = read(&text.to_string()).unwrap().take_spans().pop().unwrap();
    assert_eq!(span.trace_id, "5b8efff798038103d269b633813fc60c");
    assert_eq!(
        (span.span_id.as_str(), span.parent_span_id.as_deref()),
        ("eee19b7ec3c1b174", Some("00f067aa0ba902b7"))
    );
    assert_eq!(
        (span.kind, span.status.code, span.error()),
        (SpanKind::Server, StatusCode::Error, Some("no"))
    );
    assert_eq!(span.end_time_unix_nano - span.start_time_unix_nano, 1_000_000_000);
    assert_eq!(
        (span.dropped.attributes, span.dropped.events, span.dropped.links),
        (1, 2, 3)
    );
    assert_eq!(
        (span.events[0].time_unix_nano, span.events[0].dropped_attributes),
        (5, 4)
    );
    assert_eq!(
        (span.links[0].span_id.as_str(), span.links[0].trace_state.as_str()),
        ("00f067aa0ba902b8", "c=d")
    );
    assert_eq!(
        (span.origin.scope.as_str(), span.origin.scope_version.as_str()),
        ("lib", "1")
    );
    assert_eq!(span.origin.schema_url, "https://opentelemetry.io/schemas/1.37.0");
    let expected = json!({"int": 9_007_199_254_740_993_i64, "double": 1.0, "nan": "NaN", "bytes": "aGk=",
        "list": ["x", null], "map": {"k": 1}, "none": null});
    assert_eq!(Value::Object(span.attributes.clone()), expected);
    // It is stored and read again without a loss.
    let stored = span.stored().unwrap();
    let mut again: Span = serde_json::from_str(&stored).unwrap();
    again.trace_id.clone_from(&span.trace_id);
    assert_eq!(again, span);
}

#[test]
fn members_may_be_left_out_or_null() {
    let bare = one(&json!({}));
    let nulls = one(
        &json!({"parentSpanId": "", "name": null, "attributes": null, "events": null, "status": null, "kind": null}),
    );
    assert_eq!(bare, nulls);
    assert_eq!((bare.began(), bare.kind), (None, SpanKind::Unspecified));
    for empty in ["{}", r#"{"resourceSpans": null}"#, r#"{"resourceSpans": [{}]}"#] {
        assert!(read(empty).unwrap().take_spans().is_empty(), "{empty}");
    }
}

#[test]
fn spans_that_cannot_be_taken_are_counted() {
    for (span, expected) in [
        (json!({}), SpanProblem::TraceId),
        (
            json!({"traceId": "00000000000000000000000000000000"}),
            SpanProblem::TraceId,
        ),
        (with(&json!({"traceId": "zz"})), SpanProblem::TraceId),
        (with(&json!({"spanId": "0000000000000000"})), SpanProblem::SpanId),
        (with(&json!({"parentSpanId": "abc"})), SpanProblem::SpanId),
        (with(&json!({"name": 7})), SpanProblem::Malformed),
        (with(&json!({"startTimeUnixNano": -1})), SpanProblem::Malformed),
        (with(&json!({"kind": "SPAN_KIND_ODD"})), SpanProblem::Malformed),
        (with(&json!({"attributes": {}})), SpanProblem::Malformed),
        (
            with(&json!({"attributes": [{"key": "k", "value": {"intValue": "x"}}]})),
            SpanProblem::Malformed,
        ),
        (with(&json!({"name": "a\0b"})), SpanProblem::Unstorable),
        (
            with(&json!({"name": "x".repeat(crate::trace::MAX_SPAN_BYTES)})),
            SpanProblem::TooLarge,
        ),
        (json!("a span"), SpanProblem::Malformed),
    ] {
        assert_eq!(
            problem(&span),
            Some(expected),
            "{}",
            &span.to_string()[..80.min(span.to_string().len())]
        );
    }
    let nested = |levels: usize| {
        let mut value = json!({"stringValue": "x"});
        for level in 0..levels {
            value = if level % 2 == 0 {
                json!({"arrayValue": {"values": [value]}})
            } else {
                json!({"kvlistValue": {"values": [{"key": "k", "value": value}]}})
            };
        }
        with(&json!({"attributes": [{"key": "k", "value": value}]}))
    };
    assert_eq!(problem(&nested(24)), None);
    assert_eq!(problem(&nested(25)), Some(SpanProblem::Unstorable));
}

#[test]
fn what_is_no_document_says_where() {
    for (text, line, column) in [
        ("{", 1, 1),
        ("[]", 1, 1),
        ("{\"resourceSpans\": [[]]}", 1, 20),
        ("{\"resourceSpans\":\n [{\"scopeSpans\": 7}]}", 2, 18),
        (
            "{\"resourceSpans\": [\n\n{}, {\"scopeSpans\": [{\"spans\": {}}]}]}",
            3,
            30,
        ),
    ] {
        let error = read(text).unwrap_err();
        assert_eq!((error.line, error.column), (line, column), "{text}: {error}");
    }
}

#[test]
fn what_spans_have_in_common_is_bounded() {
    let resource = json!({"attributes": [{"key": "k", "value": {"stringValue": "x".repeat(70_000)}}]});
    let text = json!({"resourceSpans": [
        {"resource": resource, "scopeSpans": [{"spans": [with(&json!({}))]}]},
        {"scopeSpans": [{"spans": [with(&json!({"spanId": "00f067aa0ba902b7"}))]}]},
    ]});
    let mut export = read(&text.to_string()).unwrap();
    assert_eq!(export.rejected(), Some((1, SpanProblem::OriginTooLarge)));
    assert_eq!(export.take_spans().len(), 1);
}
