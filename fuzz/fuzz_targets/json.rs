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
            assert_eq!(json.to_value(), given, "the normal form says the same");
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
