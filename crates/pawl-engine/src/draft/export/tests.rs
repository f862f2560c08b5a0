use pawl_model::{FailureType, State};
use serde_json::json;

use super::*;
use crate::run::suite::{Suite, SuiteError};

/// Texts with much of what means something in templates, in YAML or as paths.
const TEXT: &str =
    r##"(file://|package:)?([^\x00]|\{\{|\{%|#\}| prompt | env\.HOME |%\}|[{}#\n\t :'"\\|>-]){0,12}"##;

/// The document that a draft is known by.
const SAMPLE: &str = r#"{
    "eval_test_id": "eval_sugg_abc123",
    "title": "Prevent stale product recommendations",
    "rationale": "A production incident showed the agent recommending discontinued SKUs; this test ensures the agent checks inventory freshness before recommending products.",
    "source": {
        "suggestion_id": "sugg_abc123",
        "canonical_trace_id": "dd_trace_67890",
        "canonical_pattern_id": "pattern_dd_trace_67890",
        "trace_ids": ["dd_trace_12345", "dd_trace_67890"],
        "pattern_ids": ["pattern_dd_trace_12345", "pattern_dd_trace_67890"]
    },
    "input": {
        "prompt": "Recommend a product for a customer looking for a laptop under $1000.",
        "required_state": "Inventory contains out-of-stock and discontinued items.",
        "tools_involved": ["inventory_lookup"]
    },
    "assertions": {
        "required": ["Must call inventory_lookup before recommending a SKU", "Must recommend only in-stock SKUs"],
        "forbidden": ["Must not recommend discontinued SKUs"],
        "golden_output": null
    },
    "status": "draft",
    "edit_source": "generated",
    "generated_at": "2025-12-29T12:00:00Z",
    "updated_at": "2025-12-29T12:00:00Z",
    "generator_meta": {
        "model": "gemini-2.5-flash",
        "temperature": 0.2,
        "prompt_hash": "sha256:...",
        "response_sha256": "sha256:...",
        "run_id": "run_20251229_120000_ab12cd34"
    }
}"#;

/// The sample, and in its place a draft of sentences that need no judge, and one of texts that mean something elsewhere.
fn drafts() -> Vec<EvalTestDraft> {
    let sample: EvalTestDraft = serde_json::from_str(SAMPLE).unwrap();
    let mut compiled = sample.clone();
    compiled.eval_test_id = "eval_sugg_compiled".to_owned();
    compiled.source.suggestion_id = "sugg_compiled".to_owned();
    compiled.title = "Refunds are verified first".to_owned();
    compiled.input.required_state = None;
    compiled.assertions = serde_json::from_value(json!({
        "required": [
            "Must call verify_order before refund",
            "Must call verify_order",
            "Must contain \"order PX-12\"",
            "Must match /px-\\d{2}[a-f]?$/i",
            "Must be valid JSON",
            "Must be valid JSON with \"order id\"",
            "Must have at most 1,000 characters",
            "At most 120 words",
            "Must make at most 3 calls",
            "Must not refuse",
        ],
        "forbidden": [
            "Must not call delete_order",
            "Must not call refund before verify_order",
            "Must not contain 'discontinued'",
            "Must not match /\\p{Lu}{5}/",
            "Must contain \"sorry\"",
            "Promises a date",
        ],
        "golden_output": "{\"order id\": \"PX-12\"}",
        "notes": "Checked by hand.",
    }))
    .unwrap();
    let mut texts = sample.clone();
    texts.eval_test_id = "eval_sugg_texts".to_owned();
    texts.title = "A \"title\": with # and {{ env.HOME }}".to_owned();
    texts.input.prompt =
        "file://{{ prompt }}\n{% if a %} {# b #}\n\n  '''\"\"\" \\ \u{2028}\u{202e}\u{7f}é😀\n".to_owned();
    texts.input.required_state = Some(None);
    texts.input.tools_involved = vec![
        "yes".to_owned(),
        "1e3".to_owned(),
        "2025-12-29".to_owned(),
        String::new(),
    ];
    texts.assertions = serde_json::from_value(json!({
        "required": ["Must contain \"{{ name }}\"", "package:x: must be polite", ""],
        "forbidden": ["Must not match /{{%/"],
        "golden_output": "one\ntwo: # three\n\nfour",
    }))
    .unwrap();
    texts.generator_meta.temperature = serde_json::Number::from_f64(1e-7).unwrap();
    vec![sample, compiled, texts]
}

