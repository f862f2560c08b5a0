use serde_json::{Value, json};

use super::*;
use crate::{AssertSpec, Check};
use pawl_model::State;

fn verdict(sentence: &str, output: &Value, called: Option<&[&str]>) -> Finding {
    let calls = called.map(|names| names.iter().map(|name| json!({"name": name})).collect::<Value>());
    let sentence = Sentence::parse(sentence).unwrap_or_else(|| panic!("{sentence} has none of the forms"));
    sentence.judge(&Subject::new(output).with_tool_calls(calls.as_ref()))
}

#[track_caller]
fn holds(sentence: &str, output: &str, called: &[&str], expected: bool) {
    let verdict = verdict(sentence, &json!(output), Some(called));
    assert_eq!(
        verdict == Finding::Holds,
        expected,
        "{sentence} on {output}: {verdict:?}"
    );
}

#[test]
fn calls_are_looked_up_in_their_order() {
    holds("Must call inventory_lookup", "", &["inventory_lookup"], true);
    holds("must CALL `inventory_lookup`.", "", &["search"], false);
    holds("Must not call delete_account", "", &["search"], true);
    holds("Must not call delete_account", "", &["delete_account"], false);
    let ordered = "Must call verify before refund";
    holds(ordered, "", &["verify", "refund"], true);
    holds(ordered, "", &["refund", "verify"], false);
    holds(ordered, "", &["refund"], false);
    holds(ordered, "", &["verify"], true);
    holds(ordered, "", &[], true);
    holds(
        "Must not call refund before verify",
        "",
        &["refund", "verify"],
        false,
    );
    holds(
        "Must not call refund before verify",
        "",
        &["verify", "refund"],
        true,
    );
}

#[test]
fn texts_and_patterns_are_found() {
    holds("Must contain \"In Stock\"", "It is in stock.", &[], true);
    holds("Must contain “in stock”.", "Sold out.", &[], false);
    holds(
        "Must not contain 'discontinued'",
        "A DISCONTINUED model",
        &[],
        false,
    );
    holds(
        "Must match /order PX-\\d+/",
        "Your order PX-12 is here",
        &[],
        true,
    );
    holds("Must match /ORDER/i", "Your order", &[], true);
    holds("Must not match /\\b\\d{16}\\b/", "no card here", &[], true);
    holds(
        "Must not refuse",
        "I'm sorry, but I can’t help with that.",
        &[],
        false,
    );
    holds("Must refuse", "Unfortunately, I am unable to do this.", &[], true);
    holds(
        "Must not refuse",
        "Here you are. I cannot wait to hear back!",
        &[],
        true,
    );
    holds("Must refuse", "", &[], true);
}

#[test]
fn json_and_limits_are_measured() {
    holds("Must be valid JSON", "{\"a\": 1}", &[], true);
    holds("Must be valid JSON", "{a: 1}", &[], false);
    holds("Must be valid JSON with total", "{\"total\": null}", &[], true);
    holds(
        "Must be valid JSON with the key \"total\"",
        "{\"sum\": 1}",
        &[],
        false,
    );
    assert_eq!(
        verdict("Must be valid JSON with a", &json!({"a": 1}), None),
        Finding::Holds
    );
    holds("Must have at most 5 words", "one two three four five", &[], true);
    holds("Must be at most 5 characters.", "123456", &[], false);
    holds("At most 1,000 characters", "e\u{301}", &[], true);
    holds("Must make at most 2 calls", "", &["a", "b", "c"], false);
}

#[test]
fn what_nobody_says_nobody_can_tell() {
    for sentence in [
        "Must call search",
        "Must not call search",
        "Must use at most 3 calls",
    ] {
        let verdict = verdict(sentence, &json!("text"), None);
        assert!(matches!(verdict, Finding::Unknown(_)), "{sentence}: {verdict:?}");
    }
}

