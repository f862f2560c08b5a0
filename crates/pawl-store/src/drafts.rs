//! Drafts of regression tests: the suggestions that wait for one, what they are made of and tried on, and the runs that
//! make them.

use pawl_model::{
    DraftErrorType, EvalTestError, EvalTestRun, FailurePattern, InteractionId, Json, LineageKind,
    LineageNode, SuggestionStatus, UserId,
};
use time::OffsetDateTime;

use crate::insert::{Insert, OnExisting};
use crate::mining::{Cost, read_pattern};
use crate::statement::{document, pair, shared};
use crate::{Result, Scope, Statement, Value};

const UNDRAFTED: Statement = pair!("drafts/undrafted");
const PUT_CONTENT: Statement = shared!("drafts/put_content");
const HOLD: Statement = pair!("drafts/hold");
const DECIDE: Statement = shared!("drafts/decide");
const PATTERNS: Statement = pair!("drafts/patterns");
const INCIDENTS: Statement = shared!("drafts/incidents");
const HEALTHY: Statement = pair!("drafts/healthy");
const RUNS: Statement = shared!("drafts/runs");
const ERRORS: Statement = shared!("drafts/errors");

pub(crate) const STATEMENTS: &[Statement] = &[
    UNDRAFTED,
    PUT_CONTENT,
    HOLD,
    DECIDE,
    PATTERNS,
    INCIDENTS,
    HEALTHY,
    RUNS,
    ERRORS,
];

const INSERT_RUN: Insert = Insert {
    table: "eval_test_runs",
    columns: &[
        "user_id",
        "run_id",
        "started_at",
        "finished_at",
        "triggered_by",
        "batch_size",
        "picked_up_count",
        "generated_count",
        "skipped_count",
        "error_count",
        "suggestion_outcomes",
        "cost_usd",
    ],
    on_existing: OnExisting::Fail,
};

const INSERT_ERRORS: Insert = Insert {
    table: "eval_test_errors",
    columns: &[
        "user_id",
        "run_id",
        "suggestion_id",
        "error_type",
        "error_message",
        "recorded_at",
        "model_response_sha256",
        "model_response_excerpt",
    ],
    on_existing: OnExisting::Fail,
};

/// The ids of suggestions of tests that wait for a draft, the newest first.
///
/// # Errors
/// When the database fails.
pub async fn undrafted(scope: &mut Scope, user: UserId, limit: u32) -> Result<Vec<String>> {
    let rows = scope
        .fetch(&UNDRAFTED, &[user.into(), i64::from(limit).into()])
        .await?;
    rows.iter().map(|row| row.columns().read()).collect()
}

/// What a suggestion's content becomes.
#[derive(Clone, Debug)]
pub struct ContentChange<'a> {
    /// Whose.
    pub user_id: UserId,
    /// The suggestion.
    pub suggestion_id: &'a str,
    /// What it becomes.
    pub content: &'a Json,
    /// What it was when it was read, and the history then.
    pub was: (&'a Json, &'a Json),
    /// What the history becomes.
    pub version_history: &'a Json,
    /// Now.
    pub at: OffsetDateTime,
}

/// Writes the content of a pending suggestion, and what is added to its history. Says whether it did: not where somebody
/// has decided, or written something else, since it was read.
///
/// # Errors
/// When the database fails.
pub async fn put_content(scope: &mut Scope, change: &ContentChange<'_>) -> Result<bool> {
    let values = [
        change.user_id.into(),
        change.suggestion_id.into(),
        change.content.into(),
        change.version_history.into(),
        change.at.into(),
    ];
    let is_put = is_as_it_was(scope, (change.user_id, change.suggestion_id), change.was).await?
        && scope.execute(&PUT_CONTENT, &values).await? > 0;
    if is_put {
        let (node, parents) = drafted(change.suggestion_id);
        scope.enters(change.user_id, node, parents);
    }
    Ok(is_put)
}

/// What people decide about a suggestion.
#[derive(Clone, Debug)]
pub struct Decision<'a> {
    /// Whose.
    pub user_id: UserId,
    /// The suggestion.
    pub suggestion_id: &'a str,
    /// What it becomes.
    pub status: SuggestionStatus,
    /// Who decided, when, and why.
    pub approval_metadata: &'a Json,
    /// What the history becomes.
    pub version_history: &'a Json,
    /// What the content and the history were when they were read.
    pub was: (&'a Json, &'a Json),
    /// Now.
    pub at: OffsetDateTime,
}

