//! Users and sessions as Supabase's clients read them.

use axum::Json;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use pawl_engine::auth::{ExposeSecret as _, IssuedSession, shown_app_metadata};
use pawl_model::{Account, UserId};
use serde::Serialize;
use serde_json::Value;
use time::OffsetDateTime;
use utoipa::ToSchema;

/// The audience of users, and their role in the database.
pub(super) const AUTHENTICATED: &str = "authenticated";
const EMAIL: &str = "email";

/// A user.
#[derive(Serialize, ToSchema)]
#[schema(as = AuthUser)]
pub(super) struct UserAnswer {
    #[schema(value_type = uuid::Uuid)]
    id: UserId,
    aud: &'static str,
    role: &'static str,
    email: String,
    #[serde(with = "time::serde::rfc3339")]
    email_confirmed_at: OffsetDateTime,
    phone: &'static str,
    #[serde(with = "time::serde::rfc3339")]
    confirmed_at: OffsetDateTime,
    #[serde(
        with = "time::serde::rfc3339::option",
        skip_serializing_if = "Option::is_none"
    )]
    last_sign_in_at: Option<OffsetDateTime>,
    /// What administrators write; `owner` is true for the first user.
    #[schema(value_type = Object)]
    app_metadata: Value,
    /// What the user writes.
    #[schema(value_type = Object)]
    user_metadata: Value,
    identities: [IdentityAnswer; 1],
    #[serde(with = "time::serde::rfc3339")]
    created_at: OffsetDateTime,
    #[serde(with = "time::serde::rfc3339")]
    updated_at: OffsetDateTime,
    is_anonymous: bool,
}

/// The one way in which a user logs in.
#[derive(Serialize, ToSchema)]
#[schema(as = AuthIdentity)]
struct IdentityAnswer {
    #[schema(value_type = uuid::Uuid)]
    identity_id: UserId,
    #[schema(value_type = uuid::Uuid)]
    id: UserId,
    #[schema(value_type = uuid::Uuid)]
    user_id: UserId,
    identity_data: IdentityData,
    provider: &'static str,
    #[serde(
        with = "time::serde::rfc3339::option",
        skip_serializing_if = "Option::is_none"
    )]
    last_sign_in_at: Option<OffsetDateTime>,
    #[serde(with = "time::serde::rfc3339")]
    created_at: OffsetDateTime,
    #[serde(with = "time::serde::rfc3339")]
    updated_at: OffsetDateTime,
    email: String,
}

/// What is known of it. No mail is sent, so that nothing is verified.
#[derive(Serialize, ToSchema)]
#[schema(as = AuthIdentityData)]
struct IdentityData {
    email: String,
    email_verified: bool,
    phone_verified: bool,
    #[schema(value_type = uuid::Uuid)]
    sub: UserId,
}

impl From<Account> for UserAnswer {
    fn from(account: Account) -> Self {
        let email = account.email.clone().unwrap_or_default();
        let identity = IdentityAnswer {
            identity_id: account.id,
            id: account.id,
            user_id: account.id,
            identity_data: IdentityData {
                email: email.clone(),
                email_verified: false,
                phone_verified: false,
                sub: account.id,
            },
            provider: EMAIL,
            last_sign_in_at: account.last_sign_in_at,
            created_at: account.created_at,
            updated_at: account.created_at,
            email: email.clone(),
        };
        Self {
            id: account.id,
            aud: AUTHENTICATED,
            role: AUTHENTICATED,
            email,
            email_confirmed_at: account.created_at,
            phone: "",
            confirmed_at: account.created_at,
            last_sign_in_at: account.last_sign_in_at,
            app_metadata: shown_app_metadata(&account),
            user_metadata: account.user_metadata.to_value(),
            identities: [identity],
            created_at: account.created_at,
            updated_at: account.updated_at,
            is_anonymous: false,
        }
    }
}

/// A pair of tokens, and whose they are.
#[derive(Serialize, ToSchema)]
#[schema(as = AuthSession)]
pub(super) struct SessionAnswer {
    /// A JWT, for `Authorization: Bearer`.
    access_token: String,
    token_type: &'static str,
    /// Seconds.
    expires_in: i64,
    /// Seconds since 1970.
    expires_at: i64,
    /// Buys the next pair, once.
    refresh_token: String,
    user: UserAnswer,
}

impl From<IssuedSession> for SessionAnswer {
    fn from(issued: IssuedSession) -> Self {
        Self {
            access_token: issued.access_token.expose_secret().to_owned(),
            token_type: "bearer",
            expires_in: issued.expires_in,
            expires_at: issued.expires_at.unix_timestamp(),
            refresh_token: issued.refresh_token.expose_secret().to_owned(),
            user: issued.account.into(),
        }
    }
}

impl IntoResponse for SessionAnswer {
    fn into_response(self) -> Response {
        // RFC 6749, section 5.1: tokens are kept by nobody in between.
        let no_store = [(header::CACHE_CONTROL, HeaderValue::from_static("no-store"))];
        (no_store, Json(self)).into_response()
    }
}
