//! `/prompts`: what is live, why, and what is being evolved; and `/optimizations/{id}`.

mod act;
mod candidate;
mod list;
mod optimization;
mod score;
mod tree;
mod verdict;

use askama::Template;
use axum::extract::State;
use pawl_engine::evolve::Quote;
use pawl_model::{JobState, Optimization, OptimizationStatus, PromptVersion};
use serde::Deserialize;

use self::act::EvolveForm;
pub(super) use self::act::{cancel, evolve, promote, resume, roll_back, tell};
pub(super) use self::list::list;
pub(super) use self::optimization::show as show_optimization;
use self::verdict::Verdict;
use super::difference::{Change, changes};
use super::moment::{Moment, Moments};
use super::number::count;
use super::page::Page;
use super::session::Visitor;
use super::shell::{Section, Shell};
use crate::AppState;
use crate::parameters::{Path, Query};
use crate::problem::{ErrorCode, Problem};

/// Optimisations that are listed.
const RUNS: u32 = 50;

/// An optimisation in a list.
pub(super) struct RunRow {
    href: String,
    name: String,
    status: &'static str,
    class: &'static str,
    best: Option<String>,
    steps: i64,
    why: String,
    began: Moment,
}

#[derive(Template)]
#[template(path = "prompt.html")]
pub(super) struct PromptPage {
    shell: Shell,
    name: String,
    version: i64,
    texts: Vec<(String, String)>,
    versions: Vec<Version>,
    verdicts: Vec<Verdict>,
    done: Option<&'static str>,
    under_way: Vec<UnderWay>,
    /// Whether something will be decided.
    waits: bool,
    optimizations: Vec<RunRow>,
    /// What can be named.
    targets: Vec<String>,
    has_suites: bool,
    reflector: Option<String>,
    form: EvolveForm,
    /// What it may take: name and value.
    quote: Option<Vec<(&'static str, String)>>,
    evolve_problem: Option<String>,
    /// Candidates to promote: id, what they are, and whether one is chosen.
    offers: Vec<(String, String, bool)>,
    promote_reason: String,
    promote_problem: Option<String>,
    /// Versions to go back to.
    earlier: Vec<i64>,
    back_problem: Option<String>,
    decides: String,
}

/// What of a prompt is looked at.
#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct PromptQuery {
    /// The candidate that is to be promoted.
    candidate: Option<String>,
    done: Option<String>,
}

/// A promotion without a verdict.
struct UnderWay {
    word: &'static str,
    class: &'static str,
    candidate: String,
    by: String,
}

/// A version, and how it differs from the one before.
struct Version {
    number: i64,
    is_live: bool,
    origin: String,
    when: Moment,
    changes: Option<Vec<Change>>,
}

/// A prompt with its history.
pub(super) async fn show(
    State(state): State<AppState>,
    visitor: Visitor,
    Path(name): Path<String>,
    Query(query): Query<PromptQuery>,
) -> Result<Page<PromptPage>, Problem> {
    Ok(Page(page(&state, &visitor, (&name, &query)).await?))
}

async fn page(
    state: &AppState,
    visitor: &Visitor,
    (name, query): (&str, &PromptQuery),
) -> Result<PromptPage, Problem> {
    let detail = state.engine.prompt(visitor.user(), name).await?;
    let detail = detail.ok_or(Problem::new(ErrorCode::NotFound))?;
    let moments = Moments::of(state, visitor).await?;
    let mut runs = state.engine.optimizations(visitor.actor(), RUNS).await?;
    runs.retain(|run| run.name == name);
    let under_way = state.engine.promotions_under_way(visitor.user(), name).await?;
    let versions = &detail.versions;
    let shown = versions.iter().enumerate().map(|(place, version)| Version {
        number: version.version,
        is_live: version.version == detail.live.version,
        origin: origin(version),
        when: moments.show(version.created_at),
        changes: versions
            .get(place + 1)
            .and_then(|before| changes(&whole(before), &whole(version))),
    });
    let named = state.engine.named();
    Ok(PromptPage {
        shell: visitor.shell(Section::Prompts, name.to_owned()),
        name: name.to_owned(),
        version: detail.live.version,
        texts: detail
            .live
            .components
            .iter()
            .map(|one| (one.name.clone(), one.text.clone()))
            .collect(),
        versions: shown.collect(),
        verdicts: detail
            .verdicts
            .iter()
            .map(|one| Verdict::of(one, &moments))
            .collect(),
        done: query.done.as_deref().and_then(done),
        waits: under_way.iter().any(|one| one.state != JobState::Dead),
        under_way: under_way
            .into_iter()
            .map(|one| {
                let (word, class) = match one.state {
                    JobState::Queued => ("waits for a worker", "skipped"),
                    JobState::Running | JobState::Finished => ("is being compared", "running"),
                    JobState::Dead => ("could not be compared", "error"),
                };
                UnderWay {
                    word,
                    class,
                    candidate: one.candidate_id,
                    by: one.by,
                }
            })
            .collect(),
        offers: offers(&runs, query.candidate.as_deref()),
        optimizations: runs.iter().map(|run| RunRow::of(run, &moments)).collect(),
        targets: named.targets().map(str::to_owned).collect(),
        has_suites: named.has_suites(),
        reflector: named.default_reflector().map(|model| model.to_string()),
        form: EvolveForm::default(),
        quote: None,
        evolve_problem: None,
        promote_reason: String::new(),
        promote_problem: None,
        earlier: versions
            .iter()
            .map(|version| version.version)
            .filter(|version| *version != detail.live.version)
            .collect(),
        back_problem: None,
        decides: visitor.session.account.email.clone().unwrap_or_default(),
    })
}

