//! A module of tests for pytest: one test per draft, with all that it needs but the agent.

use pawl_checks::sentence::{Form, Sentence, Unit, refusal};

use super::pattern::{Dialect, translated};
use super::{Exported, Line, golden, quoted, required_state};

/// What judges, in Python.
const MODULE: &str = include_str!("pytest.py");

pub(super) fn export(drafts: &[Exported<'_>]) -> String {
    let drafts: String = drafts.iter().map(draft).collect();
    MODULE
        .replace("OPENINGS = ()", &tuple("OPENINGS", &refusal::OPENINGS))
        .replace("LEADS = ()", &tuple("LEADS", &refusal::LEADS))
        .replace("DRAFTS = []", &format!("DRAFTS = [\n{drafts}]"))
}

fn tuple(name: &str, texts: &[&str]) -> String {
    let lines: String = texts
        .iter()
        .map(|text| format!("    {},\n", quoted(text)))
        .collect();
    format!("{name} = (\n{lines})")
}

fn draft(exported: &Exported<'_>) -> String {
    let draft = exported.draft;
    let optional = |text: Option<&str>| text.map_or_else(|| "None".to_owned(), quoted);
    let sentences: String = Line::all(draft)
        .iter()
        .map(|line| {
            let check = line.compiled.as_ref().and_then(check);
            let check = check.unwrap_or_else(|| "None".to_owned());
            format!("            ({}, {check}),\n", quoted(&line.rubric()))
        })
        .collect();
    format!(
        "    {{\n        \"id\": {},\n        \"title\": {},\n        \"prompt\": {},\n        \"required_state\": {},\n        \
         \"golden_output\": {},\n        \"sentences\": [\n{sentences}        ],\n    }},\n",
        quoted(&draft.eval_test_id),
        quoted(&draft.title),
        quoted(&draft.input.prompt),
        optional(required_state(draft)),
        optional(golden(draft)),
    )
}

/// The call that makes what judges a sentence.
fn check(sentence: &Sentence) -> Option<String> {
    let must = if sentence.forbids() { "False" } else { "True" };
    Some(match sentence.form() {
        Form::Calls { tool, before } => {
            let before = before.as_deref().map_or_else(|| "None".to_owned(), quoted);
            format!("calls({}, before={before}, must={must})", quoted(tool))
        }
        Form::Contains(text) => format!("contains({}, must={must})", quoted(text)),
        Form::Matches {
            pattern,
            ignores_case,
        } => {
            let pattern = translated(pattern.as_str(), *ignores_case, Dialect::Python)?;
            format!("matches({}, must={must})", quoted(&pattern))
        }
        Form::Refuses => format!("refuses(must={must})"),
        Form::ValidJson { key: None } => "is_json()".to_owned(),
        Form::ValidJson { key: Some(key) } => format!("is_json(key={})", quoted(key)),
        Form::AtMost { most, unit } => {
            let unit = match unit {
                Unit::Characters => "characters",
                Unit::Words => "words",
                Unit::Calls => "calls",
            };
            format!("at_most({most}, \"{unit}\")")
        }
    })
}
