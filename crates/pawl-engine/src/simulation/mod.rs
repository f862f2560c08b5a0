//! A support agent that is made up, for trying things out: its past, and the agent at work under its tenant's policy.
//!
//! What it says and does is a pure function of a random seed and a number. Personal data in it is nobody's.

mod agent;
mod conversation;
mod draw;
mod history;
mod person;
mod planted;
mod wave;

pub use history::{History, HistoryPlan, Incident};
pub use wave::{Wave, WavePlan, run_wave};
