//! Two runs over the same cases, compared.

mod totals;

use serde::Serialize;

use self::totals::Totals;
use super::{
    BootstrapSettings, Interval, MeanEstimate, PairedCounts, Probability, StatisticsError, TestDesign,
    mcnemar_exact, minimum_detectable_rate_difference, paired_rate_difference,
};

/// What one run found out about one case.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Observation {
    /// Whether the case passed; absent where it could not be judged (error, skipped).
    pub passed: Option<bool>,
    /// The mean score over the trials of the case; absent where it was not scored.
    pub score: Option<f64>,
}

/// The same case in both runs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PairedCase {
    /// In the first run, the baseline.
    pub first: Observation,
    /// In the second run.
    pub second: Observation,
}

/// How to compare.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ComparisonSettings {
    /// Confidence of all intervals and resampling of the score differences. The significance of the test is the rest.
    pub bootstrap: BootstrapSettings,
    /// The chance with which the minimum detectable differences would have been found.
    pub power: Probability,
}

impl Default for ComparisonSettings {
    fn default() -> Self {
        Self {
            bootstrap: BootstrapSettings::default(),
            power: Probability::P80,
        }
    }
}

/// The pass rate of one run over the paired cases.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Side {
    /// Cases that passed.
    pub passed: u64,
    /// Cases that passed or failed; the rest could not be judged.
    pub judged: u64,
    /// Passed ÷ all pairs: what could not be judged stays in the denominator.
    pub pass_rate: f64,
    /// Wilson's interval of the pass rate.
    pub interval: Interval,
}

/// How the pass rates differ.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RateDifference {
    /// Second pass rate − first pass rate.
    pub difference: f64,
    /// Agresti and Min's interval of the difference.
    pub interval: Interval,
    /// Cases that passed only in the first run: lost.
    pub only_first_passed: u64,
    /// Cases that passed only in the second run: gained.
    pub only_second_passed: u64,
    /// McNemar's exact two-sided p-value.
    pub p_value: f64,
    /// The smallest true difference that the test would have found at the observed share of flips; absent where the pairs
    /// are too few to find any.
    pub minimum_detectable: Option<f64>,
}

/// How the scores differ, over the cases that both runs scored.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ScoreDifference {
    /// Mean score of the first run.
    pub first_mean: f64,
    /// Mean score of the second run.
    pub second_mean: f64,
    /// The mean of second score − first score.
    pub difference: MeanEstimate,
    /// The smallest true difference that a paired t test would have found at the observed spread; absent without spread.
    pub minimum_detectable: Option<f64>,
}

/// A comparison of two runs over the same cases.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PairedComparison {
    /// How many cases both runs have.
    pub pairs: u64,
    /// The confidence of all intervals; the significance of the test is 1 − this.
    pub confidence: Probability,
    /// The chance with which the minimum detectable differences would have been found.
    pub power: Probability,
    /// The first run, the baseline.
    pub first: Side,
    /// The second run.
    pub second: Side,
    /// How the pass rates differ.
    pub rates: RateDifference,
    /// How the scores differ; absent where no case was scored in both runs.
    pub scores: Option<ScoreDifference>,
}

impl PairedComparison {
    /// Compares the two sides of `cases`. The order of the cases does not matter.
    ///
    /// A case that was not judged counts as not passed, as in every pass rate. A case that one of the runs did not score is
    /// left out of both mean scores.
    ///
    /// # Errors
    /// When there is no case, a score is not finite (the index is the case's), or the settings do not fit together.
    pub fn new(
        cases: impl IntoIterator<Item = PairedCase>,
        settings: &ComparisonSettings,
    ) -> Result<Self, StatisticsError> {
        let totals = Totals::of(cases)?;
        let pairs = totals.counts.pairs;
        if pairs == 0 {
            return Err(StatisticsError::Empty);
        }
        let confidence = settings.bootstrap.confidence;
        let design = TestDesign {
            pairs,
            significance: Probability::new(1.0 - confidence.get())?,
            power: settings.power,
        };
        Ok(Self {
            pairs,
            confidence,
            power: settings.power,
            first: totals.first.side(pairs, confidence),
            second: totals.second.side(pairs, confidence),
            rates: rate_difference(totals.counts, &design, confidence)?,
            scores: totals.scores.difference(&design, &settings.bootstrap)?,
        })
    }

    /// Whether the second run passes less often, and chance is no good explanation: p below 1 − confidence.
    #[must_use]
    pub fn is_regression(&self) -> bool {
        self.rates.difference < 0.0 && self.rates.p_value < 1.0 - self.confidence.get()
    }
}

