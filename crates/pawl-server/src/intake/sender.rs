//! Who hands interactions in: whoever knows the secret of the instance, for every tenant; or a program with a key, for
//! the tenant that the key speaks for.

use axum::extract::FromRequestParts;
use axum::http::HeaderName;
use axum::http::request::Parts;
use pawl_engine::{Actor, EngineError};
use pawl_model::KeyScope;

use crate::AppState;
use crate::caller::{self, CallerRejection};
use crate::problem::{ErrorCode, Problem};

const SECRET: HeaderName = HeaderName::from_static("x-ingestion-secret");

/// For whom interactions are handed in: the service's are everybody's.
pub(crate) struct Sender(pub(super) Actor);

impl FromRequestParts<AppState> for Sender {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, Problem> {
        if let Some(secret) = parts.headers.get(SECRET) {
            let secret = std::str::from_utf8(secret.as_bytes()).unwrap_or_default();
            let is_ours = state.engine.is_ingestion_secret(secret).await;
            return if is_ours.map_err(EngineError::from)? {
                Ok(Self(Actor::Service))
            } else {
                Err(unauthenticated("the ingestion secret is another one"))
            };
        }
        let Some(key) = caller::token(&parts.headers) else {
            return Err(unauthenticated(
                "the header `X-Ingestion-Secret` is needed, or an API key for ingestion",
            ));
        };
        match state.engine.api_key(key).await.map_err(EngineError::from)? {
            Some((user, scope)) if scope.allows(KeyScope::Ingest) => Ok(Self(Actor::Tenant(user))),
            Some(_) => Err(CallerRejection::OutOfScope.into()),
            None => Err(unauthenticated("the token is no API key")),
        }
    }
}

fn unauthenticated(why: &str) -> Problem {
    Problem::new(ErrorCode::Unauthenticated).because(why)
}
