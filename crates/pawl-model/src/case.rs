//! A case as it stands in `sb_eval_cases`.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::value::RawValue;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{CaseId, Json, RunId, State, UserId};

/// A row of `sb_eval_cases`. The columns that were added are all optional, since other writers leave
/// them out. Serialised it has every column, in the order of the table, times as RFC 3339.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CaseRecord {
    /// Primary key; see [`CaseId::derive`].
    pub id: CaseId,
    /// The run.
    pub run_id: RunId,
    /// When the case was evaluated.
    #[serde(with = "time::serde::rfc3339")]
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

    /// The case's id in its suite: `id` of its input, as text; `None` where another writer left it out.
    #[must_use]
    pub fn input_id(&self) -> Option<String> {
        let input: BTreeMap<String, &RawValue> = serde_json::from_str(self.input_data.as_str()).ok()?;
        match input.get("id")?.get() {
            "null" => None,
            text if text.starts_with('"') => serde_json::from_str(text).ok(),
            other => Some(other.to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    fn case(input_data: &str) -> CaseRecord {
        CaseRecord {
            id: CaseId(Uuid::from_u128(8)),
            run_id: RunId(Uuid::from_u128(7)),
            created_at: datetime!(2026-03-01 12:00 UTC),
            input_data: Json::parse(input_data).unwrap(),
            output_story: None,
            session_id: None,
            story_id: None,
            action_id: None,
            eval_results: Json::empty_object(),
            passed: false,
            error: None,
            user_id: None,
            trial: 1,
            status: Some(State::Skipped),
            score: Some(0.5),
            latency_ms: None,
            cost_usd: None,
            output: None,
            details: None,
        }
    }

    #[test]
    fn a_case_is_written_with_every_column() {
        assert_eq!(
            serde_json::to_string(&case(r#"{"id": "a"}"#)).unwrap(),
            concat!(
                r#"{"id":"00000000-0000-0000-0000-000000000008","run_id":"00000000-0000-0000-0000-000000000007","#,
                r#""created_at":"2026-03-01T12:00:00Z","input_data":{"id":"a"},"output_story":null,"#,
                r#""session_id":null,"story_id":null,"action_id":null,"eval_results":{},"passed":false,"#,
                r#""error":null,"user_id":null,"trial":1,"status":"skipped","score":0.5,"latency_ms":null,"#,
                r#""cost_usd":null,"output":null,"details":null}"#
            )
        );
    }

    #[test]
    fn the_id_in_the_suite_is_read_as_text() {
        for (input, id) in [
            (r#"{"goal": "x", "id": "a"}"#, Some("a")),
            (r#"{"id": 7.50}"#, Some("7.50")),
            (r#"{"id": null}"#, None),
            (r#"{"goal": "x"}"#, None),
            ("[1]", None),
        ] {
            assert_eq!(case(input).input_id().as_deref(), id, "{input}");
        }
    }
}
