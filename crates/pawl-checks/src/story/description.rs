//! The checks on a story's description.

use unicode_segmentation::UnicodeSegmentation as _;

use super::StorySettings;
use super::words::Words;

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
    let mut words = Words::of(description).peekable();
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
    let text = description.trim();
    // Counting clusters is slow, and most texts are well within.
    if min <= fewest_graphemes(text) && text.len() <= max {
        return Ok(());
    }
    let length = graphemes(text);
    if (min..=max).contains(&length) {
        Ok(())
    } else {
        Err(format!("length {length} outside {min}–{max}"))
    }
}

/// A number of clusters that there are at least.
fn fewest_graphemes(text: &str) -> usize {
    if text.is_ascii() {
        // The longest one is a Windows line end.
        return text.len() / 2;
    }
    // Between two ASCII characters one ends, unless they are a line end.
    let ends = |pair: &&[u8]| pair.is_ascii() && pair[1] != b'\n';
    text.as_bytes().windows(2).filter(ends).count()
}

fn graphemes(text: &str) -> usize {
    if text.is_ascii() {
        // The one cluster of two ASCII characters is a Windows line end.
        let line_ends = text.split('\r').skip(1).filter(|rest| rest.starts_with('\n'));
        text.len() - line_ends.count()
    } else {
        text.graphemes(true).count()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn clusters_are_counted_alike(text in "([ae\r\n]|\u{301}|\u{600}|\u{200d}|👩|🇩|क|\u{94d}|\\PC){0,20}") {
            prop_assert!(fewest_graphemes(&text) <= text.graphemes(true).count());
            prop_assert_eq!(graphemes(&text), text.graphemes(true).count());
        }
    }
}
