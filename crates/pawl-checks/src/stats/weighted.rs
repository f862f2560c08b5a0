//! Estimates from a sample whose rows stand for different numbers of cases.
//!
//! A row's weight is one over the probability that it was drawn, known and not estimated. Everything is computed from
//! sums that can be added up in any order and grouping, so that nothing needs the rows themselves.

use serde::{Deserialize, Serialize};

use super::{Interval, Probability, proportion::wilson_of_rate, student::student_quantile};

/// The weights of some rows, added up.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Weights {
    /// How many rows: n.
    pub count: u64,
    /// For how many cases they stand: Σw.
    pub sum: f64,
    /// Σw².
    pub squares: f64,
}

impl Weights {
    /// Adds a row.
    pub fn add(&mut self, weight: f64) {
        self.merge(Self {
            count: 1,
            sum: weight,
            squares: weight * weight,
        });
    }

    /// Adds the rows of `other`.
    pub fn merge(&mut self, other: Self) {
        self.count += other.count;
        self.sum += other.sum;
        self.squares += other.squares;
    }

    /// How many equally weighted rows would be as informative, (Σw)² / Σw², between 1 and n; 0 without rows.
    ///
    /// Source: Kish (1965), Survey Sampling, section 11.7.
    #[must_use]
    pub fn effective_count(&self) -> f64 {
        if self.count == 0 {
            return 0.0;
        }
        // Rounding may push the quotient past what Cauchy and Schwarz allow.
        (self.sum * self.sum / self.squares).clamp(1.0, self.count as f64)
    }
}

impl FromIterator<Weights> for Weights {
    fn from_iter<I: IntoIterator<Item = Weights>>(parts: I) -> Self {
        parts.into_iter().fold(Self::default(), |mut sum, part| {
            sum.merge(part);
            sum
        })
    }
}

/// The values x of some rows with their weights w, added up; the weights alone are [`Weights`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WeightedValues {
    /// Σw·x.
    #[serde(rename = "wx")]
    pub sum: f64,
    /// Σw²·x.
    #[serde(rename = "w2x")]
    pub squared_weights: f64,
    /// Σw²·x².
    #[serde(rename = "w2x2")]
    pub squares: f64,
}

impl WeightedValues {
    /// Adds a row.
    pub fn add(&mut self, value: f64, weight: f64) {
        self.merge(Self {
            sum: weight * value,
            squared_weights: weight * weight * value,
            squares: weight * weight * value * value,
        });
    }

    /// Adds the rows of `other`.
    pub fn merge(&mut self, other: Self) {
        self.sum += other.sum;
        self.squared_weights += other.squared_weights;
        self.squares += other.squares;
    }
}

/// What a weighted sample says of all cases.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// The estimate.
    pub value: f64,
    /// Where the truth plausibly lies; absent where the rows have no spread to judge by.
    pub interval: Option<Interval>,
    /// How many rows it rests on.
    pub count: u64,
    /// How many equally weighted rows would be as informative.
    pub effective_count: f64,
}

/// A weighted variance below this is rounding: values between 0 and 1 that differ by less than 10⁻⁵ are equal.
const ROUNDING: f64 = 1e-10;

/// The mean m = Σw·x / Σw of values between 0 and 1, with Student's interval; `None` without rows.
///
/// The variance is that of a ratio of two sums over independent rows, linearised: Σw²(x − m)² / (Σw)², times n / (n − 1).
/// The degrees of freedom are those of the effective count. Rows that were certain to be drawn (weight 1) need no
/// treatment of their own: what the formula estimates is the mean that the cases come from, which they vary around too.
///
/// Source: Särndal, Swensson and Wretman (1992), Model Assisted Survey Sampling, sections 5.6 and 5.7.
#[must_use]
pub fn weighted_mean(weights: Weights, values: WeightedValues, confidence: Probability) -> Option<Estimate> {
    if weights.count == 0 {
        return None;
    }
    let mean = (values.sum / weights.sum).clamp(0.0, 1.0);
    let deviations = values.squares - 2.0 * mean * values.squared_weights + mean * mean * weights.squares;
    let effective_count = weights.effective_count();
    let has_spread = weights.count > 1 && deviations > ROUNDING * weights.squares;
    let interval = has_spread.then(|| {
        let n = weights.count as f64;
        let standard_error = (deviations * n / (n - 1.0)).sqrt() / weights.sum;
        let degrees = (effective_count - 1.0).max(1.0);
        let quantile = student_quantile(1.0 - confidence.tail(), degrees);
        Interval::around(mean, quantile * standard_error).clamp(0.0, 1.0)
    });
    Some(Estimate {
        value: mean,
        interval,
        count: weights.count,
        effective_count,
    })
}

