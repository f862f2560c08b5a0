//! Proof before review: a draft is tried on what it is for, and on what went well.

use std::collections::HashMap;

use pawl_checks::judge::{Asked, Opinion, Opinions, Question};
use pawl_checks::similarity::{cosine, words};
use pawl_checks::{CheckType, Grading, Subject};
use pawl_model::{Budget, EvalTestDraft, ProofCard, ProofVerdict, ProvenSentence, Share, State};
use pawl_providers::ChatModel;
use pawl_store::drafts::Replayed;
use serde_json::Value;
use time::OffsetDateTime;

use super::rubric;
use super::write::TIMEOUT;
use crate::examination::Examination;

/// Healthy interactions that a draft is tried on: those whose prompts are most like its own.
const NEIGHBOURS: usize = 20;
/// How alike two prompts are that ask for the same: what must be in the answer to one must be in that to the other.
const ALIKE: f64 = 0.6;
/// Incidents, and healthy interactions, that a judge is shown.
const JUDGED: usize = 5;
/// How near to the middle a score may be before the judge is asked again, and how often then.
const UNSURE: f64 = 0.2;
const REPEATS: usize = 2;

/// Who judges the sentences that have no form, and what it may cost.
pub(super) type Judge<'a> = (&'a ChatModel, &'a Budget);

/// What a draft is tried on.
pub(super) struct Ground<'a> {
    /// What went wrong, the latest first.
    pub incidents: &'a [Replayed],
    /// What went well.
    pub healthy: &'a [Replayed],
    pub judge: Option<Judge<'a>>,
}

/// An answer that a draft is tried on, and what each sentence says of it.
struct Trial {
    prompt: String,
    output: Value,
    tool_calls: Option<Value>,
    /// The first sentence that is for it. What must be in the answer to a prompt need not be in that to another; what
    /// must not be is wrong everywhere.
    first: usize,
    findings: Vec<(State, Option<String>)>,
}

impl Trial {
    fn of(replayed: &Replayed, grading: &Grading, first: usize) -> Self {
        let mut trial = Self {
            first,
            prompt: replayed.prompt.clone(),
            output: Value::from(replayed.response.as_str()),
            tool_calls: replayed.tool_calls.as_ref().map(|calls| calls.to_value()),
            findings: Vec::new(),
        };
        trial.judge(grading, &Opinions::default());
        trial
    }

    fn judge(&mut self, grading: &Grading, opinions: &Opinions) {
        let subject = Subject::new(&self.output)
            .with_tool_calls(self.tool_calls.as_ref())
            .with_opinions(opinions);
        let results = grading.judge(&subject).results.checks;
        self.findings = results
            .into_iter()
            .map(|result| (result.state, result.message))
            .collect();
    }

    /// What a sentence says of it, where it is for it.
    fn finding(&self, place: usize) -> Option<&(State, Option<String>)> {
        self.findings.get(place).filter(|_| place >= self.first)
    }

    fn is(&self, place: usize, wanted: State) -> bool {
        self.finding(place).is_some_and(|(state, _)| *state == wanted)
    }

    fn fails(&self) -> bool {
        (0..self.findings.len()).any(|place| self.is(place, State::Failed))
    }

    /// Whether nothing about it is left to a judge.
    fn is_decided(&self) -> bool {
        self.fails() || !(0..self.findings.len()).any(|place| self.is(place, State::Skipped))
    }
}

