//! Optimisations of prompts: runs, their candidates, every candidate tried on an example, and the journal by which a run
//! that was killed goes on.

use std::collections::BTreeMap;

use pawl_model::{
    CandidateStatus, Json, Optimization, OptimizationStatus, PromptCandidate, PromptComponent,
    PromptEvaluation, UserId,
};
use serde::de::DeserializeOwned;
use time::OffsetDateTime;

use crate::insert::{Insert, OnExisting};
use crate::row::Columns;
use crate::statement::shared;
use crate::{Result, Row, Scope, Statement, StoreError, Value};

const RUN: Statement = shared!("evolution/run");
const RUNS: Statement = shared!("evolution/runs");
const SET_STATUS: Statement = shared!("evolution/set_status");
const OPENED: Statement = shared!("evolution/opened");
const RECALL: Statement = shared!("evolution/recall");
const LOSE: Statement = shared!("evolution/lose");
const ANSWER: Statement = shared!("evolution/answer");
const CANDIDATES: Statement = shared!("evolution/candidates");
const CANDIDATE: Statement = shared!("evolution/candidate");
const DECIDE_CANDIDATE: Statement = shared!("evolution/decide_candidate");
const STANDING: Statement = shared!("evolution/standing");
const EVALUATIONS: Statement = shared!("evolution/evaluations");
const SCORES: Statement = shared!("evolution/scores");
const STEPS: Statement = shared!("evolution/steps");

pub(crate) const STATEMENTS: &[Statement] = &[
    RUN,
    RUNS,
    SET_STATUS,
    OPENED,
    RECALL,
    LOSE,
    ANSWER,
    CANDIDATES,
    CANDIDATE,
    DECIDE_CANDIDATE,
    STANDING,
    EVALUATIONS,
    SCORES,
    STEPS,
];

const INSERT_RUN: Insert = Insert {
    table: "prompt_optimization_runs",
    columns: &[
        "id",
        "user_id",
        "signature_name",
        "status",
        "config",
        "dimension_weights",
        "created_at",
    ],
    narrow_integers: &[],
    on_existing: OnExisting::Fail,
};

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
    narrow_integers: &[],
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
    narrow_integers: &[],
    on_existing: OnExisting::Fail,
};

const INSERT_CALL: Insert = Insert {
    table: "prompt_calls",
    columns: &[
        "user_id",
        "run_id",
        "call",
        "step",
        "is_reflection",
        "tokens",
        "usd_nanos",
    ],
    narrow_integers: &[],
    on_existing: OnExisting::Fail,
};

const INSERT_STEP: Insert = Insert {
    table: "prompt_steps",
    columns: &["user_id", "run_id", "step", "decision"],
    narrow_integers: &[],
    on_existing: OnExisting::Replace {
        key: &["user_id", "run_id", "step"],
        columns: &["decision"],
    },
};

/// Adds an optimisation.
///
/// # Errors
/// [`StoreError::Duplicate`] when the id is taken.
pub async fn insert_run(scope: &mut Scope, user: UserId, run: &Optimization) -> Result<()> {
    let owner = scope.owner(Some(user)).await?;
    let row = vec![
        run.id.as_str().into(),
        owner.into(),
        run.name.as_str().into(),
        run.status.as_str().into(),
        (&run.config).into(),
        (&run.dimension_weights).into(),
        run.created_at.into(),
    ];
    INSERT_RUN.rows(scope, &[row]).await?;
    Ok(())
}

/// Writes how far an optimisation is: its status, its best candidate, its steps, why it ended, how long it took.
///
/// # Errors
/// When the database fails.
pub async fn set_status(scope: &mut Scope, run: &Optimization) -> Result<()> {
    let values = [
        run.id.as_str().into(),
        run.status.as_str().into(),
        run.best_score.into(),
        run.best_candidate_id.as_deref().into(),
        run.iterations.into(),
        run.finish.as_deref().into(),
        run.error.as_deref().into(),
        run.elapsed_ms.into(),
        run.completed_at.into(),
    ];
    scope.execute(&SET_STATUS, &values).await?;
    Ok(())
}

/// An optimisation, where the actor sees it.
///
/// # Errors
/// When the database fails.
pub async fn run(scope: &mut Scope, id: &str) -> Result<Option<Optimization>> {
    let row = scope.fetch_one(&RUN, &[id.into()]).await?;
    row.as_ref().map(read_run).transpose()
}

/// Optimisations, the newest first.
///
/// # Errors
/// When the database fails.
pub async fn runs(scope: &mut Scope, limit: u32) -> Result<Vec<Optimization>> {
    let rows = scope.fetch(&RUNS, &[i64::from(limit).into()]).await?;
    rows.iter().map(read_run).collect()
}

