//! How the checks of one case add up.

use pawl_model::{CheckResult, EvalResults, State};

use crate::judge::Question;
use crate::spec::SpecError;
use crate::{Check, Subject};

/// The checks of a case, or of an `assert-set`, and the score from which on they pass together.
#[derive(Debug)]
pub struct Grading {
    checks: Vec<Check>,
    threshold: Option<f64>,
}

/// What a [`Grading`] says of a subject.
#[derive(Clone, Debug, PartialEq)]
pub struct Grade {
    /// Each check with their summary.
    pub results: EvalResults,
    /// The state of the case.
    pub state: State,
    /// The weighted mean score in 0..=1 over the checks that could be judged; `None` without any.
    pub score: Option<f64>,
    threshold: Option<f64>,
}

impl Grading {
    /// Checks that all have to pass; with a threshold in 0..=1, whose weighted mean score has to reach it instead.
    ///
    /// # Errors
    /// When the threshold is outside 0..=1, or no check has a weight that it could apply to.
    pub fn new(checks: Vec<Check>, threshold: Option<f64>) -> Result<Self, SpecError> {
        if threshold.is_some_and(|threshold| !(0.0..=1.0).contains(&threshold)) {
            return Err(SpecError::at("threshold", "must be a score within 0 and 1"));
        }
        if threshold.is_some() && !checks.iter().any(|check| check.weight() > 0.0) {
            return Err(SpecError::at("threshold", "needs a check with a weight above 0"));
        }
        Ok(Self { checks, threshold })
    }

    /// Checks that all have to pass.
    #[must_use]
    pub const fn of(checks: Vec<Check>) -> Self {
        Self {
            checks,
            threshold: None,
        }
    }

    /// The checks.
    #[must_use]
    pub fn checks(&self) -> &[Check] {
        &self.checks
    }

    /// What somebody has to be asked before its checks can judge, in their order.
    pub fn questions(&self) -> impl Iterator<Item = &Question> {
        self.checks.iter().flat_map(Check::questions)
    }

    /// Judges a subject by each check.
    #[must_use]
    pub fn judge(&self, subject: &Subject<'_>) -> Grade {
        let results = EvalResults::of(self.checks.iter().map(|check| check.judge(subject)).collect());
        Grade {
            state: self
                .threshold
                .map_or_else(|| results.state(), |threshold| state_by(&results, threshold)),
            score: results.score(),
            threshold: self.threshold,
            results,
        }
    }
}

/// The state where the score decides. A check that could not be judged leaves the score open between what it is if
/// that check scores 0 and if it scores 1: below the threshold either way is failed, else it is an error.
fn state_by(results: &EvalResults, threshold: f64) -> State {
    let (sum, weight) = results.checks.iter().fold((0.0, 0.0), |(sum, weight), check| {
        let best = match check.state {
            State::Skipped => return (sum, weight),
            _ => check.effective_score().unwrap_or(1.0),
        };
        (sum + best * check.weight, weight + check.weight)
    });
    if weight > 0.0 && sum / weight < threshold {
        State::Failed
    } else if results.summary.error > 0 {
        State::Error
    } else {
        State::Passed
    }
}

impl Grade {
    /// Why it is not passed, on one line; `None` for a pass.
    #[must_use]
    pub fn reason(&self) -> Option<String> {
        if self.state == State::Passed {
            return None;
        }
        let first = |state| self.results.checks.iter().find(|check| check.state == state);
        let culprit = first(self.state).or_else(|| first(State::Error)).map(describe);
        let lead = match (self.state, self.score, self.threshold) {
            (State::Failed, Some(score), Some(threshold)) => format!("score {score:.2} below {threshold}"),
            (State::Failed, ..) => format!(
                "{} of {} failed",
                self.results.summary.failed, self.results.summary.total
            ),
            (State::Error, ..) => format!(
                "{} of {} unknown",
                self.results.summary.error, self.results.summary.total
            ),
            _ => return None,
        };
        Some(culprit.map_or_else(|| lead.clone(), |culprit| format!("{lead}; {culprit}")))
    }
}

fn describe(check: &CheckResult) -> String {
    match &check.message {
        Some(message) => format!("{}: {message}", check.name),
        None => check.name.to_string(),
    }
}