/// Tries a draft on its incidents, its golden output, and the healthy interactions that are most like it.
pub(super) async fn prove(draft: &EvalTestDraft, ground: &Ground<'_>, now: OffsetDateTime) -> ProofCard {
    let grading = rubric::grading(draft);
    let required = rubric::sentences(draft)
        .filter(|(kind, _)| *kind == CheckType::Required)
        .count();
    let incidents = ground.incidents.iter();
    let mut incidents: Vec<Trial> = incidents.map(|one| Trial::of(one, &grading, 0)).collect();
    let mut healthy: Vec<Trial> = neighbours(draft, ground.healthy)
        .into_iter()
        .map(|(likeness, one)| Trial::of(one, &grading, if likeness >= ALIKE { 0 } else { required }))
        .collect();
    if let Some(judge) = ground.judge
        && grading.questions().next().is_some()
    {
        let undecided = incidents.iter_mut().filter(|trial| !trial.fails());
        let shown = undecided
            .take(JUDGED)
            .chain(healthy.iter_mut().filter(|trial| !trial.fails()).take(JUDGED));
        for trial in shown {
            let opinions = opinions(&grading, trial, judge).await;
            trial.judge(&grading, &opinions);
        }
    }
    card(draft, &grading, (&incidents, &healthy), (ground.judge, now))
}

