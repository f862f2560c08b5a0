//! Goldens of DeepEval, as `EvaluationDataset.add_goldens_from_json_file` reads them.

use pawl_checks::sentence::Form;
use pawl_model::Json;
use serde_json::{Value, json};

use super::{Exported, Line, List, golden, required_state};

pub(super) fn export(drafts: &[Exported<'_>]) -> String {
    let goldens: Vec<Value> = drafts.iter().map(one).collect();
    format!("{:#}\n", Value::from(goldens))
}

fn one(exported: &Exported<'_>) -> Value {
    let draft = exported.draft;
    let lines = Line::all(draft);
    let (must, must_not): (Vec<&Line<'_>>, Vec<_>) = lines.iter().partition(|line| line.says_it_itself());
    let texts = |lines: &[&Line<'_>]| -> Vec<Value> { lines.iter().map(|line| line.text.into()).collect() };
    let tools: Vec<Value> = lines
        .iter()
        .filter_map(must_call)
        .map(|name| json!({"name": name}))
        .collect();
    json!({
        "name": draft.eval_test_id,
        "input": draft.input.prompt,
        "expected_output": golden(draft),
        "context": required_state(draft).map(|state| [state]),
        "expected_tools": (!tools.is_empty()).then_some(tools),
        "expectations": {"must": texts(&must), "must_not": texts(&must_not)},
        "comments": draft.rationale,
        "additional_metadata": {
            "suggestion_id": exported.suggestion_id,
            "eval_test_id": draft.eval_test_id,
            "title": draft.title,
            "failure_type": exported.pattern.failure_type,
            "trigger_condition": exported.pattern.trigger_condition,
            "tools_involved": draft.input.tools_involved,
            "required": draft.assertions.required,
            "forbidden": draft.assertions.forbidden,
            "notes": draft.assertions.notes.as_ref().and_then(Option::as_ref),
            "trace_ids": draft.source.trace_ids,
            "approval_metadata": exported.approval_metadata.map(Json::to_value),
        },
    })
}

/// The tool that has to be called, whatever else is.
fn must_call<'l>(line: &'l Line<'_>) -> Option<&'l str> {
    let sentence = line.compiled.as_ref().filter(|_| line.list == List::Required)?;
    match sentence.form() {
        Form::Calls { tool, before: None } if !sentence.forbids() => Some(tool),
        _ => None,
    }
}
