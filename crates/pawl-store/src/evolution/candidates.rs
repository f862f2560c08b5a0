//! Candidates, and every one of them tried on an example.

use std::collections::BTreeMap;

use pawl_model::{
    CandidateStatus, Json, LineageKind, LineageNode, PromptCandidate, PromptComponent, PromptEvaluation,
    UserId,
};

use super::document;
use crate::insert::{Insert, OnExisting};
use crate::statement::{self, shared};
use crate::{Result, Row, Scope, Statement, Value};

const CANDIDATES: Statement = shared!("evolution/candidates");
const CANDIDATE: Statement = shared!("evolution/candidate");
const DECIDE_CANDIDATE: Statement = shared!("evolution/decide_candidate");
const STANDING: Statement = shared!("evolution/standing");
const EVALUATIONS: Statement = shared!("evolution/evaluations");
const SCORES: Statement = shared!("evolution/scores");
const INSERT_CANDIDATE: Insert = Insert {
    table: "prompt_candidates",
    columns: &[
        "id",
        "user_id",
        "run_id",
        "instructions",
        "components",
        "digest",
        "status",
        "parent_id",
        "parents",
        "edited",
        "reason",
        "step",
        "generation",
        "created_at",
    ],
    on_existing: OnExisting::Keep(&["id"]),
};

const INSERT_EVALUATION: Insert = Insert {
    table: "prompt_evaluations",
    columns: &[
        "id",
        "user_id",
        "candidate_id",
        "example_id",
        "score",
        "feedback",
        "trace",
        "dimension_scores",
        "created_at",
    ],
    on_existing: OnExisting::Fail,
};

pub(crate) const STATEMENTS: &[Statement] = &[
    CANDIDATES,
    CANDIDATE,
    DECIDE_CANDIDATE,
    STANDING,
    EVALUATIONS,
    SCORES,
];

/// A candidate that is about to be tried, or was refused.
///
/// # Errors
/// When the database fails.
pub async fn propose(scope: &mut Scope, user: UserId, candidate: &PromptCandidate) -> Result<()> {
    let owner = scope.owner(Some(user)).await?;
    let components = statement::document(&candidate.components)?;
    let parents = statement::document(&candidate.parents)?;
    let edited = statement::document(&candidate.edited)?;
    let row = vec![
        candidate.id.as_str().into(),
        owner.into(),
        candidate.run_id.as_str().into(),
        candidate.instructions.as_str().into(),
        (&components).into(),
        candidate.digest.as_str().into(),
        candidate.status.as_str().into(),
        candidate.parents.first().map(String::as_str).into(),
        (&parents).into(),
        (&edited).into(),
        candidate.reason.as_deref().into(),
        candidate.step.into(),
        candidate.generation.into(),
        candidate.created_at.into(),
    ];
    scope.insert(&INSERT_CANDIDATE, &[row]).await?;
    if candidate.status != CandidateStatus::Proposed {
        enters(scope, user, &candidate.id, &candidate.parents);
    }
    Ok(())
}

/// Adds the row of a candidate tried on an example.
///
/// # Errors
/// When the database fails.
pub async fn insert_evaluations(
    scope: &mut Scope,
    user: UserId,
    evaluations: &[PromptEvaluation],
) -> Result<()> {
    let owner = scope.owner(Some(user)).await?;
    let dimensions: Result<Vec<Json>> = evaluations
        .iter()
        .map(|evaluation| statement::document(&evaluation.dimension_scores))
        .collect();
    let dimensions = dimensions?;
    let rows: Vec<Vec<Value<'_>>> = evaluations
        .iter()
        .zip(&dimensions)
        .map(|(evaluation, dimensions)| {
            vec![
                evaluation.id.as_str().into(),
                owner.into(),
                evaluation.candidate_id.as_str().into(),
                evaluation.example_id.as_str().into(),
                evaluation.score.into(),
                evaluation.feedback.as_deref().into(),
                evaluation.trace.as_ref().into(),
                dimensions.into(),
                evaluation.created_at.into(),
            ]
        })
        .collect();
    scope.insert(&INSERT_EVALUATION, &rows).await?;
    Ok(())
}

/// Writes what became of a candidate that was tried.
///
/// # Errors
/// When the database fails.
pub async fn decide_candidate(
    scope: &mut Scope,
    (run_id, digest): (&str, &str),
    status: CandidateStatus,
    reason: Option<&str>,
) -> Result<()> {
    let values = [
        run_id.into(),
        digest.into(),
        status.as_str().into(),
        reason.into(),
    ];
    for row in scope.fetch(&DECIDE_CANDIDATE, &values).await? {
        let mut columns = row.columns();
        let (user, id): (Option<UserId>, String) = (columns.read()?, columns.read()?);
        let parents: Vec<String> = document(&mut columns)?;
        if let Some(user) = user {
            enters(scope, user, &id, &parents);
        }
    }
    Ok(())
}

