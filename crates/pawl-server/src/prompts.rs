//! `/api/prompts`: what agents read, and what people decide.

use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use pawl_engine::promote::{NewPromotion, OnRefusal, PromotionUnderWay};
use pawl_model::{PromotionVerdict, PromptVersion, UserId};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};
use time::OffsetDateTime;
use utoipa::ToSchema;

use crate::AppState;
use crate::coalesced::Coalesced;
use crate::eval_tests::read_body;
use crate::openapi::{NotReviewed, Refused};
use crate::optimizations::schema::{PromotionUnderWaySchema, PromptVersionSchema, VerdictSchema};
use crate::parameters::Path;
use crate::problem::{ErrorCode, Problem};
use crate::suggestions::review::name as decider;
use crate::tenant::{Reviewer, Tenant, TenantQuery};

/// The live version of a prompt.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct LivePrompt {
    name: String,
    version: i64,
    /// Its texts, by name.
    #[schema(value_type = Object)]
    prompt: Map<String, Value>,
    /// The candidate that it was; null for one that came by hand.
    #[schema(required)]
    candidate_id: Option<String>,
    #[serde(with = "time::serde::rfc3339")]
    created_at: OffsetDateTime,
}

impl From<PromptVersion> for LivePrompt {
    fn from(version: PromptVersion) -> Self {
        let texts = version.components.into_iter();
        Self {
            name: version.name,
            version: version.version,
            prompt: texts.map(|one| (one.name, Value::from(one.text))).collect(),
            candidate_id: version.candidate_id,
            created_at: version.created_at,
        }
    }
}

/// Prompts.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PromptList {
    /// The live version of each, by name, at most 1,000.
    prompts: Vec<LivePrompt>,
}

/// A prompt with its history.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PromptDetail)]
pub(crate) struct Detail {
    live: LivePrompt,
    /// The newest first, at most 1,000.
    #[schema(value_type = Vec<PromptVersionSchema>)]
    versions: Vec<PromptVersion>,
    /// What was decided and found, the newest first, at most 1,000.
    #[schema(value_type = Vec<VerdictSchema>)]
    verdicts: Vec<PromotionVerdict>,
    /// Promotions without a verdict yet.
    #[schema(value_type = Vec<PromotionUnderWaySchema>)]
    under_way: Vec<PromotionUnderWay>,
}

/// A promotion.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PromotionBody {
    /// The candidate.
    candidate_id: String,
    /// Why.
    reason: String,
    /// Whether it becomes live though the gate refuses it; that is recorded.
    #[serde(default)]
    r#override: bool,
    /// The name of a target that the server knows [default: that of the optimisation].
    target: Option<String>,
    /// `approved`, or a file of the server's folder of suites [default: that of the optimisation].
    suite: Option<String>,
    /// Who decides, with the service key [default: service]; a user decides in their own name.
    by: Option<String>,
}

/// A promotion that waits for a worker.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PromotionQueued {
    /// The verdict that it ends with: it appears among those of the prompt.
    verdict_id: String,
}

/// A way back.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RollbackBody {
    /// Why.
    reason: String,
    /// The version to go back to [default: the one before the live one].
    to: Option<i64>,
    /// Who decides, with the service key [default: service]; a user decides in their own name.
    by: Option<String>,
}

/// List prompts and their live versions
#[utoipa::path(
    get, path = "/api/prompts", tag = "prompts", operation_id = "list_prompts",
    security(("user" = []), ("service" = []), ("api_key" = ["read"])),
    params(TenantQuery),
    responses((status = 200, body = PromptList), Refused),
)]
pub(crate) async fn list(
    State(state): State<AppState>,
    Tenant(actor): Tenant,
) -> Result<Json<PromptList>, Problem> {
    let user = actor.tenant().ok_or(Problem::new(ErrorCode::NotFound))?;
    let prompts = state.engine.prompts(user).await?;
    Ok(Json(PromptList {
        prompts: prompts.into_iter().map(LivePrompt::from).collect(),
    }))
}

/// Get a prompt with its versions and what was decided
#[utoipa::path(
    get, path = "/api/prompts/{name}", tag = "prompts", operation_id = "get_prompt",
    security(("user" = []), ("service" = []), ("api_key" = ["read"])),
    params(("name" = String, Path, description = "The prompt"), TenantQuery),
    responses((status = 200, body = Detail), Refused),
)]
pub(crate) async fn get(
    State(state): State<AppState>,
    Tenant(actor): Tenant,
    Path(name): Path<String>,
) -> Result<Json<Detail>, Problem> {
    let user = actor.tenant().ok_or(Problem::new(ErrorCode::NotFound))?;
    let detail = state.engine.prompt(user, &name).await?;
    let detail = detail.ok_or(Problem::new(ErrorCode::NotFound))?;
    Ok(Json(Detail {
        live: detail.live.into(),
        versions: detail.versions,
        verdicts: detail.verdicts,
        under_way: state.engine.promotions_under_way(user, &name).await?,
    }))
}

