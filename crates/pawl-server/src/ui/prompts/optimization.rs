//! `/optimizations/{id}`: what was tried, on what, and what came of it.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use askama::Template;
use axum::extract::State;
use pawl_engine::evolve::ExampleScore;
use pawl_model::{CandidateStatus, PromptCandidate};
use serde::Deserialize;
use serde_json::Value;

use super::super::difference::{Change, changes};
use super::super::moment::{Moment, Moments};
use super::super::number;
use super::super::page::Page;
use super::super::session::Visitor;
use super::super::shell::{Section, Shell};
use super::words;
use crate::AppState;
use crate::parameters::{Path, Query};
use crate::problem::{ErrorCode, Problem};

/// Examples of the heat map.
const COLUMNS: usize = 40;
/// Rollouts of a candidate that are shown, the worst first.
const ROLLOUTS: usize = 20;

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

/// A candidate with what led to it and what it did.
struct Opened {
    id: String,
    instructions: String,
    /// How it differs from its parent.
    changes: Option<Vec<Change>>,
    parent: Option<String>,
    reason: Option<String>,
    rollouts: Vec<Rollout>,
}

/// A candidate on an example.
struct Rollout {
    example: String,
    score: String,
    feedback: String,
    input: String,
    output: String,
}

/// An optimisation.
pub(in crate::ui) async fn show(
    State(state): State<AppState>,
    visitor: Visitor,
    Path(id): Path<String>,
    Query(query): Query<OptimizationQuery>,
) -> Result<Page<OptimizationPage>, Problem> {
    let run = state.engine.optimization(visitor.actor(), &id).await?;
    let run = run.ok_or(Problem::new(ErrorCode::NotFound))?;
    let candidates = state.engine.prompt_candidates(visitor.actor(), &id).await?;
    let scores = state.engine.optimization_scores(visitor.actor(), &id).await?;
    let moments = Moments::of(&state, &visitor).await?;
    let heat = Heat::of(&scores);
    let best = run.best_candidate_id.as_deref();
    let opened = query.candidate.as_deref().or(best);
    let opened = opened.and_then(|id| candidates.iter().find(|one| one.id == id));
    let opened = match opened {
        Some(candidate) => Some(opened_one(&state, &visitor, candidate, &candidates).await?),
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

async fn opened_one(
    state: &AppState,
    visitor: &Visitor,
    candidate: &PromptCandidate,
    candidates: &[PromptCandidate],
) -> Result<Opened, Problem> {
    let mut evaluations = state
        .engine
        .prompt_evaluations(visitor.actor(), &candidate.id)
        .await?;
    evaluations.sort_by(|one, other| one.score.total_cmp(&other.score));
    let parent = candidate.parents.first();
    let parent = parent.and_then(|id| candidates.iter().find(|one| one.id == *id));
    let shown = |value: &Value| match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    };
    Ok(Opened {
        id: candidate.id.clone(),
        instructions: candidate.instructions.clone(),
        changes: parent.and_then(|parent| changes(&parent.instructions, &candidate.instructions)),
        parent: parent.map(|parent| parent.id.clone()),
        reason: candidate.reason.clone(),
        rollouts: evaluations
            .iter()
            .take(ROLLOUTS)
            .map(|one| {
                let trace = one.trace.as_ref().map_or(Value::Null, |trace| trace.to_value());
                Rollout {
                    example: one.example_id.clone(),
                    score: format!("{:.3}", one.score),
                    feedback: one.feedback.clone().unwrap_or_default(),
                    input: shown(&trace["input"]),
                    output: shown(&trace["output"]),
                }
            })
            .collect(),
    })
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