/// A candidate has its place in the lineage as soon as it is decided about.
fn enters(scope: &mut Scope, user: UserId, id: &str, parents: &[String]) {
    let node = |id: &str| LineageNode::new(LineageKind::Candidate, id);
    scope.enters(user, node(id), parents.iter().map(|parent| node(parent)));
}

/// Writes how good a candidate is.
///
/// # Errors
/// When the database fails.
pub async fn set_standing(scope: &mut Scope, candidate: &PromptCandidate) -> Result<()> {
    let dimensions = statement::document(&candidate.dimension_scores)?;
    let values = [
        candidate.id.as_str().into(),
        candidate.avg_score.into(),
        (&dimensions).into(),
        candidate.coverage.into(),
    ];
    let row = scope.fetch_one(&STANDING, &values).await?;
    let owner: Option<UserId> = row.map(|row| row.columns().read()).transpose()?.flatten();
    if let Some(user) = owner {
        scope.changed(user, LineageKind::Candidate, &candidate.id);
    }
    Ok(())
}

/// Candidates of a run, in the order of the steps that made them.
///
/// # Errors
/// When the database fails.
pub async fn candidates(scope: &mut Scope, run_id: &str, limit: u32) -> Result<Vec<PromptCandidate>> {
    let rows = scope
        .fetch(&CANDIDATES, &[run_id.into(), i64::from(limit).into()])
        .await?;
    rows.iter().map(read_candidate).collect()
}

/// A candidate, where the actor sees it.
///
/// # Errors
/// When the database fails.
pub async fn candidate(scope: &mut Scope, id: &str) -> Result<Option<PromptCandidate>> {
    let row = scope.fetch_one(&CANDIDATE, &[id.into()]).await?;
    row.as_ref().map(read_candidate).transpose()
}

/// What a candidate was tried on.
///
/// # Errors
/// When the database fails.
pub async fn evaluations(scope: &mut Scope, candidate_id: &str, limit: u32) -> Result<Vec<PromptEvaluation>> {
    let rows = scope
        .fetch(&EVALUATIONS, &[candidate_id.into(), i64::from(limit).into()])
        .await?;
    rows.iter().map(read_evaluation).collect()
}

/// A score of a candidate on an example.
#[derive(Clone, Debug, PartialEq)]
pub struct ExampleScore {
    /// The candidate.
    pub candidate_id: String,
    /// The split and the example.
    pub example_id: String,
    /// How good it was.
    pub score: f64,
    /// By dimension.
    pub dimension_scores: BTreeMap<String, f64>,
}

/// Every score of a run.
///
/// # Errors
/// When the database fails.
pub async fn scores(scope: &mut Scope, run_id: &str) -> Result<Vec<ExampleScore>> {
    let rows = scope.fetch(&SCORES, &[run_id.into()]).await?;
    rows.iter()
        .map(|row| {
            let mut columns = row.columns();
            Ok(ExampleScore {
                candidate_id: columns.read()?,
                example_id: columns.read()?,
                score: columns.read()?,
                dimension_scores: document(&mut columns)?,
            })
        })
        .collect()
}

pub(super) fn read_evaluation(row: &Row) -> Result<PromptEvaluation> {
    let mut columns = row.columns();
    Ok(PromptEvaluation {
        id: columns.read()?,
        candidate_id: columns.read()?,
        example_id: columns.read()?,
        score: columns.read()?,
        feedback: columns.read()?,
        trace: columns.read()?,
        dimension_scores: document(&mut columns)?,
        created_at: columns.read()?,
    })
}

fn read_candidate(row: &Row) -> Result<PromptCandidate> {
    let mut columns = row.columns();
    let (id, run_id, instructions) = (columns.read()?, columns.read()?, columns.read()?);
    let components: Vec<PromptComponent> = document(&mut columns)?;
    let (digest, status) = (columns.read()?, columns.read()?);
    let parents = document(&mut columns)?;
    let edited = document(&mut columns)?;
    let (reason, step, generation) = (columns.read()?, columns.read()?, columns.read()?);
    let (coverage, avg_score) = (columns.read()?, columns.read()?);
    let dimension_scores = document(&mut columns)?;
    Ok(PromptCandidate {
        id,
        run_id,
        instructions,
        components,
        digest,
        status,
        parents,
        edited,
        reason,
        step,
        generation,
        coverage,
        avg_score,
        dimension_scores,
        created_at: columns.read()?,
    })
}
