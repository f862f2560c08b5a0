//! Bodies of requests, as Supabase Auth reads them: JSON, whatever the content type says.

use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use serde::de::DeserializeOwned;

use super::error::{Refusal, code};
use crate::AppState;

/// A JSON document.
pub(super) struct Body<T>(pub(super) T);

impl<T: DeserializeOwned> FromRequest<AppState> for Body<T> {
    type Rejection = Refusal;

    async fn from_request(request: Request, state: &AppState) -> Result<Self, Refusal> {
        let bytes = Bytes::from_request(request, state).await.map_err(|rejection| {
            Refusal::new(rejection.status(), code::VALIDATION_FAILED, rejection.body_text())
        })?;
        parse(&bytes).map(Self)
    }
}

/// A JSON document that may be left out.
pub(super) struct OptionalBody<T>(pub(super) T);

impl<T: DeserializeOwned + Default> FromRequest<AppState> for OptionalBody<T> {
    type Rejection = Refusal;

    async fn from_request(request: Request, state: &AppState) -> Result<Self, Refusal> {
        let bytes = Bytes::from_request(request, state).await.map_err(|rejection| {
            Refusal::new(rejection.status(), code::VALIDATION_FAILED, rejection.body_text())
        })?;
        if bytes.is_empty() {
            Ok(Self(T::default()))
        } else {
            parse(&bytes).map(Self)
        }
    }
}

fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Refusal> {
    serde_json::from_slice(bytes).map_err(|error| {
        // Where it is wrong, not what is there: that may be half of a password.
        let place = format!("line {}, column {}", error.line(), error.column());
        let message = format!(
            "Could not parse request body as JSON: {:?} error at {place}",
            error.classify()
        );
        Refusal::bad_request(code::BAD_JSON, message)
    })
}
