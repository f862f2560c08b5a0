//! What a run came to, counted as its cases are stored.
//!
//! Cases end in any order, and a report says the same whatever it was.

use std::collections::BTreeMap;
use std::time::Duration;

use pawl_checks::stats::{Interval, Probability, wilson};
use pawl_model::{CaseId, CaseRecord, EvalResults, Run, State, Tally};
use serde::Serialize;

/// How many cases that did not pass a report names.
const NAMED_UNPASSED: usize = 20;

/// A run and what it came to.
#[derive(Clone, Debug)]
pub struct RunReport {
    /// The run as it stands in the database.
    pub run: Run,
    /// Its rows by state.
    pub tally: Tally,
    /// Rows that stood there already when this execution began.
    pub resumed: u64,
    /// How long this execution took.
    pub took: Duration,
    scores: Sum,
    costs: Sum,
    checks: BTreeMap<String, CheckCount>,
    unpassed: BTreeMap<CaseId, Unpassed>,
}

/// One check over all rows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CheckTally {
    /// The check's name, or the metric it adds to.
    pub name: String,
    /// Its results by state.
    #[serde(flatten)]
    pub tally: Tally,
}

/// A case that did not pass.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Unpassed {
    /// The case's id in its suite.
    pub id: String,
    /// The repetition.
    pub trial: i32,
    /// Its state.
    pub state: State,
    /// The first reason: an error, or a check with its message.
    pub reason: String,
}

impl RunReport {
    /// The report of a run without rows.
    #[must_use]
    pub fn new(run: Run) -> Self {
        Self {
            run,
            tally: Tally::default(),
            resumed: 0,
            took: Duration::ZERO,
            scores: Sum::default(),
            costs: Sum::default(),
            checks: BTreeMap::new(),
            unpassed: BTreeMap::new(),
        }
    }

    /// Counts a row in, with what stands in its `eval_results`.
    pub fn add(&mut self, case: &CaseRecord, results: &EvalResults) {
        self.tally.add(case.state());
        case.score.into_iter().for_each(|score| self.scores.add(score));
        case.cost_usd.into_iter().for_each(|cost| self.costs.add(cost));
        for (place, check) in results.checks.iter().enumerate() {
            let place = (case.id, place);
            match self.checks.get_mut(&*check.name) {
                Some(count) => count.add(place, check.state),
                None => {
                    self.checks
                        .insert(check.name.to_string(), CheckCount::first(place, check.state));
                }
            }
        }
        if case.state() != State::Passed {
            self.name_unpassed(case, results);
        }
    }

    fn name_unpassed(&mut self, case: &CaseRecord, results: &EvalResults) {
        let full = self.unpassed.len() == NAMED_UNPASSED;
        if full
            && self
                .unpassed
                .last_key_value()
                .is_some_and(|(last, _)| *last < case.id)
        {
            return;
        }
        self.unpassed.insert(case.id, Unpassed::of(case, results));
        if self.unpassed.len() > NAMED_UNPASSED {
            self.unpassed.pop_last();
        }
    }

    /// Each check over all rows, in the order in which the data set brings them up.
    #[must_use]
    pub fn checks(&self) -> Vec<CheckTally> {
        let mut checks: Vec<_> = self.checks.iter().collect();
        checks.sort_by_key(|(_, count)| count.place);
        checks
            .into_iter()
            .map(|(name, count)| CheckTally {
                name: name.clone(),
                tally: count.tally,
            })
            .collect()
    }

    /// The first cases of the data set that did not pass, at most 20.
    pub fn unpassed(&self) -> impl ExactSizeIterator<Item = &Unpassed> {
        self.unpassed.values()
    }

    /// The mean score over the scored rows.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "counts of rows are far below 2^53")]
    pub fn mean_score(&self) -> Option<f64> {
        self.scores.total().map(|sum| sum / self.scores.terms as f64)
    }

    /// How many rows have a score.
    #[must_use]
    pub const fn scored(&self) -> u64 {
        self.scores.terms
    }

    /// What the target cost where it said so, in US dollars.
    #[must_use]
    pub fn cost_usd(&self) -> Option<f64> {
        self.costs.total()
    }