/// Have a worker compare a candidate with the live prompt, and make it live where it passes
#[utoipa::path(
    post, path = "/api/prompts/{name}/promote", tag = "prompts", operation_id = "promote",
    security(("user" = []), ("service" = [])),
    params(("name" = String, Path, description = "The prompt"), TenantQuery), request_body = PromotionBody,
    responses((status = 202, body = PromotionQueued), NotReviewed),
)]
pub(crate) async fn promote(
    State(state): State<AppState>,
    reviewer: Reviewer,
    Path(name): Path<String>,
    body: Bytes,
) -> Result<(StatusCode, Json<PromotionQueued>), Problem> {
    exists(&state, &reviewer, &name).await?;
    let body: PromotionBody = read_body(&body)?;
    let new = NewPromotion {
        prompt: name,
        candidate_id: body.candidate_id,
        by: decider(&reviewer, body.by)?,
        reason: body.reason,
        on_refusal: match body.r#override {
            true => OnRefusal::Override,
            false => OnRefusal::Refuse,
        },
        target: body.target,
        suite: body.suite,
    };
    let verdict_id = state.engine.queue_promotion(reviewer.user_id, &new).await?;
    Ok((StatusCode::ACCEPTED, Json(PromotionQueued { verdict_id })))
}

/// Make an earlier version of a prompt live again
#[utoipa::path(
    post, path = "/api/prompts/{name}/rollback", tag = "prompts", operation_id = "roll_back",
    security(("user" = []), ("service" = [])),
    params(("name" = String, Path, description = "The prompt"), TenantQuery), request_body = RollbackBody,
    responses((status = 200, body = VerdictSchema), NotReviewed),
)]
pub(crate) async fn roll_back(
    State(state): State<AppState>,
    reviewer: Reviewer,
    Path(name): Path<String>,
    body: Bytes,
) -> Result<Json<PromotionVerdict>, Problem> {
    exists(&state, &reviewer, &name).await?;
    let body: RollbackBody = read_body(&body)?;
    let by = decider(&reviewer, body.by)?;
    let named = (reviewer.user_id, &*name);
    let verdict = state.engine.roll_back(named, body.to, (&by, &body.reason));
    Ok(Json(verdict.await?))
}

async fn exists(state: &AppState, reviewer: &Reviewer, name: &str) -> Result<(), Problem> {
    let live = state.engine.live_prompt(reviewer.user_id, name).await?;
    live.map(|_| ()).ok_or(Problem::new(ErrorCode::NotFound))
}

/// Get the live version of a prompt
///
/// With `If-None-Match`, 304 for as long as nothing has changed.
#[utoipa::path(
    get, path = "/api/prompts/{name}/live", tag = "prompts", operation_id = "live_prompt",
    security(("user" = []), ("service" = []), ("api_key" = ["read"])),
    params(("name" = String, Path, description = "The prompt"), TenantQuery),
    responses(
        (status = 200, body = LivePrompt, headers(("etag" = String, description = "Of this version"))),
        (status = 304, description = "Nothing has changed"),
        Refused,
    ),
)]
pub(crate) async fn live(
    State(state): State<AppState>,
    Tenant(actor): Tenant,
    Path(name): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let user = actor.tenant().ok_or(Problem::new(ErrorCode::NotFound))?;
    let (engine, asked) = (state.engine.clone(), name.clone());
    let read = move || {
        let (engine, name) = (engine.clone(), asked.clone());
        async move {
            let live = engine.live_prompt(user, &name).await?;
            live.map(Written::of).transpose()
        }
    };
    let live = state.prompts.get((user, name), read).await?;
    let Written { tag, body } = live.ok_or(Problem::new(ErrorCode::NotFound))?;
    let is_known = is_known(&headers, &tag);
    let cached = [
        (header::ETAG, tag),
        (
            header::CACHE_CONTROL,
            HeaderValue::from_static("private, no-cache"),
        ),
    ];
    if is_known {
        return Ok((StatusCode::NOT_MODIFIED, cached).into_response());
    }
    let json = [(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))];
    Ok((cached, json, body).into_response())
}

/// Live versions that are read now, each for all who ask for it.
pub(crate) type LivePrompts = Coalesced<(UserId, String), Option<Written>>;

/// A live version as it is answered with.
#[derive(Clone)]
pub(crate) struct Written {
    tag: HeaderValue,
    body: Bytes,
}

impl Written {
    fn of(version: PromptVersion) -> Result<Self, Problem> {
        let live = LivePrompt::from(version);
        let body = serde_json::to_vec(&live).map_err(|_| Problem::new(ErrorCode::Internal))?;
        Ok(Self {
            tag: tag(&live),
            body: body.into(),
        })
    }
}

/// What tells a version from all others, those of a prompt of the same name before it was deleted too.
fn tag(live: &LivePrompt) -> HeaderValue {
    let mut digest = Sha256::new();
    digest.update(live.version.to_le_bytes());
    digest.update(live.created_at.unix_timestamp_nanos().to_le_bytes());
    for (name, text) in &live.prompt {
        digest.update(name);
        digest.update([0]);
        digest.update(text.as_str().unwrap_or_default());
        digest.update([0]);
    }
    let tag = format!("\"{}\"", hex::encode(&digest.finalize()[..16]));
    HeaderValue::try_from(tag).unwrap_or_else(|_| HeaderValue::from_static("\"\""))
}

/// Whether the caller has it already.
fn is_known(headers: &HeaderMap, tag: &HeaderValue) -> bool {
    let given = headers.get_all(header::IF_NONE_MATCH).iter();
    let mut tags = given
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','));
    tags.any(|one| {
        let one = one.trim();
        one == "*" || one.strip_prefix("W/").unwrap_or(one).as_bytes() == tag.as_bytes()
    })
}
