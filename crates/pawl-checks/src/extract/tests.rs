use proptest::prelude::*;
use serde_json::json;

use super::*;

fn all(_: &Map<String, Value>) -> bool {
    true
}

fn found(text: &str) -> Value {
    let extracted = object(text, all).unwrap_or_else(|error| panic!("{text}: {error}"));
    assert!(!extracted.is_truncated, "{text}");
    Value::Object(extracted.object)
}

fn cut(text: &str) -> Value {
    let extracted = object(text, all).unwrap_or_else(|error| panic!("{text}: {error}"));
    assert!(extracted.is_truncated, "{text}");
    Value::Object(extracted.object)
}

#[test]
fn objects_are_found_as_models_write_them() {
    for text in [
        r#"{"pass": true, "score": 0.5}"#,
        "Sure! Here it is:\n\n{\"pass\": true, \"score\": 0.5}\n\nAnything else?",
        "```json\n{\"pass\": true, \"score\": 0.5}\n```",
        "{'pass': True, 'score': 0.5}",
        "{pass: true, score: .5,}",
        "{\"pass\": true, // as I said\n /* and */ \"score\": +0.5 }",
        "I used {braces} and {} before: {\"pass\": true, \"score\": 0.5}",
        "{\"pass\": true, \"score\": 0.5} or, in short, {\"score\": 0.5, \"pass\": true}",
    ] {
        let extracted = object(text, |object| object.contains_key("pass")).unwrap();
        assert_eq!(
            Value::Object(extracted.object),
            json!({"pass": true, "score": 0.5}),
            "{text}"
        );
    }
}

#[test]
fn texts_keep_what_is_in_them() {
    assert_eq!(
        found(r#"{"a": "{\"pass\": true}", "b": "line\nbreak \u00e4 \ud83d\ude00 \ud83d \x"}"#),
        json!({"a": "{\"pass\": true}", "b": "line\nbreak ä 😀 \u{fffd} \\x"})
    );
    assert_eq!(found("{\"a\": \"two\nlines\"}"), json!({"a": "two\nlines"}));
    assert_eq!(
        found("{'a': 'it's fine', 'b': 'x'}"),
        json!({"a": "it's fine", "b": "x"})
    );
    assert_eq!(
        found(r#"{"a": [1, [2, {}], null, None,], "b": -1e2}"#),
        json!({"a": [1, [2, {}], null, null], "b": -100.0})
    );
}

#[test]
fn what_is_cut_off_keeps_what_is_complete() {
    for (text, kept) in [
        (r#"{"evidence": "it says"#, json!({"evidence": "it says"})),
        (r#"{"evidence": "x", "score": 0.9"#, json!({"evidence": "x"})),
        (
            r#"{"evidence": "x", "score": 0.9,"#,
            json!({"evidence": "x", "score": 0.9}),
        ),
        (r#"{"evidence": "x", "pass": tr"#, json!({"evidence": "x"})),
        (r#"{"evidence": "x", "pa"#, json!({"evidence": "x"})),
        (r#"{"a": [1, 2"#, json!({"a": [1]})),
        (r#"{"a": [{"b": 1, "c": {"#, json!({"a": [{"b": 1}]})),
        ("```json\n{\"a\": {\"b\": \"c\"}", json!({"a": {"b": "c"}})),
    ] {
        assert_eq!(cut(text), kept, "{text}");
    }
}

#[test]
fn what_is_none_or_not_clear_is_refused() {
    for text in [
        "",
        "no",
        "{",
        "[1]",
        "{{x}}",
        "{\"a\"}",
        "{\"a\" 1}",
        "{\"a\": x}",
        "{\"a\": 1 \"b\": 2}",
    ] {
        assert_eq!(object(text, all), Err(ExtractError::Missing), "{text}");
    }
    for text in [
        r#"{"score": NaN}"#,
        r#"{"a": [Infinity]}"#,
        r#"{"a": -inf}"#,
        r#"{"a": 1e999}"#,
    ] {
        assert_eq!(object(text, all), Err(ExtractError::NotANumber), "{text}");
    }
    let two = r#"The text says {"pass": true}, but I say {"pass": false}."#;
    assert_eq!(object(two, all), Err(ExtractError::Several));
    let wanted = |object: &Map<String, Value>| object.get("pass") == Some(&json!(false));
    assert!(object(two, wanted).is_ok());
    let deep = "{\"a\":".repeat(70) + "1" + &"}".repeat(70);
    assert_eq!(object(&deep, all), Err(ExtractError::TooDeep));
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-1e9..1e9_f64).prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(".{0,6}", inner, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn any_object() -> impl Strategy<Value = Value> {
    prop::collection::btree_map(".{0,6}", any_json(), 1..5)
        .prop_map(|members| Value::Object(members.into_iter().collect()))
}

proptest! {
    #[test]
    fn every_json_object_is_found_unchanged(value in any_object(), before in "[^{]{0,20}", after in "[^{]{0,20}") {
        prop_assert_eq!(&found(&value.to_string()), &value);
        let fenced = format!("{before}```json\n{value:#}\n```{after}");
        prop_assert_eq!(&found(&fenced), &value);
    }

    #[test]
    fn a_beginning_of_an_object_says_nothing_that_is_not_in_it(value in any_object(), at in 0.0..1.0_f64) {
        let text = value.to_string();
        let end = text.floor_char_boundary((text.len() as f64 * at) as usize);
        if let Ok(extracted) = object(&text[..end], all) {
            prop_assert!(extracted.is_truncated);
            for (key, part) in &extracted.object {
                prop_assert!(is_beginning(part, &value[key]), "{} of {}", part, value);
            }
        }
    }

    #[test]
    fn no_text_breaks_it(text in r#"[{}\[\]"',:a1.\\ -]{0,60}|.{0,60}"#) {
        let _ = object(&text, all);
    }
}

/// Whether a value is what another one is when it is cut off.
fn is_beginning(part: &Value, whole: &Value) -> bool {
    match (part, whole) {
        (Value::String(part), Value::String(whole)) => whole.starts_with(part.as_str()),
        (Value::Array(part), Value::Array(whole)) => {
            part.len() <= whole.len()
                && part
                    .iter()
                    .zip(whole)
                    .all(|(part, whole)| is_beginning(part, whole))
        }
        (Value::Object(part), Value::Object(whole)) => part
            .iter()
            .all(|(key, part)| whole.get(key).is_some_and(|whole| is_beginning(part, whole))),
        _ => part == whole,
    }
}