fn rate_difference(
    counts: PairedCounts,
    design: &TestDesign,
    confidence: Probability,
) -> Result<RateDifference, StatisticsError> {
    let PairedCounts {
        pairs,
        only_first_passed,
        only_second_passed,
    } = counts;
    Ok(RateDifference {
        difference: ratio(only_second_passed, pairs) - ratio(only_first_passed, pairs),
        interval: paired_rate_difference(counts, confidence),
        only_first_passed,
        only_second_passed,
        p_value: mcnemar_exact(only_first_passed, only_second_passed),
        minimum_detectable: minimum_detectable_rate_difference(design, ratio(counts.discordant(), pairs))?,
    })
}

fn ratio(part: u64, whole: u64) -> f64 {
    part as f64 / whole as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(first: (Option<bool>, Option<f64>), second: (Option<bool>, Option<f64>)) -> PairedCase {
        let observation = |(passed, score)| Observation { passed, score };
        PairedCase {
            first: observation(first),
            second: observation(second),
        }
    }

    fn passes(first: bool, second: bool) -> PairedCase {
        case((Some(first), None), (Some(second), None))
    }

    #[test]
    fn counts_flips_and_names_a_regression() {
        let mut cases = vec![passes(true, true); 40];
        cases.extend([passes(true, false); 8]);
        cases.extend([passes(false, false); 2]);
        let comparison = PairedComparison::new(cases, &ComparisonSettings::default()).unwrap();
        assert_eq!(
            (comparison.first.pass_rate, comparison.second.pass_rate),
            (0.96, 0.8)
        );
        assert_eq!(
            (
                comparison.rates.only_first_passed,
                comparison.rates.only_second_passed
            ),
            (8, 0)
        );
        assert!((comparison.rates.p_value - 0.0078125).abs() < 1e-15);
        assert!(comparison.rates.interval.upper < 0.0);
        assert!(comparison.is_regression());
        assert_eq!(comparison.scores, None);
    }

    #[test]
    fn an_improvement_or_a_small_loss_is_no_regression() {
        let improved =
            PairedComparison::new([passes(false, true); 20], &ComparisonSettings::default()).unwrap();
        assert!(improved.rates.p_value < 0.001 && !improved.is_regression());
        let lost_five =
            PairedComparison::new([passes(true, false); 5], &ComparisonSettings::default()).unwrap();
        assert!(!lost_five.is_regression());
        assert_eq!(lost_five.rates.minimum_detectable, None);
    }

    #[test]
    fn what_was_not_judged_stays_in_the_denominator() {
        let cases = [
            case((Some(true), None), (None, None)),
            passes(true, true),
            passes(false, true),
            passes(true, true),
        ];
        let comparison = PairedComparison::new(cases, &ComparisonSettings::default()).unwrap();
        assert_eq!(
            (
                comparison.second.passed,
                comparison.second.judged,
                comparison.second.pass_rate
            ),
            (3, 3, 0.75)
        );
        assert_eq!(
            (
                comparison.rates.only_first_passed,
                comparison.rates.only_second_passed
            ),
            (1, 1)
        );
        assert_eq!(comparison.rates.difference, 0.0);
    }

    #[test]
    fn only_cases_scored_twice_enter_the_mean_scores() {
        let cases = [
            case((None, Some(0.5)), (None, Some(0.75))),
            case((None, Some(0.1)), (None, None)),
            case((None, Some(0.5)), (None, Some(0.5))),
        ];
        let scores = PairedComparison::new(cases, &ComparisonSettings::default())
            .unwrap()
            .scores
            .unwrap();
        assert_eq!((scores.first_mean, scores.second_mean), (0.5, 0.625));
        assert_eq!((scores.difference.count, scores.difference.mean), (2, 0.125));
        assert!(scores.minimum_detectable.is_some());
    }

    #[test]
    fn equal_scores_claim_nothing_about_the_spread() {
        let cases = [case((None, Some(0.5)), (None, Some(0.5))); 30];
        let scores = PairedComparison::new(cases, &ComparisonSettings::default())
            .unwrap()
            .scores
            .unwrap();
        assert_eq!(
            (scores.difference.interval, scores.minimum_detectable),
            (None, None)
        );
    }

    #[test]
    fn nothing_and_nonsense_are_refused() {
        let compare = |cases: &[PairedCase]| {
            PairedComparison::new(cases.iter().copied(), &ComparisonSettings::default()).unwrap_err()
        };
        assert_eq!(compare(&[]), StatisticsError::Empty);
        let bad = case((None, Some(f64::NAN)), (None, None));
        assert_eq!(
            compare(&[passes(true, true), bad]),
            StatisticsError::NotFinite { index: 1 }
        );
    }

    #[test]
    fn the_json_explains_itself() {
        let comparison =
            PairedComparison::new([passes(true, false); 8], &ComparisonSettings::default()).unwrap();
        let json = serde_json::to_value(comparison).unwrap();
        assert_eq!(json["confidence"], 0.95);
        assert_eq!(json["rates"]["only_first_passed"], 8);
        assert_eq!(json["first"]["interval"]["upper"], 1.0);
    }
}
