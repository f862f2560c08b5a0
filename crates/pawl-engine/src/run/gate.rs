//! Whether a run is good enough.

use pawl_model::Tally;

use super::compare::Comparison;
use super::report::RunReport;

/// What is asked of a run.
#[derive(Clone, Copy, Debug)]
pub struct Gate {
    /// The least passed ÷ all, in 0..=1.
    pub min_pass_rate: f64,
    /// The least (passed + failed) ÷ all, in 0..=1.
    pub min_coverage: f64,
}

/// What the gate says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GateOutcome {
    /// Good enough.
    Passed,
    /// Too little could be judged to say.
    Uncovered(String),
    /// Not good enough, for these reasons.
    Failed(Vec<String>),
}

/// Rates are compared as counts, so that 0.9 of 10 cases is 9 and not a hair more.
const SLACK: f64 = 1e-9;

impl Gate {
    /// Judges a run, and its comparison with a baseline if there is one. Coverage comes first: what was not executed or
    /// not judged can say nothing of the pass rate.
    #[must_use]
    pub fn judge(&self, report: &RunReport, baseline: Option<&Comparison>) -> GateOutcome {
        match &report.run.error {
            Some(error) => GateOutcome::Uncovered(error.clone()),
            None => self.judge_tally(&report.tally, baseline),
        }
    }

    /// An empty run is never good enough.
    #[expect(clippy::cast_precision_loss, reason = "counts of rows are far below 2^53")]
    fn judge_tally(&self, tally: &Tally, baseline: Option<&Comparison>) -> GateOutcome {
        let total = tally.total();
        if total == 0 {
            return GateOutcome::Uncovered("no case was executed".to_owned());
        }
        if tally.judged() as f64 + SLACK < self.min_coverage * total as f64 {
            return GateOutcome::Uncovered(format!(
                "coverage {} is below {}: {} of {total} could be judged",
                percent(tally.judged(), total),
                percent_of(self.min_coverage),
                tally.judged(),
            ));
        }
        let mut reasons = Vec::new();
        if tally.passed as f64 + SLACK < self.min_pass_rate * total as f64 {
            reasons.push(format!(
                "pass rate {} is below {}: {} of {total} passed",
                percent(tally.passed, total),
                percent_of(self.min_pass_rate),
                tally.passed,
            ));
        }
        if let Some(comparison) = baseline.filter(|comparison| comparison.is_regression()) {
            reasons.push(format!(
                "the pass rate is lower than the baseline's, {}",
                comparison.evidence()
            ));
        }
        if reasons.is_empty() {
            GateOutcome::Passed
        } else {
            GateOutcome::Failed(reasons)
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of rows are far below 2^53")]
fn percent(part: u64, whole: u64) -> String {
    percent_of(part as f64 / whole as f64)
}

/// A rate in percent with as many places as it needs, up to four: a bar of 99.95 % is not shown as 100.
fn percent_of(rate: f64) -> String {
    let text = format!("{:.4}", rate * 100.0);
    let short = text.trim_end_matches('0');
    if short.ends_with('.') {
        format!("{short}0 %")
    } else {
        format!("{short} %")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(passed: u64, failed: u64, error: u64) -> Tally {
        Tally {
            passed,
            failed,
            error,
            skipped: 0,
        }
    }

    const STRICT: Gate = Gate {
        min_pass_rate: 1.0,
        min_coverage: 1.0,
    };

    #[test]
    fn an_error_is_a_matter_of_coverage_before_it_is_one_of_the_pass_rate() {
        assert_eq!(STRICT.judge_tally(&tally(10, 0, 0), None), GateOutcome::Passed);
        assert_eq!(
            STRICT.judge_tally(&tally(9, 1, 0), None),
            GateOutcome::Failed(vec![
                "pass rate 90.0 % is below 100.0 %: 9 of 10 passed".to_owned()
            ])
        );
        assert_eq!(
            STRICT.judge_tally(&tally(8, 1, 1), None),
            GateOutcome::Uncovered("coverage 90.0 % is below 100.0 %: 9 of 10 could be judged".to_owned())
        );
        let lenient = Gate {
            min_pass_rate: 0.8,
            min_coverage: 0.9,
        };
        assert_eq!(lenient.judge_tally(&tally(8, 1, 1), None), GateOutcome::Passed);
    }

    #[test]
    fn an_empty_run_never_passes() {
        let open = Gate {
            min_pass_rate: 0.0,
            min_coverage: 0.0,
        };
        assert!(matches!(
            open.judge_tally(&Tally::default(), None),
            GateOutcome::Uncovered(_)
        ));
    }

    #[test]
    fn rates_are_compared_as_counts() {
        for n in 1..=1_000_u64 {
            #[expect(clippy::cast_precision_loss, reason = "small numbers")]
            let gate = Gate {
                min_pass_rate: 1.0 / n as f64,
                min_coverage: 1.0,
            };
            assert_eq!(gate.judge_tally(&tally(1, n - 1, 0), None), GateOutcome::Passed);
        }
        assert_eq!(percent_of(0.9995), "99.95 %");
    }
}
