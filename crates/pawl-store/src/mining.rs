//! Mining: failing interactions, the patterns they become, and the runs that make them.

use pawl_model::{
    ExtractionError, FailurePattern, InteractionId, JobId, Json, LineageKind, LineageNode, MiningCounts,
    MiningRun, Score, TriggeredBy, UserId,
};
use serde::de::DeserializeOwned;
pub use sqlx::types::BigDecimal as Cost;
use time::OffsetDateTime;

use crate::insert::{Insert, OnExisting};
use crate::statement::{pair, shared};
use crate::{Columns, Result, Row, Scope, Statement, StoreError, Value};

const CANDIDATES: Statement = pair!("mining/candidates");
const HOLD: Statement = pair!("mining/hold");
const MINED: Statement = pair!("mining/mined");
const START: Statement = pair!("mining/start");
const ADD: Statement = shared!("mining/add");
const FINISH: Statement = shared!("mining/finish");
const RUNS: Statement = pair!("mining/runs");
const ERRORS: Statement = shared!("mining/errors");
const PATTERN_OF: Statement = shared!("mining/pattern_of");

pub(crate) const STATEMENTS: &[Statement] = &[
    CANDIDATES, HOLD, MINED, START, ADD, FINISH, RUNS, ERRORS, PATTERN_OF,
];

const INSERT_PATTERNS: Insert = Insert {
    table: "failure_patterns",
    columns: &[
        "user_id",
        "pattern_id",
        "source_trace_id",
        "evaluation_id",
        "title",
        "failure_type",
        "trigger_condition",
        "summary",
        "root_cause_hypothesis",
        "evidence",
        "recommended_actions",
        "reproduction_context",
        "severity",
        "confidence",
        "confidence_rationale",
        "extracted_by",
        "user_hash",
        "occurred_at",
        "extracted_at",
        "suggestion_id",
        "similarity_score",
    ],
    narrow_integers: &[],
    on_existing: OnExisting::Fail,
};

const INSERT_ERRORS: Insert = Insert {
    table: "mining_errors",
    columns: &[
        "user_id",
        "run_id",
        "source_trace_id",
        "error_type",
        "error_message",
        "recorded_at",
        "model_response_sha256",
        "model_response_excerpt",
    ],
    narrow_integers: &[],
    on_existing: OnExisting::Keep(&["user_id", "run_id", "source_trace_id"]),
};

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

/// A pattern and the suggestion that it is part of.
#[derive(Clone, Debug)]
pub struct GroupedPattern {
    /// The pattern.
    pub pattern: FailurePattern,
    /// Whom it happened to, as a hash that tells nobody.
    pub user_hash: Option<String>,
    /// The suggestion.
    pub suggestion_id: String,
    /// How alike it is to what was there; none for the first.
    pub similarity_score: Option<f64>,
}

/// Adds patterns of a tenant.
///
/// # Errors
/// [`StoreError::Duplicate`] when one is there already.
pub async fn insert_patterns(scope: &mut Scope, user: UserId, patterns: &[GroupedPattern]) -> Result<()> {
    let owner = scope.owner(Some(user)).await?;
    let documents: Vec<[Json; 3]> = patterns
        .iter()
        .map(|grouped| {
            let pattern = &grouped.pattern;
            Ok([
                json(&pattern.evidence)?,
                json(&pattern.recommended_actions)?,
                json(&pattern.reproduction_context)?,
            ])
        })
        .collect::<Result<_>>()?;
    let rows: Vec<Vec<Value<'_>>> = patterns
        .iter()
        .zip(&documents)
        .map(|(grouped, [evidence, actions, reproduction])| {
            let pattern = &grouped.pattern;
            vec![
                owner.into(),
                pattern.pattern_id.as_str().into(),
                pattern.source_trace_id.as_str().into(),
                pattern.evaluation_id.into(),
                pattern.title.as_str().into(),
                pattern.failure_type.as_str().into(),
                pattern.trigger_condition.as_str().into(),
                pattern.summary.as_str().into(),
                pattern.root_cause_hypothesis.as_str().into(),
                evidence.into(),
                actions.into(),
                reproduction.into(),
                pattern.severity.as_str().into(),
                Some(&pattern.confidence).into(),
                pattern.confidence_rationale.as_str().into(),
                pattern.extracted_by.as_str().into(),
                grouped.user_hash.as_deref().into(),
                pattern.occurred_at.into(),
                pattern.extracted_at.into(),
                grouped.suggestion_id.as_str().into(),
                grouped.similarity_score.into(),
            ]
        })
        .collect();
    INSERT_PATTERNS.rows(scope, &rows).await?;
    for grouped in patterns {
        let pattern = LineageNode::new(LineageKind::Pattern, &grouped.pattern.pattern_id);
        let interaction = grouped.pattern.evaluation_id.to_string();
        let interaction = LineageNode::new(LineageKind::Interaction, interaction);
        let suggestion = LineageNode::new(LineageKind::Suggestion, &grouped.suggestion_id);
        scope.enters(user, interaction.clone(), []);
        scope.enters(user, pattern.clone(), [interaction]);
        scope.enters(user, suggestion, [pattern]);
    }
    Ok(())
}

