use serde_json::json;

use super::*;

fn error(entry: &Value) -> String {
    AssertSpec::read(entry).unwrap_err().to_string()
}

#[test]
fn an_entry_is_read_with_its_defaults() {
    let spec = AssertSpec::read(&json!({"type": "not-contains", "value": "x"})).unwrap();
    assert_eq!(
        (spec.check_type, spec.negated, spec.weight),
        (CheckType::Contains, true, 1.0)
    );
    assert_eq!(
        (spec.name.as_str(), spec.threshold, spec.metric),
        ("not-contains", None, None)
    );
    let full = json!({"type": "levenshtein", "value": "x", "threshold": 2, "weight": 0.5, "metric": "near"});
    let spec = AssertSpec::read(&full).unwrap();
    assert_eq!(
        (spec.threshold, spec.weight, spec.metric.as_deref()),
        (Some(2.0), 0.5, Some("near"))
    );
}

#[test]
fn every_supported_type_reads_back() {
    for name in [
        "equals",
        "icontains-all",
        "is-html",
        "user-story",
        "acs_are_actionable",
    ] {
        assert_eq!(
            AssertSpec::read(&json!({"type": name}))
                .unwrap()
                .check_type
                .name(),
            name
        );
    }
}

#[test]
fn what_is_unknown_or_not_supported_is_named() {
    assert_eq!(
        error(&json!("contains")),
        "a check is an object with a `type`, not a text"
    );
    assert_eq!(error(&json!({"value": "x"})), "a check needs a `type`");
    assert_eq!(error(&json!({"type": 7})), "type: must be a text, not a number");
    assert_eq!(
        error(&json!({"type": "contians"})),
        "type: unknown check type `contians`; did you mean `contains`?"
    );
    assert_eq!(
        error(&json!({"type": "not-is_json"})),
        "type: unknown check type `not-is_json`; did you mean `is-json`?"
    );
    let unknown = error(&json!({"type": "sentiment"}));
    assert!(
        unknown.starts_with("type: unknown check type `sentiment`; supported are equals, contains, "),
        "{unknown}"
    );
    for name in [
        "context-recall",
        "not-similar:dot",
        "javascript",
        "promptfoo:redteam:pii",
    ] {
        let refused = error(&json!({"type": name}));
        let lead = format!("type: check type `{name}` is not supported yet; supported are equals, ");
        assert!(refused.starts_with(&lead), "{refused}");
    }
    assert_eq!(
        error(&json!({"type": "not-assert-set", "assert": []})),
        "type: `assert-set` has no `not-` form: it stands for several checks"
    );
    assert_eq!(
        error(&json!({"type": "is-json", "transform": "output.x"})),
        "transform: `transform` on a check is not supported yet"
    );
    assert_eq!(
        error(&json!({"type": "is-json", "treshold": 1})),
        "treshold: unknown key `treshold`; did you mean `threshold`?"
    );
    assert_eq!(
        error(&json!({"type": "is-json", "zzz": 1})),
        "zzz: unknown key `zzz`; a check has type, value, threshold, weight, metric, provider, assert"
    );
    assert_eq!(
        error(&json!({"type": "cost", "threshold": "1"})),
        "threshold: must be a number, not a text"
    );
    assert_eq!(
        error(&json!({"type": "cost", "metric": null})),
        "metric: must be a text, not null"
    );
    let nested =
        AssertSpec::read(&json!({"type": "assert-set", "assert": [{"type": "is-json"}, {"type": "x"}]}));
    let path = nested.unwrap_err().path;
    let key = |key: &str| PathStep::Key(key.to_owned());
    assert_eq!(path, [key("assert"), PathStep::Index(1), key("type")]);
}

#[test]
fn templates_are_found_and_rendered_everywhere() {
    let entry = json!({"type": "assert-set", "metric": "of {{who}}", "assert": [
        {"type": "equals", "value": {"a": ["{{x}}", 1]}}]});
    let spec = AssertSpec::read(&entry).unwrap();
    assert!(spec.has_template() && spec.assert[0].has_template());
    let rendered = spec
        .map_strings(|text| Ok::<_, ()>(text.replace("{{x}}", "X").replace("{{who}}", "me")))
        .unwrap();
    assert!(!rendered.has_template());
    assert_eq!(rendered.metric.as_deref(), Some("of me"));
    assert_eq!(rendered.assert[0].value, Some(json!({"a": ["X", 1]})));
    assert_eq!(
        spec.map_strings(|text| Err(text.to_owned())).unwrap_err(),
        "of {{who}}"
    );
    assert!(
        AssertSpec::read(&json!({"type": "regex", "value": "{% if x %}"}))
            .unwrap()
            .has_template()
    );
    assert!(
        !AssertSpec::read(&json!({"type": "regex", "value": "a{2}"}))
            .unwrap()
            .has_template()
    );
}
