//! Intervals for pass rates, and for the difference of two pass rates over the same cases.

use serde::Serialize;

use super::{Interval, Probability};

/// Wilson's score interval for a rate of `successes` out of `total`; a fraction, always inside [0, 1].
///
/// Its ends are exactly 0 and 1 where no case or every case passed; of nothing, everything is plausible: [0, 1].
///
/// Source: Wilson (1927), "Probable inference, the law of succession, and statistical inference", JASA 22, 209–212;
/// recommended over the Wald interval by Brown, Cai and DasGupta (2001), Statistical Science 16, section 4.
///
/// # Panics
/// When there are more successes than cases.
#[must_use]
pub fn wilson(successes: u64, total: u64, confidence: Probability) -> Interval {
    assert!(successes <= total, "{successes} successes out of {total}");
    if total == 0 {
        return Interval {
            lower: 0.0,
            upper: 1.0,
        };
    }
    wilson_of_rate(successes as f64 / total as f64, total as f64, confidence)
}

/// Wilson's interval for a rate that was seen in `n` cases, not necessarily a whole number of them.
pub(super) fn wilson_of_rate(rate: f64, n: f64, confidence: Probability) -> Interval {
    let z = confidence.two_sided_z();
    let shrink = 1.0 + z * z / n;
    let centre = (rate + z * z / (2.0 * n)) / shrink;
    let half_width = z / shrink * (rate * (1.0 - rate) / n + z * z / (4.0 * n * n)).sqrt();
    let interval = Interval::around(centre, half_width)
        .including(rate)
        .clamp(0.0, 1.0);
    // At the two extremes the formula gives 0 and 1 in exact arithmetic.
    Interval {
        lower: if rate == 0.0 { 0.0 } else { interval.lower },
        upper: if rate == 1.0 { 1.0 } else { interval.upper },
    }
}

/// Pairs of pass/fail results of the same cases, counted; what is not a pass counts as not passed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PairedCounts {
    /// All pairs.
    pub pairs: u64,
    /// Pairs where only the first passed ("b"): lost.
    pub only_first_passed: u64,
    /// Pairs where only the second passed ("c"): gained.
    pub only_second_passed: u64,
}

impl PairedCounts {
    /// Pairs whose two results differ.
    #[must_use]
    pub const fn discordant(&self) -> u64 {
        self.only_first_passed + self.only_second_passed
    }
}

/// The interval for the difference of two pass rates over the same cases (second − first), a fraction inside [−1, 1].
///
/// Wald's paired interval after adding half a case to each of the four cells, (c − b) / (n + 2) ± z·√…, which keeps its
/// coverage with few cases and stays open where no result flipped. Of nothing, everything is plausible: [−1, 1].
///
/// Source: Agresti and Min (2005), "Simple improved confidence intervals for comparing matched proportions",
/// Statistics in Medicine 24, 729–740, section 3.
///
/// # Panics
/// When there are more discordant pairs than pairs.
#[must_use]
pub fn paired_rate_difference(counts: PairedCounts, confidence: Probability) -> Interval {
    assert!(
        counts.discordant() <= counts.pairs,
        "{} of {} discordant",
        counts.discordant(),
        counts.pairs
    );
    if counts.pairs == 0 {
        return Interval {
            lower: -1.0,
            upper: 1.0,
        };
    }
    let lost = counts.only_first_passed as f64 + 0.5;
    let gained = counts.only_second_passed as f64 + 0.5;
    let n = counts.pairs as f64 + 2.0;
    let centre = (gained - lost) / n;
    let variance = ((lost + gained) / n - centre * centre) / n;
    let difference = (gained - lost) / counts.pairs as f64;
    // The centre is drawn towards 0: at a low confidence the observed difference could fall outside.
    Interval::around(centre, confidence.two_sided_z() * variance.sqrt())
        .including(difference)
        .clamp(-1.0, 1.0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// statsmodels.stats.proportion.proportion_confint(successes, total, alpha=0.05, method="wilson")
    const WILSON: [(u64, u64, (f64, f64)); 7] = [
        (0, 10, (0.0, 0.27753279986288926)),
        (1, 10, (0.017876213095072924, 0.40415002679523854)),
        (8, 10, (0.49016247153664183, 0.9433178485456247)),
        (10, 10, (0.7224672001371106, 1.0)),
        (41, 50, (0.692039463256992, 0.902298073297658)),
        (499, 500, (0.9887592932948532, 0.9996468636054407)),
        (123_456, 1_000_000, (0.12281269653142285, 0.12410219641400438)),
    ];

    fn assert_close(actual: Interval, expected: (f64, f64)) {
        assert!(
            (actual.lower - expected.0).abs() < 1e-12,
            "{actual:?} is not {expected:?}"
        );
        assert!(
            (actual.upper - expected.1).abs() < 1e-12,
            "{actual:?} is not {expected:?}"
        );
    }

    #[test]
    fn wilson_agrees_with_statsmodels() {
        for (successes, total, expected) in WILSON {
            assert_close(wilson(successes, total, Probability::P95), expected);
        }
    }

    #[test]
    fn the_ends_are_exact_where_none_or_all_passed() {
        assert_eq!(wilson(0, 50, Probability::P95).lower, 0.0);
        assert_eq!(wilson(50, 50, Probability::P95).upper, 1.0);
        assert_eq!(
            wilson(0, 0, Probability::P95),
            Interval {
                lower: 0.0,
                upper: 1.0
            }
        );
    }

    #[test]
    fn no_flip_does_not_mean_no_doubt() {
        let counts = PairedCounts {
            pairs: 50,
            only_first_passed: 0,
            only_second_passed: 0,
        };
        let interval = paired_rate_difference(counts, Probability::P95);
        assert!(interval.lower < -0.03 && interval.upper > 0.03, "{interval:?}");
    }

    fn confidence() -> impl Strategy<Value = Probability> {
        (0.01..0.9999f64).prop_map(|value| Probability::new(value).unwrap())
    }

    proptest! {
        #[test]
        fn wilson_stays_inside_and_holds_the_rate(
            (total, successes) in (1..2_000_000u64).prop_flat_map(|total| (Just(total), 0..=total)),
            confidence in confidence(),
        ) {
            let interval = wilson(successes, total, confidence);
            prop_assert!(0.0 <= interval.lower && interval.upper <= 1.0);
            prop_assert!(interval.contains(successes as f64 / total as f64));
            let mirrored = wilson(total - successes, total, confidence);
            prop_assert!((interval.lower - (1.0 - mirrored.upper)).abs() < 1e-12);
        }

        #[test]
        fn the_difference_stays_inside_and_turns_with_the_sides(
            (pairs, lost, gained) in (1..1_000_000u64)
                .prop_flat_map(|pairs| (Just(pairs), 0..=pairs))
                .prop_flat_map(|(pairs, lost)| (Just(pairs), Just(lost), 0..=pairs - lost)),
            confidence in confidence(),
        ) {
            let interval = |lost, gained| {
                let counts = PairedCounts { pairs, only_first_passed: lost, only_second_passed: gained };
                paired_rate_difference(counts, confidence)
            };
            let there = interval(lost, gained);
            let back = interval(gained, lost);
            prop_assert!(-1.0 <= there.lower && there.upper <= 1.0);
            prop_assert!(there.contains((gained as f64 - lost as f64) / pairs as f64));
            prop_assert!((there.lower + back.upper).abs() < 1e-12 && (there.upper + back.lower).abs() < 1e-12);
        }
    }
}
