//! What came of trying a candidate.

use std::collections::BTreeMap;
use std::ops::{Add, AddAssign, Sub};

use serde::{Deserialize, Serialize};

/// A candidate tried on an example, and scored.
///
/// A score at or above [`Settings::perfect_score`](crate::Settings) is *ok*, any other *wrong*; what could not be scored
/// is a [`Failure`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Rollout {
    /// How good it was; more is better. It must be finite.
    pub score: f64,
    /// Scores by dimension, such as correctness and brevity; more is better. Keys may be missing.
    #[serde(default)]
    pub dimensions: BTreeMap<String, f64>,
    /// What was good and bad, in words: what the next proposal learns from.
    pub feedback: String,
    /// What happened, for whoever proposes the next text and for the record: steps, tool calls, outputs.
    #[serde(default)]
    pub trace: serde_json::Value,
    /// What it took.
    #[serde(default)]
    pub cost: Cost,
    /// Whether it was found rather than made: then it took nothing, and is no call that counts.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reused: bool,
}

impl Rollout {
    /// Whether all its numbers are finite.
    pub(crate) fn is_finite(&self) -> bool {
        self.score.is_finite() && self.dimensions.values().all(|score| score.is_finite())
    }

    /// By how much the sum of its dimensions is above another one's, over those that both have.
    pub(crate) fn dimensions_above(&self, other: &Self) -> f64 {
        let both = self
            .dimensions
            .iter()
            .filter_map(|(name, score)| Some(score - other.dimensions.get(name)?));
        both.sum()
    }

    /// Its scores as a 32-bit column gives them back, so that a run that is read from one sees the same ties.
    pub(crate) fn rounded(mut self) -> Self {
        let single = |score: f64| f64::from(score as f32);
        self.score = single(self.score);
        for score in self.dimensions.values_mut() {
            *score = single(*score);
        }
        self
    }
}

/// Why something has no score or no answer. It says nothing about a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// What runs it could not be reached, refused, or broke.
    Infra,
    /// It took too long.
    Timeout,
    /// What came back could not be read.
    Parse,
    /// What came back could not be judged.
    Judge,
}

impl FailureKind {
    /// Its name: `infra`, `timeout`, `parse` or `judge`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Infra => "infra",
            Self::Timeout => "timeout",
            Self::Parse => "parse",
            Self::Judge => "judge",
        }
    }
}

/// Something that was tried and has no result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{}: {message}", kind.as_str())]
pub struct Failure {
    /// What went wrong.
    pub kind: FailureKind,
    /// In words, for people.
    pub message: String,
    /// What it took all the same.
    #[serde(default)]
    pub cost: Cost,
}

impl Failure {
    /// A failure that cost nothing but the call.
    #[must_use]
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            cost: Cost::default(),
        }
    }
}

/// What a call takes, beside being a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cost {
    /// Tokens in and out, judges included.
    pub tokens: u64,
    /// Billionths of a US dollar.
    pub usd_nanos: u64,
}

/// What calls took, or may take at most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spend {
    /// Candidates tried on an example, retries included.
    pub metric_calls: u64,
    /// Times that somebody was asked for a text.
    pub reflections: u64,
    /// What both cost.
    pub cost: Cost,
}

impl Spend {
    /// One metric call that costs this.
    pub(crate) fn metric_call(cost: Cost) -> Self {
        Self {
            metric_calls: 1,
            reflections: 0,
            cost,
        }
    }

    /// One reflection that costs this.
    pub(crate) fn reflection(cost: Cost) -> Self {
        Self {
            metric_calls: 0,
            reflections: 1,
            cost,
        }
    }

    /// So many times as much.
    pub(crate) fn times(self, count: usize) -> Self {
        let count = count as u64;
        Self {
            metric_calls: self.metric_calls.saturating_mul(count),
            reflections: self.reflections.saturating_mul(count),
            cost: Cost {
                tokens: self.cost.tokens.saturating_mul(count),
                usd_nanos: self.cost.usd_nanos.saturating_mul(count),
            },
        }
    }
}

impl Add for Spend {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            metric_calls: self.metric_calls.saturating_add(other.metric_calls),
            reflections: self.reflections.saturating_add(other.reflections),
            cost: Cost {
                tokens: self.cost.tokens.saturating_add(other.cost.tokens),
                usd_nanos: self.cost.usd_nanos.saturating_add(other.cost.usd_nanos),
            },
        }
    }
}

impl AddAssign for Spend {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

/// Nothing is left where more is taken than there is.
impl Sub for Spend {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self {
            metric_calls: self.metric_calls.saturating_sub(other.metric_calls),
            reflections: self.reflections.saturating_sub(other.reflections),
            cost: Cost {
                tokens: self.cost.tokens.saturating_sub(other.cost.tokens),
                usd_nanos: self.cost.usd_nanos.saturating_sub(other.cost.usd_nanos),
            },
        }
    }
}
