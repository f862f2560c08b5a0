//! Suggestions: groups of patterns.

use pawl_model::{
    Json, LineageKind, Severity, SourceTrace, SuggestedPattern, Suggestion, SuggestionStatus, SuggestionType,
    UserId,
};
use time::OffsetDateTime;

use crate::insert::{Insert, OnExisting};
use crate::statement::{pair, shared};
use crate::{Result, Row, Scope, Statement, StoreError, Value};

const GROUPS: Statement = shared!("suggestions/groups");
const GET: Statement = shared!("suggestions/get");
const LIST: Statement = pair!("suggestions/list");
const QUEUE: Statement = pair!("suggestions/queue");
const SOURCES: Statement = shared!("suggestions/sources");
const STAMP: Statement = shared!("suggestions/stamp");
const SEEN: Statement = pair!("suggestions/seen");

pub(crate) const STATEMENTS: &[Statement] = &[GROUPS, GET, LIST, QUEUE, SOURCES, STAMP, SEEN];

const PUT: Insert = Insert {
    table: "suggestions",
    columns: &[
        "user_id",
        "suggestion_id",
        "type",
        "status",
        "severity",
        "failure_type",
        "trigger_condition",
        "title",
        "summary",
        "embedded_by",
        "embedding",
        "similarity_group",
        "recurrence_of",
        "version_history",
        "created_at",
        "updated_at",
    ],
    // What people decided and wrote is not mining's to change.
    on_existing: OnExisting::Replace {
        key: &["user_id", "suggestion_id"],
        columns: &["severity", "embedded_by", "embedding", "updated_at"],
    },
};

/// A suggestion as what patterns are compared with.
#[derive(Clone, Debug)]
pub struct Group {
    /// Its id.
    pub suggestion_id: String,
    /// What people decided.
    pub status: SuggestionStatus,
    /// The worst of its patterns'.
    pub severity: Severity,
    /// What happens again and again.
    pub pattern: SuggestedPattern,
    /// What it shares with what is alike.
    pub similarity_group: String,
    /// The rejected suggestion that this is a recurrence of.
    pub recurrence_of: Option<String>,
    /// What makes its vector.
    pub embedded_by: String,
    /// The mean of its patterns' vectors: an array of numbers.
    pub embedding: Json,
    /// What became of it.
    pub version_history: Json,
    /// When it was made.
    pub created_at: OffsetDateTime,
    /// When it was changed last.
    pub updated_at: OffsetDateTime,
    /// How many patterns it has.
    pub patterns: u64,
}

/// All suggestions of a tenant, as groups, the oldest first.
///
/// # Errors
/// When the database fails.
pub async fn groups(scope: &mut Scope, user: UserId) -> Result<Vec<Group>> {
    let rows = scope.fetch(&GROUPS, &[user.into()]).await?;
    rows.iter()
        .map(|row| {
            let mut columns = row.columns();
            Ok(Group {
                suggestion_id: columns.read()?,
                status: columns.read()?,
                severity: columns.read()?,
                pattern: SuggestedPattern {
                    failure_type: columns.read()?,
                    trigger_condition: columns.read()?,
                    title: columns.read()?,
                    summary: columns.read()?,
                },
                similarity_group: columns.read()?,
                recurrence_of: columns.read()?,
                embedded_by: columns.read()?,
                embedding: columns.read()?,
                version_history: columns.read()?,
                created_at: columns.read()?,
                updated_at: columns.read()?,
                patterns: u64::try_from(columns.read::<i64>()?).unwrap_or(0),
            })
        })
        .collect()
}

/// What tells whether a tenant's suggestions have changed: how many there are, and when one was changed last.
pub type Stamp = (i64, Option<OffsetDateTime>);

/// The stamp of a tenant's suggestions.
///
/// # Errors
/// When the database fails.
pub async fn stamp(scope: &mut Scope, user: UserId) -> Result<Stamp> {
    let row = scope.fetch_one(&STAMP, &[user.into()]).await?;
    row.map_or(Ok((0, None)), |row| {
        let mut columns = row.columns();
        Ok((columns.read()?, columns.read()?))
    })
}

/// Writes groups of a tenant: new ones, and of those that are there the severity and the vector.
///
/// # Errors
/// When the database fails.
pub async fn put(scope: &mut Scope, user: UserId, groups: &[&Group]) -> Result<()> {
    let owner = scope.owner(Some(user)).await?;
    let rows: Vec<Vec<Value<'_>>> = groups
        .iter()
        .map(|group| {
            let pattern = &group.pattern;
            vec![
                owner.into(),
                group.suggestion_id.as_str().into(),
                SuggestionType::for_failure(pattern.failure_type).as_str().into(),
                group.status.as_str().into(),
                group.severity.as_str().into(),
                pattern.failure_type.as_str().into(),
                pattern.trigger_condition.as_str().into(),
                pattern.title.as_str().into(),
                pattern.summary.as_str().into(),
                group.embedded_by.as_str().into(),
                (&group.embedding).into(),
                group.similarity_group.as_str().into(),
                group.recurrence_of.as_deref().into(),
                (&group.version_history).into(),
                group.created_at.into(),
                group.updated_at.into(),
            ]
        })
        .collect();
    scope.insert(&PUT, &rows).await?;
    for group in groups {
        scope.changed(user, LineageKind::Suggestion, &group.suggestion_id);
    }
    Ok(())
}

