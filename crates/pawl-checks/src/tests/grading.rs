use pawl_model::State;
use serde_json::{Value, json};

use super::{check, compile, judge};
use crate::{Grade, Grading, Subject};

fn grade(entries: &[Value], threshold: Option<f64>, output: &str) -> Grade {
    let checks = entries.iter().flat_map(|entry| compile(entry).unwrap()).collect();
    Grading::new(checks, threshold)
        .unwrap()
        .judge(&Subject::new(&json!(output)))
}

fn contains(text: &str, weight: f64) -> Value {
    json!({"type": "contains", "value": text, "weight": weight})
}

#[test]
fn without_a_threshold_every_check_has_to_pass() {
    let passed = grade(&[contains("a", 1.0), contains("b", 1.0)], None, "ab");
    assert_eq!(
        (passed.state, passed.score, passed.reason()),
        (State::Passed, Some(1.0), None)
    );
    let failed = grade(&[contains("a", 3.0), contains("b", 1.0)], None, "a");
    assert_eq!((failed.state, failed.score), (State::Failed, Some(0.75)));
    assert_eq!(
        failed.reason().unwrap(),
        r#"1 of 2 failed; contains: does not contain "b""#
    );
    assert_eq!(grade(&[], None, "a").state, State::Skipped);
}

#[test]
fn with_a_threshold_the_score_decides() {
    let entries = [contains("a", 3.0), contains("b", 1.0)];
    assert_eq!(grade(&entries, Some(0.75), "a").state, State::Passed);
    let failed = grade(&entries, Some(0.76), "a");
    assert_eq!(failed.state, State::Failed);
    assert_eq!(
        failed.reason().unwrap(),
        r#"score 0.75 below 0.76; contains: does not contain "b""#
    );
    assert_eq!(grade(&entries, Some(0.0), "").state, State::Passed);
}

#[test]
fn an_error_is_never_a_pass_and_leaves_the_score_open() {
    let cost = json!({"type": "cost", "threshold": 1});
    let entries = [contains("a", 1.0), cost];
    assert_eq!(grade(&entries, None, "a").state, State::Error);
    let open = grade(&entries, Some(0.5), "a");
    assert_eq!((open.state, open.score), (State::Error, Some(1.0)));
    assert_eq!(
        open.reason().unwrap(),
        "1 of 2 unknown; cost: the target reported no cost"
    );
    assert_eq!(
        grade(&entries, Some(0.6), "b").state,
        State::Failed,
        "0.5 at best"
    );
    assert_eq!(grade(&entries, Some(0.5), "b").state, State::Error);
}

#[test]
fn a_check_of_weight_0_fails_nothing_but_an_error_stays() {
    let metric = json!({"type": "contains", "value": "b", "weight": 0, "metric": "says_b"});
    let result = judge(&metric, &json!("a"));
    assert_eq!(
        (result.state, result.score, result.message),
        (State::Passed, Some(0.0), None)
    );
    assert_eq!(result.metric.as_deref(), Some("says_b"));
    let graded = grade(&[contains("a", 1.0), metric], None, "a");
    assert_eq!((graded.state, graded.score), (State::Passed, Some(1.0)));
    let cost = json!({"type": "cost", "threshold": 1, "weight": 0});
    assert_eq!(judge(&cost, &json!("a")).state, State::Error);
}

#[test]
fn an_assert_set_is_one_check() {
    let set = |threshold: Value| {
        let mut set = json!({"type": "assert-set", "weight": 2, "metric": "words",
            "assert": [contains("a", 1.0), contains("b", 1.0), contains("c", 2.0)]});
        if !threshold.is_null() {
            set["threshold"] = threshold;
        }
        set
    };
    let all = judge(&set(Value::Null), &json!("ab"));
    assert_eq!(
        (all.state, all.score, all.weight),
        (State::Failed, Some(0.5), 2.0)
    );
    assert_eq!(
        all.message.unwrap(),
        r#"1 of 3 failed; contains: does not contain "c""#
    );
    let half = judge(&set(json!(0.5)), &json!("ab"));
    assert_eq!(
        (half.state, half.score, half.message),
        (State::Passed, Some(0.5), None)
    );
    let nested = json!({"type": "assert-set", "threshold": 0.5, "assert": [
        {"type": "assert-set", "assert": [contains("a", 1.0)]}, contains("b", 1.0)]});
    assert_eq!(judge(&nested, &json!("a")).state, State::Passed);
    let unknown = json!({"type": "assert-set", "assert": [{"type": "latency", "threshold": 1}]});
    let unknown = judge(&unknown, &json!("a"));
    assert_eq!((unknown.state, unknown.score), (State::Error, None));
    assert_eq!(
        unknown.message.unwrap(),
        "1 of 1 unknown; latency: the target reported no latency"
    );
    assert_eq!(check(&set(Value::Null)).name(), "assert-set");
}

#[test]
fn impossible_sets_and_thresholds_are_refused() {
    for (entry, error) in [
        (
            json!({"type": "assert-set"}),
            "an `assert-set` needs a list of checks under `assert`",
        ),
        (
            json!({"type": "assert-set", "assert": []}),
            "an `assert-set` needs a list of checks under `assert`",
        ),
        (
            json!({"type": "assert-set", "assert": [contains("a", 1.0), {"type": "regex"}]}),
            "assert[1]: `regex` needs a `value`",
        ),
        (
            json!({"type": "assert-set", "assert": [{"type": "is-json", "metric": "m"}]}),
            "assert[0].metric: is supported on the whole `assert-set`, not inside it",
        ),
        (
            json!({"type": "assert-set", "threshold": 1.5, "assert": [contains("a", 1.0)]}),
            "threshold: must be a score within 0 and 1",
        ),
        (
            json!({"type": "assert-set", "threshold": 0.5, "assert": [contains("a", 0.0)]}),
            "threshold: needs a check with a weight above 0",
        ),
        (
            json!({"type": "contains", "value": "a", "assert": []}),
            "assert: only an `assert-set` holds other checks",
        ),
    ] {
        assert_eq!(compile(&entry).unwrap_err().to_string(), error, "{entry}");
    }
}
