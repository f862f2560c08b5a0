//! What is said of a run to people, in words: the same on a terminal and in a pull request.

use pawl_engine::run::{CheckTally, GateOutcome, RunReport};
use pawl_model::State;

use super::quantity::{count, counted, covered_rate, dollars, duration, percent};
use super::text::{one_line, shape};

/// A label and what is to be said.
pub(super) type Fact = (&'static str, String);

/// The numbers of a run, with their labels.
pub(super) fn of_run(report: &RunReport) -> Vec<Fact> {
    let tally = report.tally;
    let mut facts = Vec::new();
    facts.extend(pass_rate(report).map(|rate| ("pass rate", rate)));
    let unjudged = tally.total() - tally.judged();
    if let (Some(coverage), 1..) = (tally.coverage(), unjudged) {
        let unjudged = counted(unjudged, "row");
        facts.push((
            "coverage",
            format!("{} · {unjudged} not judged, so not passed", percent(coverage)),
        ));
    }
    if let Some(mean) = report.mean_score() {
        facts.push((
            "mean score",
            format!("{mean:.3} · {} scored", count(report.scored())),
        ));
    }
    facts.extend(report.cost_usd().map(|cost| ("cost", dollars(cost))));
    let took = duration(report.took);
    facts.push(match report.resumed {
        0 => ("took", took),
        resumed => (
            "took",
            format!("{took} · {} stood there already", counted(resumed, "row")),
        ),
    });
    facts
}

/// The pass rate with its interval and coverage.
pub(super) fn pass_rate(report: &RunReport) -> Option<String> {
    let (rate, interval) = report.pass_rate()?;
    let tally = report.tally;
    Some(covered_rate(
        rate,
        (interval.lower, interval.upper),
        (tally.judged(), tally.total()),
    ))
}

/// The rows of a run by state, each with its shape; error and skipped only where there are any.
pub(super) fn states(report: &RunReport) -> Vec<(State, String)> {
    State::ALL
        .into_iter()
        .map(|state| (state, report.tally.of(state)))
        .filter(|(state, n)| matches!(state, State::Passed | State::Failed) || *n > 0)
        .map(|(state, n)| {
            (
                state,
                format!("{} {} {state}", shape(state), count(n), state = state.as_str()),
            )
        })
        .collect()
}

/// Heads and cells of the table of checks.
pub(super) fn checks(checks: &[CheckTally]) -> Vec<Vec<String>> {
    let head = std::iter::once("check").chain(State::ALL.map(State::as_str));
    let mut rows = vec![head.map(str::to_owned).collect::<Vec<_>>()];
    rows.extend(checks.iter().map(|check| {
        let counts = State::ALL.map(|state| count(check.tally.of(state)));
        std::iter::once(one_line(&check.name)).chain(counts).collect()
    }));
    rows
}

/// What the gate says: as a state, and in words.
pub(super) fn gate(outcome: &GateOutcome) -> (State, String) {
    match outcome {
        GateOutcome::Passed => (State::Passed, "gate passed".to_owned()),
        GateOutcome::Failed(reasons) => (
            State::Failed,
            format!("gate failed: {}", one_line(&reasons.join("; "))),
        ),
        GateOutcome::Uncovered(reason) => (State::Error, format!("gate undecided: {}", one_line(reason))),
    }
}
