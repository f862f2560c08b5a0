//! What candidates are tried on.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use crate::candidate::Candidate;
use crate::error::TaskError;

/// One thing that a candidate is tried on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Example {
    /// Which one it is: of its content, never its place in a list. Unique within a split.
    pub id: String,
    /// What a candidate is given. What no proposal may copy long stretches of.
    pub input: String,
    /// The kind of example it is, where kinds are known: a subset has every kind in its share.
    pub stratum: Option<String>,
}

impl Example {
    /// An example of no particular kind.
    #[must_use]
    pub fn new(id: impl Into<String>, input: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            input: input.into(),
            stratum: None,
        }
    }
}

/// What an example is for. Equal ids in different splits are different examples.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Split {
    /// Shown to whoever proposes texts.
    Train,
    /// Decides between candidates; its contents are never shown.
    Validation,
}

/// What is to be done: a candidate to begin with, and examples to improve it on.
#[derive(Clone, Debug)]
pub struct Task {
    pub(crate) seed: Candidate,
    pub(crate) train: Vec<Example>,
    pub(crate) validation: Vec<Example>,
}

impl Task {
    /// A task. Without examples for validation of their own those for training serve for both.
    ///
    /// # Errors
    /// [`TaskError`] where a split is empty or has an id twice.
    pub fn new(seed: Candidate, train: Vec<Example>, validation: Vec<Example>) -> Result<Self, TaskError> {
        let validation = if validation.is_empty() {
            train.clone()
        } else {
            validation
        };
        for (split, examples) in [(Split::Train, &train), (Split::Validation, &validation)] {
            if examples.is_empty() {
                return Err(TaskError::NoExamples);
            }
            let mut seen = HashSet::new();
            if let Some(twice) = examples.iter().find(|example| !seen.insert(&example.id)) {
                let id = twice.id.clone();
                return Err(TaskError::ExampleTwice { split, id });
            }
        }
        Ok(Self {
            seed,
            train,
            validation,
        })
    }

    /// The candidate that the run begins with.
    #[must_use]
    pub fn seed(&self) -> &Candidate {
        &self.seed
    }

    /// The examples of a split.
    #[must_use]
    pub fn examples(&self, split: Split) -> &[Example] {
        match split {
            Split::Train => &self.train,
            Split::Validation => &self.validation,
        }
    }
}
