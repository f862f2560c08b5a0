//! `/api/runs`: runs, what they came to, their cases, and how two of them differ.

mod answer;
mod schema;

use axum::Json;
use axum::extract::State;
use pawl_engine::run::list::{CasePlace, RunFilter};
use pawl_model::{RunId, State as CaseState};
use serde::Deserialize;
use utoipa::IntoParams;

use self::answer::{CaseList, ComparisonAnswer, RunDetail, RunList};
use crate::AppState;
use crate::openapi::Refused;
use crate::paging::PageQuery;
use crate::parameters::{Path, Query};
use crate::problem::{ErrorCode, Problem};
use crate::tenant::{Tenant, TenantQuery};

/// Which runs.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct RunsQuery {
    /// Only runs with this status: `running`, `completed`, `failed`, or a word of another writer.
    status: Option<String>,
    /// Only runs of this suite.
    suite: Option<String>,
}

/// Which cases.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct CasesQuery {
    /// Only cases in this state: `passed`, `failed`, `error` or `skipped`.
    status: Option<String>,
}

/// List runs, newest first
#[utoipa::path(
    get, path = "/api/runs", tag = "runs", operation_id = "list_runs",
    security(("user" = []), ("service" = []), ("api_key" = ["read"])),
    params(RunsQuery, PageQuery, TenantQuery),
    responses((status = 200, body = RunList), Refused),
)]
pub(crate) async fn list(
    State(state): State<AppState>,
    Tenant(actor): Tenant,
    Query(query): Query<RunsQuery>,
    Query(page): Query<PageQuery>,
) -> Result<Json<RunList>, Problem> {
    let filter = RunFilter {
        status: query.status.as_deref(),
        suite: query.suite.as_deref(),
    };
    let runs = state
        .engine
        .list_runs(actor, &filter, page.after()?, page.limit()?)
        .await?;
    Ok(Json(runs.into()))
}

/// Get a run and what it came to
#[utoipa::path(
    get, path = "/api/runs/{id}", tag = "runs", operation_id = "get_run",
    security(("user" = []), ("service" = []), ("api_key" = ["read"])),
    params(("id" = Uuid, Path, description = "The run"), TenantQuery),
    responses((status = 200, body = RunDetail), Refused),
)]
pub(crate) async fn get(
    State(state): State<AppState>,
    Tenant(actor): Tenant,
    Path(id): Path<RunId>,
) -> Result<Json<RunDetail>, Problem> {
    let report = state.engine.run_report(actor, id).await?;
    Ok(Json(report.into()))
}

/// List the cases of a run, in the order of the data set
#[utoipa::path(
    get, path = "/api/runs/{id}/cases", tag = "runs", operation_id = "list_cases",
    security(("user" = []), ("service" = []), ("api_key" = ["read"])),
    params(("id" = Uuid, Path, description = "The run"), CasesQuery, PageQuery, TenantQuery),
    responses((status = 200, body = CaseList), Refused),
)]
pub(crate) async fn cases(
    State(state): State<AppState>,
    Tenant(actor): Tenant,
    Path(run): Path<RunId>,
    Query(query): Query<CasesQuery>,
    Query(page): Query<PageQuery>,
) -> Result<Json<CaseList>, Problem> {
    let case_state = query.status.as_deref().map(|word| {
        CaseState::parse(word).ok_or_else(|| invalid("`status` is passed, failed, error or skipped"))
    });
    let place = CasePlace {
        after: page.after()?,
        limit: page.limit()?,
    };
    let cases = state
        .engine
        .list_cases(actor, run, case_state.transpose()?, place)
        .await?;
    Ok(Json(cases.into()))
}

/// Compare two runs case by case
#[utoipa::path(
    get, path = "/api/runs/{id}/compare/{other}", tag = "runs", operation_id = "compare_runs",
    security(("user" = []), ("service" = []), ("api_key" = ["read"])),
    params(
        ("id" = Uuid, Path, description = "The first run, the baseline"),
        ("other" = Uuid, Path, description = "The second run"),
        TenantQuery,
    ),
    responses((status = 200, body = ComparisonAnswer), Refused),
)]
pub(crate) async fn compare(
    State(state): State<AppState>,
    Tenant(actor): Tenant,
    Path((id, other)): Path<(RunId, RunId)>,
) -> Result<Json<ComparisonAnswer>, Problem> {
    let comparison = state.engine.compare(actor, id, other).await?;
    Ok(Json(comparison.into()))
}

fn invalid(detail: &str) -> Problem {
    Problem::new(ErrorCode::InvalidParameter).because(detail)
}
