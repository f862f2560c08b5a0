//! JSON as models write it.

use serde_json::{Map, Number, Value};

/// Objects and lists within each other.
pub(super) const MAX_DEPTH: usize = 64;

/// Why there is no value here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    Syntax,
    NotANumber,
    TooDeep,
}

/// Reads one value from a place in a text. Where the text ends in the middle, objects and lists end with what is
/// complete.
pub(super) struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    is_truncated: bool,
}

type Read<T> = Result<T, Fault>;

impl<'a> Reader<'a> {
    pub(super) const fn new(text: &'a str, at: usize) -> Self {
        Self {
            text,
            at,
            depth: 0,
            is_truncated: false,
        }
    }

    /// Where it has read to.
    pub(super) const fn at(&self) -> usize {
        self.at
    }

    /// Whether the text ended in the middle.
    pub(super) const fn is_truncated(&self) -> bool {
        self.is_truncated
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    fn take(&mut self, wanted: char) -> bool {
        let taken = self.peek() == Some(wanted);
        if taken {
            self.at += wanted.len_utf8();
        }
        taken
    }

    /// Past white space and comments; whether anything is left. At the end the text counts as cut off.
    fn skip_blanks(&mut self) -> bool {
        loop {
            let rest = self.rest().trim_start();
            self.at = self.text.len() - rest.len();
            let comment = if rest.starts_with("//") {
                rest.find('\n')
            } else if rest.starts_with("/*") {
                rest.find("*/").map(|end| end + 2)
            } else if rest.is_empty() {
                self.is_truncated = true;
                return false;
            } else {
                return true;
            };
            self.at += comment.unwrap_or(rest.len());
        }
    }

    pub(super) fn object(&mut self) -> Read<Map<String, Value>> {
        self.enter('{')?;
        let mut object = Map::new();
        while self.skip_blanks() && !self.take('}') {
            let Some(key) = self.key()? else { break };
            if !self.skip_blanks() {
                break;
            }
            if !self.take(':') {
                return Err(Fault::Syntax);
            }
            let Some(value) = self.value()? else { break };
            object.insert(key, value);
            if !self.separator('}')? {
                break;
            }
        }
        // `{` at the end of a text is no object that was cut off.
        if self.is_truncated && object.is_empty() {
            return Err(Fault::Syntax);
        }
        self.depth -= 1;
        Ok(object)
    }

    fn list(&mut self) -> Read<Vec<Value>> {
        self.enter('[')?;
        let mut list = Vec::new();
        while self.skip_blanks() && !self.take(']') {
            let Some(value) = self.value()? else { break };
            list.push(value);
            if !self.separator(']')? {
                break;
            }
        }
        self.depth -= 1;
        Ok(list)
    }

    fn enter(&mut self, bracket: char) -> Read<()> {
        if self.depth == MAX_DEPTH {
            return Err(Fault::TooDeep);
        }
        self.depth += 1;
        if self.take(bracket) {
            Ok(())
        } else {
            Err(Fault::Syntax)
        }
    }

    /// Past a comma, or up to the end; whether anything can follow.
    fn separator(&mut self, end: char) -> Read<bool> {
        if self.is_truncated || !self.skip_blanks() {
            return Ok(false);
        }
        if self.take(',') || self.peek() == Some(end) {
            Ok(true)
        } else {
            Err(Fault::Syntax)
        }
    }

    /// A key; none where the text ends in it.
    fn key(&mut self) -> Read<Option<String>> {
        let key = match self.peek() {
            Some('"' | '\'') => self.string()?,
            _ => match self.word() {
                "" => return Err(Fault::Syntax),
                word => word.to_owned(),
            },
        };
        Ok((!self.is_truncated).then_some(key))
    }

    /// A value; none where the text ends before it, or in a number or a word, which could have gone on.
    fn value(&mut self) -> Read<Option<Value>> {
        if !self.skip_blanks() {
            return Ok(None);
        }
        Ok(Some(match self.peek() {
            Some('{') => match self.object() {
                Err(Fault::Syntax) if self.is_truncated => return Ok(None),
                object => Value::Object(object?),
            },
            Some('[') => Value::Array(self.list()?),
            Some('"' | '\'') => Value::String(self.string()?),
            _ => {
                let word = self.word();
                if self.rest().is_empty() {
                    self.is_truncated = true;
                    return Ok(None);
                }
                literal(word)?
            }
        }))
    }

    /// Letters, digits and what numbers are written with.
    fn word(&mut self) -> &'a str {
        let rest = self.rest();
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '-' | '+' | '.');
        let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    /// A text in either kind of quotes, line breaks and all; as far as it goes where the text ends in it.
    fn string(&mut self) -> Read<String> {
        let quote = self.next().ok_or(Fault::Syntax)?;
        let mut string = String::new();
        loop {
            match self.next() {
                None => {
                    self.is_truncated = true;
                    return Ok(string);
                }
                // An apostrophe is no end where the text goes on like one.
                Some(end) if end == quote && (quote == '"' || self.is_end_of_string()) => return Ok(string),
                Some('\\') => self.escape(&mut string),
                Some(other) => string.push(other),
            }
        }
    }

    fn is_end_of_string(&self) -> bool {
        let next = self.rest().trim_start().chars().next();
        matches!(next, None | Some(',' | ':' | '}' | ']'))
    }

    /// What stands behind a backslash; what is no escape stays as it is.
    fn escape(&mut self, string: &mut String) {
        match self.next() {
            None => self.is_truncated = true,
            Some('n') => string.push('\n'),
            Some('t') => string.push('\t'),
            Some('r') => string.push('\r'),
            Some('b') => string.push('\u{8}'),
            Some('f') => string.push('\u{c}'),
            Some('u') => string.extend(self.unicode_escape()),
            Some(quoted @ ('"' | '\'' | '\\' | '/')) => string.push(quoted),
            Some(other) => {
                string.push('\\');
                string.push(other);
            }
        }
    }

    /// The character of `\uXXXX`, or of two of them; a replacement character where there is none, and nothing where the
    /// text ends in it.
    fn unicode_escape(&mut self) -> Option<char> {
        if self.rest().len() < 4 {
            self.is_truncated = true;
            self.at = self.text.len();
            return None;
        }
        let Some(high) = self.four_digits() else {
            return Some(char::REPLACEMENT_CHARACTER);
        };
        let mut units = vec![high];
        if (0xD800..0xDC00).contains(&high) && self.rest().starts_with("\\u") {
            let before = self.at;
            self.at += 2;
            match self.four_digits() {
                Some(low @ 0xDC00..=0xDFFF) => units.push(low),
                _ => self.at = before,
            }
        }
        let decoded = char::decode_utf16(units).next()?;
        Some(decoded.unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    fn four_digits(&mut self) -> Option<u16> {
        let digits = self.rest().get(..4)?;
        let unit = u16::from_str_radix(digits, 16).ok()?;
        self.at += 4;
        Some(unit)
    }
}

/// A number or a word, as JSON or Python writes it.
fn literal(word: &str) -> Read<Value> {
    Ok(match word {
        "true" | "True" => Value::Bool(true),
        "false" | "False" => Value::Bool(false),
        "null" | "None" => Value::Null,
        _ => Value::Number(number(word)?),
    })
}

fn number(word: &str) -> Read<Number> {
    let digits = word.strip_prefix('+').unwrap_or(word);
    if let Ok(number) = digits.parse::<Number>() {
        return Ok(number);
    }
    let float: f64 = digits.parse().map_err(|_| Fault::Syntax)?;
    Number::from_f64(float).ok_or(Fault::NotANumber)
}
