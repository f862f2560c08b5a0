//! Errors as PostgREST answers them.

use axum::Json;
use axum::http::header::WWW_AUTHENTICATE;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use pawl_engine::data::DataError;
use pawl_model::query::Refusal;
use serde::Serialize;

use crate::caller::CallerRejection;

/// Whose request is refused; it decides between "log in" and "not yours".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// Somebody without a token of their own.
    Anonymous,
    /// A user or the service.
    Known,
}

/// A refused request.
#[derive(Debug)]
pub(crate) struct RestError {
    status: StatusCode,
    refusal: Refusal,
}

/// PostgREST's body of an error, in its order.
#[derive(Serialize)]
struct Body<'a> {
    code: &'a str,
    details: Option<&'a str>,
    hint: Option<&'a str>,
    message: &'a str,
}

impl RestError {
    /// A refusal with the status that goes with its code.
    pub(crate) fn new(refusal: Refusal, standing: Standing) -> Self {
        Self {
            status: status(refusal.code, standing),
            refusal,
        }
    }

    /// A failure of ours; what happened stands in the log alone.
    fn internal() -> Self {
        Self {
            status: StatusCode::INTERNAL_SERVER_ERROR,
            refusal: Refusal::new("XX000", "The server failed; its log says more"),
        }
    }

    /// An error of the engine.
    pub(crate) fn of(error: DataError, standing: Standing) -> Self {
        match error {
            DataError::Refused(refusal) => Self::new(*refusal, standing),
            DataError::Unavailable(_) => {
                tracing::error!(
                    error = &error as &dyn std::error::Error,
                    "the data API has no database"
                );
                Self {
                    status: StatusCode::SERVICE_UNAVAILABLE,
                    refusal: Refusal::new("PGRST000", "Database connection error"),
                }
            }
            DataError::Store(_) | DataError::Failed(_) => {
                tracing::error!(error = &error as &dyn std::error::Error, "the data API failed");
                Self::internal()
            }
        }
    }
}

impl From<Refusal> for RestError {
    fn from(refusal: Refusal) -> Self {
        Self::new(refusal, Standing::Known)
    }
}

/// The status that PostgREST gives a code (`PostgREST.Error`).
fn status(code: &str, standing: Standing) -> StatusCode {
    match code {
        "PGRST103" => StatusCode::RANGE_NOT_SATISFIABLE,
        "PGRST116" | "PGRST107" | "PGRST106" => StatusCode::NOT_ACCEPTABLE,
        "PGRST117" => StatusCode::METHOD_NOT_ALLOWED,
        "PGRST201" => StatusCode::MULTIPLE_CHOICES,
        "PGRST202" | "PGRST205" | "PGRST125" | "PGRST126" | "42883" => StatusCode::NOT_FOUND,
        "PGRST300" | "PGRST301" | "PGRST302" | "PGRST303" => StatusCode::UNAUTHORIZED,
        "23503" | "23505" => StatusCode::CONFLICT,
        "42501" if standing == Standing::Anonymous => StatusCode::UNAUTHORIZED,
        "42501" => StatusCode::FORBIDDEN,
        // As a function of PostgreSQL would choose the status: `PT` and the status.
        "PT429" => StatusCode::TOO_MANY_REQUESTS,
        _ => StatusCode::BAD_REQUEST,
    }
}

/// Somebody of whom we do not know who it is.
pub(crate) fn nobody(rejection: &CallerRejection) -> RestError {
    let code = match rejection {
        CallerRejection::NoKey => "PGRST302",
        CallerRejection::InvalidKey | CallerRejection::InvalidToken => "PGRST301",
        CallerRejection::ExpiredToken => "PGRST303",
        CallerRejection::OutOfScope => "42501",
        CallerRejection::Failed(_) => return RestError::internal(),
    };
    Refusal::new(code, rejection.message()).into()
}

/// A body that is larger than one may be.
pub(crate) fn body_too_large() -> RestError {
    RestError {
        status: StatusCode::PAYLOAD_TOO_LARGE,
        refusal: Refusal::new("PGRST102", "The body is too large"),
    }
}

impl IntoResponse for RestError {
    fn into_response(self) -> Response {
        let Refusal {
            code,
            message,
            details,
            hint,
        } = &self.refusal;
        let body = Body {
            code,
            details: details.as_deref(),
            hint: hint.as_deref(),
            message,
        };
        let mut response = (self.status, Json(body)).into_response();
        let headers = response.headers_mut();
        headers.insert(
            "content-type",
            HeaderValue::from_static("application/json; charset=utf-8"),
        );
        if self.status == StatusCode::UNAUTHORIZED {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}