/// What calls took, or may have taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CallCosts {
    /// Candidates tried on an example.
    pub metric_calls: i64,
    /// Times that a model was asked for a text.
    pub reflections: i64,
    /// Tokens.
    pub tokens: i64,
    /// Billionths of a US dollar.
    pub usd_nanos: i64,
}

/// What a run lost, calls without an answer among it, and how many steps before this one are decided.
///
/// # Errors
/// When the database fails.
pub async fn opened(scope: &mut Scope, run_id: &str, before: i64) -> Result<(CallCosts, i64)> {
    let row = scope.fetch_one(&OPENED, &[run_id.into(), before.into()]).await?;
    let row = row.ok_or(StoreError::ForeignRow)?;
    let mut columns = row.columns();
    let costs = CallCosts {
        metric_calls: columns.read()?,
        reflections: columns.read()?,
        tokens: columns.read()?,
        usd_nanos: columns.read()?,
    };
    Ok((costs, columns.read()?))
}

/// What a call was answered.
#[derive(Clone, Debug, PartialEq)]
pub struct RecalledCall {
    /// What it took: tokens, and billionths of a US dollar.
    pub cost: (i64, i64),
    /// The answer, where it has no score.
    pub answer: Option<Json>,
    /// The score with what led to it.
    pub scored: Option<Scored>,
}

/// A candidate tried on an example.
#[derive(Clone, Debug, PartialEq)]
pub struct Scored {
    /// How good it was.
    pub score: f64,
    /// What went wrong, and what to change.
    pub feedback: Option<String>,
    /// What happened.
    pub trace: Option<Json>,
    /// By dimension.
    pub dimension_scores: BTreeMap<String, f64>,
}

/// The answer to a call of a run, where it has one.
///
/// # Errors
/// When the database fails.
pub async fn recall(scope: &mut Scope, run_id: &str, call: &str) -> Result<Option<RecalledCall>> {
    let row = scope.fetch_one(&RECALL, &[run_id.into(), call.into()]).await?;
    row.map(|row| {
        let mut columns = row.columns();
        let cost = (columns.read()?, columns.read()?);
        let answer: Option<Json> = columns.read()?;
        let score: Option<f64> = columns.read()?;
        let feedback = columns.read()?;
        let trace = columns.read()?;
        let dimensions: Option<Json> = columns.read()?;
        Ok(RecalledCall {
            cost,
            answer,
            scored: score
                .map(|score| {
                    Ok::<_, StoreError>(Scored {
                        score,
                        feedback,
                        trace,
                        dimension_scores: dimensions.as_ref().map_or(Ok(BTreeMap::new()), parsed)?,
                    })
                })
                .transpose()?,
        })
    })
    .transpose()
}

/// A candidate that is about to be tried, or was refused.
///
/// # Errors
/// When the database fails.
pub async fn propose(scope: &mut Scope, user: UserId, candidate: &PromptCandidate) -> Result<()> {
    let owner = scope.owner(Some(user)).await?;
    let nul = |_| StoreError::Nul;
    let components = Json::from_serialize(&candidate.components).map_err(nul)?;
    let parents = Json::from_serialize(&candidate.parents).map_err(nul)?;
    let edited = Json::from_serialize(&candidate.edited).map_err(nul)?;
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
    INSERT_CANDIDATE.rows(scope, &[row]).await?;
    Ok(())
}

/// A call that is about to be made.
#[derive(Clone, Copy, Debug)]
pub struct NewCall<'a> {
    /// Whose.
    pub user_id: UserId,
    /// The optimisation.
    pub run_id: &'a str,
    /// Its key.
    pub call: &'a str,
    /// The step that it belongs to.
    pub step: i64,
    /// Whether a model is asked for a text.
    pub is_reflection: bool,
    /// What it may take at most: tokens, and billionths of a US dollar.
    pub at_most: (i64, i64),
}

/// Writes that a call is about to be made. One that was begun before is begun again, and what it took is lost.
///
/// # Errors
/// When the database fails.
pub async fn begin(scope: &mut Scope, call: &NewCall<'_>) -> Result<()> {
    let (tokens, usd_nanos) = call.at_most;
    if scope
        .execute(&LOSE, &[call.run_id.into(), call.call.into()])
        .await?
        > 0
    {
        let values = [
            call.run_id.into(),
            call.call.into(),
            tokens.into(),
            usd_nanos.into(),
            Value::Null,
            Value::Null,
        ];
        scope.execute(&ANSWER, &values).await?;
        return Ok(());
    }
    let row = vec![
        call.user_id.into(),
        call.run_id.into(),
        call.call.into(),
        call.step.into(),
        call.is_reflection.into(),
        tokens.into(),
        usd_nanos.into(),
    ];
    INSERT_CALL.rows(scope, &[row]).await?;
    Ok(())
}