fn json(document: &impl serde::Serialize) -> Result<Json> {
    Json::from_serialize(document).map_err(|_| StoreError::Nul)
}

/// A run that begins, or goes on.
#[derive(Clone, Debug)]
pub struct NewRun<'a> {
    /// Whose.
    pub user_id: UserId,
    /// Its id, where it is a new one.
    pub run_id: &'a str,
    /// The job that it is the work of.
    pub job_id: Option<JobId>,
    /// What set it going.
    pub triggered_by: TriggeredBy,
    /// What makes patterns.
    pub extracted_by: &'a str,
    /// What makes vectors.
    pub embedded_by: &'a str,
    /// Interactions since then.
    pub since: OffsetDateTime,
    /// Now.
    pub started_at: OffsetDateTime,
}

/// Begins a run, or goes on with that of the same job. Gives its id, and what it has cost so far, in US dollars.
///
/// # Errors
/// When the database fails.
pub async fn start(scope: &mut Scope, run: &NewRun<'_>) -> Result<(String, Cost)> {
    let values = [
        run.user_id.into(),
        run.run_id.into(),
        run.job_id.into(),
        run.triggered_by.as_str().into(),
        run.extracted_by.into(),
        run.embedded_by.into(),
        run.since.into(),
        run.started_at.into(),
    ];
    let row = scope
        .fetch_one(&START, &values)
        .await?
        .ok_or(StoreError::ForeignRow)?;
    let mut columns = row.columns();
    Ok((columns.read()?, columns.read()?))
}

/// A part of a run.
#[derive(Clone, Debug)]
pub struct RunPart<'a> {
    /// Whose.
    pub user_id: UserId,
    /// The run.
    pub run_id: &'a str,
    /// What came of this part.
    pub counts: MiningCounts,
    /// What the run has cost by now, in US dollars.
    pub cost_usd: &'a Cost,
    /// What could not be read.
    pub errors: &'a [ExtractionError],
}

/// Adds what came of a part of a run.
///
/// # Errors
/// When the database fails.
pub async fn add(scope: &mut Scope, part: &RunPart<'_>) -> Result<()> {
    let counts = &part.counts;
    let count = |count: u64| Value::from(i64::try_from(count).unwrap_or(i64::MAX));
    let values = [
        part.user_id.into(),
        part.run_id.into(),
        count(counts.picked_up),
        count(counts.patterns),
        count(counts.joined),
        count(counts.suggestions),
        count(counts.skipped),
        count(counts.errors),
        part.cost_usd.into(),
    ];
    scope.execute(&ADD, &values).await?;
    let rows: Vec<Vec<Value<'_>>> = part
        .errors
        .iter()
        .map(|error| {
            vec![
                part.user_id.into(),
                part.run_id.into(),
                error.source_trace_id.as_str().into(),
                error.error_type.as_str().into(),
                error.error_message.as_str().into(),
                error.recorded_at.into(),
                error.model_response_sha256.as_deref().into(),
                error.model_response_excerpt.as_deref().into(),
            ]
        })
        .collect();
    INSERT_ERRORS.rows(scope, &rows).await?;
    Ok(())
}

