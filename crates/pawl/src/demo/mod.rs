//! What the demo brings along: agents that are flawed on purpose.

pub(crate) mod story_agent;
pub(crate) mod support_agent;
