//! What agents did in production: rows of `evaluations`.

use serde::Serialize;
use time::OffsetDateTime;

use crate::{InteractionId, Json, Score, UserId};

/// An interaction as it is handed in.
#[derive(Clone, Debug, PartialEq)]
pub struct NewInteraction {
    /// The tenant.
    pub user_id: UserId,
    /// The id that the agent gives it, unique for the tenant.
    pub interaction_id: String,
    /// What the agent was asked.
    pub prompt: String,
    /// What it answered.
    pub response: String,
    /// How good that was; none where it was not scored.
    pub score: Option<Score>,
    /// How long it took, in milliseconds.
    pub latency_ms: Option<i32>,
    /// What was noticed.
    pub flags: Vec<String>,
    /// How many pieces of personal data the sender has masked.
    pub pii_tokens_redacted: i32,
    /// When it happened; none for now.
    pub created_at: Option<OffsetDateTime>,
    /// For how many interactions it stands in a sample that the sender drew.
    pub sample_weight: Option<f64>,
    /// The tools that were called: an array of `{name, arguments, result, error}`.
    pub tool_calls: Option<Json>,
    /// The spans behind it: an array of objects.
    pub spans: Option<Json>,
}

/// An interaction as it is stored.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Interaction {
    /// The row.
    pub id: InteractionId,
    /// The id that the agent gave it.
    pub interaction_id: String,
    /// The tenant.
    pub user_id: UserId,
    /// What the agent was asked.
    pub prompt: String,
    /// What it answered.
    pub response: String,
    /// How good that was; none where it was not scored.
    pub score: Option<Score>,
    /// How long it took, in milliseconds.
    pub latency_ms: Option<i32>,
    /// What was noticed.
    pub flags: Vec<String>,
    /// How many pieces of personal data were masked, by the sender and by us.
    pub pii_tokens_redacted: i32,
    /// When it happened.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    /// When it arrived.
    #[serde(with = "time::serde::rfc3339")]
    pub received_at: OffsetDateTime,
    /// For how many interactions it stands.
    pub sample_weight: f64,
    /// The tools that were called.
    pub trace: Option<Json>,
    /// How many pieces of personal data we masked, by kind: an object of numbers. None where the policy did not ask for
    /// it.
    pub redactions: Option<Json>,
}

/// Why an interaction was not stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DropReason {
    /// The sample fell otherwise.
    SampledOut,
    /// The day's cap was reached.
    OverCap,
}

impl DropReason {
    /// All there are.
    pub const ALL: [Self; 2] = [Self::SampledOut, Self::OverCap];

    /// The word for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::SampledOut => "sampled_out",
            Self::OverCap => "over_cap",
        }
    }

    /// The reason of this word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.as_str() == word)
    }
}

/// Why an interaction that was made from a trace has no score.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Unscored {
    /// The sample fell otherwise.
    SampledOut,
    /// The day's cap was reached.
    OverCap,
    /// The tenant has no online check that could be made.
    NoCheck,
}

impl Unscored {
    /// All there are.
    pub const ALL: [Self; 3] = [Self::SampledOut, Self::OverCap, Self::NoCheck];

    /// The word for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::SampledOut => "sampled_out",
            Self::OverCap => "over_cap",
            Self::NoCheck => "no_check",
        }
    }

    /// The reason of this word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.as_str() == word)
    }
}
