use pawl_model::State;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{compile, judge};
use crate::Subject;

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        "[<>{}\\[\\]\":,a-c0-9 &;/!?-]{0,30}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 5, |inner| {
        let key = prop_oneof!["title", "description", "acceptance_criteria", "[a-c]"];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map(key, inner, 0..5)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

/// One entry of each type that has a `not-` form.
fn entries() -> Vec<Value> {
    vec![
        json!({"type": "equals", "value": "a"}),
        json!({"type": "equals", "value": {"a": [1]}}),
        json!({"type": "contains", "value": "a"}),
        json!({"type": "icontains", "value": "A"}),
        json!({"type": "contains-any", "value": ["a", "1"]}),
        json!({"type": "icontains-any", "value": "B, 2"}),
        json!({"type": "contains-all", "value": ["a", "1"]}),
        json!({"type": "icontains-all", "value": ["A", "1"]}),
        json!({"type": "starts-with", "value": "a"}),
        json!({"type": "regex", "value": "^.*a(?!b)"}),
        json!({"type": "is-json"}),
        json!({"type": "is-json", "value": {"type": "object"}}),
        json!({"type": "contains-json"}),
        json!({"type": "contains-json", "value": {"required": ["a"]}}),
        json!({"type": "is-xml"}),
        json!({"type": "is-xml", "value": {"requiredElements": ["a.b"]}}),
        json!({"type": "is-html"}),
        json!({"type": "levenshtein", "value": "abc"}),
        json!({"type": "latency", "threshold": 10}),
        json!({"type": "cost", "threshold": 0.1}),
        json!({"type": "has_title"}),
        json!({"type": "has_description"}),
        json!({"type": "description_format"}),
        json!({"type": "min_acceptance_criteria"}),
        json!({"type": "max_acceptance_criteria", "value": 2}),
        json!({"type": "no_duplicate_ac"}),
        json!({"type": "description_length"}),
        json!({"type": "acs_are_actionable", "value": {"strict": true}}),
        json!({"type": "acs_are_actionable"}),
    ]
}

proptest! {
    #[test]
    fn not_inverts_passed_and_failed_and_nothing_else(
        output in any_json(),
        latency in prop::option::of(0_u64..20),
        cost in prop::option::of(0.0..0.2),
    ) {
        for entry in entries() {
            let inverse = json!({
                "type": format!("not-{}", entry["type"].as_str().unwrap()),
                "value": entry["value"],
                "threshold": entry["threshold"],
            });
            let Value::Object(mut inverse) = inverse else { unreachable!() };
            inverse.retain(|_, value| !value.is_null());
            let states = [entry, Value::Object(inverse)].map(|entry| {
                let subject = Subject::new(&output).with_latency_ms(latency).with_cost_usd(cost);
                let result = compile(&entry).unwrap()[0].judge(&subject);
                assert_eq!(result.message.is_none(), result.state == State::Passed);
                assert!(result.message.is_none_or(|message| !message.contains('\n') && message.chars().count() <= 250));
                result.state
            });
            let is_pair = matches!(
                states,
                [State::Passed, State::Failed] | [State::Failed, State::Passed] | [State::Error, State::Error]
            );
            prop_assert!(is_pair, "{:?}", states);
        }
    }

    #[test]
    fn all_implies_any(output in "[abc ]{0,10}", texts in prop::collection::vec("[abcABC]{1,3}", 1..4)) {
        for prefix in ["", "i"] {
            let state = |quantity| {
                let name = format!("{prefix}contains-{quantity}");
                let entry = json!({"type": name, "value": texts});
                judge(&entry, &json!(output)).state
            };
            prop_assert!(state("all") != State::Passed || state("any") == State::Passed);
        }
    }

    #[test]
    fn an_output_equals_itself(output in any_json()) {
        let text = match &output {
            Value::Number(_) => json!(output.to_string()),
            other => other.clone(),
        };
        prop_assert_eq!(judge(&json!({"type": "equals", "value": text}), &output).state, State::Passed);
    }

    #[test]
    fn embedded_json_is_found(before in "[a-z ,.:]{0,10}", object in "[a-z]{1,5}", after in "[a-z ,.}]{0,10}") {
        let output = json!(format!("{before}{}{after}", json!({"key": object})));
        prop_assert_eq!(judge(&json!({"type": "contains-json"}), &output).state, State::Passed);
        prop_assert_eq!(judge(&json!({"type": "is-json"}), &output).state, State::judged(
            before.trim().is_empty() && after.trim().is_empty()
        ));
    }

    #[test]
    fn any_entry_is_read_or_refused(entry in any_json(), name in "(not-)?[a-z]{0,8}(-json)?", value in any_json()) {
        let compiles = |entry: &Value| compile(entry).is_ok();
        prop_assert!(!compiles(&entry));
        let named = json!({"type": name, "value": value});
        let known = entries().iter().any(|entry| name.ends_with(entry["type"].as_str().unwrap()));
        prop_assert!(!compiles(&named) || known);
    }
}
