//! Mining: failing interactions, the patterns they become, and the runs that make them.

mod patterns;
mod runs;

use pawl_model::{InteractionId, Json, Score, UserId};
use time::OffsetDateTime;

pub use self::patterns::{GroupedPattern, insert_patterns, list_patterns, pattern_of};
pub(crate) use self::patterns::{STATEMENTS as PATTERN_STATEMENTS, read_pattern};
pub(crate) use self::runs::STATEMENTS as RUN_STATEMENTS;
pub use self::runs::{Cost, NewRun, RunPart, add, errors, finish, runs, start};
use crate::statement::pair;
use crate::{Result, Scope, Statement};

const CANDIDATES: Statement = pair!("mining/candidates");
const HOLD: Statement = pair!("mining/hold");
const MINED: Statement = pair!("mining/mined");

pub(crate) const STATEMENTS: &[Statement] = &[CANDIDATES, HOLD, MINED];

/// A failing interaction without a pattern.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The row.
    pub id: InteractionId,
    /// The id that the agent gave it.
    pub interaction_id: String,
    /// What the agent was asked.
    pub prompt: String,
    /// What it answered.
    pub response: String,
    /// How good that was.
    pub score: Option<Score>,
    /// What was noticed.
    pub flags: Vec<String>,
    /// When it happened.
    pub created_at: OffsetDateTime,
    /// The tools that were called.
    pub tool_calls: Option<Json>,
    /// The spans behind it.
    pub spans: Option<Json>,
    /// Whom it happened to, as a hash that tells nobody.
    pub user_hash: Option<String>,
}

/// Which failing interactions are looked for.
#[derive(Clone, Debug)]
pub struct Failing<'a> {
    /// Whose.
    pub user_id: UserId,
    /// Those that happened since then…
    pub since: OffsetDateTime,
    /// …and after this one.
    pub after: (OffsetDateTime, InteractionId),
    /// With a score below this one…
    pub below: f64,
    /// …or one of these flags, or an error.
    pub flags: &'a [String],
    /// The most.
    pub limit: u32,
}

/// Failing interactions without a pattern, in the order of their time.
///
/// # Errors
/// When the database fails.
pub async fn candidates(scope: &mut Scope, failing: Failing<'_>) -> Result<Vec<Candidate>> {
    let values = [
        failing.user_id.into(),
        failing.since.into(),
        failing.after.0.into(),
        failing.after.1.into(),
        failing.below.into(),
        failing.flags.into(),
        i64::from(failing.limit).into(),
    ];
    let rows = scope.fetch(&CANDIDATES, &values).await?;
    rows.iter()
        .map(|row| {
            let mut columns = row.columns();
            Ok(Candidate {
                id: columns.read()?,
                interaction_id: columns.read()?,
                prompt: columns.read()?,
                response: columns.read()?,
                score: columns.read()?,
                flags: columns.read()?,
                created_at: columns.read()?,
                tool_calls: columns.read()?,
                spans: columns.read()?,
                user_hash: columns.read()?,
            })
        })
        .collect()
}

/// Until the transaction ends nobody else groups patterns of this tenant.
///
/// # Errors
/// When the database fails.
pub async fn hold(scope: &mut Scope, user: UserId) -> Result<()> {
    scope.execute(&HOLD, &[user.into()]).await?;
    Ok(())
}

/// Which of these interactions have a pattern by now, or are gone.
///
/// # Errors
/// When the database fails.
pub async fn mined(scope: &mut Scope, user: UserId, ids: &[InteractionId]) -> Result<Vec<InteractionId>> {
    let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
    let rows = scope.fetch(&MINED, &[user.into(), ids.as_slice().into()]).await?;
    rows.iter().map(|row| row.columns().read()).collect()
}
