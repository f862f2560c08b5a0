//! Values behind a key.

use std::ops::Range;

use super::key::Class;
use crate::mask::name;
use crate::mask::stretch::{Stretch, is_word};

/// The longest value, in bytes.
const LONGEST: usize = 1024;
/// The most words that a password has.
const MAX_WORDS: usize = 5;
/// The fewest characters of a key.
const FEWEST_OF_KEY: usize = 16;

/// What stands for a value, or speaks of it.
const NO_SECRETS: [&str; 44] = [
    "null",
    "nil",
    "none",
    "true",
    "false",
    "undefined",
    "required",
    "optional",
    "missing",
    "invalid",
    "incorrect",
    "expired",
    "wrong",
    "empty",
    "hidden",
    "masked",
    "redacted",
    "removed",
    "unset",
    "string",
    "str",
    "text",
    "bytes",
    "int",
    "integer",
    "number",
    "bool",
    "boolean",
    "any",
    "object",
    "protected",
    "not",
    "the",
    "must",
    "see",
    "yes",
    "no",
    "n/a",
    "falsch",
    "incorrecto",
    "incorrect.",
    "obligatoire",
    "erforderlich",
    "unknown",
];

/// A value as it is written.
#[derive(Debug)]
pub(super) struct Value<'t> {
    pub(super) text: &'t str,
    /// Without its quotes.
    pub(super) range: Range<usize>,
    pub(super) is_quoted: bool,
}

impl<'t> Value<'t> {
    /// A value that is known to be one.
    pub(super) const fn whole(text: &'t str) -> Self {
        Self {
            text,
            range: 0..text.len(),
            is_quoted: true,
        }
    }

    /// Reads the value that begins at a place.
    pub(super) fn read(stretch: Stretch<'t>, from: usize) -> Option<Self> {
        let quoted = quoted(stretch, from);
        let is_quoted = quoted.is_some();
        let range = quoted.unwrap_or_else(|| from..from + bare_length(stretch.rest(from)));
        let value = Self {
            text: &stretch.text[range.clone()],
            range,
            is_quoted,
        };
        (!value.text.is_empty()).then_some(value)
    }

    /// Whether it is no variable, no word that stands for a value, and no sentence. `key` is the word before it.
    pub(super) fn may_be_password(&self, key: &str) -> bool {
        let text = self.text.trim();
        let is_variable = text.starts_with(['$', '{', '<', ')', ';', ','])
            || text.starts_with('%') && text.ends_with('%')
            || ["%env", "%s", "%("].iter().any(|start| text.starts_with(start));
        let is_filler = text
            .chars()
            .all(|c| matches!(c, '*' | 'x' | 'X' | '.' | '•' | '#' | '-' | '_' | '?' | ':'));
        let is_word = NO_SECRETS.iter().any(|word| text.eq_ignore_ascii_case(word));
        let is_example = text
            .get(..4)
            .is_some_and(|start| start.eq_ignore_ascii_case("your"));
        !(is_variable || is_filler || is_word || is_example || is_named_after(text, key))
            && text.split_whitespace().count() <= MAX_WORDS
    }

    /// Whether it may be a secret that nobody chose: no space, long enough, and with a digit.
    pub(super) fn may_be_secret(&self, key: &str) -> bool {
        let has_digit = self.text.bytes().any(|byte| byte.is_ascii_digit());
        self.may_be_password(key)
            && has_digit
            && self.text.len() >= FEWEST_OF_KEY / 2
            && !self.text.contains(char::is_whitespace)
    }

    /// Whether it may be a key: a secret of the characters that keys have, and no constant of a program.
    pub(super) fn may_be_key(&self, key: &str) -> bool {
        let fewest = if self.is_quoted {
            FEWEST_OF_KEY / 2
        } else {
            FEWEST_OF_KEY
        };
        let is_key =
            |byte: u8| is_word(byte) || matches!(byte, b'-' | b'.' | b'+' | b'/' | b'=' | b'~' | b'|');
        let is_constant = self.text.contains('_')
            && self
                .text
                .bytes()
                .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_');
        self.may_be_secret(key) && self.text.len() >= fewest && self.text.bytes().all(is_key) && !is_constant
    }

    /// Whether it is no word of a sentence: a letter and a digit or sign, or digits that are more than a count.
    pub(super) fn looks_secret(&self, class: Class) -> bool {
        let bytes = self.text.as_bytes();
        let has_letter = self.text.chars().any(char::is_alphabetic);
        let has_digit = bytes.iter().any(u8::is_ascii_digit);
        let has_sign = bytes
            .iter()
            .any(|byte| matches!(byte, b'!' | b'@' | b'#' | b'$' | b'%' | b'^' | b'&' | b'*' | b'+'));
        let is_number = has_digit && !has_letter && class == Class::Password;
        bytes.len() >= 4 && (has_letter && (has_digit || has_sign) || is_number)
    }

