//! A sketch of latencies: percentiles to within one per cent, from a few hundred numbers that add up.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::stats::Probability;

/// The relative accuracy of a percentile.
const ACCURACY: f64 = 0.01;
/// The quotient of a bin's ends.
const GAMMA: f64 = (1.0 + ACCURACY) / (1.0 - ACCURACY);
/// The bin of the longest latency there is, 2³¹ − 1 ms.
const LAST_BIN: u16 = 1_075;

/// Latencies of interactions, a DDSketch: bin i holds the weight of those above γⁱ⁻¹ and up to γⁱ ms, with γ = 1.01/0.99.
///
/// At most 1,077 bins, so that none has ever to be collapsed.
///
/// Source: Masson, Rim and Lee (2019), "DDSketch: a fast and fully-mergeable quantile sketch with relative-error
/// guarantees", PVLDB 12, 2195–2205, section 2.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Latencies {
    #[serde(rename = "n")]
    count: u64,
    /// The weight of those of 0 ms, which no power reaches.
    #[serde(rename = "z")]
    zeros: f64,
    #[serde(rename = "b")]
    bins: Bins,
}

/// Bins that hold something, by their index.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Vec<(u16, f64)>", into = "Vec<(u16, f64)>")]
struct Bins(BTreeMap<u16, f64>);

impl From<Bins> for Vec<(u16, f64)> {
    fn from(bins: Bins) -> Self {
        bins.0.into_iter().collect()
    }
}

impl TryFrom<Vec<(u16, f64)>> for Bins {
    type Error = String;

    fn try_from(rows: Vec<(u16, f64)>) -> Result<Self, String> {
        let mut bins = Self::default();
        for (bin, weight) in rows {
            if bin > LAST_BIN || weight <= 0.0 {
                return Err(format!("no latencies are in bin {bin} with weight {weight}"));
            }
            bins.add(bin, weight);
        }
        Ok(bins)
    }
}

impl Bins {
    fn add(&mut self, bin: u16, weight: f64) {
        *self.0.entry(bin).or_default() += weight;
    }
}

impl Latencies {
    pub(super) fn add(&mut self, latency_ms: u32, weight: f64) {
        self.count += 1;
        match latency_ms {
            0 => self.zeros += weight,
            _ => self.bins.add(bin_of(latency_ms), weight),
        }
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.zeros += other.zeros;
        for (bin, weight) in &other.bins.0 {
            self.bins.add(*bin, *weight);
        }
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// How many latencies are known.
    #[must_use]
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// The latency in milliseconds that at least this share of the weight does not exceed (nearest rank), to within 1 %;
    /// none where no latency is known.
    pub(super) fn percentile(&self, share: Probability) -> Option<f64> {
        let steps = || {
            let bins = self.bins.0.iter().map(|(bin, weight)| (value_of(*bin), *weight));
            std::iter::once((0.0, self.zeros))
                .chain(bins)
                .filter(|(_, weight)| *weight > 0.0)
        };
        let rank = share.get() * steps().map(|(_, weight)| weight).sum::<f64>();
        let mut below = 0.0;
        steps()
            .find(|(_, weight)| {
                below += weight;
                below >= rank
            })
            .map(|(latency_ms, _)| latency_ms)
    }
}

/// The bin of a latency of at least 1 ms.
fn bin_of(latency_ms: u32) -> u16 {
    // Never negative and at most LAST_BIN; a float turns into an integer by saturation.
    (f64::from(latency_ms).ln() / GAMMA.ln()).ceil() as u16
}

/// The latency whose relative distance to both ends of its bin is the accuracy.
fn value_of(bin: u16) -> f64 {
    2.0 * GAMMA.powi(i32::from(bin)) / (GAMMA + 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_latency_is_within_one_percent_of_its_bin() {
        let powers = (0..31).flat_map(|power| [1_u32 << power, (1 << power) - 1, (1 << power) + 1]);
        for latency_ms in (1..200_000)
            .chain(powers)
            .chain([i32::MAX as u32])
            .filter(|ms| *ms > 0)
        {
            let bin = bin_of(latency_ms);
            let error = value_of(bin) / f64::from(latency_ms) - 1.0;
            assert!(error.abs() <= ACCURACY + 1e-12, "{latency_ms} ms: {error}");
            assert!(bin <= LAST_BIN);
        }
        assert_eq!(bin_of(1), 0);
        assert_eq!(bin_of(i32::MAX as u32), LAST_BIN);
    }

    #[test]
    fn zero_is_a_latency() {
        let mut latencies = Latencies::default();
        assert_eq!(latencies.percentile(Probability::P50), None);
        latencies.add(0, 2.0);
        latencies.add(100, 1.0);
        assert_eq!(latencies.percentile(Probability::P50), Some(0.0));
        assert!((latencies.percentile(Probability::P80).unwrap() - 100.0).abs() <= 1.0);
        assert_eq!(latencies.count(), 2);
    }
}
