//! Optimisations that somebody else makes: taken up, stopped, watched.

use pawl_model::{OptimizationStatus, PromptEvaluation};

use super::candidates::read_evaluation;
use crate::statement::shared;
use crate::{Result, Scope, Statement};

const TAKE_UP: Statement = shared!("evolution/take_up");
const CANCEL: Statement = shared!("evolution/cancel");
const RESUME: Statement = shared!("evolution/resume");
const PULSE: Statement = shared!("evolution/pulse");
const WORST: Statement = shared!("evolution/worst");
const LED_TO: Statement = shared!("evolution/led_to");

pub(crate) const STATEMENTS: &[Statement] = &[TAKE_UP, CANCEL, RESUME, PULSE, WORST, LED_TO];

/// Says that an optimisation is under way; whether it is, since it may be over.
///
/// # Errors
/// When the database fails.
pub async fn take_up(scope: &mut Scope, id: &str) -> Result<bool> {
    Ok(scope.execute(&TAKE_UP, &[id.into()]).await? > 0)
}

/// Says that nobody is to go on with an optimisation, and why; whether somebody would have.
///
/// # Errors
/// When the database fails.
pub async fn cancel(scope: &mut Scope, id: &str, finish: &str) -> Result<bool> {
    Ok(scope.execute(&CANCEL, &[id.into(), finish.into()]).await? > 0)
}

/// Says that somebody is to go on with an optimisation that was stopped; whether it was, and nobody works on it.
///
/// # Errors
/// When the database fails.
pub async fn resume(scope: &mut Scope, id: &str) -> Result<bool> {
    Ok(scope.execute(&RESUME, &[id.into()]).await? > 0)
}

/// How far an optimisation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pulse {
    /// Whether it is under way.
    pub status: OptimizationStatus,
    /// Steps that are decided.
    pub steps: i64,
    /// Candidates tried on an example, those under way included.
    pub metric_calls: i64,
    /// Times that a model was asked for a text, likewise.
    pub reflections: i64,
}

/// How far an optimisation is, where the actor sees it.
///
/// # Errors
/// When the database fails.
pub async fn pulse(scope: &mut Scope, id: &str) -> Result<Option<Pulse>> {
    let row = scope.fetch_one(&PULSE, &[id.into()]).await?;
    row.map(|row| {
        let mut columns = row.columns();
        Ok(Pulse {
            status: columns.read()?,
            steps: columns.read()?,
            metric_calls: columns.read()?,
            reflections: columns.read()?,
        })
    })
    .transpose()
}

/// What a candidate did worst, the worst first.
///
/// # Errors
/// When the database fails.
pub async fn worst(scope: &mut Scope, candidate_id: &str, limit: u32) -> Result<Vec<PromptEvaluation>> {
    let values = [candidate_id.into(), i64::from(limit).into()];
    let rows = scope.fetch(&WORST, &values).await?;
    rows.iter().map(read_evaluation).collect()
}

/// What a parent did on the examples that a candidate was made from, the worst first.
///
/// # Errors
/// When the database fails.
pub async fn led_to(
    scope: &mut Scope,
    (parent, candidate): (&str, &str),
    limit: u32,
) -> Result<Vec<PromptEvaluation>> {
    let values = [parent.into(), candidate.into(), i64::from(limit).into()];
    let rows = scope.fetch(&LED_TO, &values).await?;
    rows.iter().map(read_evaluation).collect()
}
