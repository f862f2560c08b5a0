//! A case as it stands in `sb_eval_cases`.

use time::OffsetDateTime;
use uuid::Uuid;

use crate::{CaseId, Json, RunId, State, UserId};

/// A row of `sb_eval_cases`. The columns that the seed does not have are all optional, since other writers leave
/// them out.
#[derive(Clone, Debug, PartialEq)]
pub struct CaseRecord {
    /// Primary key; see [`CaseId::derive`].
    pub id: CaseId,
    /// The run.
    pub run_id: RunId,
    /// When the case was evaluated.
    pub created_at: OffsetDateTime,
    /// The input, with the case's id under `id`.
    pub input_data: Json,
    /// The output, where it is a JSON object.
    pub output_story: Option<Json>,
    /// Optional link to `sb_sessions`.
    pub session_id: Option<Uuid>,
    /// Optional link to `sb_stories`.
    pub story_id: Option<Uuid>,
    /// Optional link to `sb_actions`.
    pub action_id: Option<Uuid>,
    /// The checks and their summary: see [`crate::EvalResults`].
    pub eval_results: Json,
    /// True only for the state `passed`.
    pub passed: bool,
    /// Why the case failed to run.
    pub error: Option<String>,
    /// The owner (added).
    pub user_id: Option<UserId>,
    /// The repetition, from 1 (added).
    pub trial: i32,
    /// The state (added; absent in rows of other writers, see [`CaseRecord::state`]).
    pub status: Option<State>,
    /// The weighted mean score of the checks (added).
    pub score: Option<f64>,
    /// How long the target took (added).
    pub latency_ms: Option<i32>,
    /// What the target cost, in US dollars (added).
    pub cost_usd: Option<f64>,
    /// The output, where it is not a JSON object (added).
    pub output: Option<String>,
    /// What else the target said: tool calls, tokens, reasoning (added).
    pub details: Option<Json>,
}

impl CaseRecord {
    /// See [`State::of_row`].
    #[must_use]
    pub const fn state(&self) -> State {
        State::of_row(self.status, self.passed, self.error.is_some())
    }
}
