//! Failure patterns, each with the suggestion that it is part of.

use pawl_model::{FailurePattern, InteractionId, Json, LineageKind, LineageNode, UserId};

use crate::insert::{Insert, OnExisting};
use crate::statement::{document, shared};
use crate::{Result, Row, Scope, Statement, Value};

const PATTERN_OF: Statement = shared!("mining/pattern_of");
const PATTERNS: Statement = shared!("mining/patterns");

pub(crate) const STATEMENTS: &[Statement] = &[PATTERN_OF, PATTERNS];

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
    on_existing: OnExisting::Fail,
};

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
/// [`crate::StoreError::Duplicate`] when one is there already.
pub async fn insert_patterns(scope: &mut Scope, user: UserId, patterns: &[GroupedPattern]) -> Result<()> {
    let owner = scope.owner(Some(user)).await?;
    let documents: Vec<[Json; 3]> = patterns
        .iter()
        .map(|grouped| {
            let pattern = &grouped.pattern;
            Ok([
                document(&pattern.evidence)?,
                document(&pattern.recommended_actions)?,
                document(&pattern.reproduction_context)?,
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
    scope.insert(&INSERT_PATTERNS, &rows).await?;
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

/// The pattern of an interaction, and the id of its suggestion.
///
/// # Errors
/// When the database fails.
pub async fn pattern_of(scope: &mut Scope, id: InteractionId) -> Result<Option<(FailurePattern, String)>> {
    let row = scope.fetch_one(&PATTERN_OF, &[id.into()]).await?;
    row.as_ref().map(read_pattern).transpose()
}

/// Patterns with the suggestions that they are part of, in the order of their ids, behind one.
///
/// # Errors
/// When the database fails.
pub async fn list_patterns(
    scope: &mut Scope,
    after: &str,
    limit: u32,
) -> Result<Vec<(FailurePattern, String)>> {
    let rows = scope
        .fetch(&PATTERNS, &[after.into(), i64::from(limit).into()])
        .await?;
    rows.iter().map(read_pattern).collect()
}

pub(crate) fn read_pattern(row: &Row) -> Result<(FailurePattern, String)> {
    const PART: &str = "a part of a pattern";
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
        evidence: columns.document(PART)?,
        recommended_actions: columns.document(PART)?,
        reproduction_context: columns.document(PART)?,
        severity: columns.read()?,
        confidence: columns.read()?,
        confidence_rationale: columns.read()?,
        occurred_at: columns.read()?,
        extracted_at: columns.read()?,
        extracted_by: columns.read()?,
    };
    Ok((pattern, columns.read()?))
}
