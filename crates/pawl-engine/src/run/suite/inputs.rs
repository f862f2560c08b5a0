//! Cases from a seed-style file: one object whose `inputs` are given to the target as they are.

use serde_json::Value;

use super::case_spec::{CaseSpec, Content, Defaults, read_id};
use super::check_list::OwnChecks;
use super::cursor::Cursor;
use super::error::SuiteError;
use super::keys;

/// What every input has, if only as an empty text.
const REQUIRED: [&str; 3] = ["role", "goal", "benefit"];

/// Whether a document is a file of inputs.
pub(super) fn recognise(document: &Value) -> bool {
    document.get("inputs").is_some_and(Value::is_array) && document.get("tests").is_none()
}

/// Reads the inputs of a document.
pub(super) fn read(root: &Cursor<'_>, defaults: &Defaults) -> Result<Vec<CaseSpec>, SuiteError> {
    keys::INPUTS_FILE.check(root)?;
    let Some(inputs) = root.get("inputs") else {
        return Err(root.error("there are no `inputs`"));
    };
    inputs
        .items()?
        .map(|input| read_input(&input, defaults))
        .collect()
}

fn read_input(input: &Cursor<'_>, defaults: &Defaults) -> Result<CaseSpec, SuiteError> {
    let members = input.object()?;
    for key in REQUIRED {
        match members.get(key) {
            Some(Value::String(_)) => {}
            Some(value) => return Err(input.member(key, value).wrong_type("a text")),
            None => return Err(input.error(format!("the input has no `{key}`; it may be an empty text"))),
        }
    }
    Ok(CaseSpec {
        spot: input.spot(),
        id: members
            .get("id")
            .map(|id| read_id(&input.member("id", id)))
            .transpose()?,
        content: Content::Input(members.clone()),
        checks: OwnChecks::default(),
        affixes: defaults.affixes(None, None),
        expands: false,
    })
}
