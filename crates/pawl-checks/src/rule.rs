//! What every kind of check implements.

use std::fmt;

use crate::Subject;
use crate::judge::Question;

/// What a rule finds on a subject.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Finding {
    /// The subject is as the rule says.
    Holds,
    /// It is not, with the reason.
    Misses(String),
    /// The rule cannot tell, with the reason. No prefix turns this around.
    Unknown(String),
    /// Somebody had to be asked and nobody was, with what is missing.
    Unasked(String),
}

impl Finding {
    /// Holds, or misses with a reason that is only made when it is needed.
    pub(crate) fn of(holds: bool, reason: impl FnOnce() -> String) -> Self {
        if holds {
            Self::Holds
        } else {
            Self::Misses(reason())
        }
    }
}

impl From<Result<(), String>> for Finding {
    fn from(result: Result<(), String>) -> Self {
        result.map_or_else(Self::Misses, |()| Self::Holds)
    }
}

/// A compiled rule. Rules are shared between threads and judge any number of subjects.
pub(crate) trait Rule: fmt::Debug + Send + Sync {
    /// Applies the rule.
    fn judge(&self, subject: &Subject<'_>) -> Finding;

    /// How well the subject does, in 0..=1, where that is more than holding or not.
    fn score(&self, _: &Subject<'_>) -> Option<f64> {
        None
    }

    /// What somebody has to be asked before the rule can judge.
    fn question(&self) -> Option<&Question> {
        None
    }

    /// What is true of a subject on which the rule holds: the message of a failed `not-` form.
    fn claim(&self) -> String;
}
