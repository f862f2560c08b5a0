//! What the demo brings along: inputs, and agents that are flawed on purpose.

pub(crate) mod story_agent;
pub(crate) mod support_agent;

/// Our 50 inputs for user stories, edge cases among them.
pub(crate) const INPUTS: &str = include_str!("../../../../examples/stories/inputs.json");
