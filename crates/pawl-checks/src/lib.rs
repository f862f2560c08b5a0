//! What can be judged without I/O: checks, masking, text metrics, statistics.
//!
//! A suite's `assert` entry is read into an [`AssertSpec`], compiled once into [`Check`]s, and these judge any number
//! of [`Subject`]s. A [`Grading`] holds the checks of one case and adds their results up.

pub mod extract;
pub mod judge;
pub mod mask;
pub mod rollup;
pub mod sampling;
pub mod sentence;
pub mod similarity;
pub mod stats;
pub mod words;

mod check;
mod contain;
mod equal;
mod excerpt;
mod grading;
mod html;
mod json;
mod levenshtein;
mod limit;
mod pattern;
mod rule;
mod spec;
mod story;
mod subject;
mod xml;

#[cfg(test)]
mod tests;

pub use check::Check;
pub use grading::{Grade, Grading};
pub use levenshtein::distance_within;
pub use spec::{AssertSpec, CheckType, PathStep, SpecError};
pub use story::{StoryCheck, StorySettings};
pub use subject::Subject;
