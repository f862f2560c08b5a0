//! Who hands traces in: a program with a tenant's key. Nothing in a trace says whose it is, so that the secret of the
//! instance, which speaks for everybody, is of no use here.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use pawl_engine::EngineError;
use pawl_model::{KeyScope, UserId};

use crate::AppState;
use crate::caller::{self, CallerRejection};
use crate::problem::{ErrorCode, Problem};

/// The tenant whose traces they are.
pub(crate) struct Sender(pub(super) UserId);

impl FromRequestParts<AppState> for Sender {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, Problem> {
        let unauthenticated = |why: &str| Problem::new(ErrorCode::Unauthenticated).because(why);
        let Some(key) = caller::token(&parts.headers) else {
            return Err(unauthenticated(
                "the header `Authorization: Bearer KEY` is needed, with an API key for ingestion",
            ));
        };
        match state.engine.api_key(key).await.map_err(EngineError::from)? {
            Some((user, scope)) if scope.allows(KeyScope::Ingest) => Ok(Self(user)),
            Some(_) => Err(CallerRejection::OutOfScope.into()),
            None => Err(unauthenticated("the token is no API key")),
        }
    }
}
