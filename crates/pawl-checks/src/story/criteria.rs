//! The checks on a story's list of acceptance criteria.

use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

use serde_json::Value;
use unicode_normalization::{IsNormalized, UnicodeNormalization as _, is_nfkc_quick};

use super::actionable::{Style, is_actionable};
use super::{BLANK, StorySettings, is_blank, text_of};

pub(super) fn at_least(found: usize, settings: &StorySettings) -> Result<(), String> {
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
    let twins = if criteria.len() <= FEW {
        twins_by_pair(criteria)
    } else {
        twins_by_text(criteria)
    };
    match twins {
        Some((first, second)) => Err(format!("AC #{} duplicates AC #{}", second + 1, first + 1)),
        None => Ok(()),
    }
}

/// Up to so many criteria are compared each with each: nearly all differ in their first letters, and none has to be
/// folded.
const FEW: usize = 32;

fn twins_by_pair(criteria: &[Value]) -> Option<(usize, usize)> {
    (1..criteria.len()).find_map(|second| {
        let is_twin = |first: &Value| fold_alike(first, &criteria[second]);
        let first = criteria[..second].iter().position(is_twin)?;
        Some((first, second))
    })
}

fn twins_by_text(criteria: &[Value]) -> Option<(usize, usize)> {
    let mut first_of = HashMap::with_capacity(criteria.len());
    for (second, criterion) in criteria.iter().enumerate() {
        let Some(text) = text_of(criterion) else { continue };
        match first_of.entry(fold(text)) {
            Entry::Vacant(vacant) => {
                vacant.insert(second);
            }
            Entry::Occupied(first) => return Some((*first.get(), second)),
        }
    }
    None
}

fn fold_alike(a: &Value, b: &Value) -> bool {
    let (Some(a), Some(b)) = (a.as_str(), b.as_str()) else {
        return false;
    };
    !start_differently(a, b) && !is_blank(a) && !is_blank(b) && fold(a) == fold(b)
}

/// Whether two texts differ in a letter or digit near their start, and so do their folds.
fn start_differently(a: &str, b: &str) -> bool {
    first_letters(a).zip(first_letters(b)).any(|(a, b)| a != b)
}

/// The first ASCII letters and digits, in lower case: [`fold`] changes no more than their case up to the first character
/// beyond ASCII, and the one in front of it, with which it may combine.
fn first_letters(text: &str) -> impl Iterator<Item = u8> {
    let bytes = text.as_bytes();
    let stays = |index: usize| bytes.get(index).is_none_or(u8::is_ascii);
    bytes
        .iter()
        .enumerate()
        .take_while(move |(index, byte)| byte.is_ascii() && stays(index + 1))
        .map(|(_, byte)| byte.to_ascii_lowercase())
        .filter(u8::is_ascii_alphanumeric)
}

/// The text in the form in which criteria are compared: compatibility characters, case and white space folded (Unicode
/// NFKC, then upper and lower case, which brings `ß` to `ss` and both sigmas together), final punctuation dropped.
fn fold(text: &str) -> String {
    let text = text.trim();
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
    use proptest::prelude::*;

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

    fn any_criterion() -> impl Strategy<Value = Value> {
        let text = "([ab .!\\n]|[Ａﬁßİſ]|[\u{a0}\u{301}\u{3a3}\u{3c2}\u{3c3}…]|\\PC){0,4}";
        prop_oneof![9 => text.prop_map(Value::from), 1 => Just(Value::Null)]
    }

    proptest! {
        #[test]
        fn twins_are_found_either_way(criteria in prop::collection::vec(any_criterion(), 0..9)) {
            prop_assert_eq!(twins_by_pair(&criteria), twins_by_text(&criteria));
        }

        #[test]
        fn most_texts_are_compatible_as_they_are(text in "([a-z]|[éßﬁ\u{301}\u{327}\u{1100}\u{1161}]|\\PC){0,8}") {
            prop_assert_eq!(compatible(&text), text.nfkc().collect::<String>());
        }
    }
}
