//! Names in scripts with capitals.

use std::ops::Range;

use super::lexicon::{
    is_conjunction, is_first_particle, is_no_introduction, is_no_name, is_particle, is_title,
};
use crate::mask::stretch::Stretch;

/// The most words of a name.
const MAX_WORDS: usize = 5;
/// The longest word, in bytes.
const LONGEST: usize = 40;

/// A name behind "my name is": with a capital, or in lower case where nothing but a name fits.
pub(super) fn introduced(stretch: Stretch<'_>, from: usize) -> Option<Range<usize>> {
    capitalised(stretch, from).or_else(|| in_lower_case(stretch, from))
}

/// A name behind a title or "Dear"; further titles are skipped.
pub(super) fn titled(stretch: Stretch<'_>, from: usize) -> Option<Range<usize>> {
    let mut from = from;
    for _ in 0..3 {
        let end = word_end(stretch, from);
        let word = stretch.text[from..end].trim_end_matches('.');
        if !is_title(word) {
            break;
        }
        from = next_word(
            stretch,
            from + word.len() + usize::from(stretch.byte(from + word.len()) == Some(b'.')),
        )?;
    }
    capitalised(stretch, from)
}

/// Words with a capital, and particles between them.
fn capitalised(stretch: Stretch<'_>, from: usize) -> Option<Range<usize>> {
    let mut end = None;
    let mut at = from;
    let mut words = 0;
    while words < MAX_WORDS {
        let stop = word_end(stretch, at);
        let word = &stretch.text[at..stop];
        if word.is_empty() || word.len() > LONGEST {
            break;
        }
        let is_name = word.starts_with(char::is_uppercase) && !is_no_name(word) && !goes_on(stretch, stop);
        let may_be_particle = if words == 0 {
            is_first_particle(word)
        } else {
            is_particle(word)
        };
        if is_name {
            end = Some(stop);
        } else if !may_be_particle {
            break;
        }
        words += 1;
        // The dot of an initial; any other ends the sentence.
        let is_initial = word.chars().count() == 1 && stretch.byte(stop) == Some(b'.');
        match next_word(stretch, stop + usize::from(is_initial)) {
            Some(next) => at = next,
            None => break,
        }
    }
    Some(from..end?)
}

/// One word, or two at the end of a sentence.
fn in_lower_case(stretch: Stretch<'_>, from: usize) -> Option<Range<usize>> {
    let end = word_end(stretch, from);
    let word = &stretch.text[from..end];
    let is_name = word.chars().count() >= 2
        && !is_no_introduction(word)
        && !is_conjunction(word)
        && word.len() <= LONGEST;
    if !is_name || goes_on(stretch, end) {
        return None;
    }
    if ends_clause(stretch, end) {
        return Some(from..end);
    }
    let second = next_word(stretch, end)?;
    let second_end = word_end(stretch, second);
    let is_second = second_end > second && !goes_on(stretch, second_end) && ends_clause(stretch, second_end);
    let speaks = is_no_introduction(&stretch.text[second..second_end]);
    (is_second && !speaks).then_some(from..second_end)
}

/// Whether a clause ends at a place: the text does, or punctuation or a conjunction follows.
fn ends_clause(stretch: Stretch<'_>, at: usize) -> bool {
    match stretch.char_at(at) {
        None | Some(',' | '.' | '!' | '?' | ';' | '\n' | '\r' | ')' | '"') => true,
        Some(' ') => {
            let end = word_end(stretch, at + 1);
            is_conjunction(&stretch.text[at + 1..end])
        }
        Some(_) => false,
    }
}

/// The end of a word: letters, with apostrophes and hyphens between them.
fn word_end(stretch: Stretch<'_>, from: usize) -> usize {
    let mut end = from;
    let mut chars = stretch.rest(from).chars().peekable();
    while let Some(c) = chars.next() {
        let is_joint = matches!(c, '\'' | '’' | '-')
            && end > from
            && chars.peek().is_some_and(|next| next.is_alphabetic());
        if !(super::is_letter(c) || is_joint) || end - from > LONGEST {
            break;
        }
        end += c.len_utf8();
    }
    end
}

/// Whether a word is the beginning of something else: an address, a name in a program.
fn goes_on(stretch: Stretch<'_>, end: usize) -> bool {
    match stretch.byte(end) {
        Some(b'@' | b'_' | b'/' | b'\\' | b'(' | b'0'..=b'9') => true,
        Some(b'.') => stretch.is_word_at(end + 1),
        _ => false,
    }
}

/// Where the next word on the line begins, behind one or two spaces.
fn next_word(stretch: Stretch<'_>, from: usize) -> Option<usize> {
    let rest = stretch.rest(from);
    let behind = rest.strip_prefix([' ', '\u{a0}'])?;
    let behind = behind.strip_prefix(' ').unwrap_or(behind);
    Some(from + rest.len() - behind.len())
}
