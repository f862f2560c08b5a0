//! Cases from data files: seed-style inputs, JSON Lines, tables.

use super::*;
use std::sync::Arc;

#[test]
fn inputs_are_given_and_stored_as_they_are() {
    let file = r#"{"version": "v1.0", "description": "Stories", "created_at": "2024-12-22", "inputs": [
        {"id": "seed_001", "role": "user", "goal": "log in", "benefit": "", "context": {"complexity": "low"}, "more": 1},
        {"role": "", "goal": "g", "benefit": "b"}]}"#;
    let folder = Folder::of(&[("inputs.json", file)]);
    let (suite, dataset) = folder.load("inputs.json", Some("user-story")).unwrap();
    assert_eq!(
        (suite.name(), suite.version(), dataset.cases),
        ("inputs", Some("v1.0"), 2)
    );
    let cases = all(&dataset, &suite.variants()[0]);
    let first = json!({"id": "seed_001", "role": "user", "goal": "log in", "benefit": "",
        "context": {"complexity": "low"}, "more": 1});
    assert_eq!(
        (&stored(&cases[0]), cases[0].input(), cases[0].vars()),
        (&first, &first, &first)
    );
    assert_eq!(cases[1].ordinal, 1);
    assert!(cases[1].id.starts_with("c_") && stored(&cases[1])["id"] == cases[1].id.as_str());
    assert_eq!(checks(&cases[0]).len(), 8);
    assert!(Arc::ptr_eq(&cases[0].grading, &cases[1].grading));
}

#[test]
fn the_same_inputs_may_stand_in_yaml_and_behind_a_configuration() {
    let folder = Folder::of(&[
        (
            "inputs.yaml",
            "inputs:\n  - {id: 7, role: user, goal: g, benefit: b}\n",
        ),
        (
            "suite.yaml",
            "prompts: ['As {{role}} in {{tone}} tone']\ndefaultTest:\n  vars: {tone: calm}\n  assert:\n    \
            - {type: contains, value: '{{role}}'}\ntests: file://inputs.yaml\n",
        ),
    ]);
    let (suite, dataset) = folder.load("suite.yaml", None).unwrap();
    let cases = all(&dataset, &suite.variants()[0]);
    assert_eq!(ids(&cases), ["7"]);
    assert_eq!(cases[0].input(), &json!("As user in calm tone"));
    assert_eq!(
        stored(&cases[0]),
        json!({"id": 7, "role": "user", "goal": "g", "benefit": "b"})
    );
    assert!(passes(&cases[0], "a user") && !passes(&cases[0], "nobody"));
}

#[test]
fn rows_of_data_are_variables_and_rows_with_vars_are_test_cases() {
    let cases = cases_of(
        "cases.jsonl",
        concat!(
            "\u{feff}{\"id\": \"a\", \"input\": \"2+2\", \"expected\": \"4\", \"level\": 1.50}\n\n",
            "{\"id\": 2, \"input\": {\"q\": [1]}, \"vars\": {\"x\": \"y\"}, \"description\": \"d\", \"metadata\": {\"k\": 1},",
            " \"assert\": [{\"type\": \"contains\", \"value\": \"{{x}}\"}], \"expected\": \"zzz\"}\r\n",
            "{\"question\": \"why\", \"assert\": [{\"type\": \"is-json\"}]}"
        ),
    );
    assert_eq!(ids(&cases)[..2], ["a", "2"]);
    assert_eq!(cases[0].input(), &json!("2+2"));
    assert_eq!(
        stored(&cases[0])["vars"],
        json!({"id": "a", "input": "2+2", "expected": "4", "level": 1.5})
    );
    assert!(passes(&cases[0], "4") && !passes(&cases[0], "5"));
    assert_eq!(cases[1].input(), &json!({"q": [1]}));
    assert_eq!(
        stored(&cases[1]),
        json!({"id": "2", "input": {"q": [1]}, "vars": {"x": "y"}, "description": "d", "metadata": {"k": 1}})
    );
    assert_eq!(checks(&cases[1]), ["contains"]);
    assert!(passes(&cases[1], "xyz"));
    assert_eq!(cases[2].input(), &json!({"question": "why"}));
    assert_eq!(checks(&cases[2]), ["is-json"]);
}

#[test]
fn expected_judges_only_where_nothing_else_does() {
    let row = r#"{"id": "a", "input": "x", "expected": "Paris"}"#;
    let folder = Folder::of(&[
        ("cases.jsonl", row),
        ("checks.yaml", "- {type: icontains, value: '{{expected}}'}"),
    ]);
    let (suite, dataset) = folder.load("cases.jsonl", None).unwrap();
    assert_eq!(checks(&all(&dataset, &suite.variants()[0])[0]), ["equals"]);
    let extra = folder.path("checks.yaml");
    let (suite, dataset) = folder.load("cases.jsonl", extra.to_str()).unwrap();
    let cases = all(&dataset, &suite.variants()[0]);
    assert_eq!(checks(&cases[0]), ["icontains"]);
    assert!(passes(&cases[0], "in paris"));
}

