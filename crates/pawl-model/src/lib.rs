//! What things are: ids, nouns and states as data. No I/O, no clock, no randomness.

mod account;
mod api_key;
mod case;
mod check;
mod id;
mod json;
pub mod query;
mod run;
mod state;
pub mod table;
mod target;
mod user;

pub use account::Account;
pub use api_key::{ApiKey, KeyScope};
pub use case::CaseRecord;
pub use check::{CheckResult, EvalResults, EvalSummary};
pub use id::{ApiKeyId, CaseId, RunId, SessionId, UserId};
pub use json::{Json, JsonError, JsonProblem};
pub use run::{Run, RunStatus};
pub use state::{State, Tally};
pub use target::{TargetFailure, TargetFailureKind, TargetOutput, TargetRequest};
pub use user::User;
