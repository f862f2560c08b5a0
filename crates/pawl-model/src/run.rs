//! A run as it stands in `sb_eval_runs`.

use std::fmt;

use time::OffsetDateTime;

use crate::{Json, RunId, UserId};

/// The status of a run. The column takes any text, since other writers may have more words than we do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunStatus {
    /// Under way, or its runner was killed.
    Running,
    /// All cases were executed.
    Completed,
    /// The runner could not go on; `error` says why.
    Failed,
    /// A word of another writer.
    Other(String),
}

impl RunStatus {
    /// The word that is stored and shown.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Running => "running",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Other(word) => word,
        }
    }
}

impl From<String> for RunStatus {
    fn from(word: String) -> Self {
        match word.as_str() {
            "running" => Self::Running,
            "completed" => Self::Completed,
            "failed" => Self::Failed,
            _ => Self::Other(word),
        }
    }
}

impl fmt::Display for RunStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A row of `sb_eval_runs`.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// Primary key.
    pub id: RunId,
    /// When the run started.
    pub created_at: OffsetDateTime,
    /// Human-readable name.
    pub run_name: Option<String>,
    /// Which data set.
    pub dataset_version: String,
    /// Which model.
    pub model: Option<String>,
    /// Which prompt.
    pub prompt_version: Option<String>,
    /// Rows of `sb_eval_cases`: case × trial.
    pub total_cases: i32,
    /// Of these, passed.
    pub passed_cases: i32,
    /// Of these, failed; what is left of the total is error and skipped.
    pub failed_cases: i32,
    /// How far it is.
    pub status: RunStatus,
    /// When it ended.
    pub completed_at: Option<OffsetDateTime>,
    /// Why it failed.
    pub error: Option<String>,
    /// The owner (added).
    pub user_id: Option<UserId>,
    /// The suite's name (added).
    pub suite: Option<String>,
    /// What produced the outputs (added).
    pub target: Option<String>,
    /// SHA-256 over checks and prompt, in hex (added).
    pub suite_hash: Option<String>,
    /// SHA-256 over the cases, in hex (added).
    pub dataset_hash: Option<String>,
    /// The settings that a resumed run must share (added).
    pub settings: Option<Json>,
}
