//! The checks on a story's description.

use unicode_segmentation::UnicodeSegmentation as _;

use super::StorySettings;

/// "as a" or "as an", "I want" and "so that", in this order, in any case and across line breaks.
///
/// # Errors
/// The first clause that is missing.
pub(super) fn format(description: &str) -> Result<(), String> {
    let clauses: [(&str, &[&str], &str); 3] = [
        ("as", &["a", "an"], "as a"),
        ("i", &["want"], "I want"),
        ("so", &["that"], "so that"),
    ];
    let mut words = description
        .split_whitespace()
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()))
        .filter(|word| !word.is_empty())
        .peekable();
    for (first, seconds, name) in clauses {
        let found = loop {
            match words.next() {
                None => break false,
                Some(word) if word.eq_ignore_ascii_case(first) => {
                    let is_second =
                        |word: &&str| seconds.iter().any(|second| word.eq_ignore_ascii_case(second));
                    if words.next_if(is_second).is_some() {
                        break true;
                    }
                }
                Some(_) => {}
            }
        };
        if !found {
            return Err(format!("missing '{name}' clause"));
        }
    }
    Ok(())
}

/// The length in grapheme clusters, without white space at both ends.
///
/// # Errors
/// The length, where it is outside of the settings.
pub(super) fn length(description: &str, settings: &StorySettings) -> Result<(), String> {
    let (min, max) = (settings.min_description_length, settings.max_description_length);
    let length = graphemes(description.trim());
    if (min..=max).contains(&length) {
        Ok(())
    } else {
        Err(format!("length {length} outside {min}–{max}"))
    }
}

fn graphemes(text: &str) -> usize {
    if text.is_ascii() {
        // The one cluster of two ASCII characters is a Windows line end.
        text.len() - text.matches("\r\n").count()
    } else {
        text.graphemes(true).count()
    }
}
