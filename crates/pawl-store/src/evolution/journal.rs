//! The journal of an optimisation: calls before they are made and as they were answered, and steps as they were decided.

use std::collections::BTreeMap;

use pawl_model::{Json, UserId};

use super::document;
use crate::insert::{Insert, OnExisting};
use crate::row::Columns;
use crate::statement::shared;
use crate::{Result, Scope, Statement, StoreError, Value};

const OPENED: Statement = shared!("evolution/opened");
const RECALL: Statement = shared!("evolution/recall");
const LOSE: Statement = shared!("evolution/lose");
const ANSWER: Statement = shared!("evolution/answer");
const REUSABLE: Statement = shared!("evolution/reusable");
const STEPS: Statement = shared!("evolution/steps");
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
    on_existing: OnExisting::Keep(&["run_id", "call"]),
};

const INSERT_STEP: Insert = Insert {
    table: "prompt_steps",
    columns: &["user_id", "run_id", "step", "decision"],
    on_existing: OnExisting::Replace {
        key: &["run_id", "step"],
        columns: &["decision"],
    },
};

pub(crate) const STATEMENTS: &[Statement] = &[OPENED, RECALL, REUSABLE, LOSE, ANSWER, STEPS];

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
        Ok(RecalledCall {
            cost,
            answer,
            scored: read_scored(&mut columns)?,
        })
    })
    .transpose()
}

/// A score that an earlier run stored under this key.
///
/// # Errors
/// When the database fails.
pub async fn reusable(scope: &mut Scope, key: &str) -> Result<Option<Scored>> {
    let row = scope.fetch_one(&REUSABLE, &[key.into()]).await?;
    row.map_or(Ok(None), |row| read_scored(&mut row.columns()))
}

fn read_scored(columns: &mut Columns<'_>) -> Result<Option<Scored>> {
    let score: Option<f64> = columns.read()?;
    let feedback = columns.read()?;
    let trace = columns.read()?;
    let dimension_scores = document(columns)?;
    let Some(score) = score else {
        return Ok(None);
    };
    Ok(Some(Scored {
        score,
        feedback,
        trace,
        dimension_scores,
    }))
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
    let row = vec![
        call.user_id.into(),
        call.run_id.into(),
        call.call.into(),
        call.step.into(),
        call.is_reflection.into(),
        tokens.into(),
        usd_nanos.into(),
    ];
    if scope.insert(&INSERT_CALL, &[row]).await? > 0 {
        return Ok(());
    }
    let of = [call.run_id.into(), call.call.into()];
    scope.execute(&LOSE, &of).await?;
    let values = [
        call.run_id.into(),
        call.call.into(),
        tokens.into(),
        usd_nanos.into(),
        Value::Null,
        Value::Null,
        Value::Null,
    ];
    scope.execute(&ANSWER, &values).await?;
    Ok(())
}

/// How a call was answered.
#[derive(Clone, Copy, Debug)]
pub enum CallAnswer<'a> {
    /// With a score.
    Scored {
        /// Its row.
        evaluation_id: &'a str,
        /// By what a later run finds it, where it may.
        reusable_as: Option<&'a str>,
    },
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
    let (scored, reusable_as, other) = match answer {
        CallAnswer::Scored {
            evaluation_id,
            reusable_as,
        } => (Some(evaluation_id), reusable_as, None),
        CallAnswer::Other(answer) => (None, None, Some(answer)),
    };
    let values = [
        run_id.into(),
        call.into(),
        cost.0.into(),
        cost.1.into(),
        scored.into(),
        other.into(),
        reusable_as.into(),
    ];
    scope.execute(&ANSWER, &values).await?;
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
    scope.insert(&INSERT_STEP, &[row]).await?;
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
