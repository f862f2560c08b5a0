//! The sentences of a draft as checks: what the proof tries is what the approved suite runs.

use pawl_checks::{AssertSpec, Check, CheckType, Grading};
use pawl_model::EvalTestDraft;
use serde_json::Value;

/// The sentences of a draft, those that must hold first. Blank ones say nothing.
pub(crate) fn sentences(draft: &EvalTestDraft) -> impl Iterator<Item = (CheckType, &str)> {
    let assertions = &draft.assertions;
    let required = assertions.required.iter().map(|text| (CheckType::Required, text));
    let forbidden = assertions
        .forbidden
        .iter()
        .map(|text| (CheckType::Forbidden, text));
    required
        .chain(forbidden)
        .map(|(kind, text)| (kind, text.as_str()))
        .filter(|(_, text)| !text.trim().is_empty())
}

/// The checks of the sentences, in their order.
pub(super) fn grading(draft: &EvalTestDraft) -> Grading {
    let checks: Vec<Check> = sentences(draft)
        .filter_map(|(kind, text)| {
            let spec = AssertSpec {
                value: Some(Value::from(text)),
                ..AssertSpec::of(kind)
            };
            // A sentence that is not blank always makes one.
            Check::compile(&spec).ok()
        })
        .flatten()
        .collect();
    Grading::of(checks)
}
