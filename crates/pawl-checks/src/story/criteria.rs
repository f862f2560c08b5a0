//! The checks on a story's list of acceptance criteria.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use serde_json::Value;
use unicode_normalization::UnicodeNormalization as _;

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

/// The text in the form in which criteria are compared: compatibility characters, case and white space folded (Unicode
/// NFKC, then upper and lower case, which brings `ß` to `ss` and both sigmas together), final punctuation dropped.
fn fold(text: &str) -> String {
    if text.is_ascii() {
        let mut folded = String::with_capacity(text.len());
        push_words(&mut folded, text);
        folded.make_ascii_lowercase();
        return folded;
    }
    let compatible: String = text.nfkc().collect();
    let lower_case: String = compatible.to_uppercase().to_lowercase().nfkc().collect();
    let mut folded = String::with_capacity(lower_case.len());
    push_words(&mut folded, &lower_case);
    folded
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
    let is_vague = |criterion| !text_of(criterion).is_some_and(|text| is_actionable(text, style));
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
