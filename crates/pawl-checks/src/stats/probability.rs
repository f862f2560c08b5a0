//! A probability that is neither 0 nor 1.

use serde::Serialize;
use statrs::distribution::{ContinuousCDF, Normal};

use super::StatisticsError;

/// A probability strictly between 0 and 1: a confidence (0.95), a significance (0.05), a power (0.8).
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize)]
#[serde(transparent)]
pub struct Probability(f64);

impl Probability {
    /// 95 %, the usual confidence.
    pub const P95: Self = Self(0.95);
    /// 80 %, the usual power.
    pub const P80: Self = Self(0.8);
    /// One half: the median.
    pub const P50: Self = Self(0.5);
    /// 99 %: the tail that users notice.
    pub const P99: Self = Self(0.99);

    /// Checks the value.
    ///
    /// # Errors
    /// When it is not strictly between 0 and 1.
    pub fn new(value: f64) -> Result<Self, StatisticsError> {
        if value > 0.0 && value < 1.0 {
            Ok(Self(value))
        } else {
            Err(StatisticsError::NotAProbability { value })
        }
    }

    /// The number.
    #[must_use]
    pub const fn get(self) -> f64 {
        self.0
    }

    /// The probability left in each of the two tails outside a central interval of this confidence.
    pub(super) fn tail(self) -> f64 {
        (1.0 - self.0) / 2.0
    }

    /// The standard normal quantile that bounds a central interval of this confidence: 1.96 for 95 %.
    pub(super) fn two_sided_z(self) -> f64 {
        -normal_quantile(self.tail())
    }
}

/// The standard normal quantile of `probability`.
pub(super) fn normal_quantile(probability: f64) -> f64 {
    Normal::standard().inverse_cdf(probability)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn certainty_and_nonsense_are_refused() {
        for value in [0.0, 1.0, -0.1, 95.0, f64::NAN, f64::INFINITY] {
            assert!(Probability::new(value).is_err(), "{value}");
        }
        assert_eq!(Probability::new(0.95), Ok(Probability::P95));
    }

    #[test]
    fn normal_quantiles_agree_with_scipy() {
        // scipy.stats.norm.ppf
        for (probability, expected) in [
            (0.975, 1.959_963_984_540_054),
            (0.8, 0.841_621_233_572_914_3),
            (0.0005, -3.290_526_731_491_895),
        ] {
            assert!(
                (normal_quantile(probability) - expected).abs() < 1e-12,
                "{probability}"
            );
        }
        assert!((Probability::P95.two_sided_z() - 1.959_963_984_540_054).abs() < 1e-12);
    }
}
