//! Names of persons behind words that announce one: "my name is", "Mr.", "Dear", "Ich heiße".

mod cased;
mod lexicon;
mod uncased;

use std::ops::Range;

use super::Kind;
use super::anchor::Detector;
use super::stretch::{Anchor, Stretch, Verdict};
use lexicon::Prefix;

pub(super) const DETECTOR: Detector = Detector {
    literals: lexicon::literals,
    verify,
};

fn verify(stretch: Stretch<'_>, anchor: Anchor) -> Verdict {
    let prefix = lexicon::prefix(anchor.literal);
    let found = if prefix == Prefix::Behind {
        uncased::before(stretch, anchor.start)
    } else if is_word_start(stretch, anchor.start) {
        let from = skip_joint(stretch, anchor.end);
        // Else another word goes on here, or a title is a unit: "26 ms: Mark".
        let is_joined = stretch.byte_before(from) == Some(b' ') && stretch.byte(anchor.end) != Some(b':');
        match prefix {
            Prefix::Introduction if from > anchor.end => cased::introduced(stretch, from),
            Prefix::Title if is_joined && !is_abbreviation(stretch, anchor) => cased::titled(stretch, from),
            Prefix::Salutation
                if is_joined && stretch.char_at(anchor.start).is_some_and(char::is_uppercase) =>
            {
                cased::titled(stretch, from)
            }
            Prefix::Introduction | Prefix::Title | Prefix::Salutation => None,
            Prefix::Han => uncased::han(stretch, from),
            Prefix::Kana => uncased::japanese(stretch, from),
            Prefix::Hangul => uncased::korean(stretch, from),
            Prefix::Spaced | Prefix::Behind => uncased::spaced(stretch, from),
        }
    } else {
        None
    };
    match found {
        Some(range) => Verdict::found(range, Kind::Name),
        None => anchor.nothing(),
    }
}

/// Whether a title is all in capitals, as `MS` in "MS Excel".
fn is_abbreviation(stretch: Stretch<'_>, anchor: Anchor) -> bool {
    let title = &stretch.text[anchor.start..anchor.end];
    stretch.byte(anchor.end) != Some(b'.') && !title.contains(char::is_lowercase)
}

/// The name at a place where a key says that one stands.
pub(super) fn at(stretch: Stretch<'_>, from: usize) -> Option<Range<usize>> {
    match stretch.char_at(from)? {
        '\u{3040}'..='\u{30ff}' => uncased::japanese(stretch, from),
        '\u{3400}'..='\u{9fff}' => uncased::ideographs(stretch, from),
        '\u{ac00}'..='\u{d7af}' => uncased::korean(stretch, from),
        '\u{600}'..='\u{6ff}' | '\u{900}'..='\u{97f}' => uncased::spaced(stretch, from),
        _ => cased::titled(stretch, from),
    }
}

/// Whether a value that is said to be a name may be one.
pub(super) fn may_be_name(value: &str) -> bool {
    const MOST_WORDS: usize = 6;
    const LONGEST: usize = 120;
    let belongs =
        |c: char| c.is_alphabetic() || is_mark(c) || matches!(c, ' ' | '.' | '-' | '\'' | '’' | '·');
    value.len() <= LONGEST
        && value.chars().any(char::is_alphabetic)
        && value.chars().all(belongs)
        && value.split_whitespace().count() <= MOST_WORDS
        && !matches!(
            value,
            "string" | "null" | "none" | "unknown" | "undefined" | "required" | "optional"
        )
}

/// Marks above and below letters, as vowels of Devanagari.
const fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{900}'..='\u{963}' | '\u{64b}'..='\u{65f}' | '\u{200c}' | '\u{200d}')
}

/// A part of a word of a script with spaces.
fn is_letter(c: char) -> bool {
    c.is_alphabetic() || is_mark(c)
}

/// Whether no word goes on at a place; scripts without spaces have no words.
fn is_word_start(stretch: Stretch<'_>, at: usize) -> bool {
    let before = stretch.char_before(at);
    let is_joined = |c: char| c.is_alphanumeric() && !uncased::is_without_spaces(c);
    let first = stretch.char_at(at);
    !before.is_some_and(is_joined) || first.is_some_and(uncased::is_without_spaces)
}

/// Skips a dot, colon and spaces.
fn skip_joint(stretch: Stretch<'_>, from: usize) -> usize {
    let rest = stretch.rest(from);
    let rest_behind = rest.strip_prefix(['.', ':', '：']).unwrap_or(rest);
    let behind = rest_behind.trim_start_matches([' ', '\u{a0}']);
    from + rest.len() - behind.len()
}
