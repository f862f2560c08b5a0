use pawl_model::{EvalResults, State};
use serde_json::{Value, json};

use crate::{AssertSpec, Check, Grading, Subject};

fn compile(entry: &Value) -> Result<Vec<Check>, String> {
    AssertSpec::read(entry)
        .and_then(|spec| Check::compile(&spec))
        .map_err(|error| error.to_string())
}

fn judge(entry: &Value, output: &Value) -> EvalResults {
    Grading::new(compile(entry).unwrap(), None)
        .unwrap()
        .judge(&Subject::new(output))
        .results
}

fn good_story() -> Value {
    json!({
        "title": "User Login",
        "description": "As a user, I want to log in securely using my email and password so that I can access my personalized dashboard and data.",
        "acceptance_criteria": [
            "User can enter email and password on login form",
            "System validates credentials against stored records",
            "User receives error message for invalid credentials",
            "User is redirected to dashboard on successful login",
            "Session token is stored securely"
        ],
        "metadata": {"model": "gpt-4"}
    })
}

/// The good story with one member replaced; null takes it away.
fn story_with(member: &str, value: Value) -> Value {
    let mut story = good_story();
    match value {
        Value::Null => drop(story.as_object_mut().unwrap().shift_remove(member)),
        value => story[member] = value,
    }
    story
}

#[track_caller]
fn expect(entry: &Value, story: &Value, message: Option<&str>) {
    let result = judge(entry, story).checks.remove(0);
    assert_eq!(result.message.as_deref(), message, "{entry} on {story}");
    assert_eq!(
        result.state,
        State::judged(message.is_none()),
        "{entry} on {story}"
    );
}

#[test]
fn the_preset_is_eight_checks_by_name() {
    let results = judge(&json!({"type": "user-story"}), &good_story());
    let names: Vec<&str> = results.checks.iter().map(|check| &*check.name).collect();
    assert_eq!(
        names,
        [
            "has_title",
            "has_description",
            "description_format",
            "min_acceptance_criteria",
            "max_acceptance_criteria",
            "no_duplicate_ac",
            "description_length",
            "acs_are_actionable"
        ]
    );
    assert_eq!(
        (results.summary.total, results.summary.passed),
        (8, 8),
        "{results:?}"
    );
    let as_text = json!(good_story().to_string());
    assert_eq!(judge(&json!({"type": "user-story"}), &as_text), results);
}

#[test]
fn an_output_that_is_no_story_fails_all_eight() {
    for output in [
        json!("As a user I want …"),
        json!(null),
        json!([]),
        json!({}),
        json!(7),
    ] {
        let results = judge(&json!({"type": "user-story"}), &output);
        assert_eq!(
            (results.summary.total, results.summary.failed),
            (8, 8),
            "{output}: {results:?}"
        );
    }
}

#[test]
fn title_and_description_have_to_be_there() {
    for (name, member) in [("has_title", "title"), ("has_description", "description")] {
        for blank in [json!(null), json!(""), json!(" \n\u{a0}"), json!(7), json!(["x"])] {
            expect(
                &json!({"type": name}),
                &story_with(member, blank),
                Some("missing or blank"),
            );
        }
        expect(&json!({"type": name}), &story_with(member, json!("é")), None);
    }
}

#[test]
fn description_format_names_the_first_missing_clause() {
    let format = |description: &str, message: Option<&str>| {
        let story = story_with("description", json!(description));
        expect(&json!({"type": "description_format"}), &story, message);
    };
    format("AS AN admin,\ni\nWANT reports, so\tthat I know", None);
    format("**As a** user **I want** x **so that** y", None);
    format("As a\u{a0}user I want x so that y", None);
    format("As a user, I want to log in", Some("missing 'so that' clause"));
    format("As a user, I need x so that y", Some("missing 'I want' clause"));
    format("I want x so that y as a user", Some("missing 'I want' clause"));
    format("Was a user, I want x so that y", Some("missing 'as a' clause"));
    format(
        "As always a user, I want x so that y",
        Some("missing 'as a' clause"),
    );
    format("", Some("missing 'as a' clause"));
    let absent = story_with("description", Value::Null);
    expect(
        &json!({"type": "description_format"}),
        &absent,
        Some("missing 'as a' clause"),
    );
}

#[test]
fn description_length_counts_grapheme_clusters() {
    let length = |description: String, message: Option<&str>| {
        expect(
            &json!({"type": "description_length"}),
            &story_with("description", json!(description)),
            message,
        );
    };
    length("x".repeat(20), None);
    length("x".repeat(500), None);
    length("x".repeat(19), Some("length 19 outside 20–500"));
    length("x".repeat(501), Some("length 501 outside 20–500"));
    length(
        format!("  {}\n", "x".repeat(19)),
        Some("length 19 outside 20–500"),
    );
    length("👩‍👩‍👧".repeat(500), None);
    length("e\u{301}".repeat(612), Some("length 612 outside 20–500"));
    length("a\r\n".repeat(10) + "b", None);
    expect(
        &json!({"type": "description_length"}),
        &story_with("description", Value::Null),
        Some("length 0 outside 20–500"),
    );
    let narrow = json!({"type": "description_length", "value": {"max_description_length": 30}});
    expect(&narrow, &good_story(), Some("length 121 outside 20–30"));
}