    /// Whether it is a part of a program: a call, a path, a reference, a member, an argument.
    pub(super) fn is_code(&self, stretch: Stretch<'_>) -> bool {
        let text = self.text;
        let is_argument = matches!(stretch.byte(self.range.end), Some(b')' | b','))
            && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
        let is_name = |part: &str| {
            part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && part.bytes().all(is_word)
        };
        let is_member = text.contains('.') && text.split('.').all(is_name);
        text.starts_with(['&', '*', '[', '('])
            || text.contains("::")
            || text.contains(['(', '['])
            || is_argument
            || is_member
    }
}

/// Whether a value is no more than its key, by itself or at its end: `mysql_native_password`.
fn is_named_after(value: &str, key: &str) -> bool {
    let start = value.len().checked_sub(key.len()).filter(|_| !key.is_empty());
    let parts = start.and_then(|start| value.split_at_checked(start));
    parts.is_some_and(|(before, end)| {
        end.eq_ignore_ascii_case(key) && (before.is_empty() || before.ends_with('_'))
    })
}

/// What stands in the quotes that open at a place. Quotes that nothing closes on the line are none.
fn quoted(stretch: Stretch<'_>, from: usize) -> Option<Range<usize>> {
    let rest = stretch.rest(from);
    let (open, close) = [
        ("\\\"", "\\\""),
        ("\\'", "\\'"),
        ("\"", "\""),
        ("'", "'"),
        ("`", "`"),
        ("“", "”"),
        ("„", "“"),
        ("«", "»"),
        ("「", "」"),
    ]
    .into_iter()
    .find(|(open, _)| rest.starts_with(open))?;
    let start = from + open.len();
    let mut at = start;
    loop {
        let rest = stretch.rest(at);
        if rest.starts_with(close) {
            return Some(start..at);
        }
        match rest.chars().next() {
            // The text ends within the quotes, or a placeholder stands in them.
            None => return Some(start..at),
            Some('\n' | '\r') => return None,
            Some('\\') => at += 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
            Some(c) => at += c.len_utf8(),
        }
        if at - start > LONGEST {
            return None;
        }
    }
}

/// How long a value without quotes is; none that is too long.
fn bare_length(rest: &str) -> usize {
    let rest = &rest[..rest.floor_char_boundary(LONGEST + 1)];
    let mut end = 0;
    while let Some(byte) = rest.as_bytes().get(end) {
        if byte.is_ascii_alphanumeric() {
            end += 1;
            continue;
        }
        let Some(c) = rest[end..].chars().next() else {
            break;
        };
        let behind = &rest[end + c.len_utf8()..];
        let is_end = match c {
            '"' | '\'' | '`' | '>' | '|' | ',' | ';' | ')' | ']' | '}' => true,
            // Else `<secret>`, which stands for one.
            '<' => end > 0,
            '\\' => behind.starts_with(['n', 'r', 't', '"', '\'']),
            '&' => begins_parameter(behind),
            c if c.is_ascii() => c.is_ascii_whitespace() || c.is_ascii_control(),
            c => !c.is_alphanumeric() || is_without_spaces(c),
        };
        if is_end {
            break;
        }
        end += c.len_utf8();
    }
    if end > LONGEST {
        0
    } else {
        rest[..end].trim_end_matches(['.', ':', '?']).len()
    }
}

/// Whether the next parameter of an address begins: `name=`.
fn begins_parameter(text: &str) -> bool {
    let name = text
        .bytes()
        .take_while(|byte| is_word(*byte) || *byte == b'-')
        .count();
    name > 0 && text.as_bytes().get(name) == Some(&b'=')
}

/// A letter of a script that goes on without a space: kana, Han, Hangul.
const fn is_without_spaces(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}')
}

/// The name that stands at a place, in quotes or without. It is not the key again, as in `SURNAME: "surname"`.
pub(super) fn name(stretch: Stretch<'_>, from: usize, key: &str) -> Option<Range<usize>> {
    let range = quoted(stretch, from);
    let Some(range) = range else {
        return name::at(stretch, from);
    };
    let value = &stretch.text[range.clone()];
    let is_key = value.replace('_', "").eq_ignore_ascii_case(&key.replace('_', ""));
    (name::may_be_name(value) && !is_key).then_some(range)
}
