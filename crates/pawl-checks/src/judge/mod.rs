//! Checks that somebody else has to look at: a model that judges, or one that turns texts into vectors.
//!
//! Such a check holds a [`Question`]. Whoever can ask does so beforehand, by the words of [`Question::form`], and hands
//! the [`Opinions`] in with the subject; the check itself only compares. Without an opinion it is skipped.

mod form;
mod question;
mod rule;

use std::collections::HashMap;

pub use form::{Asked, Form, Unreadable};
pub use question::{Question, QuestionKind};
pub(crate) use rule::Judged;

/// What somebody thinks of an output.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Opinion {
    /// How well it does, in 0..=1; of vectors, the cosine.
    pub score: f64,
    /// Whether it does, as far as the judge says so itself.
    pub holds: bool,
    /// Why, in the judge's words.
    pub reason: String,
}

/// Opinions by what was asked; an error says why there is none.
#[derive(Clone, Debug, Default)]
pub struct Opinions(HashMap<Question, Result<Opinion, String>>);

impl Opinions {
    /// Adds one.
    pub fn insert(&mut self, question: Question, opinion: Result<Opinion, String>) {
        self.0.insert(question, opinion);
    }

    fn get(&self, question: &Question) -> Option<&Result<Opinion, String>> {
        self.0.get(question)
    }
}

#[cfg(test)]
mod tests;
