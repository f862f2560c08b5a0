//! One entry of a suite's `assert` list, as data.

mod check_type;
mod error;
#[cfg(test)]
mod tests;

use serde_json::{Map, Value};

pub use check_type::CheckType;
pub use error::{PathStep, SpecError};

/// An entry of an `assert` list: promptfoo's keys, read and checked, but not yet compiled.
#[derive(Clone, Debug, PartialEq)]
pub struct AssertSpec {
    /// The `type` as written, with its `not-` prefix.
    pub name: String,
    /// The type without the prefix.
    pub check_type: CheckType,
    /// Whether it is a `not-` form.
    pub negated: bool,
    /// What the output is compared with; its form depends on the type.
    pub value: Option<Value>,
    /// From where on it passes; its unit depends on the type.
    pub threshold: Option<f64>,
    /// How much it counts in the case's score; 0 for a metric that fails nothing.
    pub weight: f64,
    /// The named metric that it adds to.
    pub metric: Option<String>,
    /// The model that judges, as it is written.
    pub provider: Option<String>,
    /// The checks of an `assert-set`.
    pub assert: Vec<AssertSpec>,
}

const KEYS: [&str; 7] = [
    "type",
    "value",
    "threshold",
    "weight",
    "metric",
    "provider",
    "assert",
];

/// Keys of promptfoo that we know by name only.
const KEYS_NOT_SUPPORTED: [&str; 5] = [
    "config",
    "contextTransform",
    "normalizeUnicode",
    "rubricPrompt",
    "transform",
];

/// The most that a value may take in memory, counted as the bytes of its texts and 16 for each of its parts.
const LARGEST_VALUE: usize = 1 << 20;

impl AssertSpec {
    /// A check of this type with nothing but its name.
    #[must_use]
    pub fn of(check_type: CheckType) -> Self {
        Self {
            name: check_type.name().to_owned(),
            check_type,
            negated: false,
            value: None,
            threshold: None,
            weight: 1.0,
            metric: None,
            provider: None,
            assert: Vec::new(),
        }
    }

    /// Reads an entry.
    ///
    /// # Errors
    /// When it is no object, or has an unknown or unsupported key or type, or a member of the wrong form.
    pub fn read(entry: &Value) -> Result<Self, SpecError> {
        let members = entry.as_object().ok_or_else(|| {
            SpecError::new(format!("a check is an object with a `type`, not {}", form(entry)))
        })?;
        members.keys().try_for_each(|key| known_key(key))?;
        let name = match members.get("type") {
            Some(Value::String(name)) => name.clone(),
            Some(other) => {
                return Err(SpecError::at(
                    "type",
                    format!("must be a text, not {}", form(other)),
                ));
            }
            None => return Err(SpecError::new("a check needs a `type`")),
        };
        let (check_type, negated) =
            CheckType::parse(&name).map_err(|message| SpecError::at("type", message))?;
        let assert = read_nested(members, check_type)?;
        let metric = read_text(members, "metric")?;
        let provider = read_text(members, "provider")?;
        Ok(Self {
            name,
            check_type,
            negated,
            value: members.get("value").cloned(),
            threshold: read_number(members, "threshold")?,
            weight: read_number(members, "weight")?.unwrap_or(1.0),
            metric,
            provider,
            assert,
        })
    }

    /// The entry with `f` applied to each text in it that may hold a template: metric, value, and those of nested
    /// entries. Keys of objects are left as they are.
    ///
    /// # Errors
    /// The first error of `f`.
    pub fn map_strings<E>(&self, mut f: impl FnMut(&str) -> Result<String, E>) -> Result<Self, E> {
        self.map_with(&mut f)
    }

    fn map_with<E>(&self, f: &mut impl FnMut(&str) -> Result<String, E>) -> Result<Self, E> {
        Ok(Self {
            value: self.value.as_ref().map(|value| map_value(value, f)).transpose()?,
            metric: self.metric.as_deref().map(&mut *f).transpose()?,
            assert: self
                .assert
                .iter()
                .map(|spec| spec.map_with(f))
                .collect::<Result<_, E>>()?,
            ..self.clone()
        })
    }

    /// Whether a text in it holds a template, `{{ … }}` or `{% … %}`, and has to be rendered before it is compiled.
    #[must_use]
    pub fn has_template(&self) -> bool {
        struct Found;
        self.map_strings(|text| {
            if text.contains("{{") || text.contains("{%") {
                Err(Found)
            } else {
                Ok(String::new())
            }
        })
        .is_err()
    }

    /// Refuses members that the type does not use, and a value without bounds.
    pub(crate) fn check_members(&self) -> Result<(), SpecError> {
        use CheckType::{
            AssertSet, Cost, Factuality, Forbidden, GEval, IsHtml, Latency, Levenshtein, LlmRubric, Required,
            Similar,
        };
        let unused = |key| SpecError::at(key, format!("`{}` takes no {key}", self.name));
        if self.value.is_some() && matches!(self.check_type, AssertSet | Cost | IsHtml | Latency) {
            return Err(unused("value"));
        }
        let takes_threshold = matches!(
            self.check_type,
            AssertSet | Cost | GEval | Latency | Levenshtein | LlmRubric | Similar
        );
        if self.threshold.is_some() && !takes_threshold {
            return Err(unused("threshold"));
        }
        let is_judged = matches!(
            self.check_type,
            Factuality | Forbidden | GEval | LlmRubric | Required | Similar
        );
        if self.provider.is_some() && !is_judged {
            return Err(unused("provider"));
        }
        if !(self.weight.is_finite() && self.weight >= 0.0) {
            return Err(SpecError::at("weight", "must be a number of 0 or more"));
        }
        if self
            .value
            .as_ref()
            .is_some_and(|value| size(value) > LARGEST_VALUE)
        {
            return Err(SpecError::at(
                "value",
                format!("is larger than {} KiB", LARGEST_VALUE >> 10),
            ));
        }
        Ok(())
    }

