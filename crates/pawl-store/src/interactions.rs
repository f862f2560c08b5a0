//! Interactions: rows of `evaluations`, and the spans behind them.

use pawl_model::{Interaction, InteractionId, Json, LineageKind, UserId};
use serde_json::json;

use crate::insert::{Insert, OnExisting};
use crate::statement::{documents, pair, shared};
use crate::traces::{self, Trace};
use crate::{Result, Row, Scope, Statement, Value};

const KNOWN: Statement = pair!("interactions/known");
const GET: Statement = shared!("interactions/get");
const CHANGE: Statement = shared!("interactions/change");
const MARK_ERROR: Statement = shared!("interactions/mark_error");

pub(crate) const STATEMENTS: &[Statement] = &[KNOWN, GET, CHANGE, MARK_ERROR];

const INSERT: Insert = Insert {
    table: "evaluations",
    columns: &[
        "id",
        "interaction_id",
        "user_id",
        "prompt",
        "response",
        "score",
        "latency_ms",
        "flags",
        "pii_tokens_redacted",
        "created_at",
        "received_at",
        "sample_weight",
        "trace",
        "redactions",
        "content_hash",
        "has_error",
    ],
    on_existing: OnExisting::Fail,
};

const INSERT_SPANS: Insert = Insert {
    table: "interaction_traces",
    columns: &[
        "id",
        "user_id",
        "evaluation_id",
        "created_at",
        "spans",
        "trace_id",
        "first_seen",
        "last_seen",
    ],
    on_existing: OnExisting::Keep(&["user_id", "trace_id"]),
};

/// An interaction on its way into the database.
#[derive(Clone, Debug)]
pub struct NewRow {
    /// The interaction.
    pub interaction: Interaction,
    /// What its fields hashed to as they were received; none marks its hour as stale.
    pub content_hash: Option<[u8; 16]>,
    /// The spans behind it.
    pub spans: Option<Json>,
    /// Whether a tool call or a span is an error.
    pub has_error: bool,
}

/// Adds interactions, as the service or as their tenant.
///
/// # Errors
/// [`crate::StoreError::Duplicate`] when one is there already, [`crate::StoreError::Reference`] when its tenant is not.
pub async fn insert(scope: &mut Scope, rows: &[NewRow]) -> Result<()> {
    add(scope, rows, &INSERT).await.map(drop)
}

/// As [`insert`]; says whether all of them are new under their names. Where some are not, part of the rest has been
/// added: nothing of the transaction is of use then.
///
/// # Errors
/// As [`insert`].
pub async fn insert_new(scope: &mut Scope, rows: &[NewRow]) -> Result<bool> {
    let on_existing = OnExisting::Keep(&["user_id", "interaction_id"]);
    add(
        scope,
        rows,
        &Insert {
            on_existing,
            ..INSERT
        },
    )
    .await
}

async fn add(scope: &mut Scope, rows: &[NewRow], insert: &Insert) -> Result<bool> {
    for row in rows {
        scope.owner(Some(row.interaction.user_id)).await?;
    }
    let values: Vec<Vec<Value<'_>>> = rows.iter().map(values).collect();
    if scope.insert(insert, &values).await? < rows.len() as u64 {
        return Ok(false);
    }
    let spans: Vec<Vec<Value<'_>>> = rows.iter().filter_map(span_values).collect();
    if scope.insert(&INSERT_SPANS, &spans).await? < spans.len() as u64 {
        join_traces(scope, rows).await?;
    }
    Ok(true)
}

/// Adds spans to traces of the same id that are there already.
async fn join_traces(scope: &mut Scope, rows: &[NewRow]) -> Result<()> {
    for row in rows {
        let interaction = &row.interaction;
        let Some(spans) = &row.spans else { continue };
        let known = traces::get(scope, interaction.user_id, &[&interaction.interaction_id]).await?;
        for trace in known.into_iter().filter(|trace| trace.id != interaction.id.0) {
            let trace = Trace {
                evaluation_id: Some(interaction.id),
                spans: joined(&trace.spans, spans)?,
                last_seen: interaction.received_at,
                ..trace
            };
            traces::put(scope, &[trace]).await?;
        }
    }
    Ok(())
}

/// The items of both lists.
fn joined(one: &Json, other: &Json) -> Result<Json> {
    documents([one, other].into_iter().flat_map(|list| match list.to_value() {
        serde_json::Value::Array(items) => items,
        _ => Vec::new(),
    }))
}

