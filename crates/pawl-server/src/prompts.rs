//! `/api/prompts`: what agents read.

use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use pawl_model::{PromptVersion, UserId};
use serde::Serialize;
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};
use time::OffsetDateTime;
use utoipa::ToSchema;

use crate::AppState;
use crate::coalesced::Coalesced;
use crate::openapi::Refused;
use crate::parameters::Path;
use crate::problem::{ErrorCode, Problem};
use crate::tenant::{Tenant, TenantQuery};

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
