//! What is said of two runs, in words.

use pawl_engine::run::compare::{ComparedRun, Comparison, Named};
use pawl_model::State;
use serde::Serialize;

use super::facts::Fact;
use super::quantity::{count, counted, covered_rate, p_statement, p_value, signed};
use super::text::one_line;

/// Checks that a table of flips shows.
const SHOWN_CHECKS: usize = 50;

/// What the comparison comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Conclusion {
    /// The second run passes more often, by more than chance explains.
    Better,
    /// The second run passes less often, by more than chance explains.
    Worse,
    /// Chance explains the difference, or there is none.
    Inconclusive,
    /// There is no case that both runs have.
    NothingShared,
}

impl Conclusion {
    /// Of a comparison.
    pub(super) fn of(comparison: &Comparison) -> Self {
        match &comparison.statistics {
            None => Self::NothingShared,
            Some(_) if comparison.is_regression() => Self::Worse,
            Some(statistics) => {
                let significance = 1.0 - statistics.confidence.get();
                let better = statistics.rates.difference > 0.0 && statistics.rates.p_value < significance;
                if better { Self::Better } else { Self::Inconclusive }
            }
        }
    }

    /// As a state, and in words.
    pub(super) const fn in_words(self) -> (State, &'static str) {
        match self {
            Self::Better => (
                State::Passed,
                "better: the pass rate rose by more than chance explains",
            ),
            Self::Worse => (
                State::Failed,
                "worse: the pass rate fell by more than chance explains",
            ),
            Self::Inconclusive => (
                State::Skipped,
                "no difference in the pass rate that chance does not explain",
            ),
            Self::NothingShared => (State::Error, "nothing to compare: the runs share no case"),
        }
    }
}

/// What the two runs are called in a comparison.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sides {
    pub(super) a: &'static str,
    pub(super) b: &'static str,
    pub(super) only_in_a: &'static str,
    pub(super) only_in_b: &'static str,
}

/// Two runs that were named.
pub(super) const TWO_RUNS: Sides = Sides {
    a: "first",
    b: "second",
    only_in_a: "only in first",
    only_in_b: "only in second",
};

/// A run and its baseline.
pub(super) const BASELINE: Sides = Sides {
    a: "baseline",
    b: "this run",
    only_in_a: "only in baseline",
    only_in_b: "only in this run",
};

/// Everything but the checks, with labels.
pub(super) fn facts(comparison: &Comparison, sides: Sides) -> Vec<Fact> {
    let mut facts = rates(comparison, sides);
    facts.extend(mean_scores(comparison));
    if comparison.statistics.is_some() {
        facts.push(("lost", named(&comparison.lost)));
        facts.push(("gained", named(&comparison.gained)));
    }
    let alone = [
        (sides.only_in_a, &comparison.only_in_a),
        (sides.only_in_b, &comparison.only_in_b),
    ];
    facts.extend(
        alone
            .into_iter()
            .filter(|(_, cases)| cases.count > 0)
            .map(|(label, cases)| (label, named(cases))),
    );
    facts
}

fn rates(comparison: &Comparison, sides: Sides) -> Vec<Fact> {
    let runs = [(sides.a, &comparison.a), (sides.b, &comparison.b)];
    let Some(statistics) = &comparison.statistics else {
        return runs.map(|(label, run)| (label, title(run))).to_vec();
    };
    let mut facts: Vec<Fact> = runs
        .into_iter()
        .zip([statistics.first, statistics.second])
        .map(|((label, run), side)| {
            let interval = (side.interval.lower, side.interval.upper);
            let rate = covered_rate(side.pass_rate, interval, (side.judged, statistics.pairs));
            (label, format!("{rate} · {}", title(run)))
        })
        .collect();
    let rates = &statistics.rates;
    facts.push((
        "difference",
        format!(
            "{} points ({} to {}) · {} (exact McNemar, {} in both)",
            signed(rates.difference * 100.0, 1),
            signed(rates.interval.lower * 100.0, 1),
            signed(rates.interval.upper * 100.0, 1),
            p_statement(rates.p_value),
            counted(statistics.pairs, "case"),
        ),
    ));
    let could_see = match rates.minimum_detectable {
        Some(least) => format!(
            "a drop of {:.1} points or more would have been found {}",
            least * 100.0,
            times_in_ten(statistics.power.get())
        ),
        None => "no drop, however large: these are too few cases".to_owned(),
    };
    facts.push(("could see", could_see));
    facts
}

fn mean_scores(comparison: &Comparison) -> Vec<Fact> {
    let Some((statistics, scores)) = comparison
        .statistics
        .as_ref()
        .and_then(|all| Some((all, all.scores?)))
    else {
        return Vec::new();
    };
    let difference = &scores.difference;
    let interval = match difference.interval {
        Some(interval) => format!("{} to {}", signed(interval.lower, 3), signed(interval.upper, 3)),
        None => "no interval: every case differs by the same".to_owned(),
    };
    let mut facts = vec![(
        "mean score",
        format!(
            "{:.3} → {:.3}: {} ({interval}) · {} scored in both",
            scores.first_mean,
            scores.second_mean,
            signed(difference.mean, 3),
            counted(difference.count, "case"),
        ),
    )];
    facts.extend(scores.minimum_detectable.map(|least| {
        let found = times_in_ten(statistics.power.get());
        (
            "could see",
            format!("a change of the mean score by {least:.3} or more would have been found {found}"),
        )
    }));
    facts
}

fn times_in_ten(power: f64) -> String {
    format!("{:.0} times in 10", power * 10.0)
}

fn title(run: &ComparedRun) -> String {
    match &run.name {
        Some(name) => format!("{} {}", one_line(name), run.id),
        None => run.id.to_string(),
    }
}

fn named(cases: &Named) -> String {
    if cases.count == 0 {
        return "none".to_owned();
    }
    let ids: Vec<String> = cases.first.iter().map(|id| one_line(id)).collect();
    let more = cases.count.saturating_sub(ids.len() as u64);
    let more = if more > 0 {
        format!(" … and {} more", count(more))
    } else {
        String::new()
    };
    format!("{}: {}{more}", count(cases.count), ids.join(", "))
}

/// Heads and cells of the table of checks that flipped in some case; empty where none did.
pub(super) fn checks(comparison: &Comparison) -> Vec<Vec<String>> {
    let flipped: Vec<_> = comparison
        .checks
        .iter()
        .filter(|check| check.lost + check.gained > 0)
        .collect();
    if flipped.is_empty() {
        return Vec::new();
    }
    let mut rows = vec![
        ["check", "lost", "gained", "adjusted p"]
            .map(str::to_owned)
            .to_vec(),
    ];
    rows.extend(flipped.iter().take(SHOWN_CHECKS).map(|check| {
        vec![
            one_line(&check.name),
            count(check.lost),
            count(check.gained),
            p_value(check.adjusted_p_value),
        ]
    }));
    if flipped.len() > SHOWN_CHECKS {
        rows.push(vec![format!("… and {} more", flipped.len() - SHOWN_CHECKS)]);
    }
    rows
}
