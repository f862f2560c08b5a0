//! What is wrong in a suite's `assert` list, and where.

use std::fmt;

/// One step from an entry into its parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathStep {
    /// The member of an object.
    Key(String),
    /// The item of a list, counted from 0.
    Index(usize),
}

/// An entry that cannot be read or compiled.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{message}", Place(path))]
pub struct SpecError {
    /// Where in the entry, from its outermost part; empty for the entry itself.
    pub path: Vec<PathStep>,
    /// What is wrong.
    pub message: String,
}

impl SpecError {
    /// An error of the entry as a whole.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            path: Vec::new(),
            message: message.into(),
        }
    }

    /// An error of one member.
    #[must_use]
    pub fn at(key: &str, message: impl Into<String>) -> Self {
        Self::new(message).under(PathStep::Key(key.to_owned()))
    }

    /// The same error as seen from one level further out.
    #[must_use]
    pub fn under(mut self, step: PathStep) -> Self {
        self.path.insert(0, step);
        self
    }
}

struct Place<'a>(&'a [PathStep]);

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, step) in self.0.iter().enumerate() {
            match step {
                PathStep::Key(key) if position == 0 => f.write_str(key)?,
                PathStep::Key(key) => write!(f, ".{key}")?,
                PathStep::Index(index) => write!(f, "[{index}]")?,
            }
        }
        if self.0.is_empty() {
            Ok(())
        } else {
            f.write_str(": ")
        }
    }
}
