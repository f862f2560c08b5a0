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

pub use agent::SupportAgent;
pub use history::{History, HistoryPlan, Incident};
pub use wave::{LivePrompt, Wave, WavePlan, read_live_prompt, run_wave, run_wave_of};
