//! Any text as a JSON document: what is accepted is JSON and stays as it is; what is refused has its place.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pawl_model::{Json, JsonError};
use serde_json::Value;
use serde_json::value::RawValue;

fuzz_target!(|text: &str| match Json::parse(text) {
    Ok(json) => {
        assert_eq!(
            Json::parse(json.as_str()).as_ref(),
            Ok(&json),
            "normal once, normal for good"
        );
        serde_json::from_str::<&RawValue>(text).expect("what we accept is JSON");
        // Of JSON, serde_json refuses numbers that no float is as large as.
        if let Ok(given) = serde_json::from_str::<Value>(text) {
            assert!(same(&json.to_value(), &given), "the normal form says the same");
        }
        assert!(json.as_str() == "null" || !json.to_value().is_null());
    }
    Err(JsonError { line, column, .. }) => {
        let line = text
            .split('\n')
            .nth(line - 1)
            .expect("the line is one of the text");
        assert!(
            (1..=line.chars().count() + 1).contains(&column),
            "column {column} is one of the line"
        );
    }
});

/// Whether two trees are the same but for the last digits of their floats.
fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            let matched = |(key, one)| other.get(key).is_some_and(|other| same(one, other));
            one.len() == other.len() && one.iter().all(matched)
        }
        (Value::Number(one), Value::Number(other)) => match (one.as_f64(), other.as_f64()) {
            (Some(one), Some(other)) => (one - other).abs() <= one.abs() * 1e-15 + f64::MIN_POSITIVE,
            _ => false,
        },
        _ => one == other,
    }
}
