//! `/api/interactions`: one interaction with what is known of its trace, and as a trace.

mod schema;

use axum::Json;
use axum::extract::State;
use pawl_model::InteractionId;
use serde_json::Value;

use self::schema::{InteractionAnswer, OtlpDocument};
use crate::AppState;
use crate::openapi::Refused;
use crate::parameters::Path;
use crate::problem::{ErrorCode, Problem};
use crate::tenant::{Tenant, TenantQuery};

/// Get an interaction, and what is known of its trace
#[utoipa::path(
    get, path = "/api/interactions/{id}", tag = "interactions", operation_id = "get_interaction",
    security(("user" = []), ("service" = []), ("api_key" = ["read"])),
    params(("id" = Uuid, Path, description = "The row"), TenantQuery),
    responses((status = 200, body = InteractionAnswer), Refused),
)]
pub(crate) async fn get(
    State(state): State<AppState>,
    Tenant(actor): Tenant,
    Path(id): Path<InteractionId>,
) -> Result<Json<InteractionAnswer>, Problem> {
    let detail = state.engine.interaction(actor, id).await?;
    let detail = detail.ok_or(Problem::new(ErrorCode::NotFound))?;
    Ok(Json(detail.into()))
}

/// Get an interaction as a trace, with an event for its score
///
/// The document is one of OTLP in JSON, as `/v1/traces` takes it.
#[utoipa::path(
    get, path = "/api/interactions/{id}/otlp", tag = "interactions", operation_id = "get_interaction_as_otlp",
    security(("user" = []), ("service" = []), ("api_key" = ["read"])),
    params(("id" = Uuid, Path, description = "The row"), TenantQuery),
    responses((status = 200, body = OtlpDocument), Refused),
)]
pub(crate) async fn otlp(
    State(state): State<AppState>,
    Tenant(actor): Tenant,
    Path(id): Path<InteractionId>,
) -> Result<Json<Value>, Problem> {
    let document = state.engine.interaction_as_otlp(actor, id).await?;
    document.map(Json).ok_or(Problem::new(ErrorCode::NotFound))
}
