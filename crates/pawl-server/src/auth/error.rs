//! Errors as Supabase Auth writes them: `{"code": status, "error_code": word, "msg": text}`, which its clients read
//! whatever version of the API they ask for.

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use pawl_engine::EngineError;
use pawl_engine::auth::AuthError;
use serde_json::json;

use super::limits::TooMany;
use crate::caller::CallerRejection;
use crate::problem::Problem;

/// The words of Supabase Auth that we say.
pub(super) mod code {
    pub(in crate::auth) const ANONYMOUS_PROVIDER_DISABLED: &str = "anonymous_provider_disabled";
    pub(in crate::auth) const BAD_JSON: &str = "bad_json";
    pub(in crate::auth) const BAD_JWT: &str = "bad_jwt";
    pub(in crate::auth) const EMAIL_EXISTS: &str = "email_exists";
    pub(in crate::auth) const INVALID_CREDENTIALS: &str = "invalid_credentials";
    pub(in crate::auth) const NOT_ADMIN: &str = "not_admin";
    pub(in crate::auth) const NO_AUTHORIZATION: &str = "no_authorization";
    pub(in crate::auth) const OVER_REQUEST_RATE_LIMIT: &str = "over_request_rate_limit";
    pub(in crate::auth) const PHONE_PROVIDER_DISABLED: &str = "phone_provider_disabled";
    pub(in crate::auth) const REFRESH_TOKEN_ALREADY_USED: &str = "refresh_token_already_used";
    pub(in crate::auth) const REFRESH_TOKEN_NOT_FOUND: &str = "refresh_token_not_found";
    pub(in crate::auth) const SAME_PASSWORD: &str = "same_password";
    pub(in crate::auth) const SESSION_EXPIRED: &str = "session_expired";
    pub(in crate::auth) const SESSION_NOT_FOUND: &str = "session_not_found";
    pub(in crate::auth) const SIGNUP_DISABLED: &str = "signup_disabled";
    pub(in crate::auth) const USER_ALREADY_EXISTS: &str = "user_already_exists";
    pub(in crate::auth) const USER_NOT_FOUND: &str = "user_not_found";
    pub(in crate::auth) const VALIDATION_FAILED: &str = "validation_failed";
    pub(in crate::auth) const WEAK_PASSWORD: &str = "weak_password";
}

/// An error on its way out.
#[derive(Debug)]
pub(super) enum Refusal {
    /// The caller's.
    Theirs {
        status: StatusCode,
        code: &'static str,
        message: String,
        /// Seconds to wait.
        retry_after: Option<u64>,
    },
    /// Ours; what it was is in the log.
    Ours(Problem),
}

impl Refusal {
    pub(super) fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        Self::Theirs {
            status,
            code,
            message: message.into(),
            retry_after: None,
        }
    }

    pub(super) fn bad_request(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, code, message)
    }

    pub(super) fn unprocessable(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, code, message)
    }

    fn forbidden(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, code, message)
    }

    pub(super) fn not_admin() -> Self {
        Self::forbidden(code::NOT_ADMIN, "User not allowed")
    }

    /// The same error where it is an administrator who meets it.
    pub(super) fn of_admin(error: AuthError) -> Self {
        match error {
            AuthError::UserExists => Self::unprocessable(
                code::EMAIL_EXISTS,
                "A user with this email address has already been registered",
            ),
            AuthError::UnknownUser => {
                Self::new(StatusCode::NOT_FOUND, code::USER_NOT_FOUND, "User not found")
            }
            other => other.into(),
        }
    }
}

impl From<TooMany> for Refusal {
    fn from(TooMany { retry_after }: TooMany) -> Self {
        Self::Theirs {
            status: StatusCode::TOO_MANY_REQUESTS,
            code: code::OVER_REQUEST_RATE_LIMIT,
            message: "Request rate limit reached".to_owned(),
            retry_after: Some(retry_after),
        }
    }
}

