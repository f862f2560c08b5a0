//! Scores by whole percent, and the sums for their mean.

use std::collections::BTreeMap;

use pawl_model::Score;
use serde::{Deserialize, Serialize};

use crate::stats::{WeightedValues, Weights};

/// Scores of interactions: a bucket for each whole percent that a score reached, and what their mean is made of.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Scores {
    #[serde(rename = "b")]
    buckets: Buckets,
    #[serde(rename = "v")]
    values: WeightedValues,
}

/// In JSON: percent, count, Σw, Σw².
type Row = (u8, u64, f64, f64);

/// Buckets that hold something, by percent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Vec<Row>", into = "Vec<Row>")]
struct Buckets(BTreeMap<u8, Weights>);

impl From<Buckets> for Vec<Row> {
    fn from(buckets: Buckets) -> Self {
        let row = |(percent, weights): (u8, Weights)| (percent, weights.count, weights.sum, weights.squares);
        buckets.0.into_iter().map(row).collect()
    }
}

impl TryFrom<Vec<Row>> for Buckets {
    type Error = String;

    fn try_from(rows: Vec<Row>) -> Result<Self, String> {
        let mut buckets = Self::default();
        for (percent, count, sum, squares) in rows {
            if percent > 100 || count == 0 || sum <= 0.0 || squares <= 0.0 {
                return Err(format!(
                    "no scores of {percent} % are {count} of weight {sum} and squared weight {squares}"
                ));
            }
            let weights = Weights { count, sum, squares };
            buckets.0.entry(percent).or_default().merge(weights);
        }
        Ok(buckets)
    }
}

impl Scores {
    pub(super) fn add(&mut self, score: &Score, weight: f64) {
        self.buckets.0.entry(score.percent()).or_default().add(weight);
        self.values.add(score.as_f64(), weight);
    }

    pub(super) fn merge(&mut self, other: &Self) {
        for (percent, weights) in other.buckets() {
            self.buckets.0.entry(percent).or_default().merge(weights);
        }
        self.values.merge(other.values);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.buckets.0.is_empty()
    }

    /// The whole percents that scores reached, in ascending order, with the weights of those scores.
    pub fn buckets(&self) -> impl Iterator<Item = (u8, Weights)> {
        self.buckets
            .0
            .iter()
            .map(|(percent, weights)| (*percent, *weights))
    }

    /// The weights of all scores.
    #[must_use]
    pub fn weights(&self) -> Weights {
        self.buckets.0.values().copied().collect()
    }

    /// The scores with their weights, added up.
    #[must_use]
    pub const fn values(&self) -> WeightedValues {
        self.values
    }
}