#[test]
fn criteria_are_counted() {
    let criteria = |count: usize| {
        let list: Vec<String> = (0..count).map(|n| format!("Save item {n}")).collect();
        story_with("acceptance_criteria", json!(list))
    };
    let (min, max) = (
        json!({"type": "min_acceptance_criteria"}),
        json!({"type": "max_acceptance_criteria"}),
    );
    expect(&min, &criteria(3), None);
    expect(&min, &criteria(2), Some("found 2, need 3"));
    expect(&max, &criteria(7), None);
    expect(&max, &criteria(8), Some("found 8, at most 7"));
    let blanks = story_with("acceptance_criteria", json!(["a", " ", 7, null, "b"]));
    expect(&min, &blanks, Some("found 2, need 3"));
    expect(
        &json!({"type": "min_acceptance_criteria", "value": 2}),
        &blanks,
        None,
    );
    expect(
        &json!({"type": "max_acceptance_criteria", "value": 4}),
        &blanks,
        Some("found 5, at most 4"),
    );
    let absent = story_with("acceptance_criteria", json!("one text"));
    expect(&min, &absent, Some("found 0, need 3"));
    expect(&max, &absent, Some("missing or blank"));
}

#[test]
fn duplicates_are_named_by_number() {
    let distinct = |criteria: Value, message: Option<&str>| {
        expect(
            &json!({"type": "no_duplicate_ac"}),
            &story_with("acceptance_criteria", criteria),
            message,
        );
    };
    distinct(
        json!(["Save", "Load", "Send", "load."]),
        Some("AC #4 duplicates AC #2"),
    );
    distinct(
        json!(["Öffne STRASSE", "öffne\u{3000}straße !"]),
        Some("AC #2 duplicates AC #1"),
    );
    distinct(json!(["", "", 7, 7]), None);
    distinct(json!([]), None);
    distinct(Value::Null, Some("missing or blank"));
}

#[test]
fn an_empty_list_is_short_but_neither_long_nor_repetitive() {
    let results = judge(
        &json!({"type": "user-story"}),
        &story_with("acceptance_criteria", json!([])),
    );
    let failed: Vec<&str> = results
        .checks
        .iter()
        .filter(|check| check.state == State::Failed)
        .map(|check| &*check.name)
        .collect();
    assert_eq!(failed, ["min_acceptance_criteria", "acs_are_actionable"]);
}

#[test]
fn the_first_vague_criterion_is_named() {
    let story = story_with(
        "acceptance_criteria",
        json!(["User can pay", "Save it", "Nice dashboard", "Fast"]),
    );
    expect(
        &json!({"type": "acs_are_actionable"}),
        &story,
        Some("AC #3 does not start with a verb"),
    );
    let strict = json!({"type": "acs_are_actionable", "value": {"strict": true}});
    expect(&strict, &story, Some("AC #1 does not start with a verb"));
    let not_text = story_with("acceptance_criteria", json!(["Save it", 7]));
    expect(
        &json!({"type": "acs_are_actionable"}),
        &not_text,
        Some("AC #2 does not start with a verb"),
    );
}

#[test]
fn settings_are_read_for_the_preset_and_for_single_checks() {
    let preset = json!({"type": "user-story", "weight": 2, "metric": "story", "value":
        {"min_acceptance_criteria": 6, "max_description_length": 100, "strict": true}});
    let results = judge(&preset, &good_story());
    let messages: Vec<&str> = results
        .checks
        .iter()
        .filter_map(|check| check.message.as_deref())
        .collect();
    assert_eq!(
        messages,
        [
            "found 5, need 6",
            "length 121 outside 20–100",
            "AC #1 does not start with a verb"
        ]
    );
    assert!(
        results
            .checks
            .iter()
            .all(|check| check.weight == 2.0 && check.metric.as_deref() == Some("story"))
    );
    for (entry, error) in [
        (
            json!({"type": "has_title", "value": 3}),
            "value: `has_title` takes no value, not a number",
        ),
        (
            json!({"type": "user-story", "value": 3}),
            "value: must be an object of settings, not a number",
        ),
        (
            json!({"type": "user-story", "value": {"min": 3}}),
            "value.min: unknown setting `min`; there are min_acceptance_criteria, max_acceptance_criteria, min_description_length, max_description_length, strict",
        ),
        (
            json!({"type": "min_acceptance_criteria", "value": -1}),
            "value: must be a whole number of 0 or more, not -1",
        ),
        (
            json!({"type": "acs_are_actionable", "value": {"strict": "yes"}}),
            "value.strict: must be true or false, not a text",
        ),
        (
            json!({"type": "user-story", "value": {"min_acceptance_criteria": 9}}),
            "value: min_acceptance_criteria 9 is above max_acceptance_criteria 7",
        ),
        (
            json!({"type": "not-user-story"}),
            "type: `user-story` has no `not-` form: it stands for several checks",
        ),
    ] {
        assert_eq!(compile(&entry).unwrap_err(), error);
    }
    // A single check has one bound; the other one's default does not get in its way.
    expect(
        &json!({"type": "min_acceptance_criteria", "value": 9}),
        &good_story(),
        Some("found 5, need 9"),
    );
    expect(
        &json!({"type": "max_acceptance_criteria", "value": 1}),
        &good_story(),
        Some("found 5, at most 1"),
    );
}

#[test]
fn a_negated_story_check_says_what_holds() {
    let result = judge(&json!({"type": "not-has_title"}), &good_story())
        .checks
        .remove(0);
    assert_eq!(
        (result.state, result.message.as_deref()),
        (State::Failed, Some("has a title"))
    );
}
