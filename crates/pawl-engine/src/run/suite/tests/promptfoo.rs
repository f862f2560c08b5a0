//! Configurations of promptfoo.

use super::*;
use std::sync::Arc;

#[test]
fn a_configuration_runs_unchanged() {
    let config = r##"# yaml-language-server: $schema=https://promptfoo.dev/config-schema.json
description: Translations
prompts:
  - "Translate to {{language}}: {{ text }}"
  - file://formal.txt
  - id: file://chat.json
    label: chat
providers:
  - openai:gpt-4o-mini
  - id: "exec: ./agent.sh"
    label: agent
    config: {depth: 2}
outputPath: out.json
sharing: false
evaluateOptions: {maxConcurrency: 2, repeat: null}
x-shared: &french
  language: French
assertionTemplates:
  short: {type: regex, value: "^.{1,80}$"}
defaultTest:
  vars: {text: none, language: German}
  threshold: 0.5
  options: {prefix: "", disableVarExpansion: false}
  assert:
    - type: not-icontains
      value: as an AI
tests:
  - description: greeting
    vars: {<<: *french, text: Hello}
    assert:
      - type: icontains
        value: "{{ language }}"
      - $ref: "#/assertionTemplates/short"
        metric: brevity
  - id: own
    vars:
      text: ["one", "two"]
      numbers: [1, 2]
    options: {disableDefaultAsserts: true, suffix: "!"}
    metadata: {team: a}
  - file://more.csv
  - vars: {text: file://formal.txt}
"##;
    let folder = Folder::of(&[
        ("promptfooconfig.yaml", config),
        ("formal.txt", "Dear {{text}}\n---\n Sir {{text}} \n"),
        (
            "chat.json",
            r#"[{"role": "user", "content": "{{text}} \"{{language}}\""}]"#,
        ),
        ("more.csv", "text,__expected\nrow,equals: ROW\n"),
    ]);
    let (suite, dataset) = folder.load("promptfooconfig.yaml", None).unwrap();
    assert_eq!((suite.name(), dataset.cases), ("Translations", 5));
    let variants = suite.variants();
    let named = |variant: &Variant| {
        (
            variant.target.as_ref().map(|target| target.label.clone()),
            variant.prompt_label().unwrap(),
        )
    };
    assert_eq!(variants.len(), 8);
    assert_eq!(suite.variants_without_targets().len(), 4);
    assert_eq!(
        named(&variants[0]),
        (
            Some("openai:gpt-4o-mini".into()),
            "Translate to {{language}}: {{ text }}".into()
        )
    );
    assert_eq!(
        named(&variants[6]),
        (Some("agent".into()), "formal.txt #2".into())
    );
    assert_eq!(
        variants[7].target.as_ref().unwrap().options["config"],
        json!({"depth": 2})
    );

    let cases = all(&dataset, &variants[0]);
    assert_eq!(ids(&cases)[1..3], ["own-1", "own-2"]);
    assert_eq!(cases[0].input(), &json!("Translate to French: Hello"));
    assert_eq!(cases[0].vars(), &json!({"text": "Hello", "language": "French"}));
    assert_eq!(checks(&cases[0]), ["not-icontains", "icontains", "regex"]);
    assert!(passes(&cases[0], "french, and short"));
    let output = json!("french, and short");
    let results = cases[0]
        .grading
        .judge(&pawl_checks::Subject::new(&output))
        .results;
    assert_eq!(results.checks[2].metric.as_deref(), Some("brevity"));
    assert_eq!(cases[2].input(), &json!("Translate to German: two!"));
    assert_eq!(cases[2].vars()["numbers"], json!([1, 2]));
    assert_eq!(stored(&cases[2])["metadata"], json!({"team": "a"}));
    assert!(checks(&cases[2]).is_empty());
    assert_eq!(checks(&cases[3]), ["not-icontains", "equals"]);
    assert_eq!(cases[4].vars()["text"], "Dear {{text}}\n---\n Sir {{text}}");
    let chat = all(&dataset, &variants[3]);
    let text = chat[0].input().as_str().unwrap();
    assert_eq!(
        serde_json::from_str::<Value>(text).unwrap(),
        json!([{"role": "user", "content": "Hello \"French\""}])
    );
}

#[test]
fn the_same_configuration_may_be_json_or_a_bare_list() {
    let test = r#"{"vars": {"q": "caf\u00e9 \ud83d\ude00"}, "assert": [{"type": "contains", "value": "x"}]}"#;
    for (name, text) in [
        ("suite.json", format!(r#"{{"tests": [{test}]}}"#)),
        ("suite.json", format!("[{test}]")),
        (
            "suite.yaml",
            "- vars: {q: café 😀}\n  assert: [{type: contains, value: x}]\n".to_owned(),
        ),
    ] {
        let cases = cases_of(name, &text);
        assert_eq!(cases[0].input(), &json!({"q": "café 😀"}), "of {text}");
        assert_eq!(checks(&cases[0]), ["contains"]);
    }
}

#[test]
fn lists_of_texts_stand_for_combinations() {
    let cases = cases_of("s.yaml", "- vars: {a: [x, y], b: [1, 2], c: [p, q, r], d: []}\n");
    let pairs: Vec<_> = cases
        .iter()
        .map(|case| format!("{}{}", case.vars()["a"], case.vars()["c"]))
        .collect();
    assert_eq!(pairs.concat().replace('"', ""), "xpxqxrypyqyr");
    assert_eq!(
        (&cases[0].vars()["b"], &cases[0].vars()["d"]),
        (&json!([1, 2]), &json!([]))
    );
    let kept = cases_of(
        "s.yaml",
        "- vars: {a: [x, y]}\n  options: {disableVarExpansion: true}\n",
    );
    assert_eq!(kept[0].vars()["a"], json!(["x", "y"]));
}

#[test]
fn files_of_tests_may_nest() {
    let folder = Folder::of(&[
        ("suite.yaml", "tests: [file://a.yaml, file://c.json, b.jsonl]\n"),
        ("a.yaml", "- vars: {n: a}\n- file://b.jsonl\n"),
        ("b.jsonl", "{\"vars\": {\"n\": \"b\"}}\n"),
        ("c.json", r#"{"description": "one test", "vars": {"n": "c"}}"#),
    ]);
    let (suite, dataset) = folder.load("suite.yaml", None).unwrap();
    let names: Vec<_> = all(&dataset, &suite.variants()[0])
        .iter()
        .map(|case| case.vars()["n"].clone())
        .collect();
    assert_eq!(names, ["a", "b", "c", "b"]);
}

#[test]
fn checks_come_from_presets_and_files_and_are_shared() {
    let suite = "- vars: {a: 1}\n- vars: {a: 2}\n- vars: {a: 3}\n  assert: [{type: is-json}]\n\
                 - vars: {a: 4}\n  assert: [{type: is-json}]\n";
    let folder = Folder::of(&[
        ("suite.yaml", suite),
        ("list.yaml", "- {type: contains, value: x}\n"),
        (
            "object.json",
            r##"{"assertionTemplates": {"t": {"type": "regex", "value": "y"}},
            "assert": [{"type": "assert-set", "assert": [{"$ref": "#/assertionTemplates/t"}]}]}"##,
        ),
    ]);
    let (suite, dataset) = folder
        .load("suite.yaml", folder.path("list.yaml").to_str())
        .unwrap();
    let cases = all(&dataset, &suite.variants()[0]);
    assert!(Arc::ptr_eq(&cases[0].grading, &cases[1].grading));
    assert_eq!(checks(&cases[2]), ["contains", "is-json"]);
    let (suite, dataset) = folder
        .load("suite.yaml", folder.path("object.json").to_str())
        .unwrap();
    assert_eq!(checks(&all(&dataset, &suite.variants()[0])[0]), ["assert-set"]);
}

#[test]
fn prompts_without_a_template_and_suites_without_prompts_ask_as_they_are() {
    let folder = Folder::of(&[
        ("s.yaml", "prompts: 'Say 7'\ntests: [{vars: {a: 1}}]"),
        ("t.yaml", "tests: [{vars: {input: hi}}]"),
    ]);
    let (suite, dataset) = folder.load("s.yaml", None).unwrap();
    assert_eq!(all(&dataset, &suite.variants()[0])[0].input(), &json!("Say 7"));
    assert_eq!(suite.name(), "s");
    let (suite, dataset) = folder.load("t.yaml", None).unwrap();
    assert_eq!(all(&dataset, &suite.variants()[0])[0].input(), &json!("hi"));
}
