//! Signing up, logging in, refreshing, logging out.

use axum::extract::{Query, State};
use axum::http::StatusCode;
use pawl_engine::auth::{EmailAddress, LogOut, NewAccount, SecretString};
use serde::Deserialize;
use serde_json::{Map, Value};
use utoipa::{IntoParams, ToSchema};

use super::answer::SessionAnswer;
use super::body::Body;
use super::error::{Refusal, code};
use super::known::Known;
use super::limits::Attempt;
use super::responses::Refused;
use crate::AppState;
use crate::caller::{Caller, Client};

/// Who signs up.
#[derive(Deserialize, ToSchema)]
#[schema(as = AuthSignUp)]
pub(super) struct SignUpBody {
    email: Option<String>,
    #[schema(value_type = Option<String>)]
    password: Option<SecretString>,
    phone: Option<String>,
    /// What the user says of themselves.
    #[schema(value_type = Object)]
    data: Option<Map<String, Value>>,
}

/// Sign up with an e-mail address and a password
#[utoipa::path(
    post, path = "/auth/v1/signup", tag = "auth", operation_id = "sign_up",
    security(("anon_key" = [])),
    request_body = SignUpBody,
    responses((status = 200, body = SessionAnswer), Refused),
)]
pub(super) async fn sign_up(
    State(state): State<AppState>,
    _: Known<Client>,
    attempt: Attempt,
    Body(body): Body<SignUpBody>,
) -> Result<SessionAnswer, Refusal> {
    attempt.sign_up()?;
    refuse_phone(body.phone.as_deref())?;
    let Some(email) = body.email.filter(|email| !email.is_empty()) else {
        let message = "Anonymous sign-ins are disabled";
        return Err(Refusal::unprocessable(code::ANONYMOUS_PROVIDER_DISABLED, message));
    };
    let password = body
        .password
        .ok_or_else(|| Refusal::bad_request(code::VALIDATION_FAILED, "Signup requires a valid password"))?;
    let new = NewAccount {
        password: Some(password),
        user_metadata: body.data.unwrap_or_default(),
        ..NewAccount::of(EmailAddress::parse(&email)?)
    };
    Ok(state.engine.sign_up(&new).await?.into())
}

/// How somebody proves who they are.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct GrantQuery {
    /// `password` or `refresh_token`.
    grant_type: Option<String>,
}

/// What proves it.
#[derive(Deserialize, ToSchema)]
#[schema(as = AuthGrant)]
pub(super) struct GrantBody {
    email: Option<String>,
    phone: Option<String>,
    #[schema(value_type = Option<String>)]
    password: Option<SecretString>,
    #[schema(value_type = Option<String>)]
    refresh_token: Option<SecretString>,
}

/// Log in by password, or go on with a session by its refresh token
#[utoipa::path(
    post, path = "/auth/v1/token", tag = "auth", operation_id = "log_in",
    security(("anon_key" = [])),
    params(GrantQuery),
    request_body = GrantBody,
    responses((status = 200, body = SessionAnswer), Refused),
)]
pub(super) async fn token(
    State(state): State<AppState>,
    _: Known<Client>,
    attempt: Attempt,
    Query(query): Query<GrantQuery>,
    Body(body): Body<GrantBody>,
) -> Result<SessionAnswer, Refusal> {
    let issued = match query.grant_type.as_deref() {
        Some("password") => {
            let email = body.email.unwrap_or_default();
            attempt.log_in(&email)?;
            refuse_phone(body.phone.as_deref())?;
            state
                .engine
                .log_in(&email, &body.password.unwrap_or_else(|| "".into()))
                .await?
        }
        Some("refresh_token") => {
            attempt.refresh()?;
            let token = body.refresh_token.ok_or_else(|| {
                Refusal::bad_request(code::VALIDATION_FAILED, "Refresh token is not present")
            })?;
            state.engine.refresh(token).await?
        }
        _ => {
            return Err(Refusal::bad_request(
                code::VALIDATION_FAILED,
                "unsupported_grant_type",
            ));
        }
    };
    Ok(issued.into())
}

/// Which log-ins end.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct LogOutQuery {
    /// `global`, `local` or `others`.
    #[param(default = "global")]
    scope: Option<String>,
}

/// Log out
#[utoipa::path(
    post, path = "/auth/v1/logout", tag = "auth", operation_id = "log_out",
    security(("user" = [])),
    params(LogOutQuery),
    responses((status = 204), Refused),
)]
pub(super) async fn log_out(
    State(state): State<AppState>,
    Known(caller): Known<Caller>,
    Query(query): Query<LogOutQuery>,
) -> Result<StatusCode, Refusal> {
    let which = match query.scope.as_deref() {
        None | Some("" | "global") => LogOut::Global,
        Some("local") => LogOut::Local,
        Some("others") => LogOut::Others,
        Some(_) => {
            return Err(Refusal::bad_request(
                code::VALIDATION_FAILED,
                "Unsupported logout scope",
            ));
        }
    };
    state.engine.log_out(caller.claims, which).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Telephone numbers are nothing here, and not left unread.
pub(super) fn refuse_phone(phone: Option<&str>) -> Result<(), Refusal> {
    match phone {
        None | Some("") => Ok(()),
        Some(_) => {
            let message = "Phone logins are disabled";
            Err(Refusal::unprocessable(code::PHONE_PROVIDER_DISABLED, message))
        }
    }
}