/// Ends a run.
///
/// # Errors
/// When the database fails.
pub async fn finish(scope: &mut Scope, user: UserId, run_id: &str, at: OffsetDateTime) -> Result<()> {
    scope
        .execute(&FINISH, &[user.into(), run_id.into(), at.into()])
        .await?;
    Ok(())
}

/// Runs, the newest first; of one id where that is asked.
///
/// # Errors
/// When the database fails.
pub async fn runs(scope: &mut Scope, id: Option<&str>, limit: u32) -> Result<Vec<MiningRun>> {
    let rows = scope.fetch(&RUNS, &[i64::from(limit).into(), id.into()]).await?;
    rows.iter()
        .map(|row| {
            let mut columns = row.columns();
            Ok(MiningRun {
                run_id: columns.read()?,
                triggered_by: columns.read()?,
                extracted_by: columns.read()?,
                embedded_by: columns.read()?,
                since: columns.read()?,
                started_at: columns.read()?,
                finished_at: columns.read()?,
                counts: MiningCounts {
                    picked_up: count(&mut columns)?,
                    patterns: count(&mut columns)?,
                    joined: count(&mut columns)?,
                    suggestions: count(&mut columns)?,
                    skipped: count(&mut columns)?,
                    errors: count(&mut columns)?,
                },
                cost_usd: columns.read::<Cost>()?.to_string().parse().unwrap_or_default(),
            })
        })
        .collect()
}

/// What could not be read in a run, at most `limit` of it.
///
/// # Errors
/// When the database fails.
pub async fn errors(scope: &mut Scope, run_id: &str, limit: u32) -> Result<Vec<ExtractionError>> {
    let rows = scope
        .fetch(&ERRORS, &[run_id.into(), i64::from(limit).into()])
        .await?;
    rows.iter()
        .map(|row| {
            let mut columns = row.columns();
            Ok(ExtractionError {
                source_trace_id: columns.read()?,
                error_type: columns.read()?,
                error_message: columns.read()?,
                recorded_at: columns.read()?,
                model_response_sha256: columns.read()?,
                model_response_excerpt: columns.read()?,
            })
        })
        .collect()
}

/// The pattern of an interaction, and the id of its suggestion.
///
/// # Errors
/// When the database fails.
pub async fn pattern_of(scope: &mut Scope, id: InteractionId) -> Result<Option<(FailurePattern, String)>> {
    let row = scope.fetch_one(&PATTERN_OF, &[id.into()]).await?;
    row.as_ref().map(read_pattern).transpose()
}

pub(crate) fn read_pattern(row: &Row) -> Result<(FailurePattern, String)> {
    let mut columns = row.columns();
    let pattern = FailurePattern {
        pattern_id: columns.read()?,
        source_trace_id: columns.read()?,
        evaluation_id: columns.read()?,
        title: columns.read()?,
        failure_type: columns.read()?,
        trigger_condition: columns.read()?,
        summary: columns.read()?,
        root_cause_hypothesis: columns.read()?,
        evidence: document(&mut columns)?,
        recommended_actions: document(&mut columns)?,
        reproduction_context: document(&mut columns)?,
        severity: columns.read()?,
        confidence: columns.read()?,
        confidence_rationale: columns.read()?,
        occurred_at: columns.read()?,
        extracted_at: columns.read()?,
        extracted_by: columns.read()?,
    };
    Ok((pattern, columns.read()?))
}

/// A column whose document has a form of ours.
fn document<T: DeserializeOwned>(columns: &mut Columns<'_>) -> Result<T> {
    let json: Json = columns.read()?;
    serde_json::from_str(json.as_str()).map_err(|_| StoreError::Corrupt {
        column: 0,
        expected: "a part of a pattern",
    })
}

fn count(columns: &mut Columns<'_>) -> Result<u64> {
    Ok(u64::try_from(columns.read::<i64>()?).unwrap_or(0))
}
