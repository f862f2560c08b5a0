//! McNemar's exact test for pass/fail results of the same cases.

/// Two-sided p-value of McNemar's exact test, in (0, 1]: how surprising the flips are if both sides pass equally often.
///
/// `only_first_passed` ("b") and `only_second_passed` ("c") count the discordant pairs; only they carry information, and
/// under the null hypothesis each falls on either side like a fair coin: p = min(1, 2 · P(X ≤ min(b, c))) with
/// X ~ Binomial(b + c, ½). Without a discordant pair p is 1. A p-value below the smallest positive number is that number.
///
/// Source: McNemar (1947), "Note on the sampling error of the difference between correlated proportions or percentages",
/// Psychometrika 12, 153–157; exact binomial form as in Agresti (2013), Categorical Data Analysis, section 11.1.2.
#[must_use]
pub fn mcnemar_exact(only_first_passed: u64, only_second_passed: u64) -> f64 {
    let flips = only_first_passed + only_second_passed;
    let fewer = only_first_passed.min(only_second_passed);
    // Binomial weights relative to the one in the middle, from there down to 0: products of simple ratios, so no
    // factorial is ever formed and the rounding error stays near √flips · 2⁻⁵³. The upper half is the mirror image.
    let middle = flips / 2;
    let mut weight = 1.0_f64;
    let mut lower_half = 0.0_f64;
    let mut tail = 0.0_f64;
    for successes in (0..=middle).rev() {
        lower_half += weight;
        if successes <= fewer {
            tail += weight;
        }
        weight *= successes as f64 / (flips - successes + 1) as f64;
        let negligible = if successes <= fewer {
            tail * f64::EPSILON / 8.0
        } else {
            0.0
        };
        if weight <= negligible {
            break;
        }
    }
    let all = if flips.is_multiple_of(2) {
        2.0 * lower_half - 1.0
    } else {
        2.0 * lower_half
    };
    (2.0 * tail / all).clamp(f64::MIN_POSITIVE, 1.0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// scipy.stats.binomtest(b, b + c, 0.5).pvalue
    const SCIPY: [(u64, u64, f64); 7] = [
        (1, 0, 1.0),
        (5, 5, 1.0),
        (3, 10, 0.09228515625),
        (10, 25, 0.016673847800120715),
        (120, 170, 0.00393333651282517),
        (49_500, 50_500, 0.0015823598788515154),
        (499_000, 501_000, 0.0456082998653896),
    ];

    #[test]
    fn agrees_with_scipy() {
        for (b, c, expected) in SCIPY {
            let actual = mcnemar_exact(b, c);
            assert!(
                (actual / expected - 1.0).abs() < 1e-11,
                "b={b} c={c}: {actual} is not {expected}"
            );
        }
    }

    #[test]
    fn six_flips_of_one_kind_are_the_fewest_that_can_matter() {
        assert!((mcnemar_exact(5, 0) - 0.0625).abs() < 1e-15);
        assert!((mcnemar_exact(6, 0) - 0.03125).abs() < 1e-15);
    }

    #[test]
    fn a_p_value_is_never_zero() {
        assert_eq!(mcnemar_exact(0, 1_000_000), f64::MIN_POSITIVE);
    }

    proptest! {
        #[test]
        fn is_a_symmetric_p_value(b in 0..200_000u64, c in 0..200_000u64) {
            let p = mcnemar_exact(b, c);
            prop_assert!(p > 0.0 && p <= 1.0);
            prop_assert_eq!(p, mcnemar_exact(c, b));
        }

        #[test]
        fn falls_as_the_flips_lean_to_one_side(total in 2..3_000u64, fewer in 0..1_500u64) {
            prop_assume!(2 * (fewer + 1) <= total);
            prop_assert!(mcnemar_exact(fewer, total - fewer) <= mcnemar_exact(fewer + 1, total - fewer - 1));
        }
    }
}
