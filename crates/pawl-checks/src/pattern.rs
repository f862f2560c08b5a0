//! `regex`: JavaScript's regular expressions, run by `fancy-regex`.

use std::fmt;
use std::iter::Peekable;
use std::str::Chars;

use fancy_regex::{Regex, RegexBuilder};

use crate::Subject;
use crate::excerpt::quote;
use crate::rule::{Finding, Rule};
use crate::spec::{AssertSpec, SpecError};

/// Steps back that a match may take before it counts as "could not be judged".
const BACKTRACK_LIMIT: usize = 1_000_000;

/// The largest compiled pattern, in bytes.
const SIZE_LIMIT: usize = 10 << 20;

#[derive(Debug)]
pub(crate) struct Pattern {
    source: String,
    regex: Regex,
}

impl Pattern {
    pub(crate) fn compile(spec: &AssertSpec) -> Result<Self, SpecError> {
        let source = spec.text_value()?;
        let refuse =
            |why: &dyn fmt::Display| SpecError::at("value", format!("is not a regular expression: {why}"));
        let translated = translate(&source).map_err(|why| refuse(&why))?;
        let regex = RegexBuilder::new(&translated)
            .backtrack_limit(BACKTRACK_LIMIT)
            .delegate_size_limit(SIZE_LIMIT)
            .build()
            .map_err(|error| refuse(&error))?;
        Ok(Self { source, regex })
    }
}

impl Rule for Pattern {
    fn judge(&self, subject: &Subject<'_>) -> Finding {
        match self.regex.is_match(subject.text()) {
            Ok(matches) => Finding::of(matches, || format!("does not match {}", quote(&self.source, 100))),
            Err(error) => Finding::Unknown(format!("the regular expression gave up: {error}")),
        }
    }

    fn claim(&self) -> String {
        format!("matches {}", quote(&self.source, 100))
    }
}

/// Rewrites what ECMAScript (ECMA-262, section 22.2.1 and annex B.1.2, without flags) means otherwise than
/// `fancy-regex`: classes of ASCII alone, line terminators, braces and brackets that stand for themselves, surrogate
/// pairs, and set operators that are plain characters. What both read alike passes through. `\b` stays Unicode-aware.
///
/// # Errors
/// What ECMAScript refuses and `fancy-regex` takes.
fn translate(source: &str) -> Result<String, &'static str> {
    let mut out = String::with_capacity(source.len() + 16);
    let mut chars = source.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' => push_escape(&mut out, &mut chars, Place::Outside),
            '[' => push_class(&mut out, &mut chars),
            '.' => out.push_str(r"[^\n\r\x{2028}\x{2029}]"),
            ']' => out.push_str(r"\]"),
            '{' => push_brace(&mut out, &mut chars)?,
            '}' => out.push_str(r"\}"),
            _ => out.push(c),
        }
    }
    Ok(out)
}

/// Where an escape stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Outside,
    InClass,
}

