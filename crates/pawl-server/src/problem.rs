//! Errors as they leave the server: RFC 9457 problems, each with a stable code and a page that explains it.

use std::borrow::Cow;

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use pawl_engine::EngineError;
use pawl_engine::intake::IntakeError;
use pawl_engine::intake::received::FieldError;
use serde::Serialize;
use utoipa::ToSchema;

/// How long a client that was turned away should wait, in seconds.
const RETRY_AFTER: u64 = 1;

/// Declares the codes, so that none is without its status, its title and its page.
macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $code:literal, $status:ident, $title:literal;)+) => {
        /// What went wrong, as clients may rely on it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum ErrorCode {
            $($(#[$doc])* $name,)+
        }

        impl ErrorCode {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$name),+];

            /// The word in `code`; it never changes.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $code,)+ }
            }

            /// The status that goes with it.
            #[must_use]
            pub const fn status(self) -> StatusCode {
                match self { $(Self::$name => StatusCode::$status,)+ }
            }

            /// What it says to people.
            #[must_use]
            pub const fn title(self) -> &'static str {
                match self { $(Self::$name => $title,)+ }
            }

            /// The page that explains it, as Markdown.
            #[must_use]
            pub const fn page(self) -> &'static str {
                match self {
                    $(Self::$name => include_str!(concat!("../../../docs/errors/", $code, ".md")),)+
                }
            }
        }
    };
}

codes! {
    /// The request does not read as HTTP requests to this path do.
    BadRequest = "bad_request", BAD_REQUEST, "the request cannot be read";
    /// A parameter of path or query has a value that it cannot have.
    InvalidParameter = "invalid_parameter", BAD_REQUEST, "a parameter has a value that it cannot have";
    /// A cursor that no page of ours gave.
    InvalidCursor = "invalid_cursor", BAD_REQUEST, "the cursor is none that a page gave";
    /// The body is no JSON.
    InvalidJson = "invalid_json", BAD_REQUEST, "the body is no JSON";
    /// No key or token, or one that is not valid any more.
    Unauthenticated = "unauthenticated", UNAUTHORIZED, "a valid key or token is needed";
    /// The key or token is valid, and may not do this.
    Forbidden = "forbidden", FORBIDDEN, "this key or token may not do this";
    /// There is no such thing, or it is somebody else's.
    NotFound = "not_found", NOT_FOUND, "there is no such thing";
    /// The path is there, the method is not.
    MethodNotAllowed = "method_not_allowed", METHOD_NOT_ALLOWED, "the path does not have this method";
    /// What is there does not go with what is asked.
    Conflict = "conflict", CONFLICT, "this contradicts what is stored";
    /// The body is larger than the path takes.
    BodyTooLarge = "body_too_large", PAYLOAD_TOO_LARGE, "the body is too large";
    /// The body is of a type that the path does not take.
    UnsupportedMediaType = "unsupported_media_type", UNSUPPORTED_MEDIA_TYPE, "the body is of an unknown type";
    /// The body can be read and does not hold what it should.
    Unprocessable = "unprocessable", UNPROCESSABLE_ENTITY, "the body does not hold what it should";
    /// Too many requests of this kind in a short time.
    RateLimited = "rate_limited", TOO_MANY_REQUESTS, "too many requests";
    /// The tenant has stored as many interactions today as the policy lets a day have.
    OverCap = "over_cap", TOO_MANY_REQUESTS, "the cap of the tenant's day is reached";
    /// A fault of ours.
    Internal = "internal", INTERNAL_SERVER_ERROR, "something broke in the server";
    /// A model gave nothing of use.
    ModelFailed = "model_failed", BAD_GATEWAY, "a model gave nothing of use";
    /// What keeps suggestions does not answer, or will not until somebody does something about it.
    SuggestionsFailed = "suggestions_failed", BAD_GATEWAY, "what keeps suggestions fails";
    /// As many requests as the server works on are under way.
    Overloaded = "overloaded", SERVICE_UNAVAILABLE, "too many requests are under way";
    /// The database does not answer.
    DatabaseUnavailable = "database_unavailable", SERVICE_UNAVAILABLE, "the database does not answer";
    /// The request took longer than requests may.
    RequestTimeout = "request_timeout", GATEWAY_TIMEOUT, "the request took too long";
}

impl ErrorCode {
    /// The code that a bare status stands for.
    pub(crate) fn of_status(status: StatusCode) -> Self {
        let by_status = Self::ALL.iter().find(|code| code.status() == status);
        by_status.copied().unwrap_or(if status.is_server_error() {
            Self::Internal
        } else {
            Self::BadRequest
        })
    }
}

/// An error on its way out. It travels in the extensions of a response without a body;
/// `dialect::speak` writes it in the form that clients of the path read.
#[derive(Clone, Debug)]
pub struct Problem {
    pub(crate) code: ErrorCode,
    pub(crate) detail: Option<String>,
    errors: Vec<FieldError>,
    retry_after: Option<u64>,
}