fn exported(format: ExportFormat, drafts: &[EvalTestDraft]) -> String {
    let pattern = SuggestedPattern {
        failure_type: FailureType::StaleData,
        trigger_condition: "a product is recommended".to_owned(),
        title: "Stale products".to_owned(),
        summary: "A discontinued product was recommended.".to_owned(),
    };
    let approval =
        Json::from_serialize(&json!({"actor": "ada", "timestamp": "2025-12-30T08:00:00Z"})).unwrap();
    let exported: Vec<Exported<'_>> = drafts
        .iter()
        .map(|draft| Exported {
            suggestion_id: &draft.source.suggestion_id,
            approval_metadata: Some(&approval),
            pattern: &pattern,
            draft,
        })
        .collect();
    export(format, &exported).unwrap()
}

#[test]
fn each_format_is_written_as_it_was() {
    for format in ExportFormat::ALL {
        insta::assert_snapshot!(format.as_str(), exported(*format, &drafts()));
    }
}

/// Loads a configuration as a suite of our own; the folder is kept as long as it is.
fn suite(config: &str) -> (tempfile::TempDir, Result<Suite, SuiteError>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("promptfooconfig.yaml");
    std::fs::write(&path, config).unwrap();
    let suite = Suite::load(&path, None);
    (folder, suite.and_then(|suite| suite.scan().map(|_| suite)))
}

#[test]
fn a_configuration_is_a_suite_unless_it_counts_or_looks_for_calls() {
    let mut draft = drafts().remove(1);
    let sentences = std::mem::take(&mut draft.assertions.required);
    draft.assertions.forbidden.clear();
    let mut refused = Vec::new();
    for sentence in &sentences {
        draft.assertions.required = vec![sentence.clone()];
        if let (_folder, Err(error)) = suite(&exported(ExportFormat::Promptfoo, &[draft.clone()])) {
            let error = error.to_string();
            assert!(
                error.contains("promptfooconfig.yaml:20:15: type: check type `"),
                "{error}"
            );
            refused.push(sentence.as_str());
        }
    }
    assert_eq!(
        refused,
        [
            "Must call verify_order before refund",
            "Must call verify_order",
            "Must have at most 1,000 characters",
            "At most 120 words",
            "Must make at most 3 calls",
            "Must not refuse",
        ]
    );
}

#[test]
fn nothing_to_export_is_an_empty_file_of_the_format() {
    assert_eq!(exported(ExportFormat::Jsonl, &[]), "");
    assert_eq!(exported(ExportFormat::Yaml, &[]), "[]\n");
    assert_eq!(exported(ExportFormat::DeepEval, &[]), "[]\n");
    assert!(exported(ExportFormat::Promptfoo, &[]).ends_with("\ntests: []\n"));
    assert!(exported(ExportFormat::Pytest, &[]).contains("\nDRAFTS = [\n]\n"));
}

#[test]
fn lines_are_drafts_to_the_byte() {
    let sample: Value = serde_json::from_str(SAMPLE).unwrap();
    let line = exported(ExportFormat::Jsonl, &drafts()[..1]);
    assert_eq!(line, format!("{sample}\n"));
    assert!(line.contains("\"golden_output\":null") && !line.contains("notes"));
    for (line, draft) in exported(ExportFormat::Jsonl, &drafts()).lines().zip(drafts()) {
        assert_eq!(serde_json::from_str::<EvalTestDraft>(line).unwrap(), draft);
    }
}

