//! `/api/optimizations`: prompts that are evolved by a worker. Callers name what the server's operator has named.

pub(crate) mod schema;
pub(crate) mod stream;

use std::collections::BTreeMap;

use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use pawl_engine::ModelSpec;
use pawl_engine::evolve::{Earlier, NewOptimization, Progress, Quote};
use pawl_model::{Optimization, PromptCandidate, Usd, UserId};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use self::schema::{CandidateSchema, OptimizationSchema, ProgressSchema, QuoteSchema};
use crate::AppState;
use crate::eval_tests::read_body;
use crate::openapi::{NotReviewed, Refused};
use crate::parameters::Path;
use crate::problem::{ErrorCode, Problem};
use crate::tenant::{ActingTenant, Tenant, TenantQuery};

/// Optimisations that are listed.
const LISTED: u32 = 50;
/// Calls of the target, where nobody says.
pub(crate) const METRIC_CALLS: u64 = 500;

/// An optimisation that is asked for.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct OptimizationBody {
    /// The prompt, whose live version it begins with.
    prompt: String,
    /// The name of a target that the server knows; where it knows but one it need not be named.
    target: Option<String>,
    /// `approved`, or a file of the server's folder of suites [default: approved].
    suite: Option<String>,
    /// The model that proposes texts [default: the server's].
    reflector: Option<String>,
    /// What choices by chance are a function of [default: 0].
    seed: Option<u64>,
    /// Steps that are under way at once [default: 1].
    #[schema(minimum = 1, maximum = 16)]
    look_ahead: Option<usize>,
    /// Candidates tried on a case, at most [default: 500].
    #[schema(minimum = 1, maximum = 10_000)]
    max_metric_calls: Option<u64>,
    /// What it may cost, in US dollars.
    #[schema(value_type = Option<f64>)]
    max_cost_usd: Option<serde_json::Number>,
    /// How much a kind of check counts, by its name or metric [default: the suite's own weights].
    #[serde(default)]
    weights: BTreeMap<String, f64>,
    /// Whether everything is asked anew, also what an earlier run asked.
    #[serde(default)]
    fresh: bool,
    /// Whether it is only told what it may take, and nothing begun.
    #[serde(default)]
    dry_run: bool,
}

/// An optimisation that was begun, and what it may take.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Begun {
    /// Null where nothing was begun.
    #[schema(required, value_type = Option<OptimizationSchema>)]
    run: Option<Optimization>,
    #[schema(value_type = QuoteSchema)]
    quote: Quote,
}

/// Optimisations.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct OptimizationList {
    /// Newest first, at most 50.
    #[schema(value_type = Vec<OptimizationSchema>)]
    optimizations: Vec<Optimization>,
}

/// An optimisation and how far it is.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = OptimizationDetail)]
pub(crate) struct Detail {
    #[serde(flatten)]
    #[schema(value_type = OptimizationSchema)]
    run: Optimization,
    #[schema(value_type = ProgressSchema)]
    progress: Progress,
}

/// Candidates of an optimisation.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CandidateList {
    /// In the order of the steps that made them, refused proposals among them.
    #[schema(value_type = Vec<CandidateSchema>)]
    candidates: Vec<PromptCandidate>,
}

/// What became of a request to stop.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Stopping {
    /// `stopping`, or `over` where it had ended already.
    status: &'static str,
}

impl OptimizationBody {
    fn read(self, user_id: UserId) -> Result<NewOptimization, Problem> {
        let reflector = self.reflector.as_deref().map(str::parse::<ModelSpec>).transpose();
        let cost = self.max_cost_usd.map(|number| {
            Usd::parse(&number.to_string())
                .ok_or_else(|| unprocessable("`max_cost_usd` is no amount of US dollars"))
        });
        Ok(NewOptimization {
            user_id,
            prompt: self.prompt,
            target: self.target,
            suite: self.suite.unwrap_or_else(|| "approved".to_owned()),
            reflector: reflector.map_err(|error| unprocessable(&error.to_string()))?,
            seed: self.seed.unwrap_or(0),
            look_ahead: self.look_ahead.unwrap_or(1),
            metric_calls: self.max_metric_calls.unwrap_or(METRIC_CALLS),
            usd_nanos: cost.transpose()?.map(Usd::nanos),
            weights: self.weights,
            earlier: match self.fresh {
                true => Earlier::Ignore,
                false => Earlier::Reuse,
            },
        })
    }
}

fn unprocessable(detail: &str) -> Problem {
    Problem::new(ErrorCode::Unprocessable).because(detail)
}

