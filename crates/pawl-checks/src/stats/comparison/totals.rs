//! What a comparison needs to know of its cases, counted in one pass.

use super::super::{
    BootstrapSettings, PairedCounts, Probability, StatisticsError, TestDesign,
    minimum_detectable_mean_difference, paired_bootstrap, wilson,
};
use super::{PairedCase, ScoreDifference, Side, ratio};

/// All pairs.
#[derive(Default)]
pub(super) struct Totals {
    pub(super) counts: PairedCounts,
    pub(super) first: Judged,
    pub(super) second: Judged,
    pub(super) scores: Scores,
}

impl Totals {
    pub(super) fn of(cases: impl IntoIterator<Item = PairedCase>) -> Result<Self, StatisticsError> {
        let mut totals = Self::default();
        for (index, PairedCase { first, second }) in cases.into_iter().enumerate() {
            let first_passed = totals.first.add(first.passed);
            let second_passed = totals.second.add(second.passed);
            totals.counts.pairs += 1;
            totals.counts.only_first_passed += u64::from(first_passed && !second_passed);
            totals.counts.only_second_passed += u64::from(second_passed && !first_passed);
            for score in [first.score, second.score].into_iter().flatten() {
                if !score.is_finite() {
                    return Err(StatisticsError::NotFinite { index });
                }
            }
            if let (Some(first), Some(second)) = (first.score, second.score) {
                totals.scores.add(first, second);
            }
        }
        Ok(totals)
    }
}

/// What one run made of them.
#[derive(Default)]
pub(super) struct Judged {
    passed: u64,
    judged: u64,
}

impl Judged {
    /// Counts a case and says whether it passed.
    fn add(&mut self, passed: Option<bool>) -> bool {
        self.judged += u64::from(passed.is_some());
        self.passed += u64::from(passed == Some(true));
        passed == Some(true)
    }

    pub(super) fn side(&self, pairs: u64, confidence: Probability) -> Side {
        let Self { passed, judged } = *self;
        Side {
            passed,
            judged,
            pass_rate: ratio(passed, pairs),
            interval: wilson(passed, pairs, confidence),
        }
    }
}

/// The cases that both runs scored.
#[derive(Default)]
pub(super) struct Scores {
    first_sum: f64,
    second_sum: f64,
    differences: Vec<f64>,
}

impl Scores {
    fn add(&mut self, first: f64, second: f64) {
        self.first_sum += first;
        self.second_sum += second;
        self.differences.push(second - first);
    }

    pub(super) fn difference(
        &self,
        design: &TestDesign,
        settings: &BootstrapSettings,
    ) -> Result<Option<ScoreDifference>, StatisticsError> {
        if self.differences.is_empty() {
            return Ok(None);
        }
        let difference = paired_bootstrap(&self.differences, settings)?;
        let design = TestDesign {
            pairs: difference.count,
            ..*design
        };
        let minimum_detectable = match (difference.interval, difference.standard_deviation) {
            (Some(_), Some(deviation)) => minimum_detectable_mean_difference(&design, deviation)?,
            _ => None,
        };
        let n = difference.count as f64;
        let (first_mean, second_mean) = (self.first_sum / n, self.second_sum / n);
        Ok(Some(ScoreDifference {
            first_mean,
            second_mean,
            difference,
            minimum_detectable,
        }))
    }
}