#[test]
fn a_draft_that_cannot_be_written_is_named() {
    let mut draft = drafts().remove(0);
    draft.updated_at = time::macros::datetime!(-1 - 01 - 01 0:00 UTC);
    let pattern = SuggestedPattern {
        failure_type: FailureType::StaleData,
        trigger_condition: String::new(),
        title: String::new(),
        summary: String::new(),
    };
    let exported = Exported {
        suggestion_id: "sugg_abc123",
        approval_metadata: None,
        pattern: &pattern,
        draft: &draft,
    };
    let error = export(ExportFormat::Yaml, &[exported]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the draft of sugg_abc123 cannot be written as JSON"
    );
}

#[test]
fn a_line_that_forbids_says_so_to_a_judge() {
    let mut draft = drafts().remove(0);
    draft.assertions.forbidden = vec![
        "Mustn’t guess".to_owned(),
        " NEVER guess".to_owned(),
        "Guesses".to_owned(),
    ];
    let rubrics: Vec<String> = Line::all(&draft).iter().map(Line::rubric).collect();
    assert_eq!(
        rubrics[2..],
        [
            "Mustn’t guess",
            " NEVER guess",
            "What the next sentence says must not be so. Guesses"
        ]
    );
}

#[test]
fn patterns_are_written_in_other_dialects() {
    use pattern::{Dialect, translated};
    let both = |pattern, ignores_case| {
        let one = translated(pattern, ignores_case, Dialect::JavaScript);
        (one, translated(pattern, ignores_case, Dialect::Python))
    };
    let same = |text: &str| (Some(text.to_owned()), Some(text.to_owned()));
    assert_eq!(both(r"order PX-\d+", false), same(r"order PX-\d+"));
    assert_eq!(both("a(?i)b|c(?-i)d", false), same("a[bB]|[cC]d"));
    assert_eq!(both("(?x) a b # c", false), same("ab"));
    assert_eq!(both("(?P<name>a.)+?", false), same(r"(?:a[^\n])+?"));
    assert_eq!(
        both("(?s:.)(?m:^a$)", false),
        same(r"(?:[\s\S])(?:(?<![^\n])a(?![^\n]))")
    );
    assert_eq!(both("[a-cZ-]{2,}", true), same(r"[a-cA-CZz\-]{2,}"));
    assert_eq!(
        both("^a$", false),
        (Some("^a$".to_owned()), Some("^a\\Z".to_owned()))
    );
    assert_eq!(both("[😀]", false), (None, Some("[😀]".to_owned())));
    for pattern in [r"\p{Lu}", "[a&&b]", "[[:alpha:]]", "(?U)a+", "[à-ý]"] {
        assert_eq!(both(pattern, true), (None, None), "{pattern}");
    }
}

proptest::proptest! {
    /// Whatever a draft says, a configuration asks it and looks for it to the letter.
    #[test]
    fn no_text_is_a_template_or_a_path(prompt in TEXT, title in TEXT, wanted in "[^\"\\x00-\\x1f]{1,20}") {
        let mut draft = drafts().remove(0);
        (draft.input.prompt, draft.title) = (prompt.clone(), title);
        draft.assertions.required = vec![format!("Must contain \"{wanted}\"")];
        draft.assertions.forbidden.clear();
        let config = exported(ExportFormat::Promptfoo, &[draft]);
        let (_folder, suite) = suite(&config);
        let suite = suite.unwrap();
        let cases = suite.scan().unwrap().cases(&suite.variants()[0]).collect::<Result<Vec<_>, _>>().unwrap();
        proptest::prop_assert_eq!(cases[0].input(), &Value::from(prompt), "{}", config);
        for (output, state) in [(format!("<{wanted}>"), State::Passed), (String::new(), State::Failed)] {
            let output = Value::from(output);
            let judged = cases[0].grading.judge(&pawl_checks::Subject::new(&output));
            proptest::prop_assert_eq!(judged.state, state, "{}", config);
        }
    }
}
