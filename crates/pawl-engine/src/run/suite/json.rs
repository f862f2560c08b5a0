//! JSON, read strictly, and the places of its parts.

use std::collections::BTreeMap;
use std::fmt;

use pawl_model::Json;
use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::map::Entry;
use serde_json::value::RawValue;
use serde_json::{Map, Number, Value};

use super::document::{Part, Step};
use super::yaml::Fault;

/// Reads a document as the store will take it: no key twice, no NUL, no number beyond a float, at most
/// [`Json::MAX_DEPTH`] levels.
pub(super) fn parse(text: &str) -> Result<Value, Fault> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let read = Strict { depth: 0 }
        .deserialize(&mut deserializer)
        .and_then(|value| deserializer.end().map(|()| value));
    read.map_err(|error| explain(text, &error))
}

/// The normal form's reader has the better texts and places; it only lets pass what is refused here in addition.
fn explain(text: &str, error: &serde_json::Error) -> Fault {
    if let Err(error) = Json::parse(text) {
        return (
            (error.line as u64, error.column as u64),
            error.problem.to_string(),
        );
    }
    let message = error.to_string();
    let message = message.split(" at line ").next().unwrap_or_default();
    let line = text
        .lines()
        .nth(error.line().saturating_sub(1))
        .unwrap_or_default();
    let before = line.get(..error.column().saturating_sub(1)).unwrap_or(line);
    // A duplicate key is found at its closing quote; name the place where it starts.
    let key_length = message
        .strip_prefix(DUPLICATE)
        .map_or(0, |key| key.chars().count());
    let column = (before.chars().count() + 1)
        .saturating_sub(key_length.saturating_sub(1))
        .max(1);
    ((error.line() as u64, column as u64), message.to_owned())
}

const DUPLICATE: &str = "duplicate key ";

#[derive(Clone, Copy)]
struct Strict {
    depth: usize,
}

impl Strict {
    /// The seed for what stands inside, unless that is too deep.
    fn inside<E: serde::de::Error>(self) -> Result<Self, E> {
        if self.depth >= Json::MAX_DEPTH {
            return Err(E::custom("too deep"));
        }
        Ok(Self {
            depth: self.depth + 1,
        })
    }
}

fn text<E: serde::de::Error>(text: String) -> Result<String, E> {
    if text.contains('\0') {
        return Err(E::custom("NUL"));
    }
    Ok(text)
}

impl<'de> DeserializeSeed<'de> for Strict {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Value, E> {
        let number = Number::from_f64(value).ok_or_else(|| E::custom("number out of range"))?;
        Ok(Value::Number(number))
    }

    fn visit_str<E: serde::de::Error>(self, value: &str) -> Result<Value, E> {
        text(value.to_owned()).map(Value::String)
    }

    fn visit_string<E: serde::de::Error>(self, value: String) -> Result<Value, E> {
        text(value).map(Value::String)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let inside = self.inside()?;
        let mut values = Vec::new();
        while let Some(value) = items.next_element_seed(inside)? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let inside = self.inside()?;
        let mut values = Map::new();
        while let Some(key) = members.next_key::<String>()? {
            match values.entry(text(key)?) {
                Entry::Vacant(member) => member.insert(members.next_value_seed(inside)?),
                Entry::Occupied(member) => {
                    return Err(A::Error::custom(format_args!("{DUPLICATE}`{}`", member.key())));
                }
            };
        }
        Ok(Value::Object(values))
    }
}

/// The byte offset of a part of a document that [`parse`] has read, as far as the steps can be followed.
pub(super) fn locate(text: &str, steps: &[Step], part: Part) -> usize {
    let mut value = text.trim();
    let offset_of = |value: &str| value.as_ptr() as usize - text.as_ptr() as usize;
    for (position, step) in steps.iter().enumerate() {
        let Some(inner) = inner(value, step) else { break };
        value = inner;
        if let (Step::Key(key), Part::Key, true) = (step, part, position + 1 == steps.len()) {
            return key_before(text, offset_of(value), key);
        }
    }
    offset_of(value)
}

fn inner<'t>(value: &'t str, step: &Step) -> Option<&'t str> {
    let found = match step {
        Step::Index(index) => *serde_json::from_str::<Vec<&RawValue>>(value).ok()?.get(*index)?,
        Step::Key(key) => *serde_json::from_str::<BTreeMap<String, &RawValue>>(value)
            .ok()?
            .get(&**key)?,
    };
    Some(found.get())
}

/// Where the key of the value at `offset` starts; a key written with escapes counts as the value.
fn key_before(text: &str, offset: usize, key: &str) -> usize {
    let before = text[..offset].trim_end();
    let before = before.strip_suffix(':').unwrap_or(before).trim_end();
    match before.strip_suffix(&format!("\"{key}\"")) {
        Some(before) => before.len(),
        None => offset,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(text: &str) -> (u64, u64, String) {
        let ((line, column), message) = parse(text).unwrap_err();
        (line, column, message)
    }

    #[test]
    fn refusals_name_the_place() {
        for (text, line, column, message) in [
            ("{\"a\":\n  NaN}", 2, 3, "NaN and infinities are not JSON numbers"),
            (
                "[\"a\\u0000\"]",
                1,
                4,
                "a JSON string holds the NUL character, which cannot be stored",
            ),
            (
                "{\"é\": 1, \"abc\": 1,\n \"x\": 0, \"abc\": 2}",
                2,
                10,
                "duplicate key `abc`",
            ),
            ("[1,]", 1, 4, "unexpected ']' in JSON"),
            (&"[".repeat(10_000), 1, 65, "JSON is nested deeper than 64 levels"),
            ("{} x", 1, 4, "something follows the JSON document"),
            ("[1e400]", 1, 6, "number out of range"),
        ] {
            assert_eq!(fault(text), (line, column, message.to_owned()), "of {text:.30}");
        }
        assert!(parse(&("[".repeat(64) + &"]".repeat(64))).is_ok());
    }

    #[test]
    fn parts_are_found_again() {
        let text = r#" {"inputs": [ {"id": "a"}, {"id" : [1, 2], "\u0078": 3} ]} "#;
        let key = |key: &str| Step::Key(key.into());
        let at = |steps: &[Step], part| &text[locate(text, steps, part)..];
        let second = [key("inputs"), Step::Index(1)];
        assert!(at(&[], Part::Value).starts_with("{\"inputs\""));
        assert!(at(&second, Part::Value).starts_with("{\"id\" : [1"));
        let id = [key("inputs"), Step::Index(1), key("id"), Step::Index(1)];
        assert!(at(&id, Part::Value).starts_with("2]"));
        assert!(at(&id[..3], Part::Key).starts_with("\"id\" :"));
        assert!(at(&[key("inputs"), Step::Index(1), key("x")], Part::Key).starts_with("3}"));
        assert!(at(&[key("inputs"), Step::Index(7)], Part::Value).starts_with("[ {"));
    }
}
