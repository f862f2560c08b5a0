use pawl_model::State;
use serde_json::{Value, json};

use super::{check, compile, judge};
use crate::Subject;

/// Entry, output, and the message of the failure; none where it passes. The `not-` form is always the opposite.
#[track_caller]
fn expect(entry: &Value, output: &Value, message: Option<&str>) {
    let result = judge(entry, output);
    assert_eq!(
        result.state,
        State::judged(message.is_none()),
        "{entry} on {output}: {result:?}"
    );
    assert_eq!(result.message.as_deref(), message, "{entry} on {output}");
    assert_eq!(&*result.name, entry["type"].as_str().unwrap());
    let mut inverse = entry.clone();
    inverse["type"] = json!(format!("not-{}", result.name));
    let inverted = judge(&inverse, output);
    assert_eq!(
        inverted.state,
        State::judged(message.is_some()),
        "{inverse} on {output}"
    );
    assert_eq!(
        inverted.message.is_some(),
        message.is_none(),
        "{inverse} on {output}"
    );
}

#[test]
fn equals() {
    let entry = |value: Value| json!({"type": "equals", "value": value});
    expect(&entry(json!("Yes.")), &json!("Yes."), None);
    expect(
        &entry(json!("Yes.")),
        &json!("yes."),
        Some(r#"expected "Yes.", got "yes.""#),
    );
    expect(&entry(json!("")), &json!(""), None);
    expect(&entry(json!(42)), &json!("42"), None);
    expect(&entry(json!(42.0)), &json!("42"), None);
    expect(&entry(json!(true)), &json!(true), None);
    expect(
        &entry(json!({"a": 1, "b": [2.0]})),
        &json!("{\"b\":[2],\"a\":1.0}"),
        None,
    );
    expect(&entry(json!({"a": 1})), &json!({"a": 1}), None);
    expect(&entry(json!(null)), &json!("null"), None);
    expect(
        &entry(json!({"a": {"b/c": [1]}})),
        &json!({"a": {"b/c": [2]}}),
        Some("at /a/b~1c/0: expected 1, got 2"),
    );
    expect(
        &entry(json!({"a": 1})),
        &json!({"a": 1, "b": 2}),
        Some("/b is not expected"),
    );
    expect(&entry(json!({"a": 1})), &json!({}), Some("/a is missing"));
    expect(
        &entry(json!([1, 2])),
        &json!([1]),
        Some("expected 2 items, got 1"),
    );
    expect(&entry(json!([1])), &json!("one"), Some(r#"is not JSON: "one""#));
    let long = "x".repeat(500);
    let result = judge(&entry(json!(format!("{long}a"))), &json!(format!("{long}b")));
    let x = "x".repeat(20);
    assert_eq!(result.message.unwrap(), format!(r#"expected "{x}a", got "{x}b""#));
}

#[test]
fn contains() {
    let entry = |name: &str, value: Value| json!({"type": name, "value": value});
    expect(&entry("contains", json!("ell")), &json!("Hello"), None);
    expect(
        &entry("contains", json!("ELL")),
        &json!("Hello"),
        Some(r#"does not contain "ELL""#),
    );
    expect(&entry("contains", json!(0)), &json!("10"), None);
    expect(&entry("contains", json!("\"a\":1")), &json!({"a": 1}), None);
    expect(&entry("icontains", json!("ÉLL")), &json!("Héllo"), None);
    expect(
        &entry("icontains", json!("x")),
        &json!(""),
        Some(r#"does not contain "x""#),
    );
    expect(&entry("contains-any", json!(["x", "ell"])), &json!("Hello"), None);
    expect(
        &entry("contains-any", json!("x, y")),
        &json!("Hello"),
        Some("contains none of: x, y"),
    );
    expect(
        &entry("contains-any", json!(["a,b"])),
        &json!("a b"),
        Some("contains none of: a,b"),
    );
    expect(&entry("icontains-any", json!("X, hELLO")), &json!("Hello"), None);
    expect(
        &entry("contains-all", json!(["H", "o", 1])),
        &json!("Hello 1"),
        None,
    );
    expect(
        &entry("contains-all", json!("H, x, y")),
        &json!("Hello"),
        Some(r#"does not contain "x""#),
    );
    expect(
        &entry("contains-all", json!("\"1,000\", stock")),
        &json!("1,000 in stock"),
        None,
    );
    expect(
        &entry("icontains-all", json!(["HE", "LO"])),
        &json!("Hello"),
        None,
    );
    expect(&entry("starts-with", json!("He")), &json!("Hello"), None);
    expect(
        &entry("starts-with", json!("he")),
        &json!("Hello"),
        Some(r#"starts with "Hello", not "he""#),
    );
    expect(
        &entry("starts-with", json!("Hello")),
        &json!("He"),
        Some(r#"starts with "He", not "Hello""#),
    );
}

#[test]
fn regex() {
    let entry = json!({"type": "regex", "value": "^\\d+$"});
    expect(&entry, &json!("42"), None);
    expect(&entry, &json!(42), None);
    expect(&entry, &json!("42a"), Some(r#"does not match "^\d+$""#));
}

#[test]
fn json_and_schema() {
    let schema = json!({"type": "object", "required": ["lat"], "properties": {"lat": {"type": "number", "maximum": 90}}});
    let plain = json!({"type": "is-json"});
    expect(&plain, &json!(" [1, 2] "), None);
    expect(&plain, &json!({"a": 1}), None);
    expect(&plain, &json!("{a: 1}"), Some(r#"is not JSON: "{a: 1}""#));
    expect(&plain, &json!(""), Some(r#"is not JSON: """#));
    expect(&json!({"type": "is-json", "value": null}), &json!("1"), None);
    let with_schema = json!({"type": "is-json", "value": schema});
    expect(&with_schema, &json!("{\"lat\": 10}"), None);
    expect(
        &with_schema,
        &json!({"lat": 91}),
        Some("does not fit the schema: at /lat: 91 is greater than the maximum of 90"),
    );
    expect(
        &with_schema,
        &json!({}),
        Some(r#"does not fit the schema: "lat" is a required property"#),
    );
    expect(&with_schema, &json!("no"), Some(r#"is not JSON: "no""#));
    let format = json!({"type": "is-json", "value": {"format": "date"}});
    expect(
        &format,
        &json!("\"2026-13-01\""),
        Some(r#"does not fit the schema: "2026-13-01" is not a "date""#),
    );

    let contains = json!({"type": "contains-json"});
    expect(&contains, &json!("Sure:\n```json\n{\"a\": 1}\n```"), None);
    expect(&contains, &json!({"a": 1}), None);
    expect(
        &contains,
        &json!("see [1]"),
        Some(r#"contains no JSON object: "see [1]""#),
    );
    let contains_schema = json!({"type": "contains-json", "value": schema});
    expect(
        &contains_schema,
        &json!("not {\"lat\": \"x\"} but {\"lat\": 1}"),
        None,
    );
    expect(&contains_schema, &json!("in a list: [{\"lat\": 1}]"), None);
    expect(
        &json!({"type": "contains-json", "value": {"type": "array"}}),
        &json!("here: [1, 2]"),
        None,
    );
    expect(
        &contains_schema,
        &json!("none"),
        Some(r#"contains no JSON: "none""#),
    );
    expect(
        &contains_schema,
        &json!("{\"lat\": 99}"),
        Some("does not fit the schema: at /lat: 99 is greater than the maximum of 90"),
    );
}

#[test]
fn xml() {
    let entry = json!({"type": "is-xml"});
    for document in [
        "<root><child>Content</child></root>",
        "<?xml version=\"1.0\"?>\n<!DOCTYPE root>\n<a:root xmlns:a='urn:a' b=\"&lt;\">&#x41;&amp;<x.y/></a:root>\n",
        "<r><![CDATA[<&]]><!-- ok --><?pi x?></r>",
    ] {
        expect(&entry, &json!(document), None);
    }
    for document in [
        "",
        "text",
        "<root>",
        "<root></other>",
        "<root/><root/>",
        "text <root/>",
        "<root/> text",
        "<root a=1/>",
        "<root a=\"1\" a=\"2\"/>",
        "<root a=\"<\"/>",
        "<root>&nbsp;</root>",
        "<root>&</root>",
        "<root>]]></root>",
        "<1a/>",
        "<?xml encoding=\"UTF-8\"?><root/>",
        " <?xml version=\"1.0\"?><root/>",
        "<!DOCTYPE r [<!ENTITY a \"b\">]><r>&a;</r>",
        "<root>\u{1}</root>",
        "<r><!-- a -- b --></r>",
        "<root",
    ] {
        let result = judge(&entry, &json!(document));
        assert_eq!(result.state, State::Failed, "{document}");
        assert!(result.message.unwrap().starts_with("is not XML: "), "{document}");
    }
    let required = json!({"type": "is-xml", "value": {"requiredElements": ["r.a.b", "r.c"]}});
    expect(&required, &json!("<r><a/><a><x.y/><b/></a><c/></r>"), None);
    expect(
        &required,
        &json!("<r><a/><b/><c/></r>"),
        Some(r#"has no element "r.a.b""#),
    );
}

#[test]
fn html() {
    let entry = json!({"type": "is-html"});
    expect(&entry, &json!(" <p>Hi</p> "), None);
    expect(
        &entry,
        &json!("Hi <b>you</b>"),
        Some(r#"is not HTML: text outside of elements: "Hi <b>you</b>""#),
    );
}

#[test]
fn levenshtein() {
    let entry = json!({"type": "levenshtein", "value": "Hello world"});
    expect(&entry, &json!("Hallo Welt"), None);
    expect(&entry, &json!("Goodbye"), Some("edit distance 10, at most 5"));
    expect(&entry, &json!("x".repeat(2000)), Some("edit distance above 5"));
    let exact = json!({"type": "levenshtein", "value": "a", "threshold": 0});
    expect(&exact, &json!("a"), None);
    expect(&exact, &json!("b"), Some("edit distance 1, at most 0"));
}

#[test]
fn limits_on_what_was_measured() {
    let output = json!("out");
    let latency = check(&json!({"type": "latency", "threshold": 50}));
    let cost = check(&json!({"type": "cost", "threshold": 0.001}));
    let subject = |ms, usd| Subject::new(&output).with_latency_ms(ms).with_cost_usd(usd);
    let fits = subject(Some(50), Some(0.001));
    let exceeds = subject(Some(51), Some(0.002));
    assert_eq!(
        (latency.judge(&fits).state, cost.judge(&fits).state),
        (State::Passed, State::Passed)
    );
    assert_eq!(
        latency.judge(&exceeds).message.unwrap(),
        "took 51 ms, at most 50 ms"
    );
    assert_eq!(
        cost.judge(&exceeds).message.unwrap(),
        "cost $0.002, at most $0.001"
    );
    for (name, message) in [
        ("latency", "the target reported no latency"),
        ("not-latency", "the target reported no latency"),
        ("cost", "the target reported no cost"),
        ("not-cost", "the target reported no cost"),
    ] {
        let result = judge(&json!({"type": name, "threshold": 1}), &output);
        assert_eq!(
            (result.state, result.message.as_deref()),
            (State::Error, Some(message)),
            "{name}"
        );
    }
    let not_latency = check(&json!({"type": "not-latency", "threshold": 50})).judge(&fits);
    assert_eq!(
        (not_latency.state, not_latency.message.as_deref()),
        (State::Failed, Some("took at most 50 ms"))
    );
}

#[test]
fn what_does_not_compile_is_named_with_its_place() {
    for (entry, error) in [
        (json!({"type": "contains"}), "`contains` needs a `value`"),
        (
            json!({"type": "contains", "value": ""}),
            "value: must not be empty",
        ),
        (
            json!({"type": "contains", "value": ["a"]}),
            "value: must be a text or a number, not a list",
        ),
        (
            json!({"type": "contains-any", "value": []}),
            "value: must not be empty",
        ),
        (
            json!({"type": "contains-all", "value": ["a", {}]}),
            "value[1]: must be a text or a number, not an object",
        ),
        (
            json!({"type": "contains-all", "value": ["a", ""]}),
            "value[1]: must not be empty",
        ),
        (
            json!({"type": "contains-any", "value": "\"a"}),
            "value: has a quote that is not closed",
        ),
        (
            json!({"type": "contains", "value": "a", "threshold": 1}),
            "threshold: `contains` takes no threshold",
        ),
        (
            json!({"type": "is-json", "value": "{}"}),
            "value: must be a JSON Schema (an object), not a text",
        ),
        (
            json!({"type": "is-html", "value": "x"}),
            "value: `is-html` takes no value",
        ),
        (
            json!({"type": "is-xml", "value": {"elements": []}}),
            "value.elements: unknown key `elements`; only `requiredElements`",
        ),
        (
            json!({"type": "is-xml", "value": {"requiredElements": ["a", 1]}}),
            "value.requiredElements[1]: must be a path like `root.child`, not a number",
        ),
        (
            json!({"type": "levenshtein", "value": "a", "threshold": 1001}),
            "threshold: must be within 0 and 1000 edits",
        ),
        (json!({"type": "latency"}), "`latency` needs a `threshold`"),
        (
            json!({"type": "cost", "threshold": -1}),
            "threshold: must be a number of 0 or more",
        ),
        (
            json!({"type": "equals", "value": "a", "weight": -1}),
            "weight: must be a number of 0 or more",
        ),
        (
            json!({"type": "equals", "value": "a".repeat(1 << 20)}),
            "value: is larger than 1024 KiB",
        ),
    ] {
        assert_eq!(
            compile(&entry).unwrap_err().to_string(),
            error,
            "{}",
            entry["type"]
        );
    }
    for value in [
        json!({"type": "nonsense"}),
        json!({"$ref": "https://example.com/schema.json"}),
        json!({"pattern": "("}),
    ] {
        let error = compile(&json!({"type": "is-json", "value": value}))
            .unwrap_err()
            .to_string();
        assert!(error.starts_with("value: is not a JSON Schema: "), "{error}");
    }
}
