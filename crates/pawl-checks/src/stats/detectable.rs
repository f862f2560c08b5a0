//! What a paired comparison could have seen: the smallest true difference it would probably have found.

use statrs::function::{beta::beta_reg, factorial::ln_binomial};

use super::{
    Probability, StatisticsError, mcnemar_exact, probability::normal_quantile, student::student_quantile,
};

/// The size of a paired comparison and what is asked of its test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TestDesign {
    /// How many pairs.
    pub pairs: u64,
    /// The significance of the two-sided test (0.05).
    pub significance: Probability,
    /// The chance with which a true difference is to be found (0.8).
    pub power: Probability,
}

/// Up to this many expected discordant pairs the power of the test is summed exactly.
const EXACT_UP_TO: f64 = 1_000.0;

/// The smallest true difference of pass rates (a fraction of the pairs) that McNemar's exact test would find with the
/// wanted power; absent where the pairs are too few to find any.
///
/// `discordance` is the share of pairs whose two results differ, usually the observed one. A difference cannot exceed the
/// discordance, so that larger differences come with a discordance of their own size: all flips in one direction.
///
/// The power is summed over the number of discordant pairs, m ~ Binomial(n, ψ), and over the split of these at which
/// [`mcnemar_exact`] rejects, c ~ Binomial(m, (1 + δ/ψ) / 2). Above 1,000 expected discordant pairs the normal
/// approximation √n·δ = z₁·√ψ + z₂·√(ψ − δ²) is solved for δ, plus 1/n for the exact test's caution.
///
/// Sources: Duffy (1984), "Asymptotic and exact power for the McNemar test and its analogue with R controls per case",
/// Biometrics 40, 1005–1015 (exact); Connor (1987), "Sample size for testing differences in proportions for the
/// paired-sample design", Biometrics 43, 207–211, after Miettinen (1968) (approximation).
///
/// # Errors
/// When the discordance is not between 0 and 1.
pub fn minimum_detectable_rate_difference(
    design: &TestDesign,
    discordance: f64,
) -> Result<Option<f64>, StatisticsError> {
    if !(0.0..=1.0).contains(&discordance) {
        return Err(StatisticsError::NotADiscordance { value: discordance });
    }
    let n = design.pairs as f64;
    if n * discordance > EXACT_UP_TO {
        let test = -normal_quantile(design.significance.get() / 2.0);
        let power = normal_quantile(design.power.get());
        let root = (n + power * power - test * test).sqrt();
        let difference = discordance.sqrt() * (test * n.sqrt() + power * root) / (n + power * power);
        return Ok(Some(difference + 1.0 / n));
    }
    Ok(ExactPower::new(design, discordance).smallest_difference())
}

/// The smallest true mean difference (in the unit of the scores) that a paired t test would find with the wanted power;
/// absent below two pairs.
///
/// With ν = n − 1, t the critical value of the test and z the normal quantile of the power, the difference is
/// (t·(1 − 1/4ν) + z·√(1 + t²/2ν)) · s / √n: the noncentral t distribution by its normal approximation, within 0.5 % of
/// the exact value from 10 pairs on.
///
/// Source: Abramowitz and Stegun (1964), Handbook of Mathematical Functions, formula 26.7.10.
///
/// # Errors
/// When the standard deviation is negative or not finite.
pub fn minimum_detectable_mean_difference(
    design: &TestDesign,
    standard_deviation: f64,
) -> Result<Option<f64>, StatisticsError> {
    if !standard_deviation.is_finite() || standard_deviation < 0.0 {
        return Err(StatisticsError::NotADeviation {
            value: standard_deviation,
        });
    }
    if design.pairs < 2 {
        return Ok(None);
    }
    let n = design.pairs as f64;
    let degrees = n - 1.0;
    let critical = student_quantile(1.0 - design.significance.get() / 2.0, degrees);
    let noncentrality = critical * (1.0 - 1.0 / (4.0 * degrees))
        + normal_quantile(design.power.get()) * (1.0 + critical * critical / (2.0 * degrees)).sqrt();
    Ok(Some(noncentrality * standard_deviation / n.sqrt()))
}

/// The exact power of McNemar's exact test as a function of the true difference.
struct ExactPower<'a> {
    design: &'a TestDesign,
    discordance: f64,
    /// By number of discordant pairs: the largest smaller side at which the test rejects.
    critical: Vec<Option<u64>>,
}

impl<'a> ExactPower<'a> {
    fn new(design: &'a TestDesign, discordance: f64) -> Self {
        Self {
            design,
            discordance,
            critical: Vec::new(),
        }
    }

    /// Doubles a difference until it is found, then bisects; the power grows with the difference.
    fn smallest_difference(mut self) -> Option<f64> {
        let (mut missed, mut found) = (0.0, 1.0 / self.design.pairs.max(1) as f64);
        while !self.finds(found) {
            if found >= 1.0 {
                return None;
            }
            missed = found;
            found = (2.0 * found).min(1.0);
        }
        while found - missed > 1e-6 * found {
            let middle = f64::midpoint(missed, found);
            if self.finds(middle) {
                found = middle;
            } else {
                missed = middle;
            }
        }
        Some(found)
    }