/// Have a worker evolve a prompt
#[utoipa::path(
    post, path = "/api/optimizations", tag = "prompts", operation_id = "begin_optimization",
    security(("user" = []), ("service" = []), ("api_key" = ["write"])),
    params(TenantQuery), request_body = OptimizationBody,
    responses(
        (status = 200, body = Begun, description = "What it may take, with `dry_run`"),
        (status = 202, body = Begun, headers(("location" = String, description = "The optimisation"))),
        NotReviewed,
    ),
)]
pub(crate) async fn begin(
    State(state): State<AppState>,
    ActingTenant(actor): ActingTenant,
    body: Bytes,
) -> Result<Response, Problem> {
    let body: OptimizationBody = read_body(&body)?;
    let user = actor.tenant().ok_or(Problem::new(ErrorCode::NotFound))?;
    let is_dry = body.dry_run;
    let new = body.read(user)?;
    if is_dry {
        let quote = state.engine.quote_optimization(&new).await?;
        return Ok(Json(Begun { run: None, quote }).into_response());
    }
    let (run, quote) = state.engine.begin_optimization(&new).await?;
    let place = ["/api/optimizations/", &run.id].concat();
    let place = HeaderValue::try_from(place).map_err(|_| Problem::new(ErrorCode::Internal))?;
    let begun = Begun {
        run: Some(run),
        quote,
    };
    Ok((StatusCode::ACCEPTED, [(header::LOCATION, place)], Json(begun)).into_response())
}

/// List optimisations, newest first
#[utoipa::path(
    get, path = "/api/optimizations", tag = "prompts", operation_id = "list_optimizations",
    security(("user" = []), ("service" = []), ("api_key" = ["read"])),
    params(TenantQuery),
    responses((status = 200, body = OptimizationList), Refused),
)]
pub(crate) async fn list(
    State(state): State<AppState>,
    Tenant(actor): Tenant,
) -> Result<Json<OptimizationList>, Problem> {
    let optimizations = state.engine.optimizations(actor, LISTED).await?;
    Ok(Json(OptimizationList { optimizations }))
}

/// Get an optimisation and how far it is
#[utoipa::path(
    get, path = "/api/optimizations/{id}", tag = "prompts", operation_id = "get_optimization",
    security(("user" = []), ("service" = []), ("api_key" = ["read"])),
    params(("id" = String, Path, description = "The optimisation"), TenantQuery),
    responses((status = 200, body = Detail), Refused),
)]
pub(crate) async fn get(
    State(state): State<AppState>,
    Tenant(actor): Tenant,
    Path(id): Path<String>,
) -> Result<Json<Detail>, Problem> {
    let found = state.engine.optimization_progress(actor, &id).await?;
    let (run, progress) = found.ok_or(Problem::new(ErrorCode::NotFound))?;
    Ok(Json(Detail { run, progress }))
}

/// List the candidates of an optimisation, in the order of its steps
#[utoipa::path(
    get, path = "/api/optimizations/{id}/candidates", tag = "prompts", operation_id = "list_candidates",
    security(("user" = []), ("service" = []), ("api_key" = ["read"])),
    params(("id" = String, Path, description = "The optimisation"), TenantQuery),
    responses((status = 200, body = CandidateList), Refused),
)]
pub(crate) async fn candidates(
    State(state): State<AppState>,
    Tenant(actor): Tenant,
    Path(id): Path<String>,
) -> Result<Json<CandidateList>, Problem> {
    let detail = state.engine.optimization_detail(actor, &id).await?;
    let detail = detail.ok_or(Problem::new(ErrorCode::NotFound))?;
    Ok(Json(CandidateList {
        candidates: detail.candidates,
    }))
}

/// Go on with an optimisation that was stopped, or paused since calls failed
///
/// It goes on where its journal ends: what was tried is not tried again, and its limits stay.
#[utoipa::path(
    post, path = "/api/optimizations/{id}/resume", tag = "prompts", operation_id = "resume_optimization",
    security(("user" = []), ("service" = []), ("api_key" = ["write"])),
    params(("id" = String, Path, description = "The optimisation"), TenantQuery),
    responses((status = 202, body = OptimizationSchema), NotReviewed),
)]
pub(crate) async fn resume(
    State(state): State<AppState>,
    ActingTenant(actor): ActingTenant,
    Path(id): Path<String>,
) -> Result<(StatusCode, Json<Optimization>), Problem> {
    let user = actor.tenant().ok_or(Problem::new(ErrorCode::NotFound))?;
    let run = state.engine.resume_optimization(user, &id).await?;
    Ok((StatusCode::ACCEPTED, Json(run)))
}

/// Stop an optimisation at its next step
#[utoipa::path(
    post, path = "/api/optimizations/{id}/cancel", tag = "prompts", operation_id = "cancel_optimization",
    security(("user" = []), ("service" = []), ("api_key" = ["write"])),
    params(("id" = String, Path, description = "The optimisation"), TenantQuery),
    responses((status = 202, body = Stopping), Refused),
)]
pub(crate) async fn cancel(
    State(state): State<AppState>,
    ActingTenant(actor): ActingTenant,
    Path(id): Path<String>,
) -> Result<(StatusCode, Json<Stopping>), Problem> {
    let status = match state.engine.cancel_optimization(actor, &id).await? {
        true => "stopping",
        false => "over",
    };
    Ok((StatusCode::ACCEPTED, Json(Stopping { status })))
}
