//! JSON documents as they are stored: one normal form, the same bytes on both databases.
//!
//! The form is that of PostgreSQL's `jsonb` without its blanks: keys ordered by length, then by bytes; of equal keys
//! the last one; numbers in plain decimal notation with the digits as given (`1.50` stays, `1e2` becomes `100`);
//! strings with the shortest escapes. A number never passes through a float.

use std::fmt;

mod number;
mod reader;

use reader::Reader;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

/// A JSON document in normal form.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Json(Box<str>);

/// Why a text is not a JSON document that can be stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{problem} at line {line}, column {column}")]
pub struct JsonError {
    /// What is wrong.
    pub problem: JsonProblem,
    /// From 1.
    pub line: usize,
    /// In characters, from 1.
    pub column: usize,
}

/// What is wrong with a JSON text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonProblem {
    /// The text ends too early.
    UnexpectedEnd,
    /// This character does not belong here.
    Unexpected(char),
    /// Something follows the document.
    Trailing,
    /// A control character stands unescaped in a string.
    ControlCharacter,
    /// An escape that JSON does not have, or half a surrogate pair.
    Escape,
    /// `\u0000`: PostgreSQL's texts cannot hold it, so neither of the databases gets it.
    Nul,
    /// NaN or an infinity.
    NotFinite,
    /// A number with more than [`Json::MAX_DIGITS`] digits when written out.
    NumberTooLong,
    /// Exponents that stand for more than [`Json::MAX_EXPANSION`] bytes together.
    ExponentsTooLarge,
    /// Arrays and objects nested deeper than [`Json::MAX_DEPTH`].
    TooDeep,
}

impl fmt::Display for JsonProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnexpectedEnd => f.write_str("the JSON ends too early"),
            Self::Unexpected(found) => write!(f, "unexpected {found:?} in JSON"),
            Self::Trailing => f.write_str("something follows the JSON document"),
            Self::ControlCharacter => f.write_str("a control character stands unescaped in a JSON string"),
            Self::Escape => f.write_str("invalid escape in a JSON string"),
            Self::Nul => f.write_str("a JSON string holds the NUL character, which cannot be stored"),
            Self::NotFinite => f.write_str("NaN and infinities are not JSON numbers"),
            Self::NumberTooLong => write!(f, "a number has more than {} digits", Json::MAX_DIGITS),
            Self::ExponentsTooLarge => write!(
                f,
                "written without exponents, the numbers are more than {} MiB longer",
                Json::MAX_EXPANSION >> 20
            ),
            Self::TooDeep => write!(f, "JSON is nested deeper than {} levels", Json::MAX_DEPTH),
        }
    }
}

impl Json {
    /// How deep arrays and objects may be nested.
    pub const MAX_DEPTH: usize = 64;

    /// How many digits a number may have when written without an exponent.
    pub const MAX_DIGITS: usize = 1_000;

    /// How many bytes longer than in its text the numbers of a document may be in its normal form. Without a limit, a
    /// few million times `1e999` would fill the memory.
    pub const MAX_EXPANSION: usize = 1 << 20;

    /// The empty object, default of `eval_results`.
    #[must_use]
    pub fn empty_object() -> Self {
        Self("{}".into())
    }

    /// The empty array.
    #[must_use]
    pub fn empty_array() -> Self {
        Self("[]".into())
    }

    /// Reads and normalises a text.
    ///
    /// # Errors
    /// When it is no JSON document or exceeds a limit; the error names line and column.
    pub fn parse(text: &str) -> Result<Self, JsonError> {
        let mut out = String::with_capacity(text.len());
        Reader::new(text).document(&mut out)?;
        Ok(Self(out.into_boxed_str()))
    }

    /// Normalises anything that serialises.
    ///
    /// # Errors
    /// As [`Json::parse`]; a type whose serialisation fails counts as [`JsonProblem::UnexpectedEnd`].
    pub fn from_serialize(value: &impl Serialize) -> Result<Self, JsonError> {
        let text = serde_json::to_string(value).map_err(|_| JsonError {
            problem: JsonProblem::UnexpectedEnd,
            line: 1,
            column: 1,
        })?;
        Self::parse(&text)
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The document as a tree; numbers become 64-bit integers or floats here, the largest float where none is as large.
    #[must_use]
    pub fn to_value(&self) -> serde_json::Value {
        // Numbers that are too large are all of a normal form that can be refused.
        serde_json::from_str(&self.0)
            .or_else(|_| serde_json::from_str(&number::within_floats(&self.0)))
            .unwrap_or_default()
    }
}

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Json({})", self.0)
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let raw: &RawValue = serde_json::from_str(&self.0).map_err(serde::ser::Error::custom)?;
        raw.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        Self::parse(raw.get()).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests;
