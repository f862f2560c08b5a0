//! `/auth/v1`: the part of Supabase Auth's API that its clients need for users with an address and a password. No mail
//! is sent, so that an address is taken as confirmed, and there are no other ways to log in.

mod admin;
mod answer;
mod body;
mod client_address;
mod error;
mod known;
mod limits;
mod responses;
mod settings;
mod token;
mod user;

use axum::extract::DefaultBodyLimit;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub(crate) use self::limits::{Attempt, Limits, TooMany};
pub(crate) use self::responses::ErrorDocument;
use crate::AppState;

/// The largest body: an address, a password, and metadata that fits into a token.
const BODY_LIMIT: usize = 64 * 1024;

/// All of it.
pub(crate) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(token::sign_up))
        .routes(routes!(token::token))
        .routes(routes!(token::log_out))
        .routes(routes!(user::get, user::put))
        .routes(routes!(admin::list, admin::add))
        .routes(routes!(admin::get, admin::put, admin::delete))
        .routes(routes!(settings::settings))
        .routes(routes!(settings::health))
        .layer(DefaultBodyLimit::max(BODY_LIMIT))
}
