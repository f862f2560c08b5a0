//! What clients ask before they show a log-in.

use axum::Json;
use axum::extract::State;
use pawl_engine::auth::SignUp;
use serde::Serialize;
use utoipa::ToSchema;

use super::known::Known;
use super::responses::Refused;
use crate::AppState;
use crate::caller::Client;

/// How users log in here.
#[derive(Serialize, ToSchema)]
#[schema(as = AuthSettings)]
pub(super) struct SettingsAnswer {
    external: Providers,
    disable_signup: bool,
    mailer_autoconfirm: bool,
    phone_autoconfirm: bool,
    sms_provider: &'static str,
    saml_enabled: bool,
}

/// Ways to log in.
#[derive(Serialize, ToSchema)]
#[schema(as = AuthProviders)]
struct Providers {
    anonymous_users: bool,
    email: bool,
    phone: bool,
}

/// Say how users log in here
#[utoipa::path(
    get, path = "/auth/v1/settings", tag = "auth", operation_id = "auth_settings",
    security(("anon_key" = [])),
    responses((status = 200, body = SettingsAnswer), Refused),
)]
pub(super) async fn settings(State(state): State<AppState>, _: Known<Client>) -> Json<SettingsAnswer> {
    Json(SettingsAnswer {
        external: Providers {
            anonymous_users: false,
            email: true,
            phone: false,
        },
        disable_signup: state.engine.sign_up_policy() == SignUp::Closed,
        mailer_autoconfirm: true,
        phone_autoconfirm: false,
        sms_provider: "",
        saml_enabled: false,
    })
}

/// Who answers here.
#[derive(Serialize, ToSchema)]
#[schema(as = AuthHealth)]
pub(super) struct HealthAnswer {
    name: &'static str,
    version: &'static str,
    description: &'static str,
}

/// Say that the auth API is there
#[utoipa::path(
    get, path = "/auth/v1/health", tag = "auth", operation_id = "auth_health",
    security(()),
    responses((status = 200, body = HealthAnswer)),
)]
pub(super) async fn health() -> Json<HealthAnswer> {
    Json(HealthAnswer {
        name: "Pawl",
        version: env!("CARGO_PKG_VERSION"),
        description: "users, in the dialect of Supabase Auth",
    })
}