/// The share p = Σw over successes / Σw over all, with Wilson's interval for the effective count; `None` without rows.
///
/// The effective count is Kish's, or p(1 − p) divided by the linearised variance of p where that is smaller: where the
/// successes weigh more than the failures and are few, Kish's would promise too much. Where it is larger it is not
/// trusted: it would be the larger, the more of the heavy failures the sample happens to have missed.
///
/// Sources: Wilson as in [`super::wilson`]; Korn and Graubard (1998), "Confidence intervals for proportions with small
/// expected number of positive counts estimated from survey data", Survey Methodology 24, 193–201.
#[must_use]
pub fn weighted_rate(successes: Weights, failures: Weights, confidence: Probability) -> Option<Estimate> {
    let all = Weights::from_iter([successes, failures]);
    if all.count == 0 {
        return None;
    }
    let rate = successes.sum / all.sum;
    let complement = failures.sum / all.sum;
    let deviations = complement * complement * successes.squares + rate * rate * failures.squares;
    let linearised = rate * complement * all.sum * all.sum / deviations;
    // Without successes or without failures this is 0/0, and the smaller one is Kish's.
    let effective_count = all.effective_count().min(linearised);
    Some(Estimate {
        value: rate,
        interval: Some(wilson_of_rate(rate, effective_count, confidence)),
        count: all.count,
        effective_count,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::stats::{mean_interval, wilson};

    fn sums(rows: &[(f64, f64)]) -> (Weights, WeightedValues) {
        let (mut weights, mut values) = (Weights::default(), WeightedValues::default());
        for &(value, weight) in rows {
            weights.add(weight);
            values.add(value, weight);
        }
        (weights, values)
    }

    fn mean(rows: &[(f64, f64)]) -> Option<Estimate> {
        let (weights, values) = sums(rows);
        weighted_mean(weights, values, Probability::P95)
    }

    #[test]
    fn a_worked_example_comes_out_as_by_hand() {
        // m = 3.1 / 6; Σw²(x − m)² = 0.026111, × 4/3, √ / 6 = 0.031098; effective 36 / 10; t(2.6) at 97.5 % = 3.478182 by
        // numerical integration of the density.
        let estimate = mean(&[(0.4, 1.0), (0.6, 1.0), (0.5, 2.0), (0.55, 2.0)]).unwrap();
        assert!((estimate.value - 3.1 / 6.0).abs() < 1e-12);
        assert!((estimate.effective_count - 3.6).abs() < 1e-12);
        let interval = estimate.interval.unwrap();
        assert!((interval.lower - 0.408_502_564_7).abs() < 1e-9, "{interval:?}");
        assert!((interval.upper - 0.624_830_768_6).abs() < 1e-9, "{interval:?}");
    }

    #[test]
    fn the_interval_ends_where_scores_do() {
        let estimate = mean(&[(0.0, 1.0), (1.0, 4.0), (0.6, 5.0)]).unwrap();
        let everything = Interval {
            lower: 0.0,
            upper: 1.0,
        };
        assert_eq!(estimate.interval, Some(everything));
    }

    #[test]
    fn no_rows_say_nothing_and_equal_ones_nothing_of_the_spread() {
        assert_eq!(mean(&[]), None);
        for rows in [
            &[(0.3, 7.0)][..],
            &[(0.1, 1.0), (0.1, 2.0), (0.1, 3.0)],
            &[(0.0, 2.0); 50],
        ] {
            let estimate = mean(rows).unwrap();
            assert!((estimate.value - rows[0].0).abs() < 1e-12);
            assert_eq!(estimate.interval, None, "{rows:?}");
        }
        assert_eq!(
            weighted_rate(Weights::default(), Weights::default(), Probability::P95),
            None
        );
    }

    #[test]
    fn a_few_heavy_successes_are_not_taken_for_many() {
        let part = |count, weight: f64| Weights {
            count,
            sum: count as f64 * weight,
            squares: count as f64 * weight * weight,
        };
        let rate = |successes, failures| weighted_rate(successes, failures, Probability::P95).unwrap();
        // One success of weight 20 beside 80 failures of weight 1: p = 0.2, √(0.8²·400 + 0.2²·80) / 100 = 0.161.
        let few = rate(part(1, 20.0), part(80, 1.0));
        assert!((few.effective_count - 0.16 / (0.64 * 400.0 + 0.04 * 80.0) * 10_000.0).abs() < 1e-9);
        // The same the other way round.
        let many = rate(part(80, 1.0), part(1, 20.0));
        assert!((many.effective_count - few.effective_count).abs() < 1e-9);
        // The variance would allow for more than Kish's count does.
        let kept = rate(part(9, 20.0), part(20, 1.0));
        assert!((kept.effective_count - 40_000.0 / 3_620.0).abs() < 1e-9);
        for (successes, failures, value) in [
            (part(9, 20.0), part(0, 1.0), 1.0),
            (part(0, 1.0), part(9, 20.0), 0.0),
        ] {
            let estimate = rate(successes, failures);
            assert_eq!((estimate.value, estimate.effective_count), (value, 9.0));
            assert!(estimate.interval.unwrap().contains(value));
        }
    }

    proptest! {
        #[test]
        fn equal_weights_change_nothing(
            values in proptest::collection::vec(0.0..=1.0f64, 2..60),
            weight in 1.0..100.0f64,
        ) {
            let rows: Vec<_> = values.iter().map(|value| (*value, weight)).collect();
            let weighted = mean(&rows).unwrap();
            let plain = mean_interval(&values, Probability::P95).unwrap();
            prop_assert!((weighted.value - plain.mean).abs() < 1e-12);
            prop_assume!(plain.standard_deviation.unwrap() > 1e-3);
            let (weighted, plain) = (weighted.interval.unwrap(), plain.interval.unwrap().clamp(0.0, 1.0));
            prop_assert!((weighted.lower - plain.lower).abs() < 1e-6, "{weighted:?} {plain:?}");
            prop_assert!((weighted.upper - plain.upper).abs() < 1e-6, "{weighted:?} {plain:?}");
        }

        #[test]
        fn equal_weights_give_wilsons_interval(
            (total, successes) in (1..100_000u64).prop_flat_map(|total| (Just(total), 0..=total)),
            weight in 1.0..100.0f64,
        ) {
            let part = |count: u64| Weights {
                count,
                sum: count as f64 * weight,
                squares: count as f64 * weight * weight,
            };
            let weighted = weighted_rate(part(successes), part(total - successes), Probability::P95).unwrap();
            let (weighted, plain) = (weighted.interval.unwrap(), wilson(successes, total, Probability::P95));
            prop_assert!((weighted.lower - plain.lower).abs() < 1e-9 && (weighted.upper - plain.upper).abs() < 1e-9);
        }

        #[test]
        fn the_interval_holds_the_estimate(
            rows in proptest::collection::vec((0.0..=1.0f64, prop_oneof![Just(1.0), 1.0..100.0f64]), 1..80),
        ) {
            let estimate = mean(&rows).unwrap();
            let spans = |interval: Interval| {
                0.0 <= interval.lower && interval.upper <= 1.0 && interval.contains(estimate.value)
            };
            prop_assert!(estimate.interval.is_none_or(spans), "{estimate:?}");
            prop_assert!(1.0 <= estimate.effective_count && estimate.effective_count <= rows.len() as f64);
        }
    }
}
