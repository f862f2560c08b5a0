//! `is-json` and `contains-json`, with an optional JSON Schema.

use jsonschema::error::ValidationErrorKind;
use jsonschema::{ValidationError, Validator};
use serde_json::{Deserializer, Value};

use crate::Subject;
use crate::excerpt::{cut, quote};
use crate::rule::{Finding, Rule};
use crate::spec::{AssertSpec, SpecError, form};

/// The value as a JSON Schema; none where it is left out or null. References outside the schema are refused.
fn compile_schema(spec: &AssertSpec) -> Result<Option<Validator>, SpecError> {
    let schema = match &spec.value {
        None | Some(Value::Null) => return Ok(None),
        Some(schema @ (Value::Object(_) | Value::Bool(_))) => schema,
        Some(other) => {
            let message = format!("must be a JSON Schema (an object), not {}", form(other));
            return Err(SpecError::at("value", message));
        }
    };
    jsonschema::options()
        .offline()
        .should_validate_formats(true)
        .build(schema)
        .map(Some)
        .map_err(|error| SpecError::at("value", format!("is not a JSON Schema: {}", describe(&error))))
}

fn describe(error: &ValidationError<'_>) -> String {
    let pointer = error.instance_path().as_str();
    let place = if pointer.is_empty() {
        String::new()
    } else {
        format!("at {}: ", cut(pointer, 60))
    };
    format!("{place}{}", cut(&error.to_string(), 120))
}

fn validate(schema: &Validator, value: &Value) -> Finding {
    match schema.validate(value) {
        Ok(()) => Finding::Holds,
        Err(error) => match error.kind() {
            ValidationErrorKind::BacktrackLimitExceeded { .. }
            | ValidationErrorKind::RegexEngineFailure { .. } => {
                Finding::Unknown(format!("a pattern of the schema gave up {}", describe(&error)))
            }
            _ => Finding::Misses(format!("does not fit the schema: {}", describe(&error))),
        },
    }
}

#[derive(Debug)]
pub(crate) struct IsJson(Option<Validator>);

impl IsJson {
    pub(crate) fn compile(spec: &AssertSpec) -> Result<Self, SpecError> {
        compile_schema(spec).map(Self)
    }
}

impl Rule for IsJson {
    fn judge(&self, subject: &Subject<'_>) -> Finding {
        match (subject.json(), &self.0) {
            (None, _) => Finding::Misses(format!("is not JSON: {}", quote(subject.text(), 80))),
            (Some(_), None) => Finding::Holds,
            (Some(json), Some(schema)) => validate(schema, json),
        }
    }

    fn claim(&self) -> String {
        claim("is JSON", self.0.as_ref())
    }
}

#[derive(Debug)]
pub(crate) struct ContainsJson(Option<Validator>);

impl ContainsJson {
    pub(crate) fn compile(spec: &AssertSpec) -> Result<Self, SpecError> {
        compile_schema(spec).map(Self)
    }
}

impl Rule for ContainsJson {
    /// One value that fits is enough. Where none fits, the reason is that of the first one found.
    fn judge(&self, subject: &Subject<'_>) -> Finding {
        let Some(schema) = &self.0 else {
            let found = Embedded::new(subject.text()).any(|value| value.is_object());
            return Finding::of(found, || {
                format!("contains no JSON object: {}", quote(subject.text(), 80))
            });
        };
        let mut first = None;
        for value in Embedded::new(subject.text()) {
            match validate(schema, &value) {
                Finding::Holds => return Finding::Holds,
                finding @ (Finding::Unknown(_) | Finding::Unasked(_)) => return finding,
                finding @ Finding::Misses(_) => first = first.or(Some(finding)),
            }
        }
        first.unwrap_or_else(|| Finding::Misses(format!("contains no JSON: {}", quote(subject.text(), 80))))
    }

    fn claim(&self) -> String {
        claim("contains JSON", self.0.as_ref())
    }
}

fn claim(what: &str, schema: Option<&Validator>) -> String {
    format!(
        "{what}{}",
        if schema.is_some() {
            " that fits the schema"
        } else {
            ""
        }
    )
}

/// The JSON objects and lists in a text, in their order: the outermost objects, and each list with what is in it.
///
/// The parser's own limit of 128 levels also bounds how often a part of a broken text is read again.
struct Embedded<'a> {
    rest: &'a str,
}

impl<'a> Embedded<'a> {
    const fn new(text: &'a str) -> Self {
        Self { rest: text }
    }
}

impl Iterator for Embedded<'_> {
    type Item = Value;

    fn next(&mut self) -> Option<Value> {
        loop {
            let start = self.rest.find(['{', '['])?;
            let candidate = &self.rest[start..];
            let mut values = Deserializer::from_str(candidate).into_iter::<Value>();
            let value = values.next();
            let end = match &value {
                Some(Ok(Value::Object(_))) => values.byte_offset(),
                _ => 1,
            };
            self.rest = &candidate[end..];
            if let Some(Ok(value)) = value {
                return Some(value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn json_is_found_in_prose() {
        let found = |text| Embedded::new(text).collect::<Vec<_>>();
        assert_eq!(found("no {json} here"), [] as [Value; 0]);
        assert_eq!(
            found("```json\n{\"a\": {\"b\": 1}}\n``` and {\"c\":2}"),
            [json!({"a": {"b": 1}}), json!({"c": 2})]
        );
        assert_eq!(
            found("see [1] or [{\"a\":1}]"),
            [json!([1]), json!([{"a": 1}]), json!({"a": 1})]
        );
        assert_eq!(found("{{\"a\":1}"), [json!({"a": 1})]);
    }
}
