//! One candidate: how it differs, what led to it, and what it did.

use pawl_model::{PromptCandidate, PromptEvaluation};
use serde_json::Value;

use crate::AppState;
use crate::problem::Problem;
use crate::ui::difference::{Change, changes};
use crate::ui::session::Visitor;

/// Rollouts that are shown, the worst first.
const ROLLOUTS: u32 = 20;
/// Those of its parent that led to it.
const BEHIND: u32 = 10;

/// A candidate with what led to it and what it did.
pub(super) struct Opened {
    pub(super) id: String,
    /// Whether it has a place in the lineage.
    pub(super) is_decided: bool,
    pub(super) instructions: String,
    /// How it differs from its parent.
    pub(super) changes: Option<Vec<Change>>,
    pub(super) parent: Option<String>,
    pub(super) reason: Option<String>,
    /// Where it can be promoted.
    pub(super) promote: Option<String>,
    pub(super) behind: Vec<Rollout>,
    pub(super) rollouts: Vec<Rollout>,
}

/// A candidate on an example.
pub(super) struct Rollout {
    pub(super) example: String,
    pub(super) score: String,
    pub(super) feedback: String,
    /// What happened: a name, and a text.
    pub(super) trace: Vec<(&'static str, String)>,
}

impl Opened {
    pub(super) async fn of(
        (state, visitor): (&AppState, &Visitor),
        candidate: &PromptCandidate,
        candidates: &[PromptCandidate],
        promote: Option<String>,
    ) -> Result<Self, Problem> {
        let (engine, actor) = (&state.engine, visitor.actor());
        let behind = engine.evaluations_behind(actor, candidate, BEHIND).await?;
        let rollouts = engine.worst_evaluations(actor, &candidate.id, ROLLOUTS).await?;
        let parent = candidate.parents.first();
        let parent = parent.and_then(|id| candidates.iter().find(|one| one.id == *id));
        Ok(Self {
            id: candidate.id.clone(),
            is_decided: candidate.status != pawl_model::CandidateStatus::Proposed,
            instructions: candidate.instructions.clone(),
            changes: parent.and_then(|parent| changes(&parent.instructions, &candidate.instructions)),
            parent: parent.map(|parent| parent.id.clone()),
            reason: candidate.reason.clone(),
            promote,
            behind: behind.iter().map(Rollout::of).collect(),
            rollouts: rollouts.iter().map(Rollout::of).collect(),
        })
    }
}

impl Rollout {
    fn of(evaluation: &PromptEvaluation) -> Self {
        let trace = evaluation
            .trace
            .as_ref()
            .map_or(Value::Null, |trace| trace.to_value());
        let parts = [
            ("Asked", "input"),
            ("Reasoning", "reasoning"),
            ("Tools it called", "tool_calls"),
            ("Answered", "output"),
        ];
        let parts = parts.map(|(name, member)| (name, shown(&trace[member])));
        Self {
            example: evaluation.example_id.clone(),
            score: format!("{:.3}", evaluation.score),
            feedback: evaluation.feedback.clone().unwrap_or_default(),
            trace: parts.into_iter().filter(|(_, text)| !text.is_empty()).collect(),
        }
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        Value::Array(list) if list.is_empty() => String::new(),
        other => serde_json::to_string_pretty(other).unwrap_or_default(),
    }
}
