//! Means of scores, and Student's interval for them.

use serde::Serialize;

use super::{Interval, Probability, StatisticsError, student::student_quantile};

/// How an interval was made, or why there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum IntervalMethod {
    /// The bootstrap-t interval, nowhere narrower than Student's.
    BootstrapT,
    /// Student's t interval.
    StudentT,
    /// No interval: a single value, or values that are all equal, say nothing about the spread.
    NoSpread,
}

/// A mean with its interval, in the unit of the values.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct MeanEstimate {
    /// How many values.
    pub count: u64,
    /// Their arithmetic mean.
    pub mean: f64,
    /// Their standard deviation (divisor n − 1); absent for a single value.
    pub standard_deviation: Option<f64>,
    /// Where the true mean plausibly lies; absent where the values have no spread.
    pub interval: Option<Interval>,
    /// How the interval was made.
    pub method: IntervalMethod,
}

/// The mean of `values` with Student's interval: mean ± t(n − 1) · s / √n.
///
/// Source: Student (1908), "The probable error of a mean", Biometrika 6, 1–25.
///
/// # Errors
/// When there is no value, one is not finite, or their variance is not.
pub fn mean_interval(values: &[f64], confidence: Probability) -> Result<MeanEstimate, StatisticsError> {
    Ok(Sample::new(values)?.student_estimate(confidence))
}

/// Values that differ by less than this (or this share of the largest) are equal: sums of scores round differently.
const ROUNDING: f64 = 1e-12;

/// Values in ascending order, so that no result depends on the order in which they came, and their moments.
pub(super) struct Sample {
    sorted: Vec<f64>,
    mean: f64,
    deviation: Option<f64>,
}

impl Sample {
    pub(super) fn new(values: &[f64]) -> Result<Self, StatisticsError> {
        if let Some(index) = values.iter().position(|value| !value.is_finite()) {
            return Err(StatisticsError::NotFinite { index });
        }
        let mut sorted = values.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        let (&[first, ..], &[.., last]) = (&*sorted, &*sorted) else {
            return Err(StatisticsError::Empty);
        };
        let n = count(&sorted);
        let (mean, variance) = if equal(first, last) {
            (sorted[sorted.len() / 2], 0.0)
        } else {
            let mean = sorted.iter().sum::<f64>() / n;
            (
                mean,
                sorted
                    .iter()
                    .map(|value| (value - mean) * (value - mean))
                    .sum::<f64>()
                    / (n - 1.0),
            )
        };
        if !variance.is_finite() {
            return Err(StatisticsError::TooLarge);
        }
        let deviation = (sorted.len() > 1).then(|| variance.sqrt());
        Ok(Self {
            sorted,
            mean,
            deviation,
        })
    }

    pub(super) fn len(&self) -> usize {
        self.sorted.len()
    }

    pub(super) fn mean(&self) -> f64 {
        self.mean
    }

    /// The values minus their mean, in ascending order.
    pub(super) fn centred(&self) -> Vec<f64> {
        self.sorted.iter().map(|value| value - self.mean).collect()
    }

    /// The estimated standard deviation of the mean; absent where the values have no spread.
    pub(super) fn standard_error(&self) -> Option<f64> {
        self.deviation
            .filter(|deviation| *deviation > 0.0)
            .map(|deviation| deviation / count(&self.sorted).sqrt())
    }

    /// How many values differ from the middle one.
    pub(super) fn away_from_median(&self) -> usize {
        let median = self.sorted[self.sorted.len() / 2];
        self.sorted.iter().filter(|value| !equal(**value, median)).count()
    }

    pub(super) fn student_estimate(&self, confidence: Probability) -> MeanEstimate {
        let interval = self.standard_error().map(|standard_error| {
            let quantile = student_quantile(1.0 - confidence.tail(), count(&self.sorted) - 1.0);
            Interval::around(self.mean, quantile * standard_error)
        });
        MeanEstimate {
            count: self.sorted.len() as u64,
            mean: self.mean,
            standard_deviation: self.deviation,
            interval,
            method: if interval.is_some() {
                IntervalMethod::StudentT
            } else {
                IntervalMethod::NoSpread
            },
        }
    }
}

fn equal(a: f64, b: f64) -> bool {
    (a - b).abs() <= ROUNDING * a.abs().max(b.abs()).max(1.0)
}

fn count(values: &[f64]) -> f64 {
    values.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_scipy() {
        // scipy.stats.t.interval(0.95, n - 1, loc=mean, scale=scipy.stats.sem(values))
        let estimate = mean_interval(&[0.2, 0.5, 0.9, 0.4, 0.75], Probability::P95).unwrap();
        let interval = estimate.interval.unwrap();
        assert!((estimate.mean - 0.55).abs() < 1e-15);
        assert!(
            (interval.lower - 0.2043353720096021).abs() < 1e-12,
            "{interval:?}"
        );
        assert!(
            (interval.upper - 0.8956646279903979).abs() < 1e-12,
            "{interval:?}"
        );
        assert_eq!(estimate.method, IntervalMethod::StudentT);
    }

    #[test]
    fn without_spread_there_is_no_interval() {
        for values in [&[0.3][..], &[0.1; 20], &[0.0, 0.1 + 0.2 - 0.3, 0.0]] {
            let estimate = mean_interval(values, Probability::P95).unwrap();
            assert_eq!(
                (estimate.interval, estimate.method),
                (None, IntervalMethod::NoSpread)
            );
            assert_eq!(estimate.mean, values[0]);
        }
        assert_eq!(
            mean_interval(&[0.3], Probability::P95)
                .unwrap()
                .standard_deviation,
            None
        );
    }

    #[test]
    fn bad_values_are_refused_by_index() {
        let refused = |values: &[f64]| mean_interval(values, Probability::P95).unwrap_err();
        assert_eq!(refused(&[]), StatisticsError::Empty);
        assert_eq!(refused(&[0.1, f64::NAN]), StatisticsError::NotFinite { index: 1 });
        assert_eq!(refused(&[f64::INFINITY]), StatisticsError::NotFinite { index: 0 });
        assert_eq!(refused(&[1e300, -1e300]), StatisticsError::TooLarge);
    }
}
