//! What can go wrong in the engine, and whose fault it is.

use pawl_checks::rollup::RollupError;
use pawl_model::{BudgetError, JsonError, RunId, UserId};
use pawl_providers::{IngestError, ModelFailure, TargetError, TargetSpecError};
use pawl_store::StoreError;

use crate::auth::AuthError;
use crate::intake::IntakeError;
use crate::run::outputs::OutputsError;
use crate::run::suite::SuiteError;
use crate::suggestions::{SuggestionStoreError, Trouble};

/// What can go wrong in the engine.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The suite cannot be read.
    #[error(transparent)]
    Suite(#[from] SuiteError),
    /// The recorded outputs cannot be read.
    #[error(transparent)]
    Outputs(#[from] OutputsError),
    /// The target is not one that we know.
    #[error(transparent)]
    TargetSpec(#[from] TargetSpecError),
    /// The target does not go with its settings.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// Neither the suite nor the caller names a target.
    #[error("`{suite}` names no target: give one by --target, or recorded outputs by --outputs")]
    NoTarget {
        /// The suite.
        suite: String,
    },
    /// A suite has too few cases to be split.
    #[error(
        "{cases} cases are too few to learn from some and be judged by others: {found} of them are for {part}, and at least \
         {needed} are needed; about 20 cases are enough"
    )]
    TooFewExamples {
        /// Cases of the suite.
        cases: usize,
        /// The part that is too small.
        part: &'static str,
        /// How many it has.
        found: usize,
        /// How many it needs.
        needed: usize,
    },
    /// There is no such optimisation, or it is somebody else's.
    #[error("there is no optimisation {id}")]
    UnknownOptimization {
        /// Its id.
        id: String,
    },
    /// An optimisation cannot be done as asked.
    #[error("{0}")]
    Evolution(String),
    /// A prompt cannot be added or changed as asked.
    #[error("{0}")]
    Prompt(String),
    /// An approved test was written by hand, and not in the form of a draft.
    #[error("the draft of {id} cannot be read: {problem}")]
    UnreadableDraft {
        /// The suggestion.
        id: String,
        /// What is wrong.
        problem: String,
    },
    /// The same promotion waits for a worker.
    #[error("the same promotion waits already")]
    PromotionWaits,
    /// What a journal holds cannot be read or written.
    #[error("the journal of the optimisation cannot be read")]
    JournalData(#[source] serde_json::Error),
    /// More rows than one run can have.
    #[error("{cases} cases × {trials} trials are more than the {limit} rows that a run can have")]
    TooManyRows {
        /// Cases of the suite.
        cases: u64,
        /// Trials of each.
        trials: u16,
        /// The limit.
        limit: u64,
    },
    /// Nobody has this id or address.
    #[error("there is no user `{named}`: `pawl user list` shows them")]
    UnknownUser {
        /// As it was given.
        named: String,
    },
    /// Several users, and none was named.
    #[error("there are several users, name one by --user or PAWL_USER:\n  {users}")]
    SeveralUsers {
        /// A line each.
        users: String,
    },
    /// There is no such run, or it is somebody else's.
    #[error("there is no run {id}")]
    UnknownRun {
        /// Its id.
        id: RunId,
    },
    /// A run can be resumed only as what it was.
    #[error("run {id} cannot be resumed with this {what}: it was started with {was}, not {is}")]
    ResumeDiffers {
        /// The run.
        id: RunId,
        /// What differs.
        what: &'static str,
        /// As the run has it.
        was: String,
        /// As it was given now.
        is: String,
    },
    /// Nothing is left of a run that is over.
    #[error("run {id} is {status} with all its {rows} rows: there is nothing to resume")]
    NothingToResume {
        /// The run.
        id: RunId,
        /// How it ended.
        status: String,
        /// Its rows.
        rows: u64,
    },
    /// A suite that expands into several runs cannot resume one.
    #[error(
        "`{suite}` makes {count} runs, of its prompts and targets; name one target by --target to resume"
    )]
    ResumeOfSeveral {
        /// The suite.
        suite: String,
        /// How many runs it makes.
        count: usize,
    },
    /// Somebody was not let in, or an account cannot be changed like that.
    #[error(transparent)]
    Auth(AuthError),
    /// Days that no overview is made of.
    #[error("an overview is of 1 to {most} days")]
    Days {
        /// How many at most.
        most: i64,
    },
    /// A policy that intake could not go by.
    #[error("{problem}")]
    Policy {
        /// What is wrong with it.
        problem: String,
    },
    /// Somebody else has changed the policy in the meantime.
    #[error("the policy was changed since it was read")]
    OutdatedPolicy,
    /// What an hour came to cannot be added up.
    #[error("an interaction cannot be added to what its hour came to")]
    Rollup(#[source] RollupError),
    /// What an hour came to is not kept as it should be.
    #[error("what an hour came to cannot be read or written")]
    RollupData(#[source] serde_json::Error),
    /// The spans of a trace cannot be written as they should be.
    #[error("the spans of a trace cannot be written")]
    TraceData(#[source] JsonError),
    /// Interactions could not be stored.
    #[error(transparent)]
    Intake(#[from] IntakeError),
    /// A server does not take what is handed in to it.
    #[error(transparent)]
    Ingest(#[from] IngestError),
    /// A model gave no answer.
    #[error(transparent)]
    Model(#[from] ModelFailure),
    /// A call must not be made, since it could cost too much.
    #[error(transparent)]
    Budget(#[from] BudgetError),
    /// What keeps suggestions failed, and it is not our database.
    #[error(transparent)]
    Suggestions(#[from] SuggestionStoreError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A task of ours died.
    #[error("a worker thread died")]
    Worker(#[source] tokio::task::JoinError),
}

/// Whose fault an error is: it decides the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// What was asked cannot be done as asked.
    Usage,
    /// Something that we depend on did not work.
    Infrastructure,
}

impl EngineError {
    pub(crate) fn unknown_user(user: UserId) -> Self {
        Self::UnknownUser {
            named: user.to_string(),
        }
    }

    /// Whether it is the database that does not answer, so that the same may work later.
    #[must_use]
    pub const fn is_unavailability(&self) -> bool {
        matches!(self, Self::Store(StoreError::Unreachable(_)))
    }

    /// Whether a value that was given cannot be stored or looked for.
    #[must_use]
    pub const fn is_bad_value(&self) -> bool {
        matches!(
            self,
            Self::Store(StoreError::Nul | StoreError::NotFinite | StoreError::Rule(_))
        )
    }

    /// What to do about it, where there is something to say beyond the message.
    #[must_use]
    pub fn help(&self) -> Option<&str> {
        match self {
            Self::Suite(error) => error.help(),
            _ => None,
        }
    }

    /// Whose fault it is.
    #[must_use]
    pub const fn fault(&self) -> Fault {
        match self {
            Self::Store(
                StoreError::Url { .. }
                | StoreError::Unreadable { .. }
                | StoreError::Newer { .. }
                | StoreError::Old { .. }
                | StoreError::Role { .. }
                | StoreError::Secrets { .. }
                | StoreError::Nul
                | StoreError::ForeignRow
                | StoreError::Duplicate(_),
            ) => Fault::Usage,
            Self::Store(_)
            | Self::Worker(_)
            | Self::Rollup(_)
            | Self::RollupData(_)
            | Self::TraceData(_)
            | Self::JournalData(_)
            | Self::Intake(_) => Fault::Infrastructure,
            Self::Model(_) => Fault::Infrastructure,
            Self::Suggestions(error) if !matches!(error.trouble, Trouble::Configuration) => {
                Fault::Infrastructure
            }
            Self::Ingest(error) if !error.is_usage() => Fault::Infrastructure,
            Self::Auth(
                AuthError::Random(_) | AuthError::Hash(_) | AuthError::Sign(_) | AuthError::Worker(_),
            ) => Fault::Infrastructure,
            _ => Fault::Usage,
        }
    }
}

impl From<AuthError> for EngineError {
    fn from(error: AuthError) -> Self {
        match error {
            AuthError::Store(error) => Self::Store(error),
            other => Self::Auth(other),
        }
    }
}