/// Which suggestions are asked for.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Those with this status.
    pub status: Option<SuggestionStatus>,
    /// Those of this kind.
    pub suggestion_type: Option<SuggestionType>,
    /// Those with this severity.
    pub severity: Option<Severity>,
    /// Those that come after this one: when it was made, and its id.
    pub after: Option<(OffsetDateTime, String)>,
}

/// Suggestions, the newest first.
///
/// # Errors
/// When the database fails.
pub async fn list(scope: &mut Scope, filter: &Filter, limit: u32) -> Result<Vec<Suggestion>> {
    let values = [
        filter.status.map(SuggestionStatus::as_str).into(),
        filter.suggestion_type.map(SuggestionType::as_str).into(),
        filter.severity.map(Severity::as_str).into(),
        filter.after.as_ref().map(|(at, _)| *at).into(),
        filter.after.as_ref().map(|(_, id)| id).into(),
        i64::from(limit).into(),
    ];
    let rows = scope.fetch(&LIST, &values).await?;
    rows.iter().map(read).collect()
}

/// Suggestions in the order of a reviewer's queue: the worst first, and of those that are as bad the oldest. Those that
/// come after the one with the id `after`, whatever the filter says of a place.
///
/// # Errors
/// When the database fails.
pub async fn queue(
    scope: &mut Scope,
    filter: &Filter,
    after: Option<&str>,
    limit: u32,
) -> Result<Vec<Suggestion>> {
    let values = [
        filter.status.map(SuggestionStatus::as_str).into(),
        filter.suggestion_type.map(SuggestionType::as_str).into(),
        filter.severity.map(Severity::as_str).into(),
        after.into(),
        i64::from(limit).into(),
    ];
    let rows = scope.fetch(&QUEUE, &values).await?;
    rows.iter().map(read).collect()
}

/// A suggestion.
///
/// # Errors
/// When the database fails.
pub async fn get(scope: &mut Scope, id: &str) -> Result<Option<Suggestion>> {
    let row = scope.fetch_one(&GET, &[id.into()]).await?;
    row.as_ref().map(read).transpose()
}

/// The traces behind a suggestion: the first one, then the newest, at most `limit`.
///
/// # Errors
/// When the database fails.
pub async fn sources(scope: &mut Scope, id: &str, limit: u32) -> Result<Vec<SourceTrace>> {
    let rows = scope
        .fetch(&SOURCES, &[id.into(), i64::from(limit).into()])
        .await?;
    rows.iter()
        .map(|row| {
            let mut columns = row.columns();
            Ok(SourceTrace {
                trace_id: columns.read()?,
                pattern_id: columns.read()?,
                added_at: columns.read()?,
                similarity_score: columns.read()?,
            })
        })
        .collect()
}

/// How often what a suggestion is about was seen.
#[derive(Clone, Debug)]
pub struct Seen {
    /// The suggestion.
    pub suggestion_id: String,
    /// How many patterns it has.
    pub patterns: u64,
    /// How many people it is known to have happened to.
    pub users: u64,
    /// When it happened first.
    pub first_at: OffsetDateTime,
    /// When it happened last.
    pub last_at: OffsetDateTime,
}

/// How often these suggestions of a tenant were seen, wherever they are kept: those of which there are patterns.
///
/// # Errors
/// When the database fails.
pub async fn seen(scope: &mut Scope, user: UserId, ids: &[String]) -> Result<Vec<Seen>> {
    let rows = scope.fetch(&SEEN, &[user.into(), ids.into()]).await?;
    rows.iter()
        .map(|row| {
            let mut columns = row.columns();
            Ok(Seen {
                suggestion_id: columns.read()?,
                patterns: u64::try_from(columns.read::<i64>()?).unwrap_or(0),
                users: u64::try_from(columns.read::<i64>()?).unwrap_or(0),
                first_at: columns.read()?,
                last_at: columns.read()?,
            })
        })
        .collect()
}

fn read(row: &Row) -> Result<Suggestion> {
    let mut columns = row.columns();
    let suggestion_id = columns.read()?;
    let suggestion_type = columns.read()?;
    let status = columns.read()?;
    let severity = columns.read()?;
    let failure_type = columns.read()?;
    let trigger_condition = columns.read()?;
    let title = columns.read()?;
    let summary = columns.read()?;
    let similarity_group = columns.read()?;
    let recurrence_of = columns.read()?;
    let suggestion_content = columns.read()?;
    let approval_metadata = columns.read()?;
    let version_history = columns.read()?;
    let created_at = columns.read()?;
    let updated_at = columns.read()?;
    let count = |number: i64| {
        u64::try_from(number).map_err(|_| StoreError::Corrupt {
            column: 15,
            expected: "a count",
        })
    };
    Ok(Suggestion {
        suggestion_id,
        suggestion_type,
        status,
        severity,
        pattern: SuggestedPattern {
            failure_type,
            trigger_condition,
            title,
            summary,
        },
        similarity_group,
        recurrence_of,
        suggestion_content,
        approval_metadata,
        version_history,
        recurrence_count: count(columns.read()?)?,
        affected_users: count(columns.read()?)?,
        first_seen_at: columns.read()?,
        last_seen_at: columns.read()?,
        created_at,
        updated_at,
    })
}
