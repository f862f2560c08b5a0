//! JSON documents as they are stored: one normal form, the same bytes on both databases.
//!
//! The form is that of PostgreSQL's `jsonb` without its blanks: keys ordered by length, then by bytes; of equal keys
//! the last one; numbers in plain decimal notation with the digits as given (`1.50` stays, `1e2` becomes `100`);
//! strings with the shortest escapes. A number never passes through a float.

use std::fmt::{self, Write as _};

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
            Self::TooDeep => write!(f, "JSON is nested deeper than {} levels", Json::MAX_DEPTH),
        }
    }
}

impl Json {
    /// How deep arrays and objects may be nested.
    pub const MAX_DEPTH: usize = 64;

    /// How many digits a number may have when written without an exponent.
    pub const MAX_DIGITS: usize = 1_000;

    /// The empty object, default of `eval_results`.
    #[must_use]
    pub fn empty_object() -> Self {
        Self("{}".into())
    }

    /// Reads and normalises a text.
    ///
    /// # Errors
    /// When it is no JSON document or exceeds a limit; the error names line and column.
    pub fn parse(text: &str) -> Result<Self, JsonError> {
        let mut reader = Reader { text, at: 0 };
        let mut out = String::with_capacity(text.len());
        reader.value(&mut out, 0)?;
        reader.blanks();
        if reader.at < text.len() {
            return Err(reader.error(JsonProblem::Trailing));
        }
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

    /// The document as a tree; numbers become 64-bit integers or floats here.
    #[must_use]
    pub fn to_value(&self) -> serde_json::Value {
        serde_json::from_str(&self.0).unwrap_or_default()
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

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn error(&self, problem: JsonProblem) -> JsonError {
        let before = &self.text[..self.at];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        JsonError {
            problem,
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn unexpected(&self) -> JsonError {
        match self.text[self.at..].chars().next() {
            None => self.error(JsonProblem::UnexpectedEnd),
            Some(found) => self.error(JsonProblem::Unexpected(found)),
        }
    }

    fn expect(&mut self, byte: u8) -> Result<(), JsonError> {
        if self.peek() != Some(byte) {
            return Err(self.unexpected());
        }
        self.at += 1;
        Ok(())
    }

    fn value(&mut self, out: &mut String, depth: usize) -> Result<(), JsonError> {
        self.blanks();
        match self.peek() {
            Some(b'{') => self.object(out, depth),
            Some(b'[') => self.array(out, depth),
            Some(b'"') => self.string(out),
            Some(b'0'..=b'9' | b'-') => self.number(out),
            Some(b't') => self.word("true", out),
            Some(b'f') => self.word("false", out),
            Some(b'n') => self.word("null", out),
            Some(b'N' | b'I') => Err(self.not_finite_or_unexpected()),
            _ => Err(self.unexpected()),
        }
    }

    fn not_finite_or_unexpected(&self) -> JsonError {
        let rest = self.text[self.at..].trim_start_matches('-');
        if rest.starts_with("NaN") || rest.starts_with("Infinity") {
            return self.error(JsonProblem::NotFinite);
        }
        self.unexpected()
    }

    fn word(&mut self, word: &str, out: &mut String) -> Result<(), JsonError> {
        if !self.text[self.at..].starts_with(word) {
            return Err(self.unexpected());
        }
        self.at += word.len();
        out.push_str(word);
        Ok(())
    }

    fn enter(&mut self, depth: usize) -> Result<(), JsonError> {
        if depth >= Json::MAX_DEPTH {
            return Err(self.error(JsonProblem::TooDeep));
        }
        self.at += 1;
        self.blanks();
        Ok(())
    }

    fn array(&mut self, out: &mut String, depth: usize) -> Result<(), JsonError> {
        self.enter(depth)?;
        out.push('[');
        if self.peek() != Some(b']') {
            loop {
                self.value(out, depth + 1)?;
                self.blanks();
                if self.peek() != Some(b',') {
                    break;
                }
                self.at += 1;
                out.push(',');
            }
        }
        self.expect(b']')?;
        out.push(']');
        Ok(())
    }

    fn object(&mut self, out: &mut String, depth: usize) -> Result<(), JsonError> {
        self.enter(depth)?;
        // Members are written one behind the other and put in order at the end, where they are not yet.
        let start = out.len();
        let mut members: Vec<Member> = Vec::new();
        if self.peek() != Some(b'}') {
            loop {
                self.blanks();
                if self.peek() != Some(b'"') {
                    return Err(self.unexpected());
                }
                let from = out.len();
                self.string(out)?;
                let key_end = out.len();
                self.blanks();
                self.expect(b':')?;
                out.push(':');
                self.value(out, depth + 1)?;
                members.push(Member {
                    from,
                    key_end,
                    to: out.len(),
                });
                self.blanks();
                if self.peek() != Some(b',') {
                    break;
                }
                self.at += 1;
            }
        }
        self.expect(b'}')?;
        let ordered = members.is_sorted_by(|a, b| compare_keys(out, a, b).is_lt());
        if !ordered {
            // A stable sort keeps equal keys in order, so the last of them is the one to keep.
            members.sort_by(|a, b| compare_keys(out, a, b));
        }
        let mut object = String::with_capacity(out.len() - start + members.len() + 2);
        object.push('{');
        for (index, member) in members.iter().enumerate() {
            let superseded = members
                .get(index + 1)
                .is_some_and(|next| compare_keys(out, member, next).is_eq());
            if !superseded {
                if object.len() > 1 {
                    object.push(',');
                }
                object.push_str(&out[member.from..member.to]);
            }
        }
        object.push('}');
        out.truncate(start);
        out.push_str(&object);
        Ok(())
    }

    fn string(&mut self, out: &mut String) -> Result<(), JsonError> {
        self.at += 1;
        out.push('"');
        loop {
            let plain = self.text.as_bytes()[self.at..]
                .iter()
                .position(|byte| matches!(byte, b'"' | b'\\' | 0..=0x1f))
                .unwrap_or(self.text.len() - self.at);
            out.push_str(&self.text[self.at..self.at + plain]);
            self.at += plain;
            match self.peek() {
                None => return Err(self.error(JsonProblem::UnexpectedEnd)),
                Some(b'"') => break,
                Some(b'\\') => {
                    let character = self.escape()?;
                    push_escaped(out, character);
                }
                Some(_) => return Err(self.error(JsonProblem::ControlCharacter)),
            }
        }
        self.at += 1;
        out.push('"');
        Ok(())
    }

    fn escape(&mut self) -> Result<char, JsonError> {
        let start = self.at;
        self.at += 1;
        let letter = self
            .peek()
            .ok_or_else(|| self.error(JsonProblem::UnexpectedEnd))?;
        self.at += 1;
        let character = match letter {
            b'"' | b'\\' | b'/' => char::from(letter),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => return self.unicode_escape(start),
            _ => {
                self.at = start;
                return Err(self.error(JsonProblem::Escape));
            }
        };
        Ok(character)
    }

    fn unicode_escape(&mut self, start: usize) -> Result<char, JsonError> {
        let first = self.hex4();
        let code = match first {
            Some(high @ 0xd800..=0xdbff) if self.text[self.at..].starts_with("\\u") => {
                self.at += 2;
                self.hex4()
                    .filter(|low| (0xdc00..=0xdfff).contains(low))
                    .map(|low| 0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00))
            }
            other => other,
        };
        match code.and_then(char::from_u32) {
            Some('\0') => {
                self.at = start;
                Err(self.error(JsonProblem::Nul))
            }
            Some(character) => Ok(character),
            None => {
                self.at = start;
                Err(self.error(JsonProblem::Escape))
            }
        }
    }

    fn hex4(&mut self) -> Option<u32> {
        let digits = self.text.get(self.at..self.at + 4)?;
        if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        self.at += 4;
        u32::from_str_radix(digits, 16).ok()
    }

    fn digits(&mut self) -> &str {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        &self.text[start..self.at]
    }

    fn number(&mut self, out: &mut String) -> Result<(), JsonError> {
        let start = self.at;
        let negative = self.peek() == Some(b'-');
        if negative {
            self.at += 1;
        }
        let (whole_at, whole_len) = (self.at, self.digits().len());
        let leading_zero = whole_len > 1 && self.text.as_bytes()[whole_at] == b'0';
        if whole_len == 0 {
            return Err(self.not_finite_or_unexpected());
        }
        if leading_zero {
            self.at = whole_at + 1;
            return Err(self.unexpected());
        }
        let (mut fraction_at, mut fraction_len) = (self.at, 0);
        if self.peek() == Some(b'.') {
            self.at += 1;
            fraction_at = self.at;
            fraction_len = self.digits().len();
            if fraction_len == 0 {
                return Err(self.unexpected());
            }
        }
        let mut exponent: i64 = 0;
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            let sign = self.peek();
            if matches!(sign, Some(b'+' | b'-')) {
                self.at += 1;
            }
            let digits = self.digits();
            if digits.is_empty() {
                return Err(self.unexpected());
            }
            // Saturates far above the limit, which refuses it below.
            let size: i64 = digits.parse().unwrap_or(i64::MAX / 2);
            exponent = if sign == Some(b'-') { -size } else { size };
        }
        let whole = &self.text[whole_at..whole_at + whole_len];
        let fraction = &self.text[fraction_at..fraction_at + fraction_len];
        if write_plain(out, negative, whole, fraction, exponent).is_none() {
            self.at = start;
            return Err(self.error(JsonProblem::NumberTooLong));
        }
        Ok(())
    }
}

struct Member {
    from: usize,
    key_end: usize,
    to: usize,
}

/// `jsonb` compares keys by their length in bytes first; escapes in our text stand for one byte each.
fn compare_keys(out: &str, a: &Member, b: &Member) -> std::cmp::Ordering {
    let (a, b) = (&out[a.from + 1..a.key_end - 1], &out[b.from + 1..b.key_end - 1]);
    if a.contains('\\') || b.contains('\\') {
        let (a, b) = (unescaped(a), unescaped(b));
        return a.len().cmp(&b.len()).then_with(|| a.cmp(&b));
    }
    a.len().cmp(&b.len()).then_with(|| a.cmp(b))
}

fn unescaped(key: &str) -> String {
    serde_json::from_str(&format!("\"{key}\"")).unwrap_or_default()
}

fn push_escaped(out: &mut String, character: char) {
    match character {
        '"' => out.push_str("\\\""),
        '\\' => out.push_str("\\\\"),
        '\u{8}' => out.push_str("\\b"),
        '\u{c}' => out.push_str("\\f"),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        control @ '\0'..='\u{1f}' => {
            // Writing to a String cannot fail.
            let _ = write!(out, "\\u{:04x}", u32::from(control));
        }
        other => out.push(other),
    }
}

/// Writes sign, digits and exponent as PostgreSQL's `numeric` prints them: no exponent, as many places as the text
/// had, no minus before zero. `None` when that takes too many digits.
fn write_plain(out: &mut String, negative: bool, whole: &str, fraction: &str, exponent: i64) -> Option<()> {
    let limit = i64::try_from(Json::MAX_DIGITS).ok()?;
    let whole_len = i64::try_from(whole.len()).ok()?;
    let fraction_len = i64::try_from(fraction.len()).ok()?;
    if exponent.abs() > 4 * limit {
        return None;
    }
    let point = whole_len + exponent;
    let places = (fraction_len - exponent).max(0);
    if point.max(1) + places > limit {
        return None;
    }
    let digits = || whole.bytes().chain(fraction.bytes());
    if negative && digits().any(|digit| digit != b'0') {
        out.push('-');
    }
    let digit_at = |position: i64| {
        usize::try_from(position)
            .ok()
            .and_then(|position| digits().nth(position))
            .map_or('0', char::from)
    };
    let whole_start = out.len();
    let first = (0..point)
        .find(|position| digit_at(*position) != '0')
        .unwrap_or(point);
    for position in first..point {
        out.push(digit_at(position));
    }
    if out.len() == whole_start {
        out.push('0');
    }
    if places > 0 {
        out.push('.');
        for position in point..point + places {
            out.push(digit_at(position));
        }
    }
    Some(())
}

#[cfg(test)]
mod tests;