fn values(row: &NewRow) -> Vec<Value<'_>> {
    let interaction = &row.interaction;
    vec![
        interaction.id.into(),
        interaction.interaction_id.as_str().into(),
        interaction.user_id.into(),
        interaction.prompt.as_str().into(),
        interaction.response.as_str().into(),
        interaction.score.as_ref().into(),
        interaction.latency_ms.into(),
        interaction.flags.as_slice().into(),
        interaction.pii_tokens_redacted.into(),
        interaction.created_at.into(),
        interaction.received_at.into(),
        interaction.sample_weight.into(),
        interaction.trace.as_ref().into(),
        interaction.redactions.as_ref().into(),
        row.content_hash
            .as_ref()
            .map_or(Value::Null, |hash| Value::Bytes(hash.as_slice().into())),
        row.has_error.into(),
    ]
}

/// The row of spans has the id of its interaction: there is one at most.
fn span_values(row: &NewRow) -> Option<Vec<Value<'_>>> {
    let interaction = &row.interaction;
    Some(vec![
        interaction.id.into(),
        interaction.user_id.into(),
        interaction.id.into(),
        interaction.created_at.into(),
        row.spans.as_ref()?.into(),
        interaction.interaction_id.as_str().into(),
        interaction.received_at.into(),
        interaction.received_at.into(),
    ])
}

/// Writes what an interaction says now in place of what it said.
///
/// # Errors
/// When the database fails.
pub async fn change(scope: &mut Scope, row: &NewRow) -> Result<()> {
    let interaction = &row.interaction;
    let values = [
        interaction.user_id.into(),
        interaction.id.into(),
        interaction.prompt.as_str().into(),
        interaction.response.as_str().into(),
        interaction.score.as_ref().into(),
        interaction.latency_ms.into(),
        interaction.pii_tokens_redacted.into(),
        interaction.created_at.into(),
        interaction.trace.as_ref().into(),
        interaction.redactions.as_ref().into(),
        row.has_error.into(),
    ];
    scope.execute(&CHANGE, &values).await?;
    let id = interaction.id.to_string();
    scope.changed(interaction.user_id, LineageKind::Interaction, id);
    Ok(())
}

/// Notes that a span behind an interaction is an error.
///
/// # Errors
/// When the database fails.
pub async fn mark_error(scope: &mut Scope, user: UserId, id: InteractionId) -> Result<()> {
    if scope.execute(&MARK_ERROR, &[user.into(), id.into()]).await? > 0 {
        scope.changed(user, LineageKind::Interaction, id.to_string());
    }
    Ok(())
}

/// An interaction that is there already.
#[derive(Clone, Debug)]
pub struct Known {
    /// The tenant.
    pub user_id: UserId,
    /// The id that the agent gave it.
    pub interaction_id: String,
    /// The row.
    pub id: InteractionId,
    /// What its fields hashed to as they were received, if they came through intake.
    pub content_hash: Option<Vec<u8>>,
}

/// Which of these interactions are there already.
///
/// # Errors
/// When the database fails.
pub async fn known(scope: &mut Scope, keys: &[(UserId, &str)]) -> Result<Vec<Known>> {
    let keys = documents(keys.iter().map(|(user, id)| json!([user, id])))?;
    let rows = scope.fetch_anew(&KNOWN, &[Value::from(&keys)]).await?;
    rows.iter()
        .map(|row| {
            let mut columns = row.columns();
            Ok(Known {
                user_id: columns.read()?,
                interaction_id: columns.read()?,
                id: columns.read()?,
                content_hash: columns.read()?,
            })
        })
        .collect()
}

/// An interaction with the spans behind it.
///
/// # Errors
/// When the database fails.
pub async fn get(scope: &mut Scope, id: InteractionId) -> Result<Option<(Interaction, Option<Json>)>> {
    let row = scope.fetch_one(&GET, &[id.into()]).await?;
    row.as_ref().map(read).transpose()
}

pub(crate) fn read(row: &Row) -> Result<(Interaction, Option<Json>)> {
    let mut columns = row.columns();
    let interaction = Interaction {
        id: columns.read()?,
        interaction_id: columns.read()?,
        user_id: columns.read()?,
        prompt: columns.read()?,
        response: columns.read()?,
        score: columns.read()?,
        latency_ms: columns.read()?,
        flags: columns.read()?,
        pii_tokens_redacted: columns.read()?,
        created_at: columns.read()?,
        received_at: columns.read()?,
        sample_weight: columns.read()?,
        trace: columns.read()?,
        redactions: columns.read()?,
    };
    Ok((interaction, columns.read()?))
}
