//! promptfoo's one-line form of a check, as it stands in the `__expected` columns of a table: `contains: x`,
//! `not-regex: y`, `levenshtein(3): z`, `is-json`, or a plain text that the output should equal.

use pawl_checks::CheckType;
use serde_json::{Map, Value, json};

/// Forms that run code.
const REFUSED_PREFIXES: [(&str, &str); 4] = [
    ("javascript:", "javascript"),
    ("fn:", "javascript"),
    ("eval:", "javascript"),
    ("python:", "python"),
];

/// promptfoo's short name of `llm-rubric`.
const RUBRIC: &str = "grade:";

/// The `assert` entry that a text stands for. Blanks around the value do not count.
pub(super) fn entry(text: &str) -> Result<Value, String> {
    let text = text.trim();
    if let Some((_, check_type)) = REFUSED_PREFIXES
        .iter()
        .find(|(prefix, _)| text.starts_with(prefix))
    {
        return Err(format!("check type `{check_type}` is not supported yet"));
    }
    if text.starts_with("file://") {
        return Err("checks from files are not supported yet".to_owned());
    }
    if let Some(rubric) = text.strip_prefix(RUBRIC) {
        return Ok(json!({"type": "llm-rubric", "value": rubric.trim()}));
    }
    let Some(form) = Form::read(text) else {
        return Ok(json!({"type": "equals", "value": text}));
    };
    let mut entry = Map::new();
    entry.insert("type".to_owned(), form.name.into());
    match form.value.filter(|value| !value.is_empty()) {
        None => {}
        Some(list) if form.base().ends_with("contains-any") || form.base().ends_with("contains-all") => {
            entry.insert(
                "value".to_owned(),
                list.split(',').map(|item| Value::from(item.trim())).collect(),
            );
        }
        Some(schema) if matches!(form.base(), "is-json" | "contains-json") => {
            let schema: Value = serde_json::from_str(schema)
                .map_err(|_| format!("the JSON Schema of `{}` is not JSON", form.name))?;
            entry.insert("value".to_owned(), schema);
        }
        Some(value) => {
            entry.insert("value".to_owned(), value.into());
        }
    }
    if let Some(threshold) = form.threshold {
        entry.insert("threshold".to_owned(), threshold.into());
    }
    Ok(Value::Object(entry))
}

struct Form<'a> {
    name: &'a str,
    threshold: Option<f64>,
    value: Option<&'a str>,
}

impl<'a> Form<'a> {
    /// Reads `type`, `type(threshold)`, `type: value` or `type(threshold): value`, if it starts with a type of check.
    fn read(text: &'a str) -> Option<Self> {
        // Types may hold a colon themselves, so that the first one need not be the end of the name.
        let ends = text
            .match_indices([':', '('])
            .map(|(at, _)| at)
            .chain([text.len()]);
        let end = ends.take(3).filter(|end| is_type(&text[..*end])).last()?;
        let (name, rest) = text.split_at(end);
        let (threshold, rest) = match rest.strip_prefix('(') {
            Some(inside) => {
                let (number, rest) = inside.split_once(')')?;
                (Some(number.parse().ok().filter(|_| is_decimal(number))?), rest)
            }
            None => (None, rest),
        };
        let value = match rest.strip_prefix(':') {
            Some(value) => Some(value.trim()),
            None if rest.is_empty() => None,
            None => return None,
        };
        Some(Self {
            name,
            threshold,
            value,
        })
    }

    fn base(&self) -> &'a str {
        self.name.strip_prefix("not-").unwrap_or(self.name)
    }
}

fn is_type(name: &str) -> bool {
    CheckType::is_known(name.strip_prefix("not-").unwrap_or(name))
}

fn is_decimal(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_is_read() {
        for (text, entry_of) in [
            ("Paris", json!({"type": "equals", "value": "Paris"})),
            ("note: well", json!({"type": "equals", "value": "note: well"})),
            ("contains: a: b", json!({"type": "contains", "value": "a: b"})),
            ("not-contains:x", json!({"type": "not-contains", "value": "x"})),
            (
                "contains-any: a, b",
                json!({"type": "contains-any", "value": ["a", "b"]}),
            ),
            (
                "icontains-all:a,b",
                json!({"type": "icontains-all", "value": ["a", "b"]}),
            ),
            ("is-json", json!({"type": "is-json"})),
            (
                "is-json: {\"type\": \"object\"}",
                json!({"type": "is-json", "value": {"type": "object"}}),
            ),
            (
                "levenshtein(3): cat",
                json!({"type": "levenshtein", "value": "cat", "threshold": 3.0}),
            ),
            ("latency(1000)", json!({"type": "latency", "threshold": 1000.0})),
            ("contains (x)", json!({"type": "equals", "value": "contains (x)"})),
            (
                "is-json please",
                json!({"type": "equals", "value": "is-json please"}),
            ),
            (
                "latency(soon)",
                json!({"type": "equals", "value": "latency(soon)"}),
            ),
            (
                "grade: be kind",
                json!({"type": "llm-rubric", "value": "be kind"}),
            ),
            (
                "similar:cosine(0.8): x",
                json!({"type": "similar:cosine", "value": "x", "threshold": 0.8}),
            ),
        ] {
            assert_eq!(entry(text), Ok(entry_of), "of {text}");
        }
    }

    #[test]
    fn code_and_files_are_refused() {
        for (text, message) in [
            (
                "javascript: output.length > 3",
                "check type `javascript` is not supported yet",
            ),
            ("file://check.py", "checks from files are not supported yet"),
            ("is-json: {", "the JSON Schema of `is-json` is not JSON"),
        ] {
            assert_eq!(entry(text), Err(message.to_owned()), "of {text}");
        }
    }
}
