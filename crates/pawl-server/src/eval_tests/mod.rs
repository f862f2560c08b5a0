//! `/eval-tests`: drafts of regression tests. Requests and summaries of runs are in camel case, drafts in snake case.

mod answer;

use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use pawl_engine::Actor;
use pawl_engine::draft::{DEFAULT_BATCH, DraftReport, DraftRequest, MAX_BATCH, Overwrite};
use pawl_engine::mine::Mode;
use pawl_model::{DraftOutcomeStatus, TriggeredBy, UserId};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use utoipa::ToSchema;

pub(crate) use self::answer::Artifact;
use self::answer::{Generated, Health, RunSummary};
use crate::AppState;
use crate::openapi::{NotDrafted, NotRead};
use crate::parameters::Path;
use crate::problem::{ErrorCode, Problem};
use crate::tenant::{ActingTenant, Tenant, TenantQuery};

/// Which drafts to generate.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct RunOnce {
    /// The most suggestions.
    #[schema(minimum = 1, maximum = 200, default = 20)]
    batch_size: Option<u32>,
    /// Whether nothing is written.
    dry_run: bool,
    /// These suggestions [default: those that wait for a draft, newest first].
    suggestion_ids: Option<Vec<String>>,
    /// `manual` or `scheduled`.
    #[schema(value_type = Option<String>)]
    triggered_by: Option<TriggeredBy>,
}

/// How to generate one.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Generate {
    /// Whether nothing is written.
    dry_run: bool,
    /// Whether what a person edited may be overwritten; it stays in the history.
    force_overwrite: bool,
    /// `manual` or `scheduled`.
    #[schema(value_type = Option<String>)]
    triggered_by: Option<TriggeredBy>,
}

/// Generate drafts for suggestions that wait for one
#[utoipa::path(
    post, path = "/eval-tests/run-once", tag = "drafts", operation_id = "generate_drafts",
    security(("user" = []), ("service" = []), ("api_key" = ["write"])),
    params(TenantQuery), request_body = RunOnce,
    responses((status = 200, body = RunSummary), NotDrafted),
)]
pub(crate) async fn run_once(
    State(state): State<AppState>,
    ActingTenant(actor): ActingTenant,
    body: Bytes,
) -> Result<Json<RunSummary>, Problem> {
    let asked: RunOnce = read(&body)?;
    let batch_size = match asked.batch_size.unwrap_or(DEFAULT_BATCH) {
        size @ 1..=MAX_BATCH => size,
        _ => return Err(unprocessable("`batchSize` is a number from 1 to 200")),
    };
    let request = DraftRequest {
        user_id: tenant(actor)?,
        suggestion_ids: asked.suggestion_ids,
        batch_size,
        overwrite: Overwrite::Keep,
        mode: mode(asked.dry_run),
        triggered_by: asked.triggered_by.unwrap_or(TriggeredBy::Manual),
    };
    Ok(Json(drafted(&state, request).await?.run.into()))
}

