//! Who proposes texts.

use serde::{Deserialize, Serialize};

use crate::candidate::Candidate;
use crate::example::Example;
use crate::refusal::Refusal;
use crate::rollout::{Cost, Failure, Rollout};

/// One example and what the parent made of it.
#[derive(Clone, Copy, Debug)]
pub struct Record<'a> {
    /// What it was given.
    pub example: &'a Example,
    /// What came of it.
    pub rollout: &'a Rollout,
}

/// What is asked of a [`Reflect`]: a better text for one component. [`prompt`](Self::prompt) puts it in words.
#[derive(Clone, Copy, Debug)]
pub struct Reflection<'a> {
    /// The parent.
    pub candidate: &'a Candidate,
    /// The component to write anew.
    pub component: &'a str,
    /// What the parent did on a minibatch.
    pub records: &'a [Record<'a>],
    /// Earlier proposals for this parent that came to nothing, the latest last, at most
    /// [`Settings::refusals_shown`](crate::Settings).
    pub refusals: &'a [Refusal],
    /// How often this was asked before in vain.
    pub attempt: u32,
}

impl Reflection<'_> {
    /// The current text of the component.
    #[must_use]
    pub fn current_text(&self) -> &str {
        self.candidate.text(self.component).unwrap_or_default()
    }
}

/// How a model came to the end of its reply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReplyEnd {
    /// It was done.
    #[default]
    Complete,
    /// It was cut off, by a limit on tokens for example.
    Cut,
}

/// What was answered: prose with the new text in a fenced block.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reply {
    /// All of it, as it came.
    pub text: String,
    /// Whether it is whole.
    #[serde(default)]
    pub end: ReplyEnd,
    /// What it took.
    #[serde(default)]
    pub cost: Cost,
}

/// Proposes a text that should do better. Does the I/O, under any executor.
pub trait Reflect: Sync {
    /// Answers with the new text in a fenced block.
    ///
    /// # Errors
    /// A [`Failure`] where there was no answer.
    fn reflect(&self, reflection: Reflection<'_>) -> impl Future<Output = Result<Reply, Failure>> + Send;

    /// What one call takes at most. `None`: not known, so that tokens and dollars cannot be limited.
    fn at_most(&self) -> Option<Cost> {
        None
    }
}
