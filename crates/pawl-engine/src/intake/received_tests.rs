use super::*;
use serde_json::json;
use time::macros::datetime;

const USER: &str = "a1b2c3d4-e5f6-7890-abcd-ef1234567890";

fn wrong(value: &serde_json::Value) -> Vec<(String, String)> {
    match read(&value.to_string()) {
        Err(Unreadable::Fields { errors, .. }) => errors
            .into_iter()
            .map(|error| (error.field.into_owned(), error.message.into_owned()))
            .collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_example_is_read() {
    let read = read(
        r#"{
        "user_id": "a1b2c3d4-e5f6-7890-abcd-ef1234567890",
        "interaction_id": "session_12345",
        "prompt": "What is machine learning?",
        "response": "Machine learning is a subset of AI...",
        "score": 0.92,
        "latency_ms": 145,
        "flags": ["technical"],
        "pii_tokens_redacted": 0
      }"#,
    )
    .unwrap();
    assert_eq!(read.user_id.to_string(), USER);
    assert_eq!(read.score.unwrap().as_str(), "0.92");
    assert_eq!(
        (read.latency_ms, read.flags),
        (Some(145), vec!["technical".to_owned()])
    );
    assert_eq!(
        (read.created_at, read.sample_weight, read.tool_calls),
        (None, None, None)
    );
}

#[test]
fn what_may_be_left_out_or_null_is_none_and_zero_is_a_value() {
    let least = json!({"user_id": USER, "interaction_id": "i", "prompt": "", "response": "a\n\u{1f600}\"",
        "score": null, "latency_ms": 0, "created_at": null, "tool_calls": null});
    let read_least = read(&least.to_string()).unwrap();
    assert_eq!((read_least.score, read_least.latency_ms), (None, Some(0)));
    assert_eq!(read_least.response, "a\n\u{1f600}\"");
    let full = json!({"user_id": USER, "interaction_id": "i", "prompt": "p", "response": "r", "score": 0,
        "created_at": "2026-03-01T09:30:00.123456789+02:00", "sample_weight": 4, "spans": [],
        "tool_calls": [{"name": "search", "arguments": {"b": 1, "a": 2.50}}]});
    let read_full = read(&full.to_string()).unwrap();
    assert_eq!(
        read_full.created_at,
        Some(datetime!(2026-03-01 07:30:00.123456 UTC))
    );
    assert_eq!(read_full.sample_weight, Some(4.0));
    assert_eq!(
        read_full.tool_calls.unwrap().as_str(),
        r#"[{"name":"search","arguments":{"a":2.5,"b":1}}]"#
    );
}

#[test]
fn every_wrong_field_is_named_at_once() {
    let found = wrong(
        &json!({"user_id": "me", "prompt": 7, "response": "a\u{0}b", "score": 1.01, "latency_ms": -1,
        "flags": ["a", 1], "pii_tokens_redacted": 0.5, "created_at": "yesterday", "sample_weight": 0,
        "tool_calls": [1], "spans": {}, "lantency": 1}),
    );
    let fields: Vec<&str> = found.iter().map(|(field, _)| field.as_str()).collect();
    assert_eq!(
        fields,
        [
            "user_id",
            "interaction_id",
            "prompt",
            "response",
            "score",
            "latency_ms",
            "flags",
            "pii_tokens_redacted",
            "created_at",
            "sample_weight",
            "tool_calls",
            "spans",
            "lantency"
        ]
    );
    assert_eq!(found[1].1, "is required");
    assert_eq!(found[4].1, "must be a number from 0 to 1, or null");
    assert_eq!(found[12].1, "is no field of an interaction");
    assert_eq!(wrong(&json!([]))[0].1, "an interaction is an object");
    let blank = json!({"user_id": USER, "interaction_id": " ", "prompt": "", "response": "", "flags": "x"});
    assert_eq!(wrong(&blank).len(), 2);
}

#[test]
fn what_is_no_json_has_its_place() {
    for (text, line, column) in [
        ("{\"score\": NaN}", 1, 11),
        ("{\n  \"score\": Infinity}", 2, 12),
        ("{\"a\": 1", 1, 7),
        ("nope", 1, 2),
        ("", 1, 0),
        ("{} x", 1, 4),
    ] {
        match read(text) {
            Err(Unreadable::Malformed {
                line: l, column: c, ..
            }) => assert_eq!((l, c), (line, column), "{text}"),
            other => panic!("{text}: {other:?}"),
        }
    }
    let deep = format!(
        "{{\"tool_calls\": [{{\"a\":{}1{}}}]}}",
        "[".repeat(80),
        "]".repeat(80)
    );
    let Err(Unreadable::Fields { errors, .. }) = read(&deep) else {
        panic!("it is too deep")
    };
    assert!(
        errors
            .iter()
            .any(|error| error.message.contains("nested deeper than 64"))
    );
    assert!(matches!(
        read(&"[".repeat(10_000)),
        Err(Unreadable::Malformed { .. })
    ));
    let long = format!("{{\"prompt\": \"{}\"}}", "x".repeat(MAX_BYTES));
    assert!(matches!(read(&long), Err(Unreadable::TooLarge { bytes }) if bytes > MAX_BYTES));
}