impl Problem {
    /// The problem with this code.
    #[must_use]
    pub const fn new(code: ErrorCode) -> Self {
        let is_temporary = matches!(code.status(), StatusCode::SERVICE_UNAVAILABLE);
        Self {
            code,
            detail: None,
            errors: Vec::new(),
            retry_after: if is_temporary { Some(RETRY_AFTER) } else { None },
        }
    }

    /// Says what it is in this case. The text leaves the server: it must not hold what a database or a provider said.
    #[must_use]
    pub fn because(mut self, detail: impl Into<String>) -> Self {
        self.detail = Some(detail.into());
        self
    }

    /// Names the fields that it is about.
    #[must_use]
    pub(crate) fn with_errors(mut self, errors: Vec<FieldError>) -> Self {
        self.errors = errors;
        self
    }

    /// Says after how many seconds the same may go well.
    #[must_use]
    pub(crate) const fn retry_after(mut self, seconds: u64) -> Self {
        self.retry_after = Some(seconds);
        self
    }

    /// Its document; `request_id` finds the request in the logs.
    pub(crate) fn document(&self, request_id: Option<&str>) -> ProblemDocument {
        ProblemDocument {
            r#type: ["/docs/errors/", self.code.as_str()].concat(),
            title: self.code.title(),
            status: self.code.status().as_u16(),
            code: self.code.as_str(),
            detail: self.detail.clone(),
            errors: self.errors.iter().map(WrongField::from).collect(),
            retry_after: self.retry_after,
            request_id: request_id.map(str::to_owned),
        }
    }
}

impl ErrorCode {
    /// How an error of the engine is answered.
    pub(crate) const fn of(error: &EngineError) -> Self {
        match error {
            EngineError::UnknownRun { .. }
            | EngineError::UnknownUser { .. }
            | EngineError::UnknownOptimization { .. } => Self::NotFound,
            EngineError::OutdatedPolicy | EngineError::PromotionWaits => Self::Conflict,
            EngineError::Evolution(_)
            | EngineError::Prompt(_)
            | EngineError::TooFewExamples { .. }
            | EngineError::UnreadableDraft { .. } => Self::Unprocessable,
            EngineError::Suggestions(_) => Self::SuggestionsFailed,
            error if error.is_bad_value() => Self::InvalidParameter,
            error if error.is_unavailability() => Self::DatabaseUnavailable,
            _ => Self::Internal,
        }
    }
}

impl From<EngineError> for Problem {
    fn from(error: EngineError) -> Self {
        Self::from(&error)
    }
}

impl From<&EngineError> for Problem {
    fn from(error: &EngineError) -> Self {
        let code = ErrorCode::of(error);
        if code.status().is_server_error() {
            tracing::error!(error = error as &dyn std::error::Error, "a request failed");
            // Its text is our own, and says what to do.
            return match error {
                EngineError::Suggestions(error) => Self::new(code).because(error.to_string()),
                _ => Self::new(code),
            };
        }
        Self::new(code).because(error.to_string())
    }
}

impl From<IntakeError> for Problem {
    fn from(error: IntakeError) -> Self {
        match error {
            IntakeError::Busy => Self::new(ErrorCode::Overloaded).because(error.to_string()),
            IntakeError::Failed(error) => Self::from(&*error),
        }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = self.code.status().into_response();
        if let Some(seconds) = self.retry_after {
            let headers = response.headers_mut();
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response.extensions_mut().insert(self);
        response
    }
}

/// An error (RFC 9457).
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Problem)]
pub(crate) struct ProblemDocument {
    /// The page that explains the code.
    r#type: String,
    /// What the code says to people.
    title: &'static str,
    /// The status of the response.
    status: u16,
    /// What went wrong, as clients may rely on it.
    code: &'static str,
    /// What it is in this case.
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<String>,
    /// Which fields are wrong, all of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(inline, required = false)]
    errors: Vec<WrongField>,
    /// After how many seconds the same may go well.
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_after: Option<u64>,
    /// The request, as the logs name it.
    #[serde(skip_serializing_if = "Option::is_none")]
    request_id: Option<String>,
}

/// A field, and what is wrong with it.
#[derive(Debug, Serialize, ToSchema)]
struct WrongField {
    /// The field; empty where it is the whole.
    field: Cow<'static, str>,
    /// What is wrong with it, or differs.
    message: Cow<'static, str>,
}

impl From<&FieldError> for WrongField {
    fn from(error: &FieldError) -> Self {
        Self {
            field: error.field.clone(),
            message: error.message.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_a_page_that_names_it() {
        for code in ErrorCode::ALL {
            let heading = ["# ", code.as_str(), "\n"].concat();
            assert!(code.page().starts_with(&heading), "{}", code.as_str());
            assert!(code.page().contains(code.status().as_str()), "{}", code.as_str());
        }
    }

    #[test]
    fn a_bare_status_has_a_code() {
        for (status, code) in [
            (404, "not_found"),
            (400, "bad_request"),
            (418, "bad_request"),
            (502, "model_failed"),
            (505, "internal"),
        ] {
            let status = StatusCode::from_u16(status).unwrap();
            assert_eq!(ErrorCode::of_status(status).as_str(), code);
        }
    }
}