/// A brace is a quantifier in the forms `{2}`, `{2,}` and `{2,3}`, else a character.
fn push_brace(out: &mut String, chars: &mut Peekable<Chars<'_>>) -> Result<(), &'static str> {
    let inside: String = chars
        .clone()
        .take_while(|c| c.is_ascii_digit() || *c == ',')
        .collect();
    let (low, high) = inside.split_once(',').unwrap_or((&inside, ""));
    let is_closed = chars.clone().nth(inside.len()) == Some('}');
    if !is_closed || low.is_empty() || high.contains(',') {
        out.push_str(r"\{");
        return Ok(());
    }
    if let (Ok(low), Ok(high)) = (low.parse::<u32>(), high.parse::<u32>())
        && low > high
    {
        return Err("a quantifier with its minimum above its maximum");
    }
    out.push('{');
    out.extend(chars.by_ref().take(inside.len() + 1));
    Ok(())
}

fn push_class(out: &mut String, chars: &mut Peekable<Chars<'_>>) {
    let negated = chars.next_if_eq(&'^').is_some();
    if chars.next_if_eq(&']').is_some() {
        out.push_str(if negated { r"[\s\S]" } else { r"[^\s\S]" });
        return;
    }
    out.push_str(if negated { "[^" } else { "[" });
    while let Some(c) = chars.next() {
        match c {
            ']' => {
                out.push(']');
                return;
            }
            '\\' => push_escape(out, chars, Place::InClass),
            // Set operators and nested classes elsewhere, plain characters here.
            '[' | '&' | '~' => out.extend(['\\', c]),
            '-' if chars.peek() == Some(&'-') => out.push_str(r"\-"),
            _ => out.push(c),
        }
    }
}

fn push_escape(out: &mut String, chars: &mut Peekable<Chars<'_>>, place: Place) {
    let Some(c) = chars.next() else {
        out.push('\\');
        return;
    };
    match (c, place) {
        ('d', Place::Outside) => out.push_str("[0-9]"),
        ('d', Place::InClass) => out.push_str("0-9"),
        ('D', _) => out.push_str("[^0-9]"),
        ('w', Place::Outside) => out.push_str("[A-Za-z0-9_]"),
        ('w', Place::InClass) => out.push_str("A-Za-z0-9_"),
        ('W', _) => out.push_str("[^A-Za-z0-9_]"),
        ('b', Place::InClass) => out.push_str(r"\x08"),
        ('0', _) => out.push_str(r"\x00"),
        ('c', _) => match chars.next_if(char::is_ascii_alphabetic) {
            Some(letter) => out.push_str(&format!(r"\x{:02x}", u32::from(letter) % 32)),
            None => out.push_str(r"\\c"),
        },
        ('u', _) => push_unicode_escape(out, chars),
        ('b' | 'B' | 's' | 'S' | 'n' | 'r' | 't' | 'f' | 'v' | 'x' | 'k' | 'p' | 'P', _) => {
            out.extend(['\\', c]);
        }
        (digit, Place::Outside) if digit.is_ascii_digit() => out.extend(['\\', c]),
        // Any other escaped character stands for itself.
        (c, _) if c.is_ascii_punctuation() => out.extend(['\\', c]),
        (c, _) => out.push(c),
    }
}

/// `\uD83D\uDE00` is one character written as the two halves of its UTF-16 form.
fn push_unicode_escape(out: &mut String, chars: &mut Peekable<Chars<'_>>) {
    let high = code_unit(&mut chars.clone());
    if let Some(high @ 0xd800..=0xdbff) = high {
        let mut ahead = chars.clone();
        ahead.nth(3);
        if (ahead.next(), ahead.next()) == (Some('\\'), Some('u'))
            && let Some(low @ 0xdc00..=0xdfff) = code_unit(&mut ahead)
        {
            let scalar = 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
            out.push_str(&format!(r"\x{{{scalar:x}}}"));
            *chars = ahead;
            return;
        }
    }
    out.push_str(r"\u");
}

/// Four hexadecimal digits.
fn code_unit(chars: &mut Peekable<Chars<'_>>) -> Option<u32> {
    (0..4).try_fold(0, |unit, _| Some(unit * 16 + chars.next()?.to_digit(16)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_match(pattern: &str, text: &str) -> bool {
        let spec = AssertSpec::read(&serde_json::json!({"type": "regex", "value": pattern})).unwrap();
        let output = serde_json::json!(text);
        let pattern = Pattern::compile(&spec).unwrap_or_else(|error| panic!("{pattern}: {error}"));
        pattern.judge(&Subject::new(&output)) == Finding::Holds
    }

    #[test]
    fn matches_as_javascript_does() {
        for (pattern, text) in [
            (r"\d{4}", "in 1999"),
            (r#"{"id": \d+}"#, r#"{"id": 7}"#),
            (r#"^{.*}$"#, r#"{"id": 7}"#),
            (r"x{,2}", "x{,2}"),
            (r"a]b}", "a]b}"),
            (r"[^]+", "a\nb"),
            (r"a\/b", "a/b"),
            (r"(?<year>\d+)-\k<year>", "12-12"),
            (r"(a)\1", "aa"),
            (r"foo(?!bar)", "foobaz"),
            (r"(?<=\$)\d+", "$42"),
            (r"[[&&~~]", "["),
            (r"[\w-]+@[\w.]+", "a-b@c.de"),
            (r"^\uD83D\uDE00\u0041$", "😀A"),
            (r"\cJ", "\n"),
            (r"[\b]", "\u{8}"),
            (r"\h\-\_", "h-_"),
            (r"^[+\-*/]$", "/"),
            (r"(?i)HELLO", "hello"),
        ] {
            assert!(is_match(pattern, text), "{pattern} on {text}");
        }
        for (pattern, text) in [
            (r"^\d$", "٣"),
            (r"^\w$", "é"),
            (r"^a.b$", "a\u{2028}b"),
            (r"^a.b$", "a\rb"),
            (r"^end$", "end\n"),
            (r"[]", "a"),
            (r"^b", "a\nb"),
        ] {
            assert!(!is_match(pattern, text), "{pattern} on {text}");
        }
    }

    #[test]
    fn broken_patterns_are_refused() {
        for pattern in ["(", "[a", "*", r"a\", "(?<n", "a{3,2}", "[b-a]", ""] {
            let spec = AssertSpec::read(&serde_json::json!({"type": "regex", "value": pattern})).unwrap();
            assert!(Pattern::compile(&spec).is_err(), "{pattern} compiles");
        }
    }

    #[test]
    fn catastrophic_backtracking_is_unknown_and_never_inverted() {
        for name in ["regex", "not-regex"] {
            let spec = serde_json::json!({"type": name, "value": "^(?:(?=a)a+)+$"});
            let checks = crate::Check::compile(&AssertSpec::read(&spec).unwrap()).unwrap();
            let output = serde_json::json!("a".repeat(40) + "!");
            assert_eq!(
                checks[0].judge(&Subject::new(&output)).state,
                pawl_model::State::Error
            );
        }
    }

    proptest::proptest! {
        #[test]
        fn translating_never_panics(source in "[\\[\\]{}\\\\^$.|?*+()&~cuxkdDwWbB0-9,:<=!a-f-]{0,24}") {
            let spec = serde_json::json!({"type": "regex", "value": source});
            if let Ok(pattern) = Pattern::compile(&AssertSpec::read(&spec).unwrap()) {
                let output = serde_json::json!("aab{1}[2]");
                proptest::prop_assert!(matches!(
                    pattern.judge(&Subject::new(&output)),
                    Finding::Holds | Finding::Misses(_) | Finding::Unknown(_)
                ));
            }
        }
    }
}