/// How a call was answered.
#[derive(Clone, Copy, Debug)]
pub enum CallAnswer<'a> {
    /// With a score, whose row has this id.
    Scored(&'a str),
    /// With something else.
    Other(&'a Json),
}

/// Writes how a call that was begun was answered, and what it took: tokens, and billionths of a US dollar.
///
/// # Errors
/// When the database fails.
pub async fn finish(
    scope: &mut Scope,
    (run_id, call): (&str, &str),
    cost: (i64, i64),
    answer: CallAnswer<'_>,
) -> Result<()> {
    let (scored, other) = match answer {
        CallAnswer::Scored(id) => (Some(id), None),
        CallAnswer::Other(answer) => (None, Some(answer)),
    };
    let values = [
        run_id.into(),
        call.into(),
        cost.0.into(),
        cost.1.into(),
        scored.into(),
        other.into(),
    ];
    scope.execute(&ANSWER, &values).await?;
    Ok(())
}

/// Adds the row of a candidate tried on an example.
///
/// # Errors
/// When the database fails.
pub async fn insert_evaluation(scope: &mut Scope, user: UserId, evaluation: &PromptEvaluation) -> Result<()> {
    let owner = scope.owner(Some(user)).await?;
    let dimensions = Json::from_serialize(&evaluation.dimension_scores).map_err(|_| StoreError::Nul)?;
    let row = vec![
        evaluation.id.as_str().into(),
        owner.into(),
        evaluation.candidate_id.as_str().into(),
        evaluation.example_id.as_str().into(),
        evaluation.score.into(),
        evaluation.feedback.as_deref().into(),
        evaluation.trace.as_ref().into(),
        (&dimensions).into(),
        evaluation.created_at.into(),
    ];
    INSERT_EVALUATION.rows(scope, &[row]).await?;
    Ok(())
}

/// Writes a step as it was decided; in place of an earlier decision of the same step.
///
/// # Errors
/// When the database fails.
pub async fn commit_step(
    scope: &mut Scope,
    (user, run_id): (UserId, &str),
    step: i64,
    decision: &Json,
) -> Result<()> {
    let row = vec![user.into(), run_id.into(), step.into(), decision.into()];
    INSERT_STEP.rows(scope, &[row]).await?;
    Ok(())
}

/// Steps of a run as they were decided, in their order.
///
/// # Errors
/// When the database fails.
pub async fn steps(scope: &mut Scope, run_id: &str, limit: u32) -> Result<Vec<(i64, Json)>> {
    let rows = scope
        .fetch(&STEPS, &[run_id.into(), i64::from(limit).into()])
        .await?;
    rows.iter()
        .map(|row| {
            let mut columns = row.columns();
            Ok((columns.read()?, columns.read()?))
        })
        .collect()
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
    scope.execute(&DECIDE_CANDIDATE, &values).await?;
    Ok(())
}

/// Writes how good a candidate is.
///
/// # Errors
/// When the database fails.
pub async fn set_standing(scope: &mut Scope, candidate: &PromptCandidate) -> Result<()> {
    let dimensions = Json::from_serialize(&candidate.dimension_scores).map_err(|_| StoreError::Nul)?;
    let values = [
        candidate.id.as_str().into(),
        candidate.avg_score.into(),
        (&dimensions).into(),
        candidate.coverage.into(),
    ];
    scope.execute(&STANDING, &values).await?;
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
    rows.iter()
        .map(|row| {
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
        })
        .collect()
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

fn read_run(row: &Row) -> Result<Optimization> {
    let mut columns = row.columns();
    let (id, name): (String, String) = (columns.read()?, columns.read()?);
    let status: OptimizationStatus = columns.read()?;
    let config = columns.read()?;
    let best_score = columns.read()?;
    let best_candidate_id = columns.read()?;
    let iterations = columns.read()?;
    let dimension_weights = columns.read()?;
    let finish = columns.read()?;
    let error = columns.read()?;
    let elapsed_ms = columns.read()?;
    let created_at: OffsetDateTime = columns.read()?;
    Ok(Optimization {
        id,
        name,
        status,
        config,
        best_score,
        best_candidate_id,
        iterations,
        dimension_weights,
        finish,
        error,
        elapsed_ms,
        created_at,
        completed_at: columns.read()?,
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

fn document<T: DeserializeOwned + Default>(columns: &mut Columns<'_>) -> Result<T> {
    let json: Option<Json> = columns.read()?;
    json.as_ref().map_or_else(|| Ok(T::default()), parsed)
}

fn parsed<T: DeserializeOwned>(json: &Json) -> Result<T> {
    serde_json::from_str(json.as_str()).map_err(|_| StoreError::Corrupt {
        column: 0,
        expected: "a document of a candidate",
    })
}
