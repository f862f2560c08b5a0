//! What is remembered of a run, so that it survives a kill.
//!
//! A run is a function of its task, its settings and the answers that it was given. So what has to be remembered are the
//! answers: a run is resumed by running it again with a journal that knows them, and whatever is in the journal is not
//! asked again. In this order, and each durable before the function returns:
//!
//! 1. [`propose`](Journal::propose): a candidate exists, before it is tried. Its parents are known by then.
//! 2. [`begin`](Journal::begin): a call is about to be made, with what it may take at most. From here on it counts as
//!    spent, whatever happens.
//! 3. [`finish`](Journal::finish): its answer.
//! 4. [`commit`](Journal::commit): a step is decided. Steps are committed in their order, each once; only the final choice
//!    ([`DECISION`]) is committed again when a run is resumed after its end, with higher limits for example.
//!
//! A call that was begun and not finished was in flight when the process died. It is asked again, and what it took at
//! most is counted once more: [`Opened::lost`]. So is a call that failed last in a step that is not committed.
//!
//! In a database that is a table of candidates (unique by run and digest), one of calls (unique by run and [`Call`], without
//! an answer as long as there is none, and a sum of what earlier attempts to answer it took), and one of steps. A commit is
//! one transaction that writes the step and what became of its candidate; a [`Refused`](crate::Outcome::Refused) proposal
//! was never tried, and is told of by the commit alone.

mod memory;

use std::convert::Infallible;

use serde::{Deserialize, Serialize};

pub use memory::{CallState, JournalContents, MemoryJournal};

use crate::candidate::{Candidate, CandidateDigest};
use crate::commit::Commit;
#[cfg(doc)]
use crate::commit::DECISION;
use crate::example::Split;
use crate::reflect::Reply;
use crate::rollout::{Cost, Failure, Rollout, Spend};

/// What a candidate is tried for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// The seed's first validation.
    Seed,
    /// What a proposal is to learn from.
    Parent,
    /// Whether a proposal is better on the same examples.
    Child,
    /// Whether a merged candidate is worth its validation.
    Screen,
    /// How good it is, for the search and for the final choice.
    Validation,
}

/// A call, as the journal keys it: no two of a run are equal.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Call {
    /// The step that it belongs to.
    pub step: u64,
    /// What is asked.
    pub subject: Subject,
    /// How often it failed before, in this step.
    pub attempt: u32,
}

/// What a call asks.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Subject {
    /// To try a candidate on an example.
    Rollout {
        /// What for.
        purpose: Purpose,
        /// Which candidate.
        candidate: CandidateDigest,
        /// Where the example is from.
        split: Split,
        /// Its id.
        example: String,
        /// How often the pair was tried before, on purpose.
        repetition: u32,
    },
    /// To propose a text.
    Reflection {
        /// Whose text.
        candidate: CandidateDigest,
        /// Which one.
        component: String,
    },
}

/// What a call came to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// It was tried.
    Rollout(Rollout),
    /// A text was proposed, or something like it.
    Reply(Reply),
    /// There is no answer.
    Failure(Failure),
}

impl Answer {
    /// What it took.
    #[must_use]
    pub fn cost(&self) -> Cost {
        match self {
            Self::Rollout(rollout) => rollout.cost,
            Self::Reply(reply) => reply.cost,
            Self::Failure(failure) => failure.cost,
        }
    }
}

/// A candidate that is about to be tried.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proposal {
    /// The step that made it; 0 for the seed.
    pub step: u64,
    /// What it is.
    pub candidate: Candidate,
    /// What it was made of: nothing for the seed, one for a mutation, two for a merge.
    pub parents: Vec<CandidateDigest>,
    /// The components that differ from the first parent.
    pub components: Vec<String>,
}

/// What a journal says when a run begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opened {
    /// How many steps are committed, the final choice not counted: those before this one.
    pub committed: u64,
    /// What calls may have taken of which there is no answer.
    pub lost: Spend,
}

/// Remembers a run. Implementations say where: a database, a file, memory.
pub trait Journal: Sync {
    /// What goes wrong with it.
    type Error: std::error::Error + Send + Sync + 'static;

    /// What there is of this run. A new one is empty.
    ///
    /// # Errors
    /// Where it cannot be read.
    fn open(&self) -> impl Future<Output = Result<Opened, Self::Error>> + Send;

    /// The answer to a call, where it was finished.
    ///
    /// # Errors
    /// Where it cannot be read.
    fn recall(&self, call: &Call) -> impl Future<Output = Result<Option<Answer>, Self::Error>> + Send;

    /// A candidate is about to be tried. The same one may be proposed again, by a step that is resumed or by another one.
    ///
    /// # Errors
    /// Where it cannot be written.
    fn propose(&self, proposal: &Proposal) -> impl Future<Output = Result<(), Self::Error>> + Send;

    /// A call is about to be made; it may have been begun before, when it was lost.
    ///
    /// # Errors
    /// Where it cannot be written.
    fn begin(&self, call: &Call, at_most: Cost) -> impl Future<Output = Result<(), Self::Error>> + Send;

    /// A call that was begun has this answer. A failure of a step that is not committed may be replaced later.
    ///
    /// # Errors
    /// Where it cannot be written.
    fn finish(&self, call: &Call, answer: &Answer) -> impl Future<Output = Result<(), Self::Error>> + Send;

    /// A step is decided; in place of an earlier decision where it is [`DECISION`].
    ///
    /// # Errors
    /// Where it cannot be written.
    fn commit(&self, commit: &Commit) -> impl Future<Output = Result<(), Self::Error>> + Send;
}

/// Remembers nothing: for runs that need not survive anything.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoJournal;

impl Journal for NoJournal {
    type Error = Infallible;

    async fn open(&self) -> Result<Opened, Infallible> {
        Ok(Opened::default())
    }

    async fn recall(&self, _: &Call) -> Result<Option<Answer>, Infallible> {
        Ok(None)
    }

    async fn propose(&self, _: &Proposal) -> Result<(), Infallible> {
        Ok(())
    }

    async fn begin(&self, _: &Call, _: Cost) -> Result<(), Infallible> {
        Ok(())
    }

    async fn finish(&self, _: &Call, _: &Answer) -> Result<(), Infallible> {
        Ok(())
    }

    async fn commit(&self, _: &Commit) -> Result<(), Infallible> {
        Ok(())
    }
}
