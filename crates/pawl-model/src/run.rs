//! A run as it stands in `sb_eval_runs`.

use std::fmt;

use serde::{Serialize, Serializer};
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

impl Serialize for RunStatus {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// A row of `sb_eval_runs`. Serialised it has every column, in the order of the table, times as RFC 3339.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Run {
    /// Primary key.
    pub id: RunId,
    /// When the run started.
    #[serde(with = "time::serde::rfc3339")]
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
    #[serde(with = "time::serde::rfc3339::option")]
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

#[cfg(test)]
mod tests {
    use time::macros::datetime;
    use uuid::Uuid;

    use super::*;

    #[test]
    fn a_run_is_written_with_every_column() {
        let run = Run {
            id: RunId(Uuid::from_u128(7)),
            created_at: datetime!(2026-03-01 12:00:00.5 UTC),
            run_name: None,
            dataset_version: "v1".to_owned(),
            model: None,
            prompt_version: None,
            total_cases: 2,
            passed_cases: 1,
            failed_cases: 0,
            status: RunStatus::from("paused".to_owned()),
            completed_at: Some(datetime!(2026-03-01 12:00:01 UTC)),
            error: None,
            user_id: None,
            suite: None,
            target: None,
            suite_hash: None,
            dataset_hash: None,
            settings: Json::parse(r#"{"timeout_s": 2.50}"#).ok(),
        };
        assert_eq!(
            serde_json::to_string(&run).unwrap(),
            concat!(
                r#"{"id":"00000000-0000-0000-0000-000000000007","created_at":"2026-03-01T12:00:00.5Z","#,
                r#""run_name":null,"dataset_version":"v1","model":null,"prompt_version":null,"#,
                r#""total_cases":2,"passed_cases":1,"failed_cases":0,"status":"paused","#,
                r#""completed_at":"2026-03-01T12:00:01Z","error":null,"user_id":null,"suite":null,"#,
                r#""target":null,"suite_hash":null,"dataset_hash":null,"settings":{"timeout_s":2.50}}"#
            )
        );
    }
}
