//! Proof before review: a draft is tried on what it is for, and on what went well.

use pawl_checks::sentence::{Answer, Sentence, Verdict};
use pawl_checks::similarity::{cosine, words};
use pawl_model::{EvalTestDraft, Json, ProofCard, ProofVerdict, ProvenSentence, Share, ToolCall};
use pawl_store::drafts::Replayed;
use serde_json::Value;
use time::OffsetDateTime;

/// Healthy interactions that a draft is tried on: those whose prompts are most like its own.
const NEIGHBOURS: usize = 20;

/// A sentence of a draft, and what reads it.
struct Line<'a> {
    text: &'a str,
    compiled: Option<Sentence>,
}

/// What a draft is tried on.
struct Trial {
    output: Value,
    tool_calls: Option<Vec<ToolCall>>,
}

impl Trial {
    fn of(replayed: &Replayed) -> Self {
        let calls = replayed.tool_calls.as_ref();
        Self {
            output: Value::from(replayed.response.as_str()),
            tool_calls: calls.and_then(|calls: &Json| serde_json::from_str(calls.as_str()).ok()),
        }
    }

    /// Why a sentence does not hold, where it does not.
    fn failure(&self, sentence: &Sentence) -> Option<String> {
        let answer = Answer {
            output: &self.output,
            tool_calls: self.tool_calls.as_deref(),
        };
        match sentence.judge(&answer) {
            Verdict::Fails(reason) => Some(reason),
            Verdict::Holds | Verdict::Unknown(_) => None,
        }
    }
}

/// The sentences of a draft. One of those that forbid, and says what must be, is for a judge.
fn lines(draft: &EvalTestDraft) -> Vec<Line<'_>> {
    let required = draft.assertions.required.iter().map(|text| (text, true));
    let forbidden = draft.assertions.forbidden.iter().map(|text| (text, false));
    required
        .chain(forbidden)
        .map(|(text, is_required)| Line {
            text,
            compiled: Sentence::parse(text).filter(|sentence| is_required || sentence.forbids()),
        })
        .collect()
}

/// Tries a draft on its incidents, its golden output, and the healthy interactions that are most like it.
pub(super) fn prove(
    draft: &EvalTestDraft,
    incidents: &[Replayed],
    healthy: &[Replayed],
    now: OffsetDateTime,
) -> ProofCard {
    let lines = lines(draft);
    let incidents: Vec<Trial> = incidents.iter().map(Trial::of).collect();
    let healthy: Vec<Trial> = neighbours(draft, healthy).into_iter().map(Trial::of).collect();
    let failed = |trials: &[Trial]| {
        let fails = |trial: &&Trial| {
            let compiled = lines.iter().filter_map(|line| line.compiled.as_ref());
            compiled
                .into_iter()
                .any(|sentence| trial.failure(sentence).is_some())
        };
        Share {
            count: number(trials.iter().filter(fails).count()),
            of: number(trials.len()),
        }
    };
    let golden = draft
        .assertions
        .golden_output
        .clone()
        .flatten()
        .map(|golden| Trial {
            output: Value::from(golden),
            tool_calls: None,
        });
    let golden_passes = golden.map(|golden| failed(&[golden]).count == 0);
    let needs_judge = Share {
        count: number(lines.iter().filter(|line| line.compiled.is_none()).count()),
        of: number(lines.len()),
    };
    let (caught, false_alarms) = (failed(&incidents), failed(&healthy));
    let verdict = if false_alarms.count > 0
        || golden_passes == Some(false)
        || needs_judge.count == 0 && caught.count < caught.of
    {
        ProofVerdict::Refuted
    } else if needs_judge.count > 0 || caught.of == 0 {
        ProofVerdict::Unproven
    } else {
        ProofVerdict::Proven
    };
    ProofCard {
        verdict,
        summary: summary(caught, false_alarms, golden_passes, needs_judge),
        caught,
        false_alarms,
        golden_passes,
        needs_judge,
        sentences: lines
            .iter()
            .map(|line| proven(line, &incidents, &healthy))
            .collect(),
        proven_at: now,
    }
}

/// Whether nothing that a draft says could fail what it is for.
pub(super) fn cannot_fail(card: &ProofCard) -> bool {
    card.caught.of > 0 && card.caught.count == 0 && card.needs_judge.count == 0
}

fn proven(line: &Line<'_>, incidents: &[Trial], healthy: &[Trial]) -> ProvenSentence {
    let failures = |trials: &[Trial]| -> Vec<String> {
        let sentence = line.compiled.as_ref();
        trials
            .iter()
            .filter_map(|trial| trial.failure(sentence?))
            .collect()
    };
    let caught = failures(incidents);
    ProvenSentence {
        text: line.text.to_owned(),
        is_compiled: line.compiled.is_some(),
        caught: number(caught.len()),
        false_alarms: number(failures(healthy).len()),
        reason: caught.into_iter().next(),
    }
}

fn summary(caught: Share, false_alarms: Share, golden: Option<bool>, needs_judge: Share) -> String {
    let mut summary = format!(
        "would have caught {} of {} · false alarms {} of {}",
        caught.count, caught.of, false_alarms.count, false_alarms.of
    );
    if golden == Some(false) {
        summary.push_str(" · the golden output fails");
    }
    if needs_judge.count > 0 {
        summary.push_str(&format!(
            " · not proven: {} of {} need a judge",
            needs_judge.count, needs_judge.of
        ));
    }
    summary
}

/// Those whose prompts are most like the draft's.
fn neighbours<'r>(draft: &EvalTestDraft, healthy: &'r [Replayed]) -> Vec<&'r Replayed> {
    let asked = words(&draft.input.prompt);
    let mut ranked: Vec<(f64, &Replayed)> = healthy
        .iter()
        .map(|replayed| (cosine(&asked, &words(&replayed.prompt)), replayed))
        .collect();
    // The latest of several that are as like.
    ranked.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    ranked
        .into_iter()
        .take(NEIGHBOURS)
        .map(|(_, replayed)| replayed)
        .collect()
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