/// Decides about a pending suggestion, and changes nothing else of it. Says whether it did: not where somebody has
/// decided, or written something else, since it was read.
///
/// # Errors
/// When the database fails.
pub async fn decide(scope: &mut Scope, decision: &Decision<'_>) -> Result<bool> {
    let values = [
        decision.user_id.into(),
        decision.suggestion_id.into(),
        decision.status.as_str().into(),
        decision.approval_metadata.into(),
        decision.version_history.into(),
        decision.at.into(),
    ];
    let is_decided = is_as_it_was(scope, (decision.user_id, decision.suggestion_id), decision.was).await?
        && scope.execute(&DECIDE, &values).await? > 0;
    if is_decided {
        let (node, parents) = decision.lineage();
        scope.enters(decision.user_id, node, parents);
    }
    Ok(is_decided)
}

/// The place of a draft in the lineage, and what led to it.
#[must_use]
pub fn drafted(suggestion_id: &str) -> (LineageNode, [LineageNode; 1]) {
    let node = |kind| LineageNode::new(kind, suggestion_id);
    (node(LineageKind::Draft), [node(LineageKind::Suggestion)])
}

impl Decision<'_> {
    /// Its place in the lineage, and what led to it: the draft, where there is one.
    #[must_use]
    pub fn lineage(&self) -> (LineageNode, [LineageNode; 1]) {
        let node = |kind| LineageNode::new(kind, self.suggestion_id);
        let decision = match self.status {
            SuggestionStatus::Rejected => LineageKind::Rejection,
            SuggestionStatus::Approved | SuggestionStatus::Pending => LineageKind::Approval,
        };
        let has_draft = !self.was.0.to_value()["eval_test"].is_null();
        let reviewed = match has_draft {
            true => LineageKind::Draft,
            false => LineageKind::Suggestion,
        };
        (node(decision), [node(reviewed)])
    }
}

/// Whether a suggestion is pending, and its content and history are what they were; it is held until the transaction
/// ends. Documents are compared by what they say, however others have written them.
async fn is_as_it_was(
    scope: &mut Scope,
    (user, suggestion_id): (UserId, &str),
    was: (&Json, &Json),
) -> Result<bool> {
    let Some(row) = scope
        .fetch_one(&HOLD, &[user.into(), suggestion_id.into()])
        .await?
    else {
        return Ok(false);
    };
    let mut columns = row.columns();
    let status: SuggestionStatus = columns.read()?;
    let (content, history): (Json, Json) = (columns.read()?, columns.read()?);
    Ok(status == SuggestionStatus::Pending && (&content, &history) == was)
}

/// The patterns of a suggestion, those that are surest first, then the latest.
///
/// # Errors
/// When the database fails.
pub async fn patterns(
    scope: &mut Scope,
    user: UserId,
    suggestion_id: &str,
    limit: u32,
) -> Result<Vec<FailurePattern>> {
    let values = [user.into(), suggestion_id.into(), i64::from(limit).into()];
    let rows = scope.fetch(&PATTERNS, &values).await?;
    rows.iter()
        .map(|row| read_pattern(row).map(|(pattern, _)| pattern))
        .collect()
}

/// Something that an agent did, to try tests on.
#[derive(Clone, Debug)]
pub struct Replayed {
    /// The row.
    pub id: InteractionId,
    /// What it was asked.
    pub prompt: String,
    /// What it answered.
    pub response: String,
    /// The tools that it called.
    pub tool_calls: Option<Json>,
}

/// What went wrong, as it was: the latest interactions of a suggestion.
///
/// # Errors
/// When the database fails.
pub async fn incidents(
    scope: &mut Scope,
    user: UserId,
    suggestion_id: &str,
    limit: u32,
) -> Result<Vec<Replayed>> {
    let values = [user.into(), suggestion_id.into(), i64::from(limit).into()];
    replayed(scope, &INCIDENTS, &values).await
}

