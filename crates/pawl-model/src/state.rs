//! The four states of a check or a case, and how they add up.

use serde::{Deserialize, Serialize};

/// What is known of a check or a case after its execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// Judged, and as wanted.
    Passed,
    /// Judged, and not as wanted.
    Failed,
    /// Could not be judged: the target or the judge broke. Never a pass, never inverted.
    Error,
    /// Not judged, on purpose.
    Skipped,
}

impl State {
    /// The four states, in the order in which they are listed everywhere.
    pub const ALL: [Self; 4] = [Self::Passed, Self::Failed, Self::Error, Self::Skipped];

    /// The word that is stored and shown.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Error => "error",
            Self::Skipped => "skipped",
        }
    }

    /// Reads the stored word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == word)
    }

    /// `passed` or `failed` by a verdict.
    #[must_use]
    pub const fn judged(passed: bool) -> Self {
        if passed { Self::Passed } else { Self::Failed }
    }

    /// The state of a row of `sb_eval_cases`, whoever wrote it: the stored one, else from `passed` and whether there
    /// is an `error`.
    #[must_use]
    pub const fn of_row(stored: Option<Self>, passed: bool, has_error: bool) -> Self {
        match (stored, has_error) {
            (Some(state), _) => state,
            (None, true) => Self::Error,
            (None, false) => Self::judged(passed),
        }
    }

    /// The state of the whole from the states of its parts: failed if one failed, else error if one errored,
    /// else passed if one passed, else skipped.
    #[must_use]
    pub fn combine(parts: impl IntoIterator<Item = Self>) -> Self {
        parts.into_iter().fold(Self::Skipped, |whole, part| {
            let rank = |state| match state {
                Self::Failed => 3,
                Self::Error => 2,
                Self::Passed => 1,
                Self::Skipped => 0,
            };
            if rank(part) > rank(whole) { part } else { whole }
        })
    }
}

/// How many cases (or checks) ended in which state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Count of `passed`.
    pub passed: u64,
    /// Count of `failed`.
    pub failed: u64,
    /// Count of `error`.
    pub error: u64,
    /// Count of `skipped`.
    pub skipped: u64,
}

impl Tally {
    /// Counts one more.
    pub const fn add(&mut self, state: State) {
        self.add_many(state, 1);
    }

    /// Counts `n` more.
    pub const fn add_many(&mut self, state: State, n: u64) {
        match state {
            State::Passed => self.passed += n,
            State::Failed => self.failed += n,
            State::Error => self.error += n,
            State::Skipped => self.skipped += n,
        }
    }

    /// The count of one state.
    #[must_use]
    pub const fn of(&self, state: State) -> u64 {
        match state {
            State::Passed => self.passed,
            State::Failed => self.failed,
            State::Error => self.error,
            State::Skipped => self.skipped,
        }
    }

    /// All of them: the denominator of both rates.
    #[must_use]
    pub const fn total(&self) -> u64 {
        self.passed + self.failed + self.error + self.skipped
    }

    /// Passed and failed: what could be judged.
    #[must_use]
    pub const fn judged(&self) -> u64 {
        self.passed + self.failed
    }

    /// Passed ÷ all, errors and skipped included in the denominator; `None` of nothing.
    #[must_use]
    pub fn pass_rate(&self) -> Option<f64> {
        ratio(self.passed, self.total())
    }

    /// Judged ÷ all; `None` of nothing.
    #[must_use]
    pub fn coverage(&self) -> Option<f64> {
        ratio(self.judged(), self.total())
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of cases are far below 2^53")]
fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_takes_its_worst_known_state() {
        use State::{Error, Failed, Passed, Skipped};
        assert_eq!(State::combine([Passed, Error, Failed]), Failed);
        assert_eq!(State::combine([Passed, Error, Skipped]), Error);
        assert_eq!(State::combine([Skipped, Passed]), Passed);
        assert_eq!(State::combine([Skipped, Skipped]), Skipped);
        assert_eq!(State::combine([]), Skipped);
    }

    #[test]
    fn errors_and_skipped_stay_in_the_denominator() {
        let mut tally = Tally::default();
        for state in [State::Passed, State::Failed, State::Error, State::Skipped] {
            tally.add(state);
        }
        assert_eq!(tally.pass_rate(), Some(0.25));
        assert_eq!(tally.coverage(), Some(0.5));
        assert_eq!(Tally::default().pass_rate(), None);
    }
}
