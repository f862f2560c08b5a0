//! Strings of JSON texts, each with the key under which it stands.

use std::borrow::Cow;
use std::ops::Range;

use serde::de::IgnoredAny;

/// A string that is a value, not a key.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct StringValue<'t> {
    /// Between its quotes.
    pub(super) range: Range<usize>,
    /// As it is written. A list's strings stand under the key of the list.
    pub(super) key: Option<&'t str>,
}

/// Whether a text is an object or list of JSON. What cannot be one is not read.
pub(super) fn is_document(text: &str) -> bool {
    text.trim_start().starts_with(['{', '[']) && is_json(text)
}

/// Whether a text is JSON.
pub(super) fn is_json(text: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(text).is_ok()
}

/// The values that are strings, in their order. The text must be JSON.
pub(super) fn strings(text: &str) -> Strings<'_> {
    Strings {
        text,
        at: 0,
        key: None,
        outer: Vec::new(),
    }
}

pub(super) struct Strings<'t> {
    text: &'t str,
    at: usize,
    /// Of the value that comes next.
    key: Option<&'t str>,
    /// For each list or object around: the key that holds for a list's next value; none in an object.
    outer: Vec<Option<&'t str>>,
}

impl<'t> Iterator for Strings<'t> {
    type Item = StringValue<'t>;

    fn next(&mut self) -> Option<Self::Item> {
        while let Some(byte) = self.text.as_bytes().get(self.at) {
            self.at += 1;
            match byte {
                b'{' => {
                    self.outer.push(None);
                    self.key = None;
                }
                b'[' => self.outer.push(self.key),
                b'}' | b']' => {
                    self.outer.pop();
                }
                b',' => self.key = self.outer.last().copied().flatten(),
                b'"' => {
                    let range = self.string();
                    if self.is_key() {
                        self.key = Some(&self.text[range]);
                    } else {
                        return Some(StringValue { range, key: self.key });
                    }
                }
                _ => {}
            }
        }
        None
    }
}

impl Strings<'_> {
    /// Reads to the end of a string whose opening quote is read.
    fn string(&mut self) -> Range<usize> {
        let start = self.at;
        let bytes = self.text.as_bytes();
        while let Some(found) = memchr::memchr2(b'"', b'\\', bytes.get(self.at..).unwrap_or_default()) {
            self.at += found;
            if bytes[self.at] == b'"' {
                break;
            }
            self.at += 2;
        }
        let range = start..self.at.min(self.text.len());
        self.at += 1;
        range
    }

    fn is_key(&self) -> bool {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        rest.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b':')
    }
}

/// What a string says, and where its parts are written.
#[derive(Debug)]
pub(super) struct Decoded<'t> {
    pub(super) text: Cow<'t, str>,
    /// For each escape: its end in the decoded text, and how much longer than that end its end as written is.
    escapes: Vec<(usize, usize)>,
}

impl<'t> Decoded<'t> {
    /// Decodes what stands between the quotes of a string.
    pub(super) fn new(written: &'t str) -> Self {
        let mut escapes = Vec::new();
        let Some(mut next) = memchr::memchr(b'\\', written.as_bytes()) else {
            return Self {
                text: Cow::Borrowed(written),
                escapes,
            };
        };
        let mut text = String::with_capacity(written.len());
        let mut at = 0;
        loop {
            text.push_str(&written[at..next]);
            let (c, length) = unescape(&written[next..]);
            text.push(c);
            at = next + length;
            escapes.push((text.len(), at - text.len()));
            match memchr::memchr(b'\\', &written.as_bytes()[at..]) {
                Some(found) => next = at + found,
                None => break,
            }
        }
        text.push_str(&written[at..]);
        Self {
            text: Cow::Owned(text),
            escapes,
        }
    }

    /// Where a range of the decoded text is written.
    pub(super) fn written(&self, range: &Range<usize>) -> Range<usize> {
        self.written_place(range.start)..self.written_place(range.end)
    }

    fn written_place(&self, place: usize) -> usize {
        let behind = self.escapes.partition_point(|(end, _)| *end <= place);
        place + behind.checked_sub(1).map_or(0, |last| self.escapes[last].1)
    }
}

/// The character of the escape that begins a text, and the length of the escape. What is none stands for itself.
fn unescape(written: &str) -> (char, usize) {
    let mut chars = written[1..].chars();
    let c = chars.next().unwrap_or('\\');
    let simple = match c {
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'b' => '\u{8}',
        'f' => '\u{c}',
        'u' => return unescape_code(written),
        other => other,
    };
    (simple, written.len() - chars.as_str().len())
}

/// `\u00e9`, or the two of a surrogate pair.
fn unescape_code(written: &str) -> (char, usize) {
    let unit = |from: usize| u32::from_str_radix(written.get(from..from + 4)?, 16).ok();
    let high = unit(2).unwrap_or_default();
    let low = written
        .get(6..8)
        .filter(|start| *start == "\\u")
        .and_then(|_| unit(8));
    if let (0xd800..=0xdbff, Some(low @ 0xdc00..=0xdfff)) = (high, low) {
        let scalar = 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
        return (char::from_u32(scalar).unwrap_or(char::REPLACEMENT_CHARACTER), 12);
    }
    let length = written.len().min(6);
    (
        char::from_u32(high).unwrap_or(char::REPLACEMENT_CHARACTER),
        length,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_stand_under_their_keys() {
        let text = r#"{"a": "1", "b": ["2", {"c": "3"}, "4"], "d": 5, "e\"": {"f": null}, "g": "6"}"#;
        let found: Vec<_> = strings(text)
            .map(|string| (&text[string.range], string.key))
            .collect();
        assert_eq!(
            found,
            [
                ("1", Some("a")),
                ("2", Some("b")),
                ("3", Some("c")),
                ("4", Some("b")),
                ("6", Some("g"))
            ]
        );
        assert_eq!(strings("\"only\"").next().map(|string| string.range), Some(1..5));
    }

    #[test]
    fn escapes_are_decoded_and_found_again() {
        let written = r#"a\n\u00e9\ud83d\ude00"x\\y"#;
        let decoded = Decoded::new(written);
        assert_eq!(decoded.text, "a\né😀\"x\\y");
        let smile = decoded.text.find('😀').unwrap();
        assert_eq!(&written[decoded.written(&(smile..smile + 4))], r"\ud83d\ude00");
        let rest = decoded.text.find('x').unwrap();
        assert_eq!(&written[decoded.written(&(rest..rest + 3))], r"x\\y");
        assert_eq!(decoded.written(&(0..1)), 0..1);
    }
}
