//! Who a request comes from, as Supabase's gateway and PostgREST find out: `apikey` holds a key of the instance, and
//! `Authorization: Bearer` a user's access token or again the key. The token says who it is; where there is none, the
//! key does. A key that is there has to be a good one all the same.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use pawl_engine::auth::{AuthError, Claims, Identity};
use pawl_engine::{Engine, EngineError};
use pawl_model::{KeyScope, UserId};

use crate::AppState;
use crate::coalesced::Coalesced;
use crate::problem::{ErrorCode, Problem};

const API_KEY: &str = "apikey";

/// Who a request comes from, as its token proves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Caller {
    /// Who it is.
    pub(crate) identity: Identity,
    /// All that the token says.
    pub(crate) claims: Claims,
}

/// Why a request comes from nobody.
#[derive(Debug)]
pub(crate) enum CallerRejection {
    /// Neither key nor token.
    NoKey,
    /// The key in `apikey` is none of ours, or too old.
    InvalidKey,
    /// The token is none of ours.
    InvalidToken,
    /// The token's time is over.
    ExpiredToken,
    /// An API key that may be used for something else.
    OutOfScope,
    /// We could not tell.
    Failed(Problem),
}

impl CallerRejection {
    /// What it is, in words that Supabase's clients show.
    pub(crate) const fn message(&self) -> &'static str {
        match self {
            Self::NoKey => "No API key found in request",
            Self::InvalidKey => "Invalid API key",
            Self::InvalidToken => "JWT invalid",
            Self::ExpiredToken => "JWT expired",
            Self::OutOfScope => "the API key may not be used for this",
            Self::Failed(_) => "the key could not be checked",
        }
    }
}

impl From<CallerRejection> for Problem {
    fn from(rejection: CallerRejection) -> Self {
        let message = rejection.message();
        match rejection {
            CallerRejection::Failed(problem) => problem,
            CallerRejection::OutOfScope => Self::new(ErrorCode::Forbidden).because(message),
            _ => Self::new(ErrorCode::Unauthenticated).because(message),
        }
    }
}

impl IntoResponse for CallerRejection {
    fn into_response(self) -> Response {
        Problem::from(self).into_response()
    }
}

impl FromRequestParts<AppState> for Caller {
    type Rejection = CallerRejection;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, CallerRejection> {
        let claims = match (key(&parts.headers), token(&parts.headers)) {
            (None, None) => return Err(CallerRejection::NoKey),
            (Some(key), None) => claims_of_key(state, key).await?,
            (key, Some(token)) => {
                let claims = state.engine.claims(token).await.map_err(refused_token)?;
                if let Some(key) = key.filter(|key| *key != token) {
                    claims_of_key(state, key).await?;
                }
                claims
            }
        };
        let identity = claims.identity;
        Ok(Self { identity, claims })
    }
}

/// API keys that are looked up now.
pub(crate) type ApiKeys = Coalesced<String, Option<(UserId, KeyScope)>>;

/// For whom an API key speaks. Agents that poll with the same key share the lookups.
async fn of_program(
    state: &AppState,
    presented: &str,
) -> Result<Option<(UserId, KeyScope)>, CallerRejection> {
    if !Engine::is_api_key(presented) {
        return Ok(None);
    }
    let (engine, key) = (state.engine.clone(), presented.to_owned());
    let read = move || {
        let (engine, key) = (engine.clone(), key.clone());
        async move {
            engine
                .api_key(&key)
                .await
                .map_err(|error| EngineError::from(error).into())
        }
    };
    let found = state.api_keys.get(presented.to_owned(), read).await;
    found.map_err(CallerRejection::Failed)
}

/// Who it is, a user or the service: as a [`Caller`], or by an API key of this scope; where none is asked
/// for, by no API key. Never the anonymous.
pub(crate) async fn identity(
    parts: &mut Parts,
    state: &AppState,
    asked: Option<KeyScope>,
) -> Result<Identity, CallerRejection> {
    let presented = token(&parts.headers)
        .or_else(|| key(&parts.headers))
        .unwrap_or_default();
    let of_program = of_program(state, presented).await?;
    match of_program {
        Some((user, scope)) if asked.is_some_and(|asked| scope.allows(asked)) => Ok(Identity::User(user)),
        Some(_) => Err(CallerRejection::OutOfScope),
        None => match Caller::from_request_parts(parts, state).await?.identity {
            Identity::Anonymous => Err(CallerRejection::NoKey),
            identity => Ok(identity),
        },
    }
}

/// A client that was given a key of the instance: all that signing up and logging in ask for. The token beside it may
/// have expired, since the way to a new one leads through here.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Client;

impl FromRequestParts<AppState> for Client {
    type Rejection = CallerRejection;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, CallerRejection> {
        match key(&parts.headers) {
            Some(key) => claims_of_key(state, key).await.map(|_| Self),
            None => Caller::from_request_parts(parts, state).await.map(|_| Self),
        }
    }
}

fn key(headers: &HeaderMap) -> Option<&str> {
    headers.get(API_KEY)?.to_str().ok().filter(|key| !key.is_empty())
}

/// The token or key of the header `Authorization`.
pub(crate) fn token(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = headers
        .get(header::AUTHORIZATION)?
        .to_str()
        .ok()?
        .split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

async fn claims_of_key(state: &AppState, key: &str) -> Result<Claims, CallerRejection> {
    state.engine.claims(key).await.map_err(|error| match error {
        AuthError::InvalidToken | AuthError::ExpiredToken => CallerRejection::InvalidKey,
        other => failed(other),
    })
}

fn refused_token(error: AuthError) -> CallerRejection {
    match error {
        AuthError::InvalidToken => CallerRejection::InvalidToken,
        AuthError::ExpiredToken => CallerRejection::ExpiredToken,
        other => failed(other),
    }
}

fn failed(error: AuthError) -> CallerRejection {
    CallerRejection::Failed(EngineError::from(error).into())
}
