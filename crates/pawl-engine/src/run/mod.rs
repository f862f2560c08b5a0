//! Headless runs: a suite goes in, its cases are executed and judged, a run and its cases stand in the database.

mod ask;
pub(crate) mod cache;
pub mod compare;
mod execute;
pub mod flips;
mod gate;
mod journal;
pub(crate) mod judge;
pub mod list;
pub mod outputs;
pub(crate) mod plan;
mod record;
mod report;
pub mod suite;

pub use cache::CacheMode;
pub use execute::RunEvent;
pub use gate::{Gate, GateOutcome};
pub use plan::{Labels, PlannedRun, RunRequest, SuiteChoice, TargetChoice};
pub use report::{CheckTally, RunReport, Unpassed};
