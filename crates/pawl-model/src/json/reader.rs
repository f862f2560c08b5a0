//! Reading a JSON text and writing its normal form, in one pass.

use std::fmt::Write as _;

use super::number::write_plain;
use super::{Json, JsonError, JsonProblem};

pub(super) struct Reader<'a> {
    text: &'a str,
    at: usize,
    /// Where the members of the objects that are being read stand in what is written.
    members: Vec<Member>,
    /// How many bytes longer the numbers have become.
    expansion: usize,
}

impl<'a> Reader<'a> {
    pub(super) const fn new(text: &'a str) -> Self {
        Self {
            text,
            at: 0,
            members: Vec::new(),
            expansion: 0,
        }
    }

    /// Writes the whole document in normal form.
    pub(super) fn document(mut self, out: &mut String) -> Result<(), JsonError> {
        self.value(out, 0)?;
        self.blanks();
        if self.at < self.text.len() {
            return Err(self.error(JsonProblem::Trailing));
        }
        Ok(())
    }

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
        let start = out.len();
        // Of this object: those of the objects around it stand before them.
        let first = self.members.len();
        out.push('{');
        if self.peek() != Some(b'}') {
            loop {
                self.member(out, depth)?;
                self.blanks();
                if self.peek() != Some(b',') {
                    break;
                }
                self.at += 1;
                out.push(',');
            }
        }
        self.expect(b'}')?;
        out.push('}');
        if !self.members[first..].is_sorted_by(|a, b| compare_keys(out, a, b).is_lt()) {
            let ordered = put_in_order(out, &mut self.members[first..]);
            out.truncate(start);
            out.push_str(&ordered);
        }
        self.members.truncate(first);
        Ok(())
    }

    fn member(&mut self, out: &mut String, depth: usize) -> Result<(), JsonError> {
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
        self.members.push(Member {
            from,
            key_end,
            to: out.len(),
        });
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
        let written_at = out.len();
        if write_plain(out, negative, whole, fraction, exponent).is_none() {
            self.at = start;
            return Err(self.error(JsonProblem::NumberTooLong));
        }
        self.expansion += (out.len() - written_at).saturating_sub(self.at - start);
        if self.expansion > Json::MAX_EXPANSION {
            self.at = start;
            return Err(self.error(JsonProblem::ExponentsTooLarge));
        }
        Ok(())
    }
}

struct Member {
    from: usize,
    key_end: usize,
    to: usize,
}

/// The object of these members in the order of their keys, of equal keys the last one.
fn put_in_order(out: &str, members: &mut [Member]) -> String {
    // A stable sort keeps equal keys in order.
    members.sort_by(|a, b| compare_keys(out, a, b));
    let mut object = String::from("{");
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
    object
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
