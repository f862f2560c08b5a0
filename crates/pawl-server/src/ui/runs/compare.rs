//! `/runs/{a}/compare/{b}`: how two runs differ, case by case.

use askama::Template;
use axum::extract::State;
use axum::response::Redirect;
use pawl_checks::stats::{Interval, PairedComparison};
use pawl_engine::run::compare::{Comparison, Direction, Named};
use pawl_engine::run::flips::Flip;
use pawl_model::{CaseRecord, EvalResults, RunId, State as CaseState};
use serde::Deserialize;

use super::super::difference::{self, Change};
use super::case;
use super::name;
use crate::AppState;
use crate::parameters::{Path, Query};
use crate::problem::Problem;
use crate::ui::moment::{Moment, Moments};
use crate::ui::number::counted;
use crate::ui::page::Page;
use crate::ui::rate;
use crate::ui::session::Visitor;
use crate::ui::shell::{Section, Shell};

#[derive(Template)]
#[template(path = "comparison.html")]
pub(in crate::ui) struct ComparisonPage {
    shell: Shell,
    runs: [Side; 2],
    /// The page of the other way round.
    reversed: String,
    verdict: Verdict,
    facts: Vec<Fact>,
    flips: Vec<Flips>,
    checks: Vec<CheckRow>,
    alone: Vec<Alone>,
}

/// One of the two runs.
struct Side {
    letter: &'static str,
    name: String,
    href: String,
    started: Moment,
    rate: Option<String>,
}

/// What can be said.
struct Verdict {
    class: &'static str,
    title: &'static str,
    evidence: String,
}

/// A number that it rests on.
struct Fact {
    name: &'static str,
    value: String,
    detail: String,
}

/// The cases that passed in one run alone.
struct Flips {
    title: &'static str,
    letter: &'static str,
    count: String,
    shown: Vec<FlipView>,
    /// How many are not shown.
    more: Option<String>,
}

/// One of them.
struct FlipView {
    name: String,
    states: [CaseState; 2],
    reason: String,
    hrefs: [String; 2],
    /// How the outputs differ; none where they are too long.
    changes: Option<Vec<Change>>,
}

/// A check that both runs have.
struct CheckRow {
    name: String,
    lost: u64,
    gained: u64,
    p_value: String,
}

/// Cases of one run that the other has not.
struct Alone {
    title: String,
    ids: Vec<String>,
    /// How many are not shown.
    more: Option<String>,
}

/// With which run to compare.
#[derive(Debug, Deserialize)]
pub(in crate::ui) struct Baseline {
    with: RunId,
}

/// Leads to the comparison that somebody chose.
pub(in crate::ui) async fn choose(
    _: Visitor,
    Path(id): Path<RunId>,
    Query(Baseline { with }): Query<Baseline>,
) -> Redirect {
    Redirect::to(&url(with, id))
}

fn url(a: RunId, b: RunId) -> String {
    ["/runs/", &a.to_string(), "/compare/", &b.to_string()].concat()
}

/// Two runs, compared.
pub(in crate::ui) async fn show(
    State(state): State<AppState>,
    visitor: Visitor,
    Path((a, b)): Path<(RunId, RunId)>,
) -> Result<Page<ComparisonPage>, Problem> {
    let (engine, actor) = (&state.engine, visitor.actor());
    let runs = [engine.run(actor, a).await?, engine.run(actor, b).await?];
    let comparison = engine.compare(actor, a, b).await?;
    let flips = engine.flips(actor, &comparison).await?;
    let moments = Moments::of(&state, &visitor).await?;
    let sides = [&comparison.a, &comparison.b];
    let mut sides = runs
        .iter()
        .zip(sides)
        .zip(["A", "B"])
        .map(|((run, side), letter)| Side {
            letter,
            name: name(run),
            href: ["/runs/", &run.id.to_string()].concat(),
            started: moments.show(run.created_at),
            rate: (side.tally.total() > 0).then(|| super::Share::of(&side.tally).rate),
        });
    let mut side = || sides.next();
    let (Some(first), Some(second)) = (side(), side()) else {
        return Err(Problem::new(crate::problem::ErrorCode::Internal));
    };
    Ok(Page(ComparisonPage {
        shell: visitor.shell(Section::Runs, "Comparison"),
        runs: [first, second],
        reversed: url(b, a),
        verdict: Verdict::of(&comparison),
        facts: comparison.statistics.as_ref().map(facts).unwrap_or_default(),
        flips: vec![
            Flips::of("Lost", (Direction::Lost, &comparison.lost), &flips),
            Flips::of("Gained", (Direction::Gained, &comparison.gained), &flips),
        ],
        checks: checks(&comparison),
        alone: alone(&comparison),
    }))
}

