//! What things are: ids, nouns and states as data. No I/O, no clock, no randomness.

mod case;
mod check;
mod id;
mod json;
mod run;
mod state;
mod target;
mod user;

pub use case::CaseRecord;
pub use check::{CheckResult, EvalResults, EvalSummary};
pub use id::{CaseId, RunId, UserId};
pub use json::{Json, JsonError, JsonProblem};
pub use run::{Run, RunStatus};
pub use state::{State, Tally};
pub use target::{TargetFailure, TargetFailureKind, TargetOutput, TargetRequest};
pub use user::User;
