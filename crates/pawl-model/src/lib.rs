//! What things are: ids, nouns and states as data. No I/O, no clock, no randomness.

mod account;
mod api_key;
mod case;
mod check;
mod id;
mod interaction;
mod json;
mod policy;
pub mod query;
mod run;
mod score;
mod state;
pub mod table;
mod target;
mod user;

pub use account::Account;
pub use api_key::{ApiKey, KeyScope};
pub use case::CaseRecord;
pub use check::{CheckResult, EvalResults, EvalSummary};
pub use id::{ApiKeyId, BrowserSessionId, CaseId, InteractionId, RunId, SessionId, UserId};
pub use interaction::{DropReason, Interaction, NewInteraction};
pub use json::{Json, JsonError, JsonProblem};
pub use policy::{PiiPattern, Policy, RunPolicy};
pub use run::{Run, RunStatus};
pub use score::Score;
pub use state::{State, Tally};
pub use target::{TargetFailure, TargetFailureKind, TargetOutput, TargetRequest};
pub use user::User;
