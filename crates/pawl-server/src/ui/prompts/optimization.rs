//! `/optimizations/{id}`: what was tried, on what, and what came of it.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use askama::Template;
use axum::extract::State;
use pawl_engine::evolve::{ExampleScore, OptimizationDetail, Progress, goes_on};
use pawl_model::{CandidateStatus, OptimizationStatus, PromptCandidate};
use serde::Deserialize;
use serde_json::Value;

use super::super::dashboard::chart::Chart;
use super::super::moment::{Moment, Moments};
use super::super::number;
use super::super::page::Page;
use super::super::session::Visitor;
use super::super::shell::{Section, Shell};
use super::act::of_limit;
use super::candidate::Opened;
use super::tree::{Node, tree};
use super::{score, words};
use crate::AppState;
use crate::optimizations::stream::is_over;
use crate::parameters::{Path, Query};
use crate::problem::{ErrorCode, Problem};

/// Examples of the heat map.
const COLUMNS: usize = 40;

/// Which candidate is opened.
#[derive(Debug, Default, Deserialize)]
pub(in crate::ui) struct OptimizationQuery {
    candidate: Option<String>,
}

#[derive(Template)]
#[template(path = "optimization.html")]
pub(in crate::ui) struct OptimizationPage {
    shell: Shell,
    id: String,
    name: String,
    status: &'static str,
    class: &'static str,
    best: Option<String>,
    first: Option<String>,
    steps: i64,
    finish: Option<String>,
    error: Option<String>,
    began: Moment,
    /// Whether it goes on.
    is_live: bool,
    is_pending: bool,
    /// Whether it was stopped and can go on.
    goes_on: bool,
    /// What was spent of what: name and value.
    budget: Vec<(&'static str, String)>,
    chart: Chart,
    tree: Vec<Node>,
    /// What it was asked to do: name and value.
    asked: Vec<(&'static str, String)>,
    counts: Vec<(&'static str, usize)>,
    /// Examples of the heat map, and how many there are besides.
    examples: Vec<String>,
    more_examples: usize,
    rows: Vec<Row>,
    opened: Option<Opened>,
}

/// A candidate in the list.
struct Row {
    id: String,
    href: String,
    is_best: bool,
    step: i64,
    status: &'static str,
    class: &'static str,
    generation: i64,
    score: Option<String>,
    coverage: i64,
    reason: Option<String>,
    /// A score of each example of the heat map, in tenths.
    cells: Vec<Option<(u8, String)>>,
}

/// An optimisation.
pub(in crate::ui) async fn show(
    State(state): State<AppState>,
    visitor: Visitor,
    Path(id): Path<String>,
    Query(query): Query<OptimizationQuery>,
) -> Result<Page<OptimizationPage>, Problem> {
    let detail = state.engine.optimization_detail(visitor.actor(), &id).await?;
    let detail = detail.ok_or(Problem::new(ErrorCode::NotFound))?;
    let OptimizationDetail {
        run,
        candidates,
        scores,
        progress,
    } = detail;
    let moments = Moments::of(&state, &visitor).await?;
    let heat = Heat::of(&scores);
    let best = run.best_candidate_id.as_deref();
    let opened = query.candidate.as_deref().or(best);
    let opened = opened.and_then(|id| candidates.iter().find(|one| one.id == id));
    let opened = match opened {
        Some(candidate) => {
            let live = state.engine.live_prompt(visitor.user(), &run.name).await?;
            let promote = live.filter(|_| candidate.status == CandidateStatus::Accepted);
            let promote =
                promote.map(|live| format!("/prompts/{}?candidate={}#promote", live.name, candidate.id));
            Some(Opened::of((&state, &visitor), candidate, &candidates, promote).await?)
        }
        None => None,
    };
    let config = run.config.to_value();
    let text = |member: &str| match &config[member] {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let count = |status: CandidateStatus| candidates.iter().filter(|one| one.status == status).count();
    let (status, class) = words(run.status);
    Ok(Page(OptimizationPage {
        shell: visitor.shell(Section::Prompts, ["Evolving ", &run.name].concat()),
        name: run.name.clone(),
        status,
        class,
        best: run.best_score.map(|score| format!("{score:.3}")),
        first: candidates
            .first()
            .and_then(|first| first.avg_score)
            .map(|score| format!("{score:.3}")),
        steps: run.iterations,
        finish: run.finish.clone(),
        error: run.error.clone(),
        began: moments.show(run.created_at),
        is_live: !is_over(run.status),
        is_pending: run.status == OptimizationStatus::Pending,
        goes_on: goes_on(&run),
        budget: budget(&progress),
        chart: score::chart(&id, &progress),
        tree: tree(&id, &candidates, best),
        asked: vec![
            ("Suite", text("suite")),
            ("Target", text("target")),
            ("Proposes texts", text("reflector")),
        ],
        counts: vec![
            ("in the pool", count(CandidateStatus::Accepted)),
            ("no better", count(CandidateStatus::Rejected)),
            ("refused", count(CandidateStatus::Refused)),
        ],
        more_examples: heat.examples.len().saturating_sub(COLUMNS),
        examples: heat.examples.iter().take(COLUMNS).cloned().collect(),
        rows: candidates
            .iter()
            .map(|candidate| Row::of(&id, candidate, best, &heat))
            .collect(),
        opened,
        id,
    }))
}

/// What was spent, and of what.
fn budget(progress: &Progress) -> Vec<(&'static str, String)> {
    let (taken, limits) = (progress.spent + progress.lost, &progress.limits);
    let dollars = |nanos: u64| nanos as f64 / 1e9;
    let cost = match limits.usd_nanos {
        Some(limit) => format!("${:.4} of ${:.2}", dollars(taken.cost.usd_nanos), dollars(limit)),
        None => format!("${:.4}", dollars(taken.cost.usd_nanos)),
    };
    vec![
        (
            "Calls of the target",
            of_limit(taken.metric_calls, limits.metric_calls),
        ),
        (
            "Calls of the model",
            of_limit(taken.reflections, limits.reflections),
        ),
        ("Tokens", of_limit(taken.cost.tokens, limits.tokens)),
        ("Cost", cost),
    ]
}

/// Scores by candidate and example of validation.
struct Heat {
    examples: Vec<String>,
    scores: HashMap<String, BTreeMap<String, f64>>,
}

impl Heat {
    fn of(scores: &[ExampleScore]) -> Self {
        let mut examples = BTreeSet::new();
        let mut by_candidate: HashMap<String, BTreeMap<String, f64>> = HashMap::new();
        for score in scores {
            let Some(example) = score.example_id.strip_prefix("validation:") else {
                continue;
            };
            examples.insert(example.to_owned());
            let of = by_candidate.entry(score.candidate_id.clone()).or_default();
            of.entry(example.to_owned()).or_insert(score.score);
        }
        Self {
            examples: examples.into_iter().collect(),
            scores: by_candidate,
        }
    }
}

impl Row {
    fn of(run: &str, candidate: &PromptCandidate, best: Option<&str>, heat: &Heat) -> Self {
        let (status, class) = match candidate.status {
            CandidateStatus::Proposed => ("tried", "skipped"),
            CandidateStatus::Accepted => ("in the pool", "passed"),
            CandidateStatus::Rejected => ("no better", "skipped"),
            CandidateStatus::Refused => ("refused", "failed"),
        };
        let scores = heat.scores.get(&candidate.id);
        let cell = |example: &String| {
            let score = scores?.get(example)?;
            let tenth = (score.clamp(0.0, 1.0) * 10.0).round() as u8;
            Some((tenth, format!("{example}: {score:.3}")))
        };
        Self {
            href: format!("/optimizations/{run}?candidate={}#candidate", candidate.id),
            is_best: best == Some(candidate.id.as_str()),
            step: candidate.step,
            status,
            class,
            generation: candidate.generation,
            score: candidate.avg_score.map(|score| format!("{score:.3}")),
            coverage: candidate.coverage,
            reason: candidate.reason.clone(),
            cells: heat.examples.iter().take(COLUMNS).map(cell).collect(),
            id: candidate.id.clone(),
        }
    }
}

/// How many there are, in words.
impl OptimizationPage {
    fn candidates(&self) -> String {
        number::counted(self.rows.len() as u64, "candidate")
    }
}
