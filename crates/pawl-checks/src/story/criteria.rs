//! The checks on a story's list of acceptance criteria.

use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

use serde_json::Value;
use unicode_normalization::{IsNormalized, UnicodeNormalization as _, is_nfkc_quick};

use super::actionable::{Style, is_actionable};
use super::{BLANK, StorySettings};

/// The text of a criterion; none if it is no text, or blank.
fn text_of(criterion: &Value) -> Option<&str> {
    criterion.as_str().map(str::trim).filter(|text| !text.is_empty())
}

pub(super) fn at_least(criteria: &[Value], settings: &StorySettings) -> Result<(), String> {
    let found = criteria.iter().filter_map(text_of).count();
    let need = settings.min_acceptance_criteria;
    if found >= need {
        Ok(())
    } else {
        Err(format!("found {found}, need {need}"))
    }
}

pub(super) fn at_most(criteria: &[Value], settings: &StorySettings) -> Result<(), String> {
    let (found, most) = (criteria.len(), settings.max_acceptance_criteria);
    if found <= most {
        Ok(())
    } else {
        Err(format!("found {found}, at most {most}"))
    }
}

pub(super) fn distinct(criteria: &[Value]) -> Result<(), String> {
    if have_different_letters(criteria) {
        return Ok(());
    }
    let mut first_of = HashMap::with_capacity(criteria.len());
    for (number, criterion) in (1_usize..).zip(criteria) {
        let Some(text) = text_of(criterion) else { continue };
        match first_of.entry(fold(text)) {
            Entry::Vacant(vacant) => {
                vacant.insert(number);
            }
            Entry::Occupied(first) => {
                return Err(format!("AC #{number} duplicates AC #{}", first.get()));
            }
        }
    }
    Ok(())
}

/// Up to so many criteria, each is compared with each.
const FEW: usize = 32;

/// Whether there are a few criteria, no two of which have the same letters in whatever order: they cannot fold alike.
/// So it is with most lists, and spares them the keeping of texts.
fn have_different_letters(criteria: &[Value]) -> bool {
    let mut sums = [0; FEW];
    let mut count = 0;
    for text in criteria.iter().filter_map(text_of) {
        let sum = sum_of_letters(text);
        if count == FEW || sums[..count].contains(&sum) {
            return false;
        }
        sums[count] = sum;
        count += 1;
    }
    true
}

/// The sum of the numbers of the bytes that [`fold`] makes of a text: the same for texts that fold alike.
fn sum_of_letters(text: &str) -> u64 {
    let sum = |text: &str| {
        text.bytes()
            .fold(0, |sum: u64, byte| sum.wrapping_add(NUMBERS[usize::from(byte)]))
    };
    if text.is_ascii() {
        // Here folding changes but case, white space and punctuation, which the numbers do not tell.
        sum(text)
    } else {
        sum(&fold(text))
    }
}

/// A number of 64 bits for each byte: the same for both cases of an ASCII letter, and 0 for white space, punctuation
/// and control characters.
const NUMBERS: [u64; 256] = {
    let mut numbers = [0; 256];
    let mut byte = 0;
    while byte < numbers.len() {
        let letter = (byte as u8).to_ascii_lowercase();
        if letter.is_ascii_alphanumeric() || !letter.is_ascii() {
            // The powers of an odd number spread over all bits.
            numbers[byte] = 0x9e37_79b9_7f4a_7c15_u64.wrapping_pow(letter as u32);
        }
        byte += 1;
    }
    numbers
};

/// The text in the form in which criteria are compared: compatibility characters, case and white space folded (Unicode
/// NFKC, then upper and lower case, which brings `ß` to `ss` and both sigmas together), final punctuation dropped.
fn fold(text: &str) -> String {
    if text.is_ascii() {
        let mut folded = String::with_capacity(text.len());
        push_words(&mut folded, text);
        folded.make_ascii_lowercase();
        return folded;
    }
    let lower_case = compatible(text).to_uppercase().to_lowercase();
    let lower_case = compatible(&lower_case);
    let mut folded = String::with_capacity(lower_case.len());
    push_words(&mut folded, &lower_case);
    folded
}

/// The text in the form NFKC, in which most texts are already.
fn compatible(text: &str) -> Cow<'_, str> {
    match is_nfkc_quick(text.chars()) {
        IsNormalized::Yes => Cow::Borrowed(text),
        IsNormalized::No | IsNormalized::Maybe => Cow::Owned(text.nfkc().collect()),
    }
}

fn push_words(out: &mut String, text: &str) {
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    let end = out.trim_end_matches(is_final).len();
    // A criterion of punctuation alone has nothing else to be told by.
    if end > 0 {
        out.truncate(end);
    }
}

fn is_final(c: char) -> bool {
    c.is_whitespace()
        || matches!(
            c,
            '.' | ',' | ';' | ':' | '!' | '?' | '…' | '。' | '、' | '।' | '؟' | '۔' | '·'
        )
}

pub(super) fn actionable(criteria: &[Value], settings: &StorySettings) -> Result<(), String> {
    if criteria.is_empty() {
        return Err(BLANK.to_owned());
    }
    let style = if settings.strict {
        Style::VerbFirst
    } else {
        Style::ActorAndVerb
    };
    let is_vague = |criterion: &Value| !criterion.as_str().is_some_and(|text| is_actionable(text, style));
    match criteria.iter().position(is_vague) {
        Some(index) => Err(format!("AC #{} does not start with a verb", index + 1)),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn criteria_that_say_the_same_fold_alike() {
        for (a, b) in [
            ("User can log in.", "user  can\tLOG IN"),
            ("STRASSE is shown", "straße is shown!"),
            ("ﬁle is saved", "File is saved"),
            ("cafe\u{301} opens", "Café opens…"),
            ("ΟΔΟΣ", "οδος"),
            ("ｆｕｌｌ　ｗｉｄｔｈ", "full width"),
            ("Is it saved ?", "is it saved"),
        ] {
            assert_eq!(fold(a), fold(b), "{a} / {b}");
        }
        assert_ne!(fold("User can log in"), fold("User can log out"));
        assert_ne!(fold("..."), fold("!!"));
    }
}
