//! What things are: ids, nouns and states as data. No I/O, no clock, no randomness.

mod account;
mod api_key;
mod budget;
mod case;
mod check;
mod draft;
mod draft_run;
mod evolution;
mod export_format;
mod failure;
mod id;
mod interaction;
mod job;
mod json;
mod lineage;
mod mining;
mod policy;
mod price;
mod proof;
pub mod query;
mod run;
mod score;
mod state;
mod suggestion;
pub mod table;
mod target;
mod tool_call;
mod usd;
mod user;
mod words;

pub use account::Account;
pub use api_key::{ApiKey, KeyScope};
pub use budget::{Budget, BudgetError, Cap, Charge, ChargeBasis, FLAT_CHARGE, Reservation};
pub use case::CaseRecord;
pub use check::{CheckResult, EvalResults, EvalSummary};
pub use draft::{
    DraftAssertions, DraftInput, DraftSource, DraftStatus, EditSource, EvalTestDraft, GeneratorMeta,
    MAX_DRAFT_ITEMS, MAX_DRAFT_SENTENCE, MAX_DRAFT_TEXT, MAX_DRAFT_TITLE, MAX_DRAFT_TOOL, Optional,
};
pub use draft_run::{DraftErrorType, DraftOutcome, DraftOutcomeStatus, EvalTestError, EvalTestRun};
pub use evolution::{
    CandidateStatus, Optimization, OptimizationStatus, PromotionVerdict, PromptCandidate, PromptComponent,
    PromptEvaluation, PromptVersion, VerdictKind,
};
pub use export_format::ExportFormat;
pub use failure::{Evidence, FailurePattern, FailureType, ReproductionContext, Severity};
pub use id::{
    ApiKeyId, BrowserSessionId, CaseId, InteractionId, JobId, RunId, ScheduleId, SessionId, UserId,
};
pub use interaction::{DropReason, Interaction, NewInteraction, Unscored};
pub use job::{Job, JobKind, JobState, Schedule};
pub use json::{Json, JsonError, JsonProblem};
pub use lineage::{LineageEntry, LineageEvent, LineageKind, LineageNode};
pub use mining::{ExtractionError, ExtractionErrorType, MiningCounts, MiningRun, TriggeredBy};
pub use policy::{PiiPattern, Policy, RunPolicy};
pub use price::{Cost, Price, Rate, Rates, Usage};
pub use proof::{ProofCard, ProofVerdict, ProvenSentence, Share};
pub use run::{Run, RunStatus};
pub use score::Score;
pub use state::{State, Tally};
pub use suggestion::{SourceTrace, SuggestedPattern, Suggestion, SuggestionStatus, SuggestionType};
pub use target::{TargetFailure, TargetFailureKind, TargetOutput, TargetRequest};
pub use tool_call::ToolCall;
pub use usd::Usd;
pub use user::User;
