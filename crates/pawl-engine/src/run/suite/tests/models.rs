//! Models that answer, and models that judge.

use super::*;
use crate::run::suite::{Need, Skill};

/// The faults of suites that begin alike.
fn refused(suite: &str) -> String {
    Folder::of(&[("s.yaml", &format!("tests: [{{}}]\n{suite}"))]).error("s.yaml", None)
}

#[test]
fn options_of_models_are_read_by_every_name() {
    let suite = "
prompts: [hi]
providers:
  - id: openai:chat:gpt-4o-mini
    config: {temperature: 0.5, max_tokens: 100, apiBaseUrl: 'http://localhost:8000/v1'}
  - id: google:gemini-2.5-flash
    config: {generationConfig: {temperature: 0, maxOutputTokens: 200}}
  - id: ollama:llama3.2
    config: {num_predict: 300, tools: [], x-note: mine}
  - id: openai:gpt-5-mini
    config:
      max_completion_tokens: 400
      response_format: {type: json_schema, json_schema: {name: answer, schema: {type: object}}}
  - anthropic:messages:claude-haiku-4-5
tests: [{}]
";
    let folder = Folder::of(&[("s.yaml", suite)]);
    let (suite, _) = folder.load("s.yaml", None).unwrap();
    let variants = suite.variants();
    let options = |index: usize| &variants[index].target.as_ref().unwrap().model;
    assert_eq!(
        (options(0).temperature, options(0).max_output_tokens),
        (Some(0.5), Some(100))
    );
    assert_eq!(options(0).base_url.as_deref(), Some("http://localhost:8000/v1"));
    assert_eq!(
        (options(1).temperature, options(1).max_output_tokens),
        (Some(0.0), Some(200))
    );
    assert_eq!(options(2).max_output_tokens, Some(300));
    let schema = options(3).schema.as_ref().unwrap();
    assert_eq!(
        (schema.name.as_str(), &schema.schema),
        ("answer", &json!({"type": "object"}))
    );
    assert_eq!(options(4), &pawl_providers::ModelOptions::default());
}

#[test]
fn options_that_a_run_could_not_honour_are_refused_with_their_place() {
    let config = |config: &str| {
        refused(&format!(
            "providers:\n  - id: openai:gpt-4o\n    config:\n      {config}\n"
        ))
    };
    for (given, told) in [
        ("top_p: 0.5", "s.yaml:5:7: `top_p` is not supported yet"),
        (
            "apiKey: sk-1",
            "s.yaml:5:7: `apiKey` is not supported yet [set the provider's variable in the environment, such as \
             OPENAI_API_KEY]",
        ),
        (
            "temprature: 1",
            "s.yaml:5:7: unknown key `temprature` (did you mean `temperature`?)",
        ),
        (
            "temperature: hot",
            "s.yaml:5:20: `temperature` must be a number, not a text",
        ),
        (
            "max_tokens: 0",
            "s.yaml:5:19: `max_tokens` must be a whole number above 0, not a number",
        ),
        (
            "generationConfig: {topK: 3}",
            "s.yaml:5:26: `topK` is not supported yet",
        ),
        (
            "response_format: {type: json_object}",
            "s.yaml:5:24: `response_format` is supported in the form `{type: json_schema, json_schema: {name: …, \
             schema: {…}}}`",
        ),
    ] {
        assert_eq!(config(given), told);
    }
}

#[test]
fn checks_say_who_has_to_judge() {
    let suite = "
prompts: [hi]
providers: [echo]
defaultTest:
  options: {provider: {text: openai:gpt-4o, embedding: {id: 'openai:embedding:text-embedding-3-small'}}}
  assert: [{type: llm-rubric, value: is kind}]
tests:
  - assert:
      - {type: similar, value: '{{ x }}'}
      - type: assert-set
        assert: [{type: g-eval, value: x, provider: 'anthropic:claude-haiku-4-5'}, {type: contains, value: x}]
    vars: {x: [one, two]}
";
    let folder = Folder::of(&[("s.yaml", suite)]);
    let (suite, dataset) = folder.load("s.yaml", None).unwrap();
    let mut needs = Vec::new();
    let meet = |need: &Need| {
        needs.push((need.skill, need.provider.clone()));
        Ok(())
    };
    dataset.needs.each(meet).unwrap();
    assert_eq!(
        needs,
        [
            (Skill::Words, None),
            (Skill::Words, Some("anthropic:claude-haiku-4-5".to_owned())),
            (Skill::Vectors, None),
        ]
    );
    let names = [Skill::Words, Skill::Vectors].map(|skill| suite.judges().name(skill));
    assert_eq!(
        names,
        [
            Some("openai:gpt-4o"),
            Some("openai:embedding:text-embedding-3-small")
        ]
    );
    let missing = dataset.needs.each(|need| match need.skill {
        Skill::Words => Ok(()),
        Skill::Vectors => Err("needs embeddings".to_owned()),
    });
    let error = missing.unwrap_err();
    assert!(
        error.to_string().ends_with("s.yaml:9:9: needs embeddings"),
        "{error}"
    );
}

#[test]
fn judges_that_a_run_could_not_honour_are_refused_with_their_place() {
    for (suite, told) in [
        (
            "defaultTest: {options: {provider: {id: openai:gpt-4o, config: {temperature: 0}}}}",
            "s.yaml:2:55: `config` is not supported yet",
        ),
        (
            "defaultTest: {options: {provider: {text: openai:gpt-4o, moderation: openai:moderation}}}",
            "s.yaml:2:57: `moderation` is not supported yet",
        ),
        (
            "defaultTest: {options: {provider: {label: x}}}",
            "s.yaml:2:35: a judge needs an `id`, such as openai:MODEL",
        ),
        (
            "defaultTest: {options: {rubricPrompt: x}}",
            "s.yaml:2:25: `rubricPrompt` is not supported yet",
        ),
    ] {
        assert_eq!(refused(suite), told);
    }
    let of_test = Folder::of(&[("s.yaml", "tests:\n  - options: {provider: openai:gpt-4o}\n")]);
    assert_eq!(
        of_test.error("s.yaml", None),
        "s.yaml:2:15: `provider` is not supported yet [name the judge at the check, or in the options of `defaultTest`]"
    );
}