    /// Passed ÷ all with its 95 % Wilson interval; none of an empty run.
    #[must_use]
    pub fn pass_rate(&self) -> Option<(f64, Interval)> {
        let rate = self.tally.pass_rate()?;
        Some((
            rate,
            wilson(self.tally.passed, self.tally.total(), Probability::P95),
        ))
    }
}

/// A sum of whole multiples of 10⁻¹⁵: unlike one of floats it is the same in every order of its terms.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    units: i128,
    terms: u64,
}

impl Sum {
    const UNITS_OF_ONE: f64 = 1e15;

    #[expect(
        clippy::cast_possible_truncation,
        reason = "such a cast ends at the largest number"
    )]
    fn add(&mut self, term: f64) {
        self.units = self
            .units
            .saturating_add((term * Self::UNITS_OF_ONE).round() as i128);
        self.terms += 1;
    }

    /// None of no terms.
    #[expect(clippy::cast_precision_loss, reason = "a sum is shown with 15 digits")]
    fn total(self) -> Option<f64> {
        (self.terms > 0).then(|| self.units as f64 / Self::UNITS_OF_ONE)
    }
}

/// The results of a check, and where the data set first brings it up: in which row, and which of its checks it is.
#[derive(Clone, Copy, Debug)]
struct CheckCount {
    place: (CaseId, usize),
    tally: Tally,
}

impl CheckCount {
    fn first(place: (CaseId, usize), state: State) -> Self {
        let mut count = Self {
            place,
            tally: Tally::default(),
        };
        count.tally.add(state);
        count
    }

    fn add(&mut self, place: (CaseId, usize), state: State) {
        self.place = self.place.min(place);
        self.tally.add(state);
    }
}

impl Unpassed {
    fn of(case: &CaseRecord, results: &EvalResults) -> Self {
        let reason = case.error.clone().or_else(|| {
            let culprit = results.checks.iter().find(|check| check.state != State::Passed)?;
            Some(match &culprit.message {
                Some(message) => format!("{}: {message}", culprit.name),
                None => culprit.name.to_string(),
            })
        });
        let reason = reason.unwrap_or_else(|| "no check was applied".to_owned());
        Self {
            id: case.input_id().unwrap_or_default(),
            trial: case.trial,
            state: case.state(),
            reason,
        }
    }
}

#[cfg(test)]
mod tests {
    use pawl_model::CheckResult;
    use pawl_testkit::samples;

    use super::*;

    #[test]
    fn a_report_does_not_depend_on_the_order_in_which_cases_end() {
        let run = samples::run(1);
        let rows: Vec<_> = (0..60)
            .map(|ordinal| {
                let mut case = samples::case(&run, ordinal, State::ALL[ordinal as usize % 3]);
                (case.score, case.cost_usd) = (Some(0.1), Some(0.000_1 * f64::from(ordinal)));
                let names = if ordinal < 3 { ["z", "a"] } else { ["a", "b"] };
                let check = |name: &str| CheckResult::new(name, case.state(), None);
                let results = EvalResults::of(names.iter().map(|name| check(name)).collect());
                (case, results)
            })
            .collect();
        let mut forwards = RunReport::new(run.clone());
        rows.iter()
            .for_each(|(case, results)| forwards.add(case, results));
        let mut backwards = RunReport::new(run);
        rows.iter()
            .rev()
            .for_each(|(case, results)| backwards.add(case, results));

        assert_eq!(forwards.checks(), backwards.checks());
        assert!(forwards.unpassed().eq(backwards.unpassed()));
        assert_eq!(
            (forwards.mean_score(), forwards.cost_usd()),
            (backwards.mean_score(), backwards.cost_usd())
        );

        assert_eq!(
            forwards
                .checks()
                .iter()
                .map(|check| &*check.name)
                .collect::<Vec<_>>(),
            ["z", "a", "b"]
        );
        assert_eq!(
            (
                forwards.unpassed().len(),
                &*forwards.unpassed().next().unwrap().id
            ),
            (20, "seed_1")
        );
        assert_eq!(
            (forwards.mean_score(), forwards.scored(), forwards.cost_usd()),
            (Some(0.1), 60, Some(0.177))
        );
    }
}
