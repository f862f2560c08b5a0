//! Whether the process lives, and whether it can work.

use std::time::Duration;

use axum::Json;
use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;

use crate::AppState;
use crate::openapi::Unavailable;
use crate::problem::{ErrorCode, Problem};

/// How long the database may take to answer a readiness check.
const PATIENCE: Duration = Duration::from_secs(2);

/// All is well.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Health {
    /// `ok`.
    status: &'static str,
}

const OK: Json<Health> = Json(Health { status: "ok" });

/// Whether the process lives
#[utoipa::path(
    get, path = "/healthz", tag = "operations", security(()),
    responses((status = 200, body = Health)),
)]
pub(crate) async fn healthz() -> Json<Health> {
    OK
}

/// Whether the server can work: the database answers
#[utoipa::path(
    get, path = "/readyz", tag = "operations", security(()),
    responses((status = 200, body = Health), Unavailable),
)]
pub(crate) async fn readyz(State(state): State<AppState>) -> Result<Json<Health>, Problem> {
    match tokio::time::timeout(PATIENCE, state.engine.ping()).await {
        Ok(Ok(())) => Ok(OK),
        Ok(Err(error)) => {
            tracing::error!(
                error = &error as &dyn std::error::Error,
                "the database does not answer"
            );
            Err(Problem::new(ErrorCode::DatabaseUnavailable))
        }
        Err(_) => Err(Problem::new(ErrorCode::DatabaseUnavailable)),
    }
}
