//! The paired bootstrap for the mean of score differences.

use serde::Serialize;

use super::{Interval, IntervalMethod, MeanEstimate, Philox, Probability, StatisticsError, mean::Sample};

/// How to resample.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct BootstrapSettings {
    /// How many resamples; 9,999 puts the ends of a 95 % interval exactly on order statistics.
    pub resamples: u32,
    /// The confidence of the interval.
    pub confidence: Probability,
    /// The key of the random numbers: the same seed gives the same interval.
    pub seed: u64,
}

impl Default for BootstrapSettings {
    fn default() -> Self {
        Self {
            resamples: 9_999,
            confidence: Probability::P95,
            seed: 0,
        }
    }
}

/// The most random draws that one interval may cost. Where resamples × differences are more, the differences are so many
/// that Student's interval is as good, and it is used.
const MAX_DRAWS: u64 = 20_000_000;

/// With fewer differences than this away from the median, resamples lose the spread by chance: Student's interval is used.
const MIN_AWAY_FROM_MEDIAN: usize = 10;

/// The mean of paired `differences` (one per case) with an interval for the true mean, in the unit of the differences.
///
/// The bootstrap-t interval: each resample's mean is studentised by the resample's own standard error, and the quantiles
/// t* of these take the place of Student's: \[mean − t*₁₋ₐ·se, mean − t*ₐ·se\]. It follows skewed differences, which a
/// symmetric interval does not. Neither end is let closer to the mean than Student's, because resampling cannot show what
/// few differences did not. The choice is measured in `docs/STATISTICS.md`.
///
/// Source: Efron and Tibshirani (1993), An Introduction to the Bootstrap, section 12.5; order statistics as in Davison and
/// Hinkley (1997), Bootstrap Methods and their Application, section 2.4.
///
/// # Errors
/// When there is no difference, one is not finite, their variance is not, or the resamples are too few for the confidence.
pub fn paired_bootstrap(
    differences: &[f64],
    settings: &BootstrapSettings,
) -> Result<MeanEstimate, StatisticsError> {
    let needed = (1.0 / settings.confidence.tail()).ceil() - 1.0;
    if f64::from(settings.resamples) < needed {
        return Err(StatisticsError::TooFewResamples {
            given: settings.resamples,
            needed: needed as u32,
        });
    }
    let sample = Sample::new(differences)?;
    let student = sample.student_estimate(settings.confidence);
    let draws = u64::from(settings.resamples).saturating_mul(sample.len() as u64);
    let (Some(standard_error), Some(student_interval)) = (sample.standard_error(), student.interval) else {
        return Ok(student);
    };
    if draws > MAX_DRAWS || sample.away_from_median() < MIN_AWAY_FROM_MEDIAN {
        return Ok(student);
    }
    let studentised = studentised_means(&sample, settings);
    let Some((low, high)) = central_range(studentised, settings.confidence) else {
        return Ok(student);
    };
    let bootstrap = Interval {
        lower: sample.mean() - high * standard_error,
        upper: sample.mean() - low * standard_error,
    };
    Ok(MeanEstimate {
        interval: Some(bootstrap.hull(student_interval)),
        method: IntervalMethod::BootstrapT,
        ..student
    })
}

/// (mean* − mean) / se* of each resample. A resample without spread has no scale and is left out.
fn studentised_means(sample: &Sample, settings: &BootstrapSettings) -> Vec<f64> {
    let centred = sample.centred();
    let n = centred.len() as f64;
    let resample = |stream| {
        let mut random = Philox::new(settings.seed, u64::from(stream));
        let (mut sum, mut squares) = (0.0, 0.0);
        for _ in 0..centred.len() {
            let value = centred[random.index_below(centred.len())];
            sum += value;
            squares += value * value;
        }
        let mean = sum / n;
        let variance_of_mean = (squares / n - mean * mean) / (n - 1.0);
        (variance_of_mean > 0.0).then(|| mean / variance_of_mean.sqrt())
    };
    (0..settings.resamples).filter_map(resample).collect()
}

