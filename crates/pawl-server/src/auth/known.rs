//! Who asks, found out before anything else of the request is read, and refused in this API's words.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;

use super::error::Refusal;
use crate::AppState;
use crate::caller::CallerRejection;

/// Somebody whose key or token is good.
pub(super) struct Known<T>(pub(super) T);

impl<T> FromRequestParts<AppState> for Known<T>
where
    T: FromRequestParts<AppState, Rejection = CallerRejection>,
{
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, Refusal> {
        Ok(Self(T::from_request_parts(parts, state).await?))
    }
}