#[test]
fn tables_follow_promptfoos_columns() {
    let cases = cases_of(
        "cases.csv",
        "id,question,__expected,__expected2,__metric,__threshold,__description\r\n\
         q1,\"a, \"\"b\"\"\nc\",contains: x,not-contains:y,tone,0.5,first\r\n\
         q2,,,,,,\r\n",
    );
    assert_eq!(ids(&cases), ["q1", "q2"]);
    assert_eq!(
        stored(&cases[0]),
        json!({"id": "q1", "vars": {"id": "q1", "question": "a, \"b\"\nc"}, "description": "first"})
    );
    assert_eq!(checks(&cases[0]), ["contains", "not-contains"]);
    assert!(passes(&cases[0], "z"), "half of the score is enough");
    assert_eq!(
        cases[0]
            .grading
            .judge(&pawl_checks::Subject::new(&json!("x")))
            .results
            .checks[0]
            .metric
            .as_deref(),
        Some("tone")
    );
    assert!(checks(&cases[1]).is_empty());
}

#[test]
fn delimiters_are_found_in_the_header() {
    for (name, text) in [
        ("a.csv", "input;note\n1;a,b,c\n"),
        ("a.csv", "input\tnote\r\n1\ta,b,c"),
        ("a.tsv", "input\tnote\n1\ta,b,c\n"),
        ("a.csv", "input,\"no;;te\"\n1,\"a,b,c\"\n"),
        ("a.csv", "\u{feff}input,note\n1,\"a,b,c\"\n\n"),
    ] {
        let cases = cases_of(name, text);
        assert_eq!((cases.len(), cases[0].input()), (1, &json!("1")), "of {text:?}");
        assert_eq!(
            cases[0].vars().as_object().unwrap().values().nth(1),
            Some(&json!("a,b,c")),
            "of {text:?}"
        );
    }
}

#[test]
fn ids_come_from_the_content_where_there_are_none() {
    let row = |input: &str| format!("{{\"input\": {input:?}}}\n");
    let cases = cases_of("cases.jsonl", &(row("a") + &row("b") + &row("a") + &row("a")));
    let [first, second, third, fourth] = &ids(&cases)[..] else {
        panic!("{cases:?}")
    };
    assert!(first.starts_with("c_") && first.len() == 14 && first != second);
    assert_eq!(
        (third, fourth),
        (&&*format!("{first}-2"), &&*format!("{first}-3"))
    );
    assert_eq!(
        cases_of("x.csv", "input\na\n")[0].id,
        *first,
        "the format does not count"
    );
    let other_order = cases_of("x.jsonl", "{\"b\": 1, \"a\": 2}\n");
    assert_eq!(
        cases_of("x.jsonl", "{\"a\": 2, \"b\": 1}\n")[0].id,
        other_order[0].id
    );
}

#[test]
fn hashes_are_of_what_matters() {
    let hash = |name: &str, text: &str| Folder::of(&[(name, text)]).load(name, None).unwrap().1.hash;
    let base = hash("a.jsonl", "{\"id\": \"1\", \"input\": \"x\", \"n\": 1}\n");
    assert_eq!(base, hash("b.jsonl", "\n{\"n\":1,\"input\":\"x\",\"id\":\"1\"}"));
    for other in [
        "{\"id\": \"2\", \"input\": \"x\", \"n\": 1}\n",
        "{\"id\": \"1\", \"input\": \"y\", \"n\": 1}\n",
        "{\"id\": \"1\", \"input\": \"x\", \"n\": 2}\n",
        "{\"id\": \"1\", \"input\": \"x\", \"n\": 1, \"assert\": [{\"type\": \"is-json\"}]}\n",
        "{\"id\": \"1\", \"input\": \"x\", \"n\": 1, \"expected\": \"z\"}\n",
    ] {
        assert_ne!(base, hash("a.jsonl", other), "of {other}");
    }
    let suite_hash = |text: &str| {
        let folder = Folder::of(&[("s.yaml", text)]);
        folder.load("s.yaml", None).unwrap().0.hash().to_owned()
    };
    let base = suite_hash("prompts: [a]\ntests: [{vars: {a: 1}}]");
    assert_eq!(
        base,
        suite_hash("# other text\nprompts: a\ntests: [{vars: {a: 2}}]")
    );
    assert_ne!(base, suite_hash("prompts: [b]\ntests: [{vars: {a: 1}}]"));
    assert_ne!(
        base,
        suite_hash("prompts: [a]\ndefaultTest: {assert: [{type: is-json}]}\ntests: [{vars: {a: 1}}]")
    );
    assert_ne!(
        base,
        suite_hash("prompts: [a]\ndefaultTest: {assert: [{type: is-json}], threshold: 0.5}\ntests: [{}]")
    );
}