/// The k-th smallest and k-th largest value, k = tail · (count + 1); absent where there are too few values for that.
fn central_range(mut values: Vec<f64>, confidence: Probability) -> Option<(f64, f64)> {
    values.sort_unstable_by(f64::total_cmp);
    let rank = (confidence.tail() * (values.len() + 1) as f64).round() as usize;
    let low = *values.get(rank.checked_sub(1)?)?;
    let high = *values.get(values.len().checked_sub(rank)?)?;
    Some((low, high))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn follows_the_skew_of_the_differences() {
        let differences: Vec<f64> = (0..40).map(|i| f64::from(i * i) / 1_600.0).collect();
        let estimate = paired_bootstrap(&differences, &BootstrapSettings::default()).unwrap();
        let interval = estimate.interval.unwrap();
        assert_eq!(estimate.method, IntervalMethod::BootstrapT);
        assert!(
            interval.upper - estimate.mean > estimate.mean - interval.lower,
            "{estimate:?}"
        );
    }

    #[test]
    fn few_changed_scores_fall_back_to_student() {
        let mut differences = vec![0.0; 100];
        differences[..9].fill(0.5);
        let few = paired_bootstrap(&differences, &BootstrapSettings::default()).unwrap();
        assert_eq!(few.method, IntervalMethod::StudentT);
        differences[9] = 0.25;
        let enough = paired_bootstrap(&differences, &BootstrapSettings::default()).unwrap();
        assert_eq!(enough.method, IntervalMethod::BootstrapT);
    }

    #[test]
    fn a_million_pairs_cost_no_resampling() {
        let differences: Vec<f64> = (0..1_000_000_u32).map(|i| f64::from(i % 7) / 7.0).collect();
        let estimate = paired_bootstrap(&differences, &BootstrapSettings::default()).unwrap();
        assert_eq!(
            (estimate.method, estimate.count),
            (IntervalMethod::StudentT, 1_000_000)
        );
        assert!(estimate.interval.unwrap().width() < 0.002);
    }

    #[test]
    fn equal_differences_have_no_interval() {
        let estimate = paired_bootstrap(&[0.1; 30], &BootstrapSettings::default()).unwrap();
        assert_eq!((estimate.mean, estimate.interval), (0.1, None));
        assert_eq!(estimate.method, IntervalMethod::NoSpread);
    }

    #[test]
    fn too_few_resamples_are_refused() {
        let settings = BootstrapSettings {
            resamples: 38,
            ..BootstrapSettings::default()
        };
        let refused = paired_bootstrap(&[0.1, 0.2], &settings).unwrap_err();
        assert_eq!(
            refused,
            StatisticsError::TooFewResamples {
                given: 38,
                needed: 39
            }
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn holds_the_mean_and_does_not_depend_on_order(
            differences in proptest::collection::vec(-1.0..1.0f64, 2..60),
            seed in any::<u64>(),
        ) {
            let settings = BootstrapSettings { resamples: 199, seed, ..BootstrapSettings::default() };
            let estimate = paired_bootstrap(&differences, &settings).unwrap();
            prop_assert!(estimate.interval.unwrap().contains(estimate.mean));
            let reversed: Vec<f64> = differences.iter().rev().copied().collect();
            prop_assert_eq!(estimate, paired_bootstrap(&reversed, &settings).unwrap());
        }

        #[test]
        fn moves_with_the_differences_and_widens_with_the_confidence(
            differences in proptest::collection::vec(-1.0..1.0f64, 20..60),
            shift in -1.0..1.0f64,
        ) {
            let settings = BootstrapSettings { resamples: 199, ..BootstrapSettings::default() };
            let interval = paired_bootstrap(&differences, &settings).unwrap().interval.unwrap();
            let shifted: Vec<f64> = differences.iter().map(|difference| difference + shift).collect();
            let moved = paired_bootstrap(&shifted, &settings).unwrap().interval.unwrap();
            prop_assert!((moved.lower - interval.lower - shift).abs() < 1e-9);
            prop_assert!((moved.upper - interval.upper - shift).abs() < 1e-9);
            let surer = BootstrapSettings { confidence: Probability::new(0.98).unwrap(), ..settings };
            let wider = paired_bootstrap(&differences, &surer).unwrap().interval.unwrap();
            prop_assert!(wider.lower <= interval.lower && interval.upper <= wider.upper);
        }
    }
}
