//! What a rollup says of all interactions, those included that were not stored.

use std::num::NonZeroU8;

use serde::Serialize;

use super::{Rollup, Scores};
use crate::stats::{Estimate, Probability, Weights, weighted_mean, weighted_rate};

/// One bar of a histogram of scores.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct HistogramBar {
    /// The lowest whole percent in it.
    pub from_pct: u8,
    /// The highest whole percent in it.
    pub to_pct: u8,
    /// How many scores are in it.
    pub count: u64,
    /// For how many interactions those stand.
    pub weight: f64,
}

impl Rollup {
    /// The mean score from 0 to 1, with its 95 % interval; none where nothing was scored.
    #[must_use]
    pub fn mean_score(&self) -> Option<Estimate> {
        weighted_mean(self.scores.weights(), self.scores.values(), Probability::P95)
    }

    /// The share of scored interactions that reach a whole percent, with its 95 % interval; none where nothing was scored.
    #[must_use]
    pub fn success_rate(&self, threshold_pct: u8) -> Option<Estimate> {
        let (mut successes, mut failures) = (Weights::default(), Weights::default());
        for (percent, weights) in self.scores.buckets() {
            if percent >= threshold_pct {
                successes.merge(weights);
            } else {
                failures.merge(weights);
            }
        }
        weighted_rate(successes, failures, Probability::P95)
    }

    /// The latency in milliseconds that at least this share of interactions does not exceed, to within 1 %; none where no
    /// latency is known.
    #[must_use]
    pub fn latency_percentile(&self, share: Probability) -> Option<f64> {
        self.latencies.percentile(share)
    }

    /// The share of the stored interactions that have a score; none without interactions.
    #[must_use]
    pub fn coverage(&self) -> Option<f64> {
        self.share(self.scores.weights().count)
    }

    /// The share of the stored interactions in which personal data was masked; none without interactions.
    #[must_use]
    pub fn redaction_rate(&self) -> Option<f64> {
        self.share(self.redacted_interactions)
    }

    fn share(&self, count: u64) -> Option<f64> {
        (self.interactions > 0).then(|| count as f64 / self.interactions as f64)
    }
}

impl Scores {
    /// The scores in bars of this many whole percents each, empty ones included; the last ends at 100 %, and with it holds
    /// one percent more where the width divides 100.
    #[must_use]
    pub fn histogram(&self, width_pct: NonZeroU8) -> Vec<HistogramBar> {
        let width = width_pct.get().min(100);
        let mut bars: Vec<_> = (0..100)
            .step_by(usize::from(width))
            .map(|from_pct: u8| HistogramBar {
                from_pct,
                to_pct: if from_pct + width < 100 {
                    from_pct + width - 1
                } else {
                    100
                },
                count: 0,
                weight: 0.0,
            })
            .collect();
        for (percent, weights) in self.buckets() {
            if let Some(bar) = bars.iter_mut().find(|bar| percent <= bar.to_pct) {
                bar.count += weights.count;
                bar.weight += weights.sum;
            }
        }
        bars
    }
}
