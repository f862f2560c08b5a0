//! GEPA as a pure library: texts evolved by reflection, within a budget, without I/O.

mod call;
mod candidate;
mod commit;
mod control;
mod draw;
mod error;
mod evaluate;
mod event;
mod example;
mod execute;
mod extract;
mod forecast;
mod front;
pub mod journal;
mod ledger;
mod merge;
mod parent;
mod plan;
mod pool;
mod prompt;
mod reflect;
mod refusal;
mod report;
mod rollout;
mod run;
mod sampler;
mod search;
mod settings;
mod tried;

pub use candidate::{Candidate, CandidateDigest, Component};
pub use commit::{Commit, DECISION, Outcome, Screen, SkipReason, Standing};
pub use control::{Cancel, Control};
pub use error::{EvolveError, TaskError};
pub use evaluate::{Evaluate, Trial};
pub use event::{AnswerSource, Event, StepKind, View};
pub use example::{Example, Split, Task};
pub use forecast::Forecast;
pub use journal::{Journal, MemoryJournal, NoJournal};
pub use ledger::Finish;
pub use reflect::{Record, Reflect, Reflection, Reply, ReplyEnd};
pub use refusal::{Refusal, RefusalReason};
pub use report::{Counts, Report, ReportedCandidate};
pub use rollout::{Cost, Failure, FailureKind, Rollout, Spend};
pub use run::Run;
pub use settings::{
    Acceptance, ComponentChoice, Frontier, Growth, Hygiene, Limits, Merge, ParentSource, Pick, Rules,
    Sampler, Settings, Validation,
};
