//! A proof as it is shown.

use pawl_model::{ProofCard, ProofVerdict, Share};

/// A proof as it is shown.
pub(super) struct ShownProof {
    pub(super) word: &'static str,
    pub(super) class: &'static str,
    pub(super) meaning: &'static str,
    pub(super) summary: String,
    pub(super) sentences: Vec<ShownSentence>,
}

/// A sentence as its proof has it.
pub(super) struct ShownSentence {
    pub(super) text: String,
    /// Who says so: its form, a judge, or nobody.
    pub(super) by: String,
    pub(super) caught: String,
    pub(super) false_alarms: String,
    pub(super) has_false_alarms: bool,
    pub(super) reason: Option<String>,
}

impl ShownProof {
    pub(super) fn of(card: &ProofCard) -> Self {
        let (word, class, meaning) = words(card.verdict);
        let of = |count: u32, share: Share, is_known: bool| match is_known {
            true => format!("{count} of {}", share.of),
            false => "–".to_owned(),
        };
        let sentences = card.sentences.iter().map(|sentence| {
            let is_known = sentence.is_compiled || sentence.is_judged;
            ShownSentence {
                text: sentence.text.clone(),
                by: match (&card.judge, sentence.is_compiled, sentence.is_judged) {
                    (_, true, _) => "its form".to_owned(),
                    (Some(judge), _, true) => judge.clone(),
                    _ => "needs a judge".to_owned(),
                },
                caught: of(sentence.caught, card.caught, is_known),
                false_alarms: of(sentence.false_alarms, card.false_alarms, is_known),
                has_false_alarms: sentence.false_alarms > 0,
                reason: sentence.reason.clone(),
            }
        });
        Self {
            word,
            class,
            meaning,
            summary: card.summary.clone(),
            sentences: sentences.collect(),
        }
    }

    /// Where there is none of this version.
    pub(super) fn none() -> Self {
        let (word, class, _) = words(ProofVerdict::Unproven);
        Self {
            word,
            class,
            meaning: "This version was never tried. Save it to have it tried.",
            summary: String::new(),
            sentences: Vec::new(),
        }
    }
}

const fn words(verdict: ProofVerdict) -> (&'static str, &'static str, &'static str) {
    match verdict {
        ProofVerdict::Proven => (
            "Proven",
            "passed",
            "It fails what went wrong, and passes what went well.",
        ),
        ProofVerdict::Refuted => (
            "Refuted",
            "failed",
            "It misses something that went wrong, or fails something that went well. Approving it needs a note.",
        ),
        ProofVerdict::Unproven => (
            "Unproven",
            "skipped",
            "Too much of it needs a judge to tell. Approving it needs a note.",
        ),
    }
}
