//! What one local hour of a tenant came to, in numbers that add up.
//!
//! A [`Rollup`] holds counts and sums alone: adding the same interactions in any order, or merging hours into days in any
//! grouping, gives the same counts, and sums that differ by rounding alone. Its JSON form is for storage; its keys are
//! described in `docs/ROLLUPS.md`, together with every formula and its accuracy.

mod estimate;
mod latencies;
mod names;
mod scores;

#[cfg(test)]
mod simulation;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use pawl_model::{DropReason, Score};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

pub use estimate::HistogramBar;
pub use latencies::Latencies;
pub use names::NameCounts;
pub use scores::Scores;

/// An interaction, as far as a rollup is concerned.
#[derive(Clone, Copy, Debug)]
pub struct Observation<'a> {
    /// How good it was; none where it was not scored.
    pub score: Option<&'a Score>,
    /// For how many interactions it stands: above 0 and at most [`Observation::MAX_WEIGHT`].
    pub weight: f64,
    /// How long it took, in milliseconds, at least 0.
    pub latency_ms: Option<i32>,
    /// What was noticed. A flag counts once, however often it is named.
    pub flags: &'a [String],
    /// How many pieces of personal data were masked, by the sender and by us.
    pub redacted: u32,
    /// How many we masked of each kind.
    pub redactions: &'a [(&'a str, u32)],
}

impl Observation<'_> {
    /// The largest weight: one interaction drawn of a million. With it no sum leaves the range of a float.
    pub const MAX_WEIGHT: f64 = 1e6;
}

/// What an hour of interactions came to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Rollup {
    #[serde(rename = "n")]
    interactions: u64,
    #[serde(rename = "w")]
    weight: f64,
    #[serde(rename = "s", skip_serializing_if = "Scores::is_empty")]
    scores: Scores,
    #[serde(rename = "l", skip_serializing_if = "Latencies::is_empty")]
    latencies: Latencies,
    #[serde(rename = "f", skip_serializing_if = "NameCounts::is_empty")]
    flags: NameCounts,
    #[serde(rename = "r", skip_serializing_if = "is_zero")]
    redacted: u64,
    #[serde(rename = "ri", skip_serializing_if = "is_zero")]
    redacted_interactions: u64,
    #[serde(rename = "k", skip_serializing_if = "NameCounts::is_empty")]
    redactions: NameCounts,
    #[serde(rename = "d", skip_serializing_if = "Drops::is_empty")]
    drops: Drops,
}

/// Why an observation does not go into a rollup.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum RollupError {
    /// The weight is not one.
    #[error("weight {0} is not above 0 and at most 1000000")]
    Weight(f64),
    /// The latency is negative.
    #[error("latency {0} ms is below 0")]
    Latency(i32),
}

impl Rollup {
    /// Adds an interaction that was stored.
    ///
    /// # Errors
    /// When its weight or its latency is out of range; the rollup is then as it was.
    pub fn add(&mut self, observation: &Observation<'_>) -> Result<(), RollupError> {
        let weight = observation.weight;
        if !(weight > 0.0 && weight <= Observation::MAX_WEIGHT) {
            return Err(RollupError::Weight(weight));
        }
        if let Some(latency_ms) = observation.latency_ms {
            let latency_ms = u32::try_from(latency_ms).map_err(|_| RollupError::Latency(latency_ms))?;
            self.latencies.add(latency_ms, weight);
        }
        self.interactions += 1;
        self.weight += weight;
        if let Some(score) = observation.score {
            self.scores.add(score, weight);
        }
        for flag in observation.flags.iter().collect::<BTreeSet<_>>() {
            self.flags.add(flag, 1);
        }
        self.redacted += u64::from(observation.redacted);
        self.redacted_interactions += u64::from(observation.redacted > 0);
        for (kind, count) in observation.redactions {
            self.redactions.add(kind, u64::from(*count));
        }
        Ok(())
    }

    /// Adds interactions that were not stored.
    pub fn add_drops(&mut self, reason: DropReason, count: u64) {
        self.drops.add(reason, count);
    }

    /// Adds all that `other` holds.
    pub fn merge(&mut self, other: &Self) {
        self.interactions += other.interactions;
        self.weight += other.weight;
        self.scores.merge(&other.scores);
        self.latencies.merge(&other.latencies);
        self.flags.merge(&other.flags);
        self.redacted += other.redacted;
        self.redacted_interactions += other.redacted_interactions;
        self.redactions.merge(&other.redactions);
        for (reason, count) in &other.drops.0 {
            self.drops.add(*reason, *count);
        }
    }

    /// How many interactions were stored.
    #[must_use]
    pub const fn interactions(&self) -> u64 {
        self.interactions
    }

    /// For how many interactions those stand: Σw.
    #[must_use]
    pub const fn weight(&self) -> f64 {
        self.weight
    }

    /// The scores of those that have one.
    #[must_use]
    pub const fn scores(&self) -> &Scores {
        &self.scores
    }

    /// How long those took of which it is known.
    #[must_use]
    pub const fn latencies(&self) -> &Latencies {
        &self.latencies
    }

    /// How many interactions have a flag.
    #[must_use]
    pub const fn flags(&self) -> &NameCounts {
        &self.flags
    }

    /// How many pieces of personal data were masked.
    #[must_use]
    pub const fn redacted(&self) -> u64 {
        self.redacted
    }

    /// In how many interactions any were masked.
    #[must_use]
    pub const fn redacted_interactions(&self) -> u64 {
        self.redacted_interactions
    }

    /// How many pieces of personal data of a kind we masked.
    #[must_use]
    pub const fn redactions(&self) -> &NameCounts {
        &self.redactions
    }

    /// How many interactions were not stored for this reason.
    #[must_use]
    pub fn drops(&self, reason: DropReason) -> u64 {
        self.drops.0.get(&reason).copied().unwrap_or_default()
    }
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// How many interactions were not stored, by reason; in JSON by the word for it.
#[derive(Clone, Debug, Default, PartialEq)]
struct Drops(BTreeMap<DropReason, u64>);

impl Drops {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn add(&mut self, reason: DropReason, count: u64) {
        if count > 0 {
            *self.0.entry(reason).or_default() += count;
        }
    }
}

impl Serialize for Drops {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(reason, count)| (reason.as_str(), count)))
    }
}

impl<'de> Deserialize<'de> for Drops {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let words = BTreeMap::<String, u64>::deserialize(deserializer)?;
        let mut drops = Self::default();
        for (word, count) in words {
            let reason = DropReason::parse(&word)
                .ok_or_else(|| de::Error::custom(format_args!("`{word}` is no reason for a drop")))?;
            drops.add(reason, count);
        }
        Ok(drops)
    }
}
