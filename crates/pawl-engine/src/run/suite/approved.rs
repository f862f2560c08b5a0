//! Approved tests as a suite: the prompt goes in, and the sentences and the golden output judge what comes out.

use pawl_checks::{AssertSpec, CheckType};
use serde_json::{Map, Value, json};

use super::case_spec::{CaseSpec, Content};
use super::check_list::{Assert, OwnChecks};
use super::cursor::Spot;
use super::error::Place;
use super::prompt::Affixes;
use crate::draft::rubric;
use crate::review::approved::ApprovedTest;

/// What the suite is called, and named by.
pub(crate) const NAME: &str = "approved";

/// A case of each test, with the test's id.
pub(super) fn cases(tests: &[ApprovedTest]) -> Vec<CaseSpec> {
    tests.iter().map(case).collect()
}

fn case(ApprovedTest { suggestion, draft }: &ApprovedTest) -> CaseSpec {
    let spot = Spot::Place(Place::file(format!("{NAME}: {}", draft.eval_test_id)));
    let check = |kind: CheckType, name: &str, text: &str| Assert {
        spec: AssertSpec {
            name: name.to_owned(),
            value: Some(Value::from(literal(text))),
            ..AssertSpec::of(kind)
        },
        spot: spot.clone(),
    };
    let sentences = rubric::sentences(draft).map(|(kind, text)| check(kind, kind.name(), text));
    let golden = draft.assertions.golden_output.iter().flatten();
    let golden = golden.map(|text| check(CheckType::Equals, "golden_output", text));
    let asserts = sentences.chain(golden).collect();
    let state = draft.input.required_state.clone().flatten();
    let vars: Map<String, Value> = state
        .into_iter()
        .map(|state| ("required_state".to_owned(), Value::from(state)))
        .collect();
    let metadata = json!({
        "suggestion_id": suggestion.suggestion_id,
        "severity": suggestion.severity,
        "tools_involved": draft.input.tools_involved,
    });
    CaseSpec {
        spot: spot.clone(),
        id: Some(draft.eval_test_id.clone()),
        content: Content::Vars {
            vars,
            input: Some(Value::from(draft.input.prompt.as_str())),
            description: Some(draft.title.clone()),
            metadata: match metadata {
                Value::Object(metadata) => metadata,
                _ => Map::new(),
            },
        },
        checks: OwnChecks {
            asserts,
            ..OwnChecks::default()
        },
        affixes: Affixes::default(),
        expands: false,
    }
}

/// A text that means itself where templates are filled in.
fn literal(text: &str) -> String {
    if text.contains("{{") || text.contains("{%") {
        format!("{{{{ {} }}}}", Value::from(text))
    } else {
        text.to_owned()
    }
}
