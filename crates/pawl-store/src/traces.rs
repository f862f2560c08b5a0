//! Traces: rows of `interaction_traces`.

use pawl_model::{InteractionId, Json, Unscored, UserId};
use serde::Serialize;
use serde_json::json;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::insert::{Insert, OnExisting};
use crate::statement::{documents, pair, shared};
use crate::{Result, Row, Scope, Statement, Value};

const GET: Statement = pair!("traces/get");
const LIST: Statement = shared!("traces/list");

pub(crate) const STATEMENTS: &[Statement] = &[GET, LIST];

const PUT: Insert = Insert {
    table: "interaction_traces",
    columns: &[
        "id",
        "user_id",
        "evaluation_id",
        "created_at",
        "spans",
        "trace_id",
        "assembled",
        "input_tokens",
        "output_tokens",
        "cost_usd",
        "unscored",
        "check_results",
        "first_seen",
        "last_seen",
        "user_hash",
    ],
    on_existing: OnExisting::Replace {
        key: &["user_id", "trace_id"],
        columns: &[
            "evaluation_id",
            "created_at",
            "spans",
            "assembled",
            "input_tokens",
            "output_tokens",
            "cost_usd",
            "unscored",
            "check_results",
            "last_seen",
            "user_hash",
        ],
    },
};

/// A trace.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Trace {
    /// The row.
    pub id: Uuid,
    /// The tenant.
    pub user_id: UserId,
    /// The interaction behind which it stands, if there is one.
    pub evaluation_id: Option<InteractionId>,
    /// When it happened.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    /// Its spans: an array of objects.
    pub spans: Json,
    /// Its own id, unique for the tenant; that of the interaction where spans came with one.
    pub trace_id: String,
    /// Whether the interaction was made from the spans, and follows them.
    pub assembled: bool,
    /// Tokens that went into models.
    pub input_tokens: Option<i64>,
    /// Tokens that came out.
    pub output_tokens: Option<i64>,
    /// What the models cost, in US dollars.
    pub cost_usd: Option<f64>,
    /// Why the interaction that was made from it has no score.
    pub unscored: Option<Unscored>,
    /// What the online checks said.
    pub check_results: Option<Json>,
    /// When the first of its spans arrived.
    #[serde(with = "time::serde::rfc3339")]
    pub first_seen: OffsetDateTime,
    /// When the last one did.
    #[serde(with = "time::serde::rfc3339")]
    pub last_seen: OffsetDateTime,
    /// Whom it happened to, as a hash that tells nobody.
    pub user_hash: Option<String>,
}

/// Those of a tenant's traces that are there.
///
/// # Errors
/// When the database fails.
pub async fn get(scope: &mut Scope, user: UserId, trace_ids: &[&str]) -> Result<Vec<Trace>> {
    let ids = documents(trace_ids.iter().map(|id| json!(id)))?;
    let rows = scope.fetch(&GET, &[user.into(), Value::from(&ids)]).await?;
    rows.iter().map(read).collect()
}

/// Traces in the order of their ids, behind one.
///
/// # Errors
/// When the database fails.
pub async fn list(scope: &mut Scope, after: &str, limit: u32) -> Result<Vec<Trace>> {
    let rows = scope
        .fetch(&LIST, &[after.into(), i64::from(limit).into()])
        .await?;
    rows.iter().map(read).collect()
}

fn read(row: &Row) -> Result<Trace> {
    let mut columns = row.columns();
    Ok(Trace {
        id: columns.read()?,
        user_id: columns.read()?,
        evaluation_id: columns.read()?,
        created_at: columns.read()?,
        spans: columns.read()?,
        trace_id: columns.read()?,
        assembled: columns.read()?,
        input_tokens: columns.read()?,
        output_tokens: columns.read()?,
        cost_usd: columns.read()?,
        unscored: columns.read()?,
        check_results: columns.read()?,
        first_seen: columns.read()?,
        last_seen: columns.read()?,
        user_hash: columns.read()?,
    })
}

/// Writes traces, each in place of the one that has its id; ids of rows and first arrivals stay.
///
/// # Errors
/// [`StoreError::Reference`](crate::StoreError::Reference) when a tenant or an interaction is not there.
pub async fn put(scope: &mut Scope, traces: &[Trace]) -> Result<()> {
    for trace in traces {
        scope.owner(Some(trace.user_id)).await?;
    }
    let values: Vec<Vec<Value<'_>>> = traces.iter().map(values).collect();
    scope.insert(&PUT, &values).await?;
    Ok(())
}

fn values(trace: &Trace) -> Vec<Value<'_>> {
    vec![
        trace.id.into(),
        trace.user_id.into(),
        trace.evaluation_id.into(),
        trace.created_at.into(),
        (&trace.spans).into(),
        trace.trace_id.as_str().into(),
        trace.assembled.into(),
        trace.input_tokens.into(),
        trace.output_tokens.into(),
        trace.cost_usd.into(),
        trace.unscored.into(),
        trace.check_results.as_ref().into(),
        trace.first_seen.into(),
        trace.last_seen.into(),
        trace.user_hash.as_deref().into(),
    ]
}
