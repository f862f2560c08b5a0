//! `/api/suggestions` and `/api/mining`: what mining found, and asking for it.

pub(crate) mod review;
pub(crate) mod schema;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use pawl_engine::mine::suggestions::{Filter, MiningRunDetail, SuggestionDetail, SuggestionPage};
use pawl_model::{MiningRun, Severity, Suggestion, SuggestionStatus, SuggestionType};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use self::schema::{MiningRunSchema, SuggestionSchema};
use crate::AppState;
use crate::openapi::{NotRead, Refused};
use crate::paging::{Cursor as _, PageQuery};
use crate::parameters::{Path, Query};
use crate::problem::{ErrorCode, Problem};
use crate::tenant::{ActingTenant, Tenant, TenantQuery};

/// Runs that are listed.
const RUNS: u32 = 50;

/// Which suggestions.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct SuggestionsQuery {
    /// Only those with this status: `pending`, `approved` or `rejected`.
    status: Option<String>,
    /// Only those of this kind: `eval`, `guardrail` or `runbook`.
    r#type: Option<String>,
    /// Only those with this severity: `low`, `medium`, `high` or `critical`.
    severity: Option<String>,
}

/// A page of suggestions.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SuggestionList {
    /// Newest first.
    #[schema(value_type = Vec<SuggestionSchema>)]
    suggestions: Vec<Suggestion>,
    /// `cursor` of the next page; null on the last.
    #[schema(required)]
    next_cursor: Option<String>,
    /// Whether there is a next page.
    has_more: bool,
}

impl From<SuggestionPage> for SuggestionList {
    fn from(page: SuggestionPage) -> Self {
        Self {
            has_more: page.next.is_some(),
            next_cursor: page.next.map(|place| place.write()),
            suggestions: page.items,
        }
    }
}

/// Runs of mining.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct MiningRuns {
    /// Newest first, at most 50.
    #[schema(value_type = Vec<MiningRunSchema>)]
    runs: Vec<MiningRun>,
}

/// What became of a request to mine.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct MiningQueued {
    /// `queued`, or `waiting` where a job waits already that does the same.
    status: &'static str,
}

/// List suggestions, newest first
#[utoipa::path(
    get, path = "/api/suggestions", tag = "suggestions", operation_id = "list_suggestions",
    security(("user" = []), ("service" = []), ("api_key" = ["read"])),
    params(SuggestionsQuery, PageQuery, TenantQuery),
    responses((status = 200, body = SuggestionList), NotRead),
)]
pub(crate) async fn list(
    State(state): State<AppState>,
    Tenant(actor): Tenant,
    Query(query): Query<SuggestionsQuery>,
    Query(page): Query<PageQuery>,
) -> Result<Json<SuggestionList>, Problem> {
    let filter = Filter {
        status: word(query.status, "status", SuggestionStatus::parse)?,
        suggestion_type: word(query.r#type, "type", SuggestionType::parse)?,
        severity: word(query.severity, "severity", Severity::parse)?,
        after: page.after()?,
    };
    let suggestions = state.engine.suggestions(actor, &filter, page.limit()?).await?;
    Ok(Json(suggestions.into()))
}

/// Get a suggestion and the traces behind it
#[utoipa::path(
    get, path = "/api/suggestions/{id}", tag = "suggestions", operation_id = "get_suggestion",
    security(("user" = []), ("service" = []), ("api_key" = ["read"])),
    params(("id" = String, Path, description = "The suggestion"), TenantQuery),
    responses((status = 200, body = SuggestionSchema), NotRead),
)]
pub(crate) async fn get(
    State(state): State<AppState>,
    Tenant(actor): Tenant,
    Path(id): Path<String>,
) -> Result<Json<SuggestionDetail>, Problem> {
    let detail = state.engine.suggestion(actor, &id).await?;
    detail.map(Json).ok_or(Problem::new(ErrorCode::NotFound))
}

/// List runs of mining, newest first
#[utoipa::path(
    get, path = "/api/mining", tag = "suggestions", operation_id = "list_mining_runs",
    security(("user" = []), ("service" = []), ("api_key" = ["read"])),
    params(TenantQuery),
    responses((status = 200, body = MiningRuns), Refused),
)]
pub(crate) async fn runs(
    State(state): State<AppState>,
    Tenant(actor): Tenant,
) -> Result<Json<MiningRuns>, Problem> {
    let runs = state.engine.mining_runs(actor, RUNS).await?;
    Ok(Json(MiningRuns { runs }))
}

/// Get a run of mining and what the model could not make a pattern of
#[utoipa::path(
    get, path = "/api/mining/{id}", tag = "suggestions", operation_id = "get_mining_run",
    security(("user" = []), ("service" = []), ("api_key" = ["read"])),
    params(("id" = String, Path, description = "The run"), TenantQuery),
    responses((status = 200, body = MiningRunSchema), Refused),
)]
pub(crate) async fn run(
    State(state): State<AppState>,
    Tenant(actor): Tenant,
    Path(id): Path<String>,
) -> Result<Json<MiningRunDetail>, Problem> {
    let detail = state.engine.mining_run(actor, &id).await?;
    detail.map(Json).ok_or(Problem::new(ErrorCode::NotFound))
}

/// Have a worker mine the failing interactions of the last days
#[utoipa::path(
    post, path = "/api/mining", tag = "suggestions", operation_id = "mine",
    security(("user" = []), ("service" = []), ("api_key" = ["write"])),
    params(TenantQuery),
    responses((status = 202, body = MiningQueued), Refused),
)]
pub(crate) async fn mine(
    State(state): State<AppState>,
    ActingTenant(actor): ActingTenant,
) -> Result<(StatusCode, Json<MiningQueued>), Problem> {
    let user = actor.tenant().ok_or(Problem::new(ErrorCode::NotFound))?;
    let status = match state.engine.queue_mining(user).await? {
        true => "queued",
        false => "waiting",
    };
    Ok((StatusCode::ACCEPTED, Json(MiningQueued { status })))
}

/// What a parameter's word stands for.
fn word<T>(
    given: Option<String>,
    name: &str,
    parse: impl Fn(&str) -> Option<T>,
) -> Result<Option<T>, Problem> {
    given
        .map(|word| {
            let unknown = || format!("`{name}` has no such word");
            parse(&word).ok_or_else(|| Problem::new(ErrorCode::InvalidParameter).because(unknown()))
        })
        .transpose()
}
