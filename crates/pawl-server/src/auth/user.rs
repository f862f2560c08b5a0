//! The user who asks.

use axum::Json;
use axum::extract::State;
use pawl_engine::auth::{AccountChange, SecretString};
use serde::Deserialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::answer::UserAnswer;
use super::body::Body;
use super::error::{Refusal, code};
use super::known::Known;
use super::responses::Refused;
use super::token::refuse_phone;
use crate::AppState;
use crate::caller::Caller;

/// Show the user whose token it is
#[utoipa::path(
    get, path = "/auth/v1/user", tag = "auth", operation_id = "get_user",
    security(("user" = [])),
    responses((status = 200, body = UserAnswer), Refused),
)]
pub(super) async fn get(
    State(state): State<AppState>,
    Known(caller): Known<Caller>,
) -> Result<Json<UserAnswer>, Refusal> {
    let account = state.engine.own_account(caller.claims).await?;
    Ok(Json(account.into()))
}

/// What users may change.
#[derive(Deserialize, ToSchema)]
#[schema(as = AuthUserChange)]
pub(super) struct UserBody {
    /// A new password: it ends all other log-ins.
    #[schema(value_type = Option<String>)]
    password: Option<SecretString>,
    /// Merged into what the user said of themselves; null takes a key away.
    #[schema(value_type = Object)]
    data: Option<Map<String, Value>>,
    email: Option<String>,
    phone: Option<String>,
    #[schema(value_type = Object)]
    app_metadata: Option<Map<String, Value>>,
}

/// Change the user whose token it is
#[utoipa::path(
    put, path = "/auth/v1/user", tag = "auth", operation_id = "change_user",
    security(("user" = [])),
    request_body = UserBody,
    responses((status = 200, body = UserAnswer), Refused),
)]
pub(super) async fn put(
    State(state): State<AppState>,
    Known(caller): Known<Caller>,
    Body(body): Body<UserBody>,
) -> Result<Json<UserAnswer>, Refusal> {
    let claims = caller.claims;
    refuse_phone(body.phone.as_deref())?;
    if body.app_metadata.is_some() {
        return Err(Refusal::not_admin());
    }
    let account = state.engine.own_account(claims).await?;
    // Without mail nobody could show that the new address is theirs.
    let other = body
        .email
        .filter(|email| Some(email.trim().to_lowercase()) != account.email);
    if other.is_some_and(|email| !email.is_empty()) {
        let message = "An administrator changes email addresses on this instance";
        return Err(Refusal::unprocessable(code::VALIDATION_FAILED, message));
    }
    let change = AccountChange {
        password: body.password,
        user_metadata: body.data.unwrap_or_default(),
        ..AccountChange::default()
    };
    let account = state.engine.change_own_account(claims, &change).await?;
    Ok(Json(account.into()))
}
