//! What is told while a run goes on.

use crate::commit::{Commit, Standing};
use crate::forecast::Forecast;
use crate::journal::{Answer, Call};
use crate::ledger::Finish;
use crate::parent::front_members;
use crate::pool::Pool;
use crate::rollout::Spend;

/// Something that happened. [`Event::Began`] comes first and [`Event::Ended`] last; steps are planned and committed in
/// their order, and calls are answered in whatever order they are.
#[derive(Debug)]
pub enum Event<'a> {
    /// The run begins; nothing was called in this session yet.
    Began {
        /// What the limits buy.
        forecast: &'a Forecast,
        /// Steps that the journal has already.
        committed: u64,
    },
    /// A step was planned.
    Planned {
        /// Which one.
        step: u64,
        /// What it does.
        kind: StepKind,
    },
    /// A call has an answer.
    Answered {
        /// Which one.
        call: &'a Call,
        /// What it is.
        answer: &'a Answer,
        /// Where it is from.
        source: AnswerSource,
    },
    /// A step was committed.
    Committed {
        /// What came of it.
        commit: &'a Commit,
        /// How things stand.
        view: View<'a>,
    },
    /// The search ended.
    Ended {
        /// Why.
        finish: &'a Finish,
    },
}

/// What a step does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StepKind {
    /// Validates the seed.
    Seed,
    /// Improves a candidate of the pool.
    Mutate {
        /// Its place in the pool.
        parent: usize,
        /// The examples that it is tried on, by id.
        minibatch: Vec<String>,
    },
    /// Joins the gains of two candidates of the pool.
    Merge {
        /// Their places in the pool.
        parents: [usize; 2],
    },
    /// Lets the search see more examples.
    Grow,
    /// Tries the finalists on all examples.
    Decide,
}

/// Where an answer is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerSource {
    /// The call was made.
    Call,
    /// The journal had it.
    Journal,
}

/// How things stand after a commit.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    pub(crate) pool: &'a Pool,
    pub(crate) spent: Spend,
    pub(crate) lost: Spend,
}

impl View<'_> {
    /// How many candidates were validated.
    #[must_use]
    pub fn candidates(&self) -> usize {
        self.pool.len()
    }

    /// The best one so far, by the mean of what the search has seen.
    #[must_use]
    pub fn best(&self) -> Option<Standing> {
        (self.pool.len() > 0).then(|| self.pool.standing(self.pool.best()))
    }

    /// Who is left on the fronts of examples, by their places in the pool.
    #[must_use]
    pub fn front(&self) -> Vec<usize> {
        front_members(self.pool)
    }

    /// What committed steps took.
    #[must_use]
    pub fn spent(&self) -> Spend {
        self.spent
    }

    /// What was spent on calls that have no answer.
    #[must_use]
    pub fn lost(&self) -> Spend {
        self.lost
    }

    /// Bytes that scores and fronts take in memory, neither texts nor traces.
    #[must_use]
    pub fn score_bytes(&self) -> usize {
        self.pool.score_bytes()
    }
}
