//! Proposals that are not worth a rollout.

use serde::{Deserialize, Serialize};

use crate::candidate::Component;
use crate::example::Example;
use crate::settings::Hygiene;

/// A proposal that came to nothing, kept to be shown to whoever proposes next.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Refusal {
    /// The component that was to be written anew.
    pub component: String,
    /// Why.
    pub reason: RefusalReason,
    /// The text that was proposed; what was answered, where no text could be read from it.
    pub text: String,
}

/// Why a proposal came to nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum RefusalReason {
    /// There was no fenced block in the reply.
    #[error("the reply has no fenced block")]
    NoBlock,
    /// The last block has no end.
    #[error("the last fenced block is not closed")]
    OpenBlock,
    /// The model stopped before it was done.
    #[error("the reply was cut off")]
    CutOff,
    /// The block is empty.
    #[error("the new text is empty")]
    Empty,
    /// The candidate that it makes was tried before.
    #[error("this text was tried before")]
    Known,
    /// A placeholder of the current text is gone.
    #[error("the placeholder `{0}` is gone")]
    LostPlaceholder(String),
    /// It is longer than allowed.
    #[error("the text has some {tokens} tokens, and {limit} are allowed")]
    TooLong {
        /// A quarter of its characters.
        tokens: usize,
        /// What is allowed.
        limit: usize,
    },
    /// It copies an example instead of learning from it.
    #[error("the text copies {words} words of the example `{example}`")]
    Copy {
        /// Which example.
        example: String,
        /// Words in a row.
        words: usize,
    },
    /// It was tried, and is no better on the examples that it was made from.
    #[error("it scored {after:.3} where the current text scores {before:.3}")]
    NoGain {
        /// The mean of the parent.
        before: f64,
        /// The mean of the proposal, on the same examples.
        after: f64,
    },
}

impl RefusalReason {
    /// Whether asking again may help: the reply could not be read.
    pub(crate) fn is_of_form(&self) -> bool {
        matches!(self, Self::NoBlock | Self::OpenBlock | Self::CutOff | Self::Empty)
    }
}

/// What is wrong with a text that would replace a component, if anything is.
pub(crate) fn objection(
    current: &Component,
    text: &str,
    examples: &[&Example],
    hygiene: &Hygiene,
) -> Option<RefusalReason> {
    if text.trim().is_empty() {
        return Some(RefusalReason::Empty);
    }
    let kept = placeholders(text);
    let mut lost = placeholders(&current.text)
        .into_iter()
        .filter(|name| !kept.contains(name));
    if let Some(name) = lost.next() {
        return Some(RefusalReason::LostPlaceholder(name.to_owned()));
    }
    let tokens = text.chars().count().div_ceil(4);
    if tokens > hygiene.max_tokens {
        let limit = hygiene.max_tokens;
        return Some(RefusalReason::TooLong { tokens, limit });
    }
    copied(current, text, examples, hygiene.copied_words)
}

/// Names in braces, single or double, with the braces: `{name}` and `{{ name }}`.
fn placeholders(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for (start, _) in text.match_indices('{') {
        if text[..start].ends_with('{') {
            continue;
        }
        let rest = &text[start..];
        let braces = if rest.starts_with("{{") { 2 } else { 1 };
        let Some(end) = rest.find('}') else { continue };
        let name = rest[braces..end.max(braces)].trim();
        let is_name = name
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '-'))
            && name.starts_with(|c: char| c.is_alphabetic() || c == '_');
        let closed = rest[end..].starts_with(&"}}"[..braces]);
        if is_name && closed {
            found.push(&rest[..end + braces]);
        }
    }
    found
}

/// Whether so many words in a row are an example's, and not already in the current text.
fn copied(current: &Component, text: &str, examples: &[&Example], words: usize) -> Option<RefusalReason> {
    let folded = |text: &str| -> String {
        let lower = text.to_lowercase();
        let words: Vec<&str> = lower
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .collect();
        format!(" {} ", words.join(" "))
    };
    let (text, current) = (folded(text), folded(&current.text));
    let copied = examples.iter().find(|example| {
        let input = folded(&example.input);
        let input: Vec<&str> = input.split_whitespace().collect();
        input.windows(words.max(1)).any(|window| {
            let phrase = format!(" {} ", window.join(" "));
            text.contains(&phrase) && !current.contains(&phrase)
        })
    })?;
    Some(RefusalReason::Copy {
        example: copied.id.clone(),
        words,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reason(current: &str, text: &str) -> Option<RefusalReason> {
        let current = Component {
            name: "prompt".to_owned(),
            text: current.to_owned(),
        };
        let input = "Ada Lovelace of 12 Byron Street asks for a refund of her second order, please";
        let hygiene = Hygiene {
            max_tokens: 50,
            copied_words: 6,
        };
        objection(&current, text, &[&Example::new("e1", input)], &hygiene)
    }

    #[test]
    fn placeholders_stay() {
        assert_eq!(
            placeholders("{a} {{ b.c }} {\"json\": 1} {} {{d} { e f }"),
            ["{a}", "{{ b.c }}"]
        );
        assert_eq!(reason("Answer {question}", "Please answer {question}"), None);
        assert_eq!(
            reason("Answer {{question}}", "Answer it"),
            Some(RefusalReason::LostPlaceholder("{{question}}".to_owned()))
        );
    }

    #[test]
    fn a_text_has_something_to_say_and_an_end() {
        assert_eq!(reason("a", " \n"), Some(RefusalReason::Empty));
        assert!(reason("a", &"b".repeat(200)).is_none());
        assert_eq!(
            reason("a", &"b".repeat(201)),
            Some(RefusalReason::TooLong {
                tokens: 51,
                limit: 50
            })
        );
    }

    #[test]
    fn examples_are_not_copied() {
        let copy = "If ada lovelace, of 12 Byron Street, writes: refund.";
        assert!(matches!(
            reason("a", copy),
            Some(RefusalReason::Copy { words: 6, .. })
        ));
        assert_eq!(reason(copy, copy), None);
        assert_eq!(reason("a", "Whoever asks for a refund gets one"), None);
    }
}