fn card(
    draft: &EvalTestDraft,
    grading: &Grading,
    (incidents, healthy): (&[Trial], &[Trial]),
    (judge, now): (Option<Judge<'_>>, OffsetDateTime),
) -> ProofCard {
    let golden = draft.assertions.golden_output.clone().flatten();
    let golden_passes = golden.map(|golden| {
        let output = Value::from(golden);
        grading.judge(&Subject::new(&output)).state != State::Failed
    });
    let sentences: Vec<ProvenSentence> = rubric::sentences(draft)
        .zip(grading.checks())
        .enumerate()
        .map(|(place, ((_, text), check))| {
            let of = |trials: &[Trial], wanted: State| {
                number(trials.iter().filter(|trial| trial.is(place, wanted)).count())
            };
            let is_compiled = check.questions().next().is_none();
            let is_judged = |trials: &[Trial]| {
                let told = |trial: &Trial| trial.is(place, State::Passed) || trial.is(place, State::Failed);
                trials.iter().any(told)
            };
            ProvenSentence {
                text: text.to_owned(),
                is_compiled,
                is_judged: !is_compiled && (is_judged(incidents) || is_judged(healthy)),
                caught: of(incidents, State::Failed),
                false_alarms: of(healthy, State::Failed),
                reason: incidents
                    .iter()
                    .filter(|trial| trial.is(place, State::Failed))
                    .find_map(|trial| trial.findings[place].1.as_deref())
                    // It stands beside the sentence.
                    .map(|reason| reason.trim_start_matches(text).trim_start_matches(": ").to_owned()),
            }
        })
        .collect();
    let needs_judge = Share {
        count: number(
            sentences
                .iter()
                .filter(|sentence| !sentence.is_compiled && !sentence.is_judged)
                .count(),
        ),
        of: number(sentences.len()),
    };
    let share = |trials: &[Trial], of: usize| Share {
        count: number(trials.iter().filter(|trial| trial.fails()).count()),
        of: number(of),
    };
    // A judge that was shown a part of them says nothing of the rest.
    let decided = incidents.iter().filter(|trial| trial.is_decided()).count();
    let caught = share(
        incidents,
        if needs_judge.count > 0 {
            incidents.len()
        } else {
            decided
        },
    );
    let false_alarms = share(healthy, healthy.len());
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
    let judge = judge.filter(|_| sentences.iter().any(|sentence| sentence.is_judged));
    let mut card = ProofCard {
        verdict,
        summary: String::new(),
        caught,
        false_alarms,
        golden_passes,
        needs_judge,
        judge: judge.map(|(model, _)| model.spec().to_string()),
        sentences,
        proven_at: now,
    };
    card.summary = summary(&card);
    card
}

/// Asks about each sentence that has no form, and again where the answer is near the middle.
async fn opinions(grading: &Grading, trial: &Trial, (model, budget): Judge<'_>) -> Opinions {
    let subject = Subject::new(&trial.output).with_tool_calls(trial.tool_calls.as_ref());
    let called: Option<Vec<String>> = subject
        .tool_calls()
        .map(|calls| calls.iter().map(|call| call.name.clone()).collect());
    let asked = Asked {
        input: &trial.prompt,
        output: subject.text(),
        tools_called: called.as_deref(),
    };
    let examination = Examination {
        model,
        timeout: TIMEOUT,
        budget: Some(budget),
    };
    let questions: HashMap<&Question, ()> = grading.questions().map(|question| (question, ())).collect();
    let mut opinions = Opinions::default();
    for question in questions.into_keys() {
        let mut heard = vec![examination.of(question, &asked).await.opinion];
        if heard[0].as_ref().is_ok_and(is_unsure) {
            for _ in 0..REPEATS {
                heard.push(examination.of(question, &asked).await.opinion);
            }
        }
        opinions.insert(question.clone(), majority(heard));
    }
    opinions
}

fn is_unsure(opinion: &Opinion) -> bool {
    (opinion.score - 0.5).abs() < UNSURE
}

/// What most of those that were heard say, in the words of the first of them.
fn majority(heard: Vec<Result<Opinion, String>>) -> Result<Opinion, String> {
    let holding = heard.iter().flatten().filter(|opinion| opinion.holds).count();
    let holds = holding * 2 > heard.iter().flatten().count();
    let mut heard = heard.into_iter();
    let first = heard
        .next()
        .unwrap_or_else(|| Err("nobody was asked".to_owned()))?;
    if first.holds == holds {
        return Ok(first);
    }
    Ok(heard
        .flatten()
        .find(|opinion| opinion.holds == holds)
        .unwrap_or(first))
}

/// Whether nothing that a draft says could fail what it is for.
pub(super) fn cannot_fail(card: &ProofCard) -> bool {
    card.caught.of > 0 && card.caught.count == 0 && card.needs_judge.count == 0
}

fn summary(card: &ProofCard) -> String {
    let mut summary = format!(
        "would have caught {} of {} · false alarms {} of {}",
        card.caught.count, card.caught.of, card.false_alarms.count, card.false_alarms.of
    );
    if card.golden_passes == Some(false) {
        summary.push_str(" · the golden output fails");
    }
    let judged = card
        .sentences
        .iter()
        .filter(|sentence| sentence.is_judged)
        .count();
    if let Some(judge) = &card.judge {
        summary.push_str(&format!(
            " · {judged} of {} judged by {judge}",
            card.needs_judge.of
        ));
    }
    if card.needs_judge.count > 0 {
        summary.push_str(&format!(
            " · not proven: {} of {} need a judge",
            card.needs_judge.count, card.needs_judge.of
        ));
    }
    summary
}

/// Those whose prompts are most like the draft's, and how alike.
fn neighbours<'r>(draft: &EvalTestDraft, healthy: &'r [Replayed]) -> Vec<(f64, &'r Replayed)> {
    let asked = words(&draft.input.prompt);
    let mut ranked: Vec<(f64, &Replayed)> = healthy
        .iter()
        .map(|replayed| (cosine(&asked, &words(&replayed.prompt)), replayed))
        .collect();
    // The latest of several that are as like.
    ranked.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    ranked.truncate(NEIGHBOURS);
    ranked
}

/// Tests on the healthy interactions that are most like a draft's own, with what the draft says of them: each named after the
/// draft, and none where nothing of it is for them.
pub(crate) fn controls(draft: &EvalTestDraft, healthy: &[Replayed], most: usize) -> Vec<EvalTestDraft> {
    let near = neighbours(draft, healthy).into_iter().take(most);
    near.enumerate()
        .map(|(place, (likeness, replayed))| {
            let mut control = draft.clone();
            control.eval_test_id = format!("{}-like-{}", draft.eval_test_id, place + 1);
            control.input.prompt.clone_from(&replayed.prompt);
            // Its own prompt alone has this one answer.
            control.assertions.golden_output = None;
            if likeness < ALIKE {
                control.assertions.required.clear();
            }
            control
        })
        .filter(|control| rubric::sentences(control).next().is_some())
        .collect()
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
