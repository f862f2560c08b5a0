//! Cases by checks: what each check says of each case of a page.

use std::fmt::Write as _;

use pawl_engine::run::CheckTally;
use pawl_model::{CaseRecord, CheckResult, EvalResults, State};

use super::case;
use crate::ui::{duration, rate};

/// Checks that have a column of their own.
const COLUMNS: usize = 24;

/// The matrix of a page.
pub(super) struct Matrix {
    pub(super) columns: Vec<String>,
    /// How many checks have no column.
    pub(super) hidden: usize,
    pub(super) rows: Vec<Row>,
}

/// A case.
pub(super) struct Row {
    pub(super) element: String,
    pub(super) href: String,
    pub(super) is_open: bool,
    pub(super) name: String,
    /// The repetition, where there are several.
    pub(super) trial: Option<i32>,
    pub(super) state: State,
    pub(super) cells: Vec<Option<Cell>>,
    pub(super) score: Option<String>,
    pub(super) latency: Option<String>,
}

/// What a check says of a case.
pub(super) struct Cell {
    pub(super) state: State,
    /// The check's name, and why it did not pass.
    pub(super) title: String,
}

impl Matrix {
    /// The matrix of these cases; `href` leads to one of them.
    pub(super) fn of(
        checks: &[CheckTally],
        cases: &[CaseRecord],
        open: Option<&CaseRecord>,
        href: impl Fn(&CaseRecord) -> String,
    ) -> Self {
        let columns: Vec<String> = checks
            .iter()
            .take(COLUMNS)
            .map(|check| check.name.clone())
            .collect();
        let several_trials = cases.iter().any(|case| case.trial > 1);
        let row = |record: &CaseRecord| {
            let results = EvalResults::read(&record.eval_results.to_value());
            Row {
                element: case::link(record),
                href: href(record),
                is_open: open.is_some_and(|open| open.id == record.id),
                name: case::name(record),
                trial: several_trials.then_some(record.trial),
                state: record.state(),
                cells: columns
                    .iter()
                    .map(|name| Cell::of(name, &results.checks))
                    .collect(),
                score: record.score.map(rate::score),
                latency: record
                    .latency_ms
                    .map(|latency| duration::milliseconds(f64::from(latency))),
            }
        };
        Self {
            rows: cases.iter().map(row).collect(),
            hidden: checks.len() - columns.len(),
            columns,
        }
    }
}

impl Cell {
    /// What the checks of a name say together; none where a case has none of them.
    fn of(name: &str, checks: &[CheckResult]) -> Option<Self> {
        let same = || checks.iter().filter(|check| &*check.name == name);
        same().next()?;
        let mut title = name.to_owned();
        for check in same() {
            if let Some(message) = &check.message {
                // Writing to a text does not fail.
                let _ = write!(title, "\n{}: {message}", check.state.as_str());
            }
        }
        Some(Self {
            state: State::combine(same().map(|check| check.state)),
            title,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_of_one_name_share_a_cell() {
        let checks = [
            CheckResult::new("contains", State::Passed, None),
            CheckResult::new("contains", State::Failed, Some("no `a`".to_owned())),
            CheckResult::new("is-json", State::Skipped, None),
        ];
        let cell = Cell::of("contains", &checks).unwrap();
        assert_eq!(
            (cell.state, &*cell.title),
            (State::Failed, "contains\nfailed: no `a`")
        );
        assert!(Cell::of("regex", &checks).is_none());
    }
}
