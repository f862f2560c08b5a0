//! `equals`.

use std::fmt::Write as _;

use serde_json::{Number, Value};

use crate::Subject;
use crate::excerpt::{LONGEST, cut, quote};
use crate::rule::{Finding, Rule};
use crate::spec::{AssertSpec, SpecError, text_of};

/// A list, an object or null is compared with the output as JSON; anything else with its text.
#[derive(Debug)]
pub(crate) enum Equals {
    Json(Value),
    Text(String),
}

impl Equals {
    pub(crate) fn compile(spec: &AssertSpec) -> Result<Self, SpecError> {
        match spec.value.as_ref().ok_or_else(|| spec.missing("value"))? {
            value @ (Value::Array(_) | Value::Object(_) | Value::Null) => Ok(Self::Json(value.clone())),
            // An output may well have to be empty.
            Value::String(text) => Ok(Self::Text(text.clone())),
            scalar => text_of(scalar)
                .map(Self::Text)
                .map_err(|message| SpecError::at("value", message)),
        }
    }
}

impl Rule for Equals {
    fn judge(&self, subject: &Subject<'_>) -> Finding {
        match self {
            Self::Text(expected) => Finding::of(subject.text() == expected, || {
                let from = first_difference(expected, subject.text());
                let excerpt = |text| quote(skip_to(text, from), 60);
                format!("expected {}, got {}", excerpt(expected), excerpt(subject.text()))
            }),
            Self::Json(expected) => match subject.json() {
                Some(output) => compare(expected, output, &mut String::new()).into(),
                None => Finding::Misses(format!("is not JSON: {}", quote(subject.text(), 80))),
            },
        }
    }

    fn claim(&self) -> String {
        match self {
            Self::Text(expected) => format!("equals {}", quote(expected, LONGEST)),
            Self::Json(expected) => format!("equals {}", cut(&expected.to_string(), LONGEST)),
        }
    }
}

/// How many characters two texts have in common at their beginning.
fn first_difference(a: &str, b: &str) -> usize {
    a.chars().zip(b.chars()).take_while(|(x, y)| x == y).count()
}

/// The text from a little before this character on.
fn skip_to(text: &str, character: usize) -> &str {
    let start = text
        .char_indices()
        .nth(character.saturating_sub(20))
        .map_or(text.len(), |(offset, _)| offset);
    if character < 40 { text } else { &text[start..] }
}

/// Compares as JSON: members of objects in any order, numbers by value.
///
/// # Errors
/// The first difference, with its place as a JSON Pointer.
fn compare(expected: &Value, output: &Value, pointer: &mut String) -> Result<(), String> {
    let length = pointer.len();
    match (expected, output) {
        (Value::Object(expected), Value::Object(output)) => {
            for (key, member) in expected {
                let found = output
                    .get(key)
                    .ok_or_else(|| format!("{} is missing", place(pointer, key)))?;
                let _ = write!(pointer, "/{}", key.replace('~', "~0").replace('/', "~1"));
                compare(member, found, pointer)?;
                pointer.truncate(length);
            }
            match output.keys().find(|key| !expected.contains_key(*key)) {
                Some(key) => Err(format!("{} is not expected", place(pointer, key))),
                None => Ok(()),
            }
        }
        (Value::Array(expected), Value::Array(output)) => {
            for (index, (item, found)) in expected.iter().zip(output).enumerate() {
                let _ = write!(pointer, "/{index}");
                compare(item, found, pointer)?;
                pointer.truncate(length);
            }
            if expected.len() == output.len() {
                return Ok(());
            }
            Err(format!(
                "{}expected {} items, got {}",
                prefix(pointer),
                expected.len(),
                output.len()
            ))
        }
        (Value::Number(expected), Value::Number(output)) if same_number(expected, output) => Ok(()),
        (expected, output) if expected == output => Ok(()),
        (expected, output) => {
            let excerpt = |value: &Value| cut(&value.to_string(), 50);
            Err(format!(
                "{}expected {}, got {}",
                prefix(pointer),
                excerpt(expected),
                excerpt(output)
            ))
        }
    }
}

fn same_number(a: &Number, b: &Number) -> bool {
    a == b || ((a.is_f64() || b.is_f64()) && a.as_f64() == b.as_f64())
}

fn place(pointer: &str, key: &str) -> String {
    cut(&format!("{pointer}/{key}"), 80)
}

fn prefix(pointer: &str) -> String {
    if pointer.is_empty() {
        String::new()
    } else {
        format!("at {}: ", cut(pointer, 60))
    }
}