/// The best candidate of each optimisation, and the one that is named.
fn offers(runs: &[Optimization], named: Option<&str>) -> Vec<(String, String, bool)> {
    let mut offers: Vec<_> = runs
        .iter()
        .filter_map(|run| {
            let id = run.best_candidate_id.clone()?;
            let what = format!(
                "{id}, the best of {} at {:.3}",
                run.id,
                run.best_score.unwrap_or_default()
            );
            let is_chosen = named == Some(&*id);
            Some((id, what, is_chosen))
        })
        .collect();
    if let Some(named) = named.filter(|named| !offers.iter().any(|(id, ..)| id == named)) {
        offers.insert(0, (named.to_owned(), named.to_owned(), true));
    }
    offers
}

fn done(word: &str) -> Option<&'static str> {
    Some(match word {
        "promoting" => "A worker compares the candidate with the live prompt; the verdict appears here.",
        "back" => "The earlier version is live again.",
        _ => return None,
    })
}

/// What an optimisation may take.
fn quote(quote: &Quote) -> Vec<(&'static str, String)> {
    let at_most = |number: Option<u64>| number.map_or_else(|| "no limit".to_owned(), count);
    let proposals = match (quote.proposals_at_least, quote.proposals_at_most) {
        (Some(least), Some(most)) => format!("{least} to {most}"),
        _ => "as many as it takes".to_owned(),
    };
    vec![
        (
            "Cases",
            format!(
                "{} to learn from, {} to compare on, {} for the gate",
                quote.train, quote.validation, quote.hold_out
            ),
        ),
        ("Proposals", proposals),
        ("Calls of the target", at_most(quote.metric_calls)),
        ("Calls of the model", at_most(quote.reflections)),
        (
            "Its tokens",
            quote.tokens.map_or_else(|| "not known".to_owned(), count),
        ),
        (
            "Its cost",
            quote.cost_usd.map_or_else(
                || "not known: the model has no price".to_owned(),
                |cost| format!("${cost:.2}"),
            ),
        ),
    ]
}

/// All texts of a version.
fn whole(version: &PromptVersion) -> String {
    match version.components.as_slice() {
        [only] => only.text.clone(),
        several => several
            .iter()
            .map(|one| format!("# {}\n\n{}\n", one.name, one.text))
            .collect::<Vec<_>>()
            .join("\n"),
    }
}

fn origin(version: &PromptVersion) -> String {
    version
        .candidate_id
        .clone()
        .unwrap_or_else(|| "by hand".to_owned())
}

impl RunRow {
    pub(super) fn of(run: &Optimization, moments: &Moments) -> Self {
        let (status, class) = words(run.status);
        Self {
            href: ["/optimizations/", &run.id].concat(),
            name: run.name.clone(),
            status,
            class,
            best: run.best_score.map(|score| format!("{score:.3}")),
            steps: run.iterations,
            why: run
                .error
                .clone()
                .or_else(|| run.finish.clone())
                .unwrap_or_default(),
            began: moments.show(run.created_at),
        }
    }
}

pub(super) const fn words(status: OptimizationStatus) -> (&'static str, &'static str) {
    match status {
        OptimizationStatus::Pending => ("pending", "skipped"),
        OptimizationStatus::Running => ("running", "running"),
        OptimizationStatus::Completed => ("completed", "passed"),
        OptimizationStatus::Failed => ("failed", "error"),
        OptimizationStatus::Cancelled => ("stopped", "skipped"),
    }
}