impl Verdict {
    fn of(comparison: &Comparison) -> Self {
        let (class, title) = match &comparison.statistics {
            None => ("skipped", "Nothing to compare"),
            Some(_) if comparison.is_regression() => {
                ("failed", "B passes less often, and chance does not explain it")
            }
            Some(statistics) if is_improvement(statistics) => {
                ("passed", "B passes more often, and chance does not explain it")
            }
            Some(_) => ("skipped", "No difference that chance does not explain"),
        };
        Self {
            class,
            title,
            evidence: match &comparison.statistics {
                None => comparison.evidence(),
                Some(statistics) => format!(
                    "{} lost and {} gained of {} cases that both have",
                    comparison.lost.count, comparison.gained.count, statistics.pairs
                ),
            },
        }
    }
}

fn is_improvement(statistics: &PairedComparison) -> bool {
    statistics.rates.difference > 0.0 && statistics.rates.p_value < 1.0 - statistics.confidence.get()
}

fn facts(statistics: &PairedComparison) -> Vec<Fact> {
    let rates = &statistics.rates;
    let points = |interval: Interval| {
        let [lower, upper] = [interval.lower, interval.upper].map(|share| rate::signed(share * 100.0, 1));
        ["(", &lower, " to ", &upper, ")"].concat()
    };
    let mut facts = vec![
        Fact {
            name: "Pass rate, B − A",
            value: rate::points(rates.difference),
            detail: [&points(rates.interval), " · ", &counted(statistics.pairs, "pair")].concat(),
        },
        Fact {
            name: "p, exact McNemar",
            value: p_value(rates.p_value),
            detail: [
                "of ",
                &counted(rates.only_first_passed + rates.only_second_passed, "flip"),
            ]
            .concat(),
        },
        Fact {
            name: "Smallest difference it could have seen",
            value: rates
                .minimum_detectable
                .map_or("none".to_owned(), |least| format!("{:.1} points", least * 100.0)),
            detail: format!("with a chance of {:.0} %", statistics.power.get() * 100.0),
        },
    ];
    if let Some(scores) = &statistics.scores {
        let interval = scores
            .difference
            .interval
            .map_or("no spread".to_owned(), |interval| {
                format!(
                    "({} to {})",
                    rate::signed(interval.lower, 3),
                    rate::signed(interval.upper, 3)
                )
            });
        facts.push(Fact {
            name: "Mean score, B − A",
            value: rate::signed(scores.difference.mean, 3),
            detail: format!(
                "{interval} · {} to {}",
                rate::score(scores.first_mean),
                rate::score(scores.second_mean)
            ),
        });
    }
    facts
}

/// A p-value; small ones by how small they are at least.
fn p_value(p: f64) -> String {
    if p < 0.001 {
        "< 0.001".to_owned()
    } else {
        format!("{p:.3}")
    }
}

impl Flips {
    fn of(title: &'static str, (direction, named): (Direction, &Named), flips: &[Flip]) -> Self {
        let shown: Vec<_> = flips
            .iter()
            .filter(|flip| flip.direction == direction)
            .map(FlipView::of)
            .collect();
        Self {
            title,
            letter: match direction {
                Direction::Lost => "A",
                Direction::Gained => "B",
            },
            count: crate::ui::number::count(named.count),
            more: more(named, shown.len()),
            shown,
        }
    }
}

impl FlipView {
    fn of(flip: &Flip) -> Self {
        let href = |record: &CaseRecord| {
            [
                "/runs/",
                &record.run_id.to_string(),
                "?case=",
                &record.id.0.simple().to_string(),
            ]
            .concat()
        };
        let unpassed = match flip.direction {
            Direction::Lost => &flip.b,
            Direction::Gained => &flip.a,
        };
        Self {
            name: case::name(&flip.a),
            states: [flip.a.state(), flip.b.state()],
            reason: reason(unpassed),
            hrefs: [href(&flip.a), href(&flip.b)],
            changes: difference::changes(&case::output(&flip.a), &case::output(&flip.b)),
        }
    }
}

/// How many are not shown.
fn more(named: &Named, shown: usize) -> Option<String> {
    let more = named.count.saturating_sub(shown as u64);
    (more > 0).then(|| counted(more, "more case"))
}

/// Why a case did not pass.
fn reason(record: &CaseRecord) -> String {
    let of_check = || {
        let results = EvalResults::read(&record.eval_results.to_value());
        let check = results
            .checks
            .into_iter()
            .find(|check| check.state != CaseState::Passed)?;
        Some(
            [
                &*check.name,
                ": ",
                check.message.as_deref().unwrap_or(check.state.as_str()),
            ]
            .concat(),
        )
    };
    record.error.clone().or_else(of_check).unwrap_or_default()
}

fn checks(comparison: &Comparison) -> Vec<CheckRow> {
    let checks = comparison.checks.iter().map(|check| CheckRow {
        name: check.name.clone(),
        lost: check.lost,
        gained: check.gained,
        p_value: p_value(check.adjusted_p_value),
    });
    checks.collect()
}

fn alone(comparison: &Comparison) -> Vec<Alone> {
    [("A", &comparison.only_in_a), ("B", &comparison.only_in_b)]
        .into_iter()
        .filter(|(_, named)| named.count > 0)
        .map(|(letter, named)| Alone {
            title: [&counted(named.count, "case"), " of ", letter, " alone"].concat(),
            ids: named.first.clone(),
            more: more(named, named.first.len()),
        })
        .collect()
}