#[test]
fn other_sentences_need_a_judge() {
    for sentence in [
        "",
        "Must",
        "Must be polite",
        "Must call inventory_lookup before recommending a SKU",
        "Must recommend only in-stock SKUs",
        "Must not recommend discontinued SKUs",
        "Must contain the price",
        "Must contain \"a\" or \"b\"",
        "Must contain \"\"",
        "Must match /(/",
        "Must match //",
        "Must match /a/x",
        "Must not be valid JSON",
        "Must be valid JSON with two keys",
        "Must have at most five words",
        "Must have at most 5 sentences",
        "Must not have at most 5 words",
        "Mustcall search",
        "Should call search",
        "Must call",
    ] {
        assert!(Sentence::parse(sentence).is_none(), "{sentence}");
    }
}

#[test]
fn a_failure_says_what_is_not_so() {
    let reason =
        |sentence, output: &str, called: &[&str]| match verdict(sentence, &json!(output), Some(called)) {
            Finding::Misses(reason) => reason,
            other => panic!("{sentence}: {other:?}"),
        };
    assert_eq!(
        reason("Must call a before b", "", &["b"]),
        "a is not called before b"
    );
    assert_eq!(reason("Must not contain \"x\"", "x", &[]), "does contain \"x\"");
    assert_eq!(reason("At most 1 words", "a b", &[]), "has 2 words, at most 1");
    assert_eq!(reason("Must be valid JSON with k", "{}", &[]), "has no key \"k\"");
}

proptest::proptest! {
    #[test]
    fn reading_and_judging_never_panic(text in "(?i)(must )?(not )?(call|contain|match|be|at most|refuse)?.{0,40}", output in ".{0,40}") {
        if let Some(sentence) = Sentence::parse(&text) {
            let output = json!(output);
            let _ = sentence.judge(&Subject::new(&output).with_tool_calls(Some(&json!([]))));
        }
    }

    #[test]
    fn not_turns_around_what_can_be_turned_around(word in "[a-z]{1,8}", output in "[a-z ]{0,30}", called in proptest::collection::vec("[a-c]", 0..4)) {
        let called: Vec<&str> = called.iter().map(String::as_str).collect();
        let output = json!(output);
        for verb in [format!("contain \"{word}\""), format!("match /{word}/"), "call a".to_owned(), "refuse".to_owned()] {
            let is_so = verdict(&format!("Must {verb}"), &output, Some(&called)) == Finding::Holds;
            let is_not_so = verdict(&format!("Must not {verb}"), &output, Some(&called)) == Finding::Holds;
            proptest::prop_assert!(is_so != is_not_so, "{verb}");
        }
    }
}

#[test]
fn required_and_forbidden_are_checks() {
    let check = |kind: &str, sentence: &str| {
        let spec = AssertSpec::read(&json!({"type": kind, "value": sentence})).unwrap();
        Check::compile(&spec).unwrap().remove(0)
    };
    let output = json!("You have 90 days.");
    let calls = json!([{"name": "search"}, {"name": "refund"}]);
    let subject = Subject::new(&output).with_tool_calls(Some(&calls));
    let judged = |kind, sentence| {
        let result = check(kind, sentence).judge(&subject);
        (result.state, result.message)
    };
    assert_eq!(
        judged("required", "Must call search before refund"),
        (State::Passed, None)
    );
    let (state, message) = judged("required", "Must contain \"30 days\"");
    assert_eq!(state, State::Failed);
    assert_eq!(
        message.unwrap(),
        "Must contain \"30 days\": does not contain \"30 days\""
    );
    assert_eq!(
        judged("forbidden", "Must not contain \"90 days\"").0,
        State::Failed
    );
    // What is forbidden and says what must be is for a judge, as is what has no form.
    for (kind, sentence) in [
        ("forbidden", "Must contain \"90 days\""),
        ("required", "Must be kind"),
    ] {
        let check = check(kind, sentence);
        assert_eq!(check.questions().count(), 1, "{sentence}");
        assert_eq!(check.judge(&subject).state, State::Skipped, "{sentence}");
    }
    let unknown = check("required", "Must call search").judge(&Subject::new(&output));
    assert_eq!(unknown.state, State::Error);
    assert!(AssertSpec::read(&json!({"type": "not-required", "value": "x"})).is_err());
}