/// Generate the draft of a suggestion
#[utoipa::path(
    post, path = "/eval-tests/generate/{suggestionId}", tag = "drafts", operation_id = "generate_draft",
    security(("user" = []), ("service" = []), ("api_key" = ["write"])),
    params(("suggestionId" = String, Path, description = "The suggestion"), TenantQuery), request_body = Generate,
    responses((status = 200, body = Generated), NotDrafted),
)]
pub(crate) async fn generate(
    State(state): State<AppState>,
    ActingTenant(actor): ActingTenant,
    Path(id): Path<String>,
    body: Bytes,
) -> Result<Json<Generated>, Problem> {
    let asked: Generate = read(&body)?;
    let request = DraftRequest {
        user_id: tenant(actor)?,
        suggestion_ids: Some(vec![id]),
        batch_size: 1,
        overwrite: match asked.force_overwrite {
            true => Overwrite::Force,
            false => Overwrite::Keep,
        },
        mode: mode(asked.dry_run),
        triggered_by: asked.triggered_by.unwrap_or(TriggeredBy::Manual),
    };
    let mut report = drafted(&state, request).await?;
    let outcome = report.run.suggestion_outcomes.pop();
    let outcome = outcome.ok_or(Problem::new(ErrorCode::NotFound))?;
    let reason = outcome.error_reason.as_deref();
    match (outcome.status, reason) {
        (DraftOutcomeStatus::Skipped, Some("overwrite_blocked" | "changed_meanwhile")) => {
            Err(Problem::new(ErrorCode::Conflict).because(
                "a person has edited this draft; `forceOverwrite` overwrites it, and keeps it in the history",
            ))
        }
        (DraftOutcomeStatus::Error, _) => {
            let message = report.errors.pop().map(|error| error.error_message);
            let detail = match message {
                Some(message) => format!("no draft: {}: {message}", reason.unwrap_or("unknown")),
                None => "no draft".to_owned(),
            };
            Err(Problem::new(ErrorCode::ModelFailed).because(detail))
        }
        _ => Ok(Json(Generated::new(
            report.run.run_id,
            outcome,
            report.drafts.pop(),
        ))),
    }
}

/// Get the draft of a suggestion
#[utoipa::path(
    get, path = "/eval-tests/{suggestionId}", tag = "drafts", operation_id = "get_draft",
    security(("user" = []), ("service" = []), ("api_key" = ["read"])),
    params(("suggestionId" = String, Path, description = "The suggestion"), TenantQuery),
    responses((status = 200, body = Artifact), NotRead),
)]
pub(crate) async fn get(
    State(state): State<AppState>,
    Tenant(actor): Tenant,
    Path(id): Path<String>,
) -> Result<Json<Artifact>, Problem> {
    let detail = state.engine.suggestion(actor, &id).await?;
    let artifact = detail.and_then(|detail| Artifact::of(&detail.suggestion));
    artifact.map(Json).ok_or(Problem::new(ErrorCode::NotFound))
}

/// How the generation of drafts is doing
#[utoipa::path(
    get, path = "/eval-tests/health", tag = "drafts", operation_id = "draft_health",
    security(("user" = []), ("service" = []), ("api_key" = ["read"])),
    params(TenantQuery),
    responses((status = 200, body = Health), NotRead),
)]
pub(crate) async fn health(
    State(state): State<AppState>,
    Tenant(actor): Tenant,
) -> Result<Json<Health>, Problem> {
    let health = state.engine.draft_health(actor).await?;
    Ok(Json(health.into()))
}

/// Generates in a task of its own: what was begun is finished, and its run written, though nobody may wait any more.
pub(crate) async fn drafted(state: &AppState, request: DraftRequest) -> Result<DraftReport, Problem> {
    let engine = state.engine.clone();
    let task = tokio::spawn(async move { engine.draft(&request).await });
    let report = task.await.map_err(|_| Problem::new(ErrorCode::Internal))?;
    Ok(report?)
}

/// The body; nothing at all is an empty object.
fn read<T: DeserializeOwned + Default>(body: &[u8]) -> Result<T, Problem> {
    if body.is_empty() {
        return Ok(T::default());
    }
    read_body(body)
}

/// The body, strictly.
pub(crate) fn read_body<T: DeserializeOwned>(body: &[u8]) -> Result<T, Problem> {
    serde_json::from_slice(body).map_err(|error| match error.classify() {
        serde_json::error::Category::Data => unprocessable(&error.to_string()),
        _ => Problem::new(ErrorCode::InvalidJson).because(error.to_string()),
    })
}

fn unprocessable(detail: &str) -> Problem {
    Problem::new(ErrorCode::Unprocessable).because(detail.to_owned())
}

fn tenant(actor: Actor) -> Result<UserId, Problem> {
    actor.tenant().ok_or(Problem::new(ErrorCode::NotFound))
}

const fn mode(dry_run: bool) -> Mode {
    match dry_run {
        true => Mode::DryRun,
        false => Mode::Store,
    }
}