/// The latest interactions that went well: with at least this score, none of these flags, and no error.
///
/// # Errors
/// When the database fails.
pub async fn healthy(
    scope: &mut Scope,
    user: UserId,
    (score, flags): (f64, &[String]),
    limit: u32,
) -> Result<Vec<Replayed>> {
    let values = [user.into(), score.into(), flags.into(), i64::from(limit).into()];
    replayed(scope, &HEALTHY, &values).await
}

async fn replayed(scope: &mut Scope, statement: &Statement, values: &[Value<'_>]) -> Result<Vec<Replayed>> {
    let rows = scope.fetch(statement, values).await?;
    rows.iter()
        .map(|row| {
            let mut columns = row.columns();
            Ok(Replayed {
                id: columns.read()?,
                prompt: columns.read()?,
                response: columns.read()?,
                tool_calls: columns.read()?,
            })
        })
        .collect()
}

/// Writes a run with what went wrong in it.
///
/// # Errors
/// When the database fails.
pub async fn insert_run(
    scope: &mut Scope,
    user: UserId,
    run: &EvalTestRun,
    errors: &[EvalTestError],
) -> Result<()> {
    let owner = scope.owner(Some(user)).await?;
    let outcomes = document(&run.suggestion_outcomes)?;
    let cost: Cost = run.cost_usd.to_string().parse().unwrap_or_default();
    let row = vec![
        owner.into(),
        run.run_id.as_str().into(),
        run.started_at.into(),
        run.finished_at.into(),
        run.triggered_by.as_str().into(),
        i64::from(run.batch_size).into(),
        i64::from(run.picked_up_count).into(),
        i64::from(run.generated_count).into(),
        i64::from(run.skipped_count).into(),
        i64::from(run.error_count).into(),
        (&outcomes).into(),
        (&cost).into(),
    ];
    scope.insert(&INSERT_RUN, &[row]).await?;
    let rows: Vec<Vec<Value<'_>>> = errors
        .iter()
        .map(|error| {
            vec![
                owner.into(),
                error.run_id.as_str().into(),
                error.suggestion_id.as_str().into(),
                error.error_type.as_str().into(),
                error.error_message.as_str().into(),
                error.recorded_at.into(),
                error.model_response_sha256.as_deref().into(),
                error.model_response_excerpt.as_deref().into(),
            ]
        })
        .collect();
    scope.insert(&INSERT_ERRORS, &rows).await?;
    Ok(())
}

/// Runs, the newest first.
///
/// # Errors
/// When the database fails.
pub async fn runs(scope: &mut Scope, limit: u32) -> Result<Vec<EvalTestRun>> {
    let rows = scope.fetch(&RUNS, &[i64::from(limit).into()]).await?;
    rows.iter()
        .map(|row| {
            let mut columns = row.columns();
            let mut run = EvalTestRun {
                run_id: columns.read()?,
                started_at: columns.read()?,
                finished_at: columns.read()?,
                triggered_by: columns.read()?,
                batch_size: count(columns.read()?),
                picked_up_count: count(columns.read()?),
                generated_count: count(columns.read()?),
                skipped_count: count(columns.read()?),
                error_count: count(columns.read()?),
                suggestion_outcomes: Vec::new(),
                cost_usd: 0.0,
            };
            run.suggestion_outcomes = columns.document("outcomes")?;
            run.cost_usd = columns.read::<Cost>()?.to_string().parse().unwrap_or_default();
            Ok(run)
        })
        .collect()
}

fn count(number: i64) -> u32 {
    u32::try_from(number).unwrap_or(0)
}

/// What went wrong in a run, at most `limit` of it.
///
/// # Errors
/// When the database fails.
pub async fn errors(scope: &mut Scope, run_id: &str, limit: u32) -> Result<Vec<EvalTestError>> {
    let rows = scope
        .fetch(&ERRORS, &[run_id.into(), i64::from(limit).into()])
        .await?;
    rows.iter()
        .map(|row| {
            let mut columns = row.columns();
            Ok(EvalTestError {
                run_id: columns.read()?,
                suggestion_id: columns.read()?,
                error_type: columns.read::<DraftErrorType>()?,
                error_message: columns.read()?,
                recorded_at: columns.read()?,
                model_response_sha256: columns.read()?,
                model_response_excerpt: columns.read()?,
            })
        })
        .collect()
}
