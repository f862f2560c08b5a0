//! What the texts of drafts may be.

use pawl_checks::mask::Masker;
use pawl_model::{
    DraftAssertions, DraftInput, Evidence, FailurePattern, MAX_DRAFT_ITEMS, MAX_DRAFT_SENTENCE,
    MAX_DRAFT_TEXT, MAX_DRAFT_TOOL, ReproductionContext, SuggestedPattern,
};

/// Characters of what others may have said, before it is made a draft of.
const MAX_FOREIGN: usize = 4_000;

/// A text of at most so many characters, cut between words, with an ellipsis where something is missing.
pub(super) fn capped(text: &str, most: usize) -> String {
    let text = text.trim();
    let Some((end, _)) = text.char_indices().nth(most) else {
        return text.to_owned();
    };
    let kept = &text[..end];
    let last = kept.char_indices().nth(most - 1).map_or(end, |(last, _)| last);
    let kept = &kept[..last];
    let word = kept.rfind(char::is_whitespace).filter(|space| *space > 0);
    format!("{}…", kept[..word.unwrap_or(last)].trim_end())
}

/// Masks texts and keeps them in their bounds.
pub(super) struct Tidy<'a>(pub(super) &'a Masker);

impl Tidy<'_> {
    pub(super) fn text(&self, text: &str, most: usize) -> String {
        capped(&self.0.mask(text).text, most)
    }

    fn texts(&self, texts: &[String], most: usize) -> Vec<String> {
        texts
            .iter()
            .map(|text| self.text(text, most))
            .filter(|text| !text.is_empty())
            .take(MAX_DRAFT_ITEMS)
            .collect()
    }

    /// What happens again and again, which others may have said.
    pub(super) fn suggested(&self, pattern: &SuggestedPattern) -> SuggestedPattern {
        SuggestedPattern {
            failure_type: pattern.failure_type,
            trigger_condition: self.masked(&pattern.trigger_condition),
            title: self.masked(&pattern.title),
            summary: self.masked(&pattern.summary),
        }
    }

    /// What went wrong, which others may have said.
    pub(super) fn pattern(&self, pattern: FailurePattern) -> FailurePattern {
        let masked = |texts: Vec<String>| -> Vec<String> {
            let texts = texts.iter().take(MAX_DRAFT_ITEMS);
            texts.map(|text| self.masked(text)).collect()
        };
        let (evidence, context) = (pattern.evidence, pattern.reproduction_context);
        FailurePattern {
            title: self.masked(&pattern.title),
            trigger_condition: self.masked(&pattern.trigger_condition),
            summary: self.masked(&pattern.summary),
            root_cause_hypothesis: self.masked(&pattern.root_cause_hypothesis),
            evidence: Evidence {
                signals: masked(evidence.signals),
                excerpt: evidence.excerpt.map(|text| self.masked(&text)),
            },
            recommended_actions: masked(pattern.recommended_actions),
            reproduction_context: ReproductionContext {
                input_pattern: self.masked(&context.input_pattern),
                required_state: context.required_state.map(|text| self.masked(&text)),
                tools_involved: masked(context.tools_involved),
            },
            confidence_rationale: self.masked(&pattern.confidence_rationale),
            ..pattern
        }
    }

    fn masked(&self, text: &str) -> String {
        self.text(text, MAX_FOREIGN)
    }

    pub(super) fn input(&self, input: &DraftInput) -> DraftInput {
        let state = input.required_state.as_ref();
        DraftInput {
            prompt: self.text(&input.prompt, MAX_DRAFT_TEXT),
            required_state: state.map(|state| state.as_ref().map(|state| self.text(state, MAX_DRAFT_TEXT))),
            tools_involved: self.texts(&input.tools_involved, MAX_DRAFT_TOOL),
        }
    }

    pub(super) fn assertions(&self, assertions: &DraftAssertions) -> DraftAssertions {
        let optional = |text: &Option<Option<String>>| {
            let text = text.as_ref();
            text.map(|text| text.as_ref().map(|text| self.text(text, MAX_DRAFT_TEXT)))
        };
        DraftAssertions {
            required: self.texts(&assertions.required, MAX_DRAFT_SENTENCE),
            forbidden: self.texts(&assertions.forbidden, MAX_DRAFT_SENTENCE),
            golden_output: optional(&assertions.golden_output),
            notes: optional(&assertions.notes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_between_words() {
        assert_eq!(capped("  one two  ", 7), "one two");
        assert_eq!(capped("one two three", 9), "one two…");
        assert_eq!(capped("onetwothree", 5), "onet…");
        assert_eq!(capped("ééé ééé", 5), "ééé…");
    }

    proptest::proptest! {
        #[test]
        fn no_text_is_longer_than_asked(text in ".{0,60}", most in 2..50_usize) {
            proptest::prop_assert!(capped(&text, most).chars().count() <= most);
        }
    }
}
