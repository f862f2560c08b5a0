//! What can be wrong.

use crate::example::Split;
use crate::rollout::{Failure, Spend};

/// A task that cannot be worked on.
#[derive(Debug, thiserror::Error)]
pub enum TaskError {
    /// A candidate needs a text.
    #[error("a candidate has no components")]
    NoComponents,
    /// Components are told apart by name.
    #[error("two components are named `{0}`")]
    ComponentTwice(String),
    /// There is nothing to try candidates on.
    #[error("there are no examples")]
    NoExamples,
    /// Examples are told apart by id.
    #[error("two examples of {split:?} have the id `{id}`")]
    ExampleTwice {
        /// Where.
        split: Split,
        /// Which.
        id: String,
    },
}

/// Why a run did not take place, or could not go on; `J` is the journal's own error.
#[derive(Debug, thiserror::Error)]
pub enum EvolveError<J> {
    /// The settings contradict themselves or the task.
    #[error("{0}")]
    Settings(String),
    /// What the limits leave would end before the first proposal; nothing was spent.
    #[error(
        "the limits buy no proposal: one takes {} metric calls and {} reflections, seed and final choice included",
        needed.metric_calls, needed.reflections
    )]
    BuysNothing {
        /// What seed, one proposal and the final choice take at most.
        needed: Spend,
    },
    /// There is a limit on tokens or dollars, and nobody says what a call takes at most.
    #[error("tokens or dollars are limited, and it is not known what {call} takes at most")]
    UnknownCost {
        /// Which call.
        call: &'static str,
    },
    /// The seed could not even be tried on one example.
    #[error("the seed could not be tried on one example")]
    Preflight(#[source] Failure),
    /// The journal is that of a run with another task or other settings; nothing was called for this step.
    #[error("the journal has other answers for step {step}: its run had another task or other settings")]
    OtherRun {
        /// The first step that differs.
        step: u64,
    },
    /// The journal failed. What it holds is whole: the run can be resumed from it.
    #[error("the journal failed")]
    Journal(#[source] J),
}
