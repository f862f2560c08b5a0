//! A reflection, put in words for a language model.

use std::fmt::Write as _;

use crate::reflect::{Record, Reflection};

/// What a model is asked to do, before what it is to do it with.
const TASK: &str = "You improve one text of a system that is driven by prompts. Below are the text as it is now, what the \
system did with it on some examples, and what was said about that. Write a better text: keep what works, mend what the \
feedback names, put facts and rules that hold in general into it, and copy nothing that is only true of one example. Keep \
every placeholder in braces as it is.";

impl Reflection<'_> {
    /// This reflection as a prompt of at most so many tokens, of four characters each. The current text is never cut; the
    /// records share what is left in equal parts, and each is cut at its end.
    #[must_use]
    pub fn prompt(&self, max_tokens: usize) -> String {
        let fence = fence_around(self.current_text());
        let mut before = format!("{TASK}\n\n# The text `{}`\n\n", self.component);
        let _ = write!(before, "{fence}\n{}\n{fence}\n", self.current_text());
        let mut after = String::new();
        if !self.refusals.is_empty() {
            after.push_str("\n# What was tried in vain\n");
            for refusal in self
                .refusals
                .iter()
                .filter(|refusal| refusal.component == self.component)
            {
                let _ = write!(
                    after,
                    "\n- {}:\n\n{}\n",
                    refusal.reason,
                    indented(cut(&refusal.text, REFUSAL))
                );
            }
        }
        let _ = write!(
            after,
            "\nAnswer with the whole new text between two lines of {fence} and with nothing after them.\n"
        );
        let spent = before.chars().count() + after.chars().count();
        let share = (4 * max_tokens).saturating_sub(spent) / self.records.len().max(1);
        for (nth, record) in self.records.iter().enumerate() {
            let text = described(nth + 1, record);
            before.push_str(cut(&text, share));
        }
        before + &after
    }
}

/// Characters of a refused text that are shown.
const REFUSAL: usize = 2_000;

fn described(nth: usize, Record { example, rollout }: &Record<'_>) -> String {
    let mut text = format!(
        "\n# Example {nth}\n\n## Feedback\n\n{}\n\n## Score\n\n{}\n",
        rollout.feedback, rollout.score
    );
    for (dimension, score) in &rollout.dimensions {
        let _ = writeln!(text, "{dimension}: {score}");
    }
    let _ = write!(text, "\n## Input\n\n{}\n", example.input);
    if !rollout.trace.is_null() {
        let _ = write!(text, "\n## What happened\n\n{:#}\n", rollout.trace);
    }
    text
}

/// A fence that is longer than any in a text.
fn fence_around(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    "`".repeat(longest.max(2) + 1)
}

/// No more than so many characters.
fn cut(text: &str, characters: usize) -> &str {
    text.char_indices()
        .nth(characters)
        .map_or(text, |(end, _)| &text[..end])
}

fn indented(text: &str) -> String {
    text.lines()
        .map(|line| format!("    {line}"))
        .collect::<Vec<_>>()
        .join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Candidate, Example, Refusal, RefusalReason, Rollout};

    fn prompt(text: &str, input: &str, max_tokens: usize) -> String {
        let example = Example::new("e", input);
        let rollout = Rollout {
            feedback: "It was rude.".to_owned(),
            ..Rollout::default()
        };
        let record = Record {
            example: &example,
            rollout: &rollout,
        };
        let refusal = Refusal {
            component: "prompt".to_owned(),
            reason: RefusalReason::Known,
            text: "Be kind.".to_owned(),
        };
        let reflection = Reflection {
            candidate: &Candidate::single(text),
            component: "prompt",
            records: &[record, record],
            refusals: &[refusal],
            attempt: 0,
        };
        reflection.prompt(max_tokens)
    }

    #[test]
    fn it_says_what_is_known() {
        let prompt = prompt("Answer the ```question```.", "Where is it?", 10_000);
        for part in [
            "````\nAnswer the ```question```.\n````",
            "It was rude.",
            "Where is it?",
            "Be kind.",
            "tried before",
        ] {
            assert!(prompt.contains(part), "{part} in {prompt}");
        }
    }

    #[test]
    fn it_is_no_longer_than_allowed() {
        let prompt = prompt("Answer.", &"long ".repeat(100_000), 1_000);
        assert!(prompt.chars().count() <= 4_000);
        assert!(prompt.contains("It was rude."));
    }
}