    fn finds(&mut self, difference: f64) -> bool {
        let pairs = self.design.pairs;
        let discordance = self.discordance.max(difference);
        let lean = f64::midpoint(1.0, difference / discordance);
        let expected = pairs as f64 * discordance;
        // What lies further out than ten standard deviations adds less than rounding does.
        let reach = 10.0 * expected.sqrt() + 20.0;
        let fewest = (expected - reach).max(0.0) as u64;
        let most = ((expected + reach) as u64).min(pairs);
        let power: f64 = (fewest..=most)
            .filter_map(|flips| {
                let critical = self.critical(flips)?;
                let rejects = at_most(critical, flips, lean) + at_most(critical, flips, 1.0 - lean);
                Some(exactly(flips, pairs, discordance) * rejects)
            })
            .sum();
        power >= self.design.power.get()
    }

    fn critical(&mut self, flips: u64) -> Option<u64> {
        while self.critical.len() as u64 <= flips {
            let flips = self.critical.len() as u64;
            let last = self.critical.last().copied().flatten();
            // One more discordant pair moves the critical value by at most one.
            let next = last.map_or(0, |last| last + 1);
            let rejects =
                2 * next < flips && mcnemar_exact(next, flips - next) <= self.design.significance.get();
            self.critical.push(if rejects { Some(next) } else { last });
        }
        usize::try_from(flips).ok().and_then(|flips| self.critical[flips])
    }
}

/// P(X ≤ successes) for X ~ Binomial(trials, rate), successes below trials.
fn at_most(successes: u64, trials: u64, rate: f64) -> f64 {
    beta_reg((trials - successes) as f64, (successes + 1) as f64, 1.0 - rate)
}

/// P(X = successes) for X ~ Binomial(trials, rate).
fn exactly(successes: u64, trials: u64, rate: f64) -> f64 {
    let power = |base: f64, exponent: u64| {
        if exponent == 0 {
            0.0
        } else {
            exponent as f64 * base.ln()
        }
    };
    (ln_binomial(trials, successes) + power(rate, successes) + power(1.0 - rate, trials - successes)).exp()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Pairs, discordance, and the difference at which the power summed with scipy.stats.binom reaches 80 %.
    const RATES: [(u64, f64, f64); 7] = [
        (10, 0.1, 0.6731718214778084),
        (20, 0.4, 0.3826121225465613),
        (50, 0.0, 0.15352242757580825),
        (50, 0.2, 0.17572816325082385),
        (100, 0.1, 0.08841728292009066),
        (200, 0.2, 0.09116374216046097),
        (1_000, 0.1, 0.028736889553329092),
    ];

    /// statsmodels.stats.power.TTestPower().solve_power(nobs=pairs, alpha=0.05, power=0.8), by the noncentral t
    const MEANS: [(u64, f64); 4] = [
        (10, 0.9960019107624178),
        (20, 0.6604416544380312),
        (50, 0.4041829997377859),
        (500, 0.12553231642698945),
    ];

    fn design(pairs: u64) -> TestDesign {
        TestDesign {
            pairs,
            significance: Probability::new(0.05).unwrap(),
            power: Probability::P80,
        }
    }

    #[test]
    fn rate_differences_agree_with_the_power_summed_by_scipy() {
        for (pairs, discordance, expected) in RATES {
            let actual = minimum_detectable_rate_difference(&design(pairs), discordance)
                .unwrap()
                .unwrap();
            assert!(
                (actual / expected - 1.0).abs() < 1e-5,
                "{pairs} {discordance}: {actual} is not {expected}"
            );
        }
    }

    #[test]
    fn mean_differences_agree_with_statsmodels() {
        for (pairs, expected) in MEANS {
            let actual = minimum_detectable_mean_difference(&design(pairs), 1.0)
                .unwrap()
                .unwrap();
            assert!(
                (actual / expected - 1.0).abs() < 5e-3,
                "{pairs}: {actual} is not {expected}"
            );
        }
    }

    #[test]
    fn too_few_pairs_can_see_nothing() {
        for pairs in 0..6 {
            assert_eq!(
                minimum_detectable_rate_difference(&design(pairs), 0.2),
                Ok(None),
                "{pairs}"
            );
        }
        assert!(
            minimum_detectable_rate_difference(&design(6), 0.2)
                .unwrap()
                .unwrap()
                > 0.9
        );
        assert_eq!(minimum_detectable_mean_difference(&design(1), 0.2), Ok(None));
    }

    #[test]
    fn identical_runs_could_still_have_seen_something() {
        let seen = minimum_detectable_rate_difference(&design(100), 0.0)
            .unwrap()
            .unwrap();
        assert!((0.05..0.1).contains(&seen), "{seen}");
    }

    #[test]
    fn the_sum_and_the_approximation_meet() {
        for discordance in [0.02, 0.2, 0.9] {
            let pairs = (EXACT_UP_TO / discordance) as u64;
            let exact = minimum_detectable_rate_difference(&design(pairs - 1), discordance)
                .unwrap()
                .unwrap();
            let approximate = minimum_detectable_rate_difference(&design(pairs + 2), discordance)
                .unwrap()
                .unwrap();
            assert!((exact / approximate - 1.0).abs() < 0.02, "{exact} {approximate}");
        }
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        assert!(minimum_detectable_rate_difference(&design(10), 1.2).is_err());
        assert!(minimum_detectable_rate_difference(&design(10), f64::NAN).is_err());
        assert!(minimum_detectable_mean_difference(&design(10), -1.0).is_err());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn more_pairs_see_smaller_differences(pairs in 10..400u64, discordance in 0.0..0.6f64) {
            let few = minimum_detectable_rate_difference(&design(pairs), discordance).unwrap().unwrap();
            let many = minimum_detectable_rate_difference(&design(4 * pairs), discordance).unwrap().unwrap();
            prop_assert!(0.0 < many && many < few && few <= 1.0);
        }
    }
}