    /// The value as one text that is not empty. Numbers and booleans count as their text.
    pub(crate) fn text_value(&self) -> Result<String, SpecError> {
        let value = self.value.as_ref().ok_or_else(|| self.missing("value"))?;
        text_of(value).map_err(|message| SpecError::at("value", message))
    }

    /// The threshold, which the type cannot do without.
    pub(crate) fn required_threshold(&self) -> Result<f64, SpecError> {
        match self.threshold {
            Some(threshold) if threshold.is_finite() && threshold >= 0.0 => Ok(threshold),
            Some(_) => Err(SpecError::at("threshold", "must be a number of 0 or more")),
            None => Err(self.missing("threshold")),
        }
    }

    pub(crate) fn missing(&self, key: &str) -> SpecError {
        SpecError::new(format!("`{}` needs a `{key}`", self.name))
    }
}

fn known_key(key: &str) -> Result<(), SpecError> {
    if KEYS.contains(&key) {
        return Ok(());
    }
    let message = if KEYS_NOT_SUPPORTED.contains(&key) {
        format!("`{key}` on a check is not supported yet")
    } else if let Some(meant) = check_type::nearest(key, KEYS) {
        format!("unknown key `{key}`; did you mean `{meant}`?")
    } else {
        format!("unknown key `{key}`; a check has {}", KEYS.join(", "))
    };
    Err(SpecError::at(key, message))
}

fn read_nested(members: &Map<String, Value>, check_type: CheckType) -> Result<Vec<AssertSpec>, SpecError> {
    let entries = match (members.get("assert"), check_type) {
        (Some(Value::Array(entries)), CheckType::AssertSet) if !entries.is_empty() => entries,
        (_, CheckType::AssertSet) => {
            return Err(SpecError::new(
                "an `assert-set` needs a list of checks under `assert`",
            ));
        }
        (Some(_), _) => return Err(SpecError::at("assert", "only an `assert-set` holds other checks")),
        (None, _) => return Ok(Vec::new()),
    };
    let read_one = |(index, entry)| {
        let spec = AssertSpec::read(entry).and_then(|spec| match spec.metric {
            None => Ok(spec),
            Some(_) => Err(SpecError::at(
                "metric",
                "is supported on the whole `assert-set`, not inside it",
            )),
        });
        spec.map_err(|error| {
            error
                .under(PathStep::Index(index))
                .under(PathStep::Key("assert".to_owned()))
        })
    };
    entries.iter().enumerate().map(read_one).collect()
}

fn read_text(members: &Map<String, Value>, key: &str) -> Result<Option<String>, SpecError> {
    match members.get(key) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(other) => Err(SpecError::at(key, format!("must be a text, not {}", form(other)))),
    }
}

fn read_number(members: &Map<String, Value>, key: &str) -> Result<Option<f64>, SpecError> {
    match members.get(key) {
        None => Ok(None),
        Some(Value::Number(number)) => Ok(number.as_f64()),
        Some(other) => Err(SpecError::at(
            key,
            format!("must be a number, not {}", form(other)),
        )),
    }
}

fn map_value<E>(value: &Value, f: &mut impl FnMut(&str) -> Result<String, E>) -> Result<Value, E> {
    Ok(match value {
        Value::String(text) => Value::String(f(text)?),
        Value::Array(items) => Value::Array(
            items
                .iter()
                .map(|item| map_value(item, f))
                .collect::<Result<_, E>>()?,
        ),
        Value::Object(members) => {
            let map_member = |(key, member): (&String, _)| Ok((key.clone(), map_value(member, f)?));
            Value::Object(members.iter().map(map_member).collect::<Result<_, E>>()?)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    })
}

fn size(value: &Value) -> usize {
    16 + match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(size).sum(),
        Value::Object(members) => members.iter().map(|(key, member)| key.len() + size(member)).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    }
}

/// The text of a scalar, as JavaScript's `String(value)` gives it.
///
/// # Errors
/// What is wrong with a value that is no scalar, or an empty text.
pub(crate) fn text_of(value: &Value) -> Result<String, String> {
    match value {
        Value::String(text) if text.is_empty() => Err("must not be empty".to_owned()),
        Value::String(text) => Ok(text.clone()),
        Value::Bool(flag) => Ok(flag.to_string()),
        Value::Number(number) => Ok(match number.as_f64() {
            Some(float) if number.is_f64() && float.fract() == 0.0 && float.abs() < 1e21 => {
                format!("{float:.0}")
            }
            _ => number.to_string(),
        }),
        other => Err(format!("must be a text or a number, not {}", form(other))),
    }
}

/// The form of a value, with its article.
pub(crate) const fn form(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
