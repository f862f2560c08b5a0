//! The rule behind every judged check: an opinion, and a threshold for its score.

use super::{Opinion, Question, QuestionKind};
use crate::Subject;
use crate::excerpt::cut;
use crate::rule::{Finding, Rule};
use crate::spec::{AssertSpec, CheckType, SpecError};

/// The score that `g-eval` needs where the suite does not say, as promptfoo has it.
const CRITERIA_THRESHOLD: f64 = 0.7;
/// The cosine that `similar` needs.
const SIMILARITY_THRESHOLD: f64 = 0.75;

/// How much of a reason stands in a message, in characters.
const LONGEST_REASON: usize = 400;

#[derive(Debug)]
pub(crate) struct Judged {
    question: Question,
    threshold: Option<f64>,
}

impl Judged {
    pub(crate) fn compile(spec: &AssertSpec) -> Result<Self, SpecError> {
        let threshold = spec.threshold.or(match spec.check_type {
            CheckType::GEval => Some(CRITERIA_THRESHOLD),
            CheckType::Similar => Some(SIMILARITY_THRESHOLD),
            _ => None,
        });
        if threshold.is_some_and(|threshold| !(0.0..=1.0).contains(&threshold)) {
            return Err(SpecError::at("threshold", "must be a score within 0 and 1"));
        }
        Ok(Self {
            question: Question::compile(spec)?,
            threshold,
        })
    }

    fn opinion<'a>(&self, subject: &'a Subject<'_>) -> Option<&'a Result<Opinion, String>> {
        subject.opinions()?.get(&self.question)
    }
}

impl Rule for Judged {
    fn judge(&self, subject: &Subject<'_>) -> Finding {
        let opinion = match self.opinion(subject) {
            None => return Finding::Unasked("needs a judge".to_owned()),
            Some(Err(reason)) => return Finding::Unknown(cut(reason, LONGEST_REASON)),
            Some(Ok(opinion)) => opinion,
        };
        let missed = self.threshold.filter(|threshold| opinion.score < *threshold);
        Finding::of(opinion.holds && missed.is_none(), || {
            let reason = cut(&opinion.reason, LONGEST_REASON);
            let score = missed.map(|threshold| format!("score {:.2} below {threshold}", opinion.score));
            let sentence = self.question.sentence().map(ToOwned::to_owned);
            match (score.or(sentence), reason.is_empty()) {
                (None, true) => "does not hold".to_owned(),
                (None, false) => reason,
                (Some(lead), true) => lead,
                (Some(lead), false) => format!("{lead}: {reason}"),
            }
        })
    }

    fn score(&self, subject: &Subject<'_>) -> Option<f64> {
        let opinion = self.opinion(subject)?.as_ref().ok()?;
        Some(opinion.score)
    }

    fn question(&self) -> Option<&Question> {
        Some(&self.question)
    }

    fn claim(&self) -> String {
        match self.question.kind {
            QuestionKind::Rubric(_) => "meets the rubric",
            QuestionKind::Criteria(_) => "meets the criteria",
            QuestionKind::Facts(_) => "agrees with the facts",
            QuestionKind::Required(_) | QuestionKind::Forbidden(_) => "is as the sentence says",
            QuestionKind::Similarity(_) => "is similar",
        }
        .to_owned()
    }
}