impl From<AuthError> for Refusal {
    fn from(error: AuthError) -> Self {
        match error {
            AuthError::InvalidCredentials => {
                Self::bad_request(code::INVALID_CREDENTIALS, "Invalid login credentials")
            }
            AuthError::InvalidEmail => Self::bad_request(
                code::VALIDATION_FAILED,
                "Unable to validate email address: invalid format",
            ),
            AuthError::WeakPassword { least } => Self::unprocessable(
                code::WEAK_PASSWORD,
                format!("Password should be at least {least} characters."),
            ),
            AuthError::LongPassword { most } => Self::bad_request(
                code::VALIDATION_FAILED,
                format!("Password cannot be longer than {most} characters"),
            ),
            AuthError::SamePassword => Self::unprocessable(
                code::SAME_PASSWORD,
                "New password should be different from the old password.",
            ),
            AuthError::UserExists => {
                Self::unprocessable(code::USER_ALREADY_EXISTS, "User already registered")
            }
            AuthError::SignUpClosed => {
                Self::unprocessable(code::SIGNUP_DISABLED, "Signups not allowed for this instance")
            }
            AuthError::UnknownUser => {
                Self::forbidden(code::USER_NOT_FOUND, "User from sub claim in JWT does not exist")
            }
            error @ (AuthError::MetadataTooLarge { .. } | AuthError::MetadataNoObject) => {
                Self::bad_request(code::VALIDATION_FAILED, error.to_string())
            }
            AuthError::InvalidToken => CallerRejection::InvalidToken.into(),
            AuthError::ExpiredToken => CallerRejection::ExpiredToken.into(),
            AuthError::NoUser => Self::forbidden(code::BAD_JWT, "invalid claim: missing sub claim"),
            AuthError::SessionNotFound => Self::forbidden(
                code::SESSION_NOT_FOUND,
                "Session from session_id claim in JWT does not exist",
            ),
            AuthError::RefreshTokenNotFound => Self::bad_request(
                code::REFRESH_TOKEN_NOT_FOUND,
                "Invalid Refresh Token: Refresh Token Not Found",
            ),
            AuthError::RefreshTokenAlreadyUsed => Self::bad_request(
                code::REFRESH_TOKEN_ALREADY_USED,
                "Invalid Refresh Token: Already Used",
            ),
            AuthError::SessionExpired => {
                Self::bad_request(code::SESSION_EXPIRED, "Invalid Refresh Token: Session Expired")
            }
            other => Self::Ours(EngineError::from(other).into()),
        }
    }
}

impl From<CallerRejection> for Refusal {
    fn from(rejection: CallerRejection) -> Self {
        let unauthorized = |message| Self::new(StatusCode::UNAUTHORIZED, code::NO_AUTHORIZATION, message);
        match rejection {
            CallerRejection::NoKey | CallerRejection::InvalidKey | CallerRejection::OutOfScope => {
                unauthorized(rejection.message())
            }
            CallerRejection::InvalidToken => {
                Self::forbidden(code::BAD_JWT, "invalid JWT: unable to parse or verify signature")
            }
            CallerRejection::ExpiredToken => Self::forbidden(
                code::BAD_JWT,
                "invalid JWT: token has invalid claims: token is expired",
            ),
            CallerRejection::Failed(problem) => Self::Ours(problem),
        }
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let (status, code, message, retry_after) = match self {
            Self::Ours(problem) => return problem.into_response(),
            Self::Theirs {
                status,
                code,
                message,
                retry_after,
            } => (status, code, message, retry_after),
        };
        let mut document = json!({"code": status.as_u16(), "error_code": code, "msg": message});
        if code == code::WEAK_PASSWORD {
            document["weak_password"] = json!({"reasons": ["length"]});
        }
        let mut response = (status, Json(document)).into_response();
        if let Some(seconds) = retry_after {
            response
                .headers_mut()
                .insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}
