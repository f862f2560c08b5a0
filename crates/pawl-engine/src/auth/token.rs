//! JWTs (RFC 7519): access tokens of users, and the two keys of the instance, signed by HMAC-SHA-256.

use pawl_model::{Account, SessionId, UserId};
use serde::{Deserialize, Serialize};
use time::{Duration, OffsetDateTime};

use super::account::shown_app_metadata;
use super::instance::Signer;
use super::{AuthError, Identity};

/// How long an access token is good for.
pub(super) const LIFETIME: Duration = Duration::hours(1);
/// How long the two keys of the instance are good for.
const KEY_LIFETIME: Duration = Duration::days(3_652);
/// By how much the clocks of two servers may differ.
const LEEWAY: Duration = Duration::seconds(10);

const ISSUER: &str = "pawl";
const ANONYMOUS: &str = "anon";
const USER: &str = "authenticated";
const SERVICE: &str = "service_role";

/// What a valid token says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claims {
    /// Who holds it.
    pub identity: Identity,
    /// The log-in that it was issued in; tokens that others signed with our secret may name none.
    pub session: Option<SessionId>,
}

#[derive(Serialize)]
struct KeyClaims {
    iss: &'static str,
    role: &'static str,
    iat: i64,
    exp: i64,
}

#[derive(Serialize)]
struct AccessClaims<'a> {
    iss: &'static str,
    sub: UserId,
    aud: &'static str,
    role: &'static str,
    email: &'a str,
    session_id: SessionId,
    app_metadata: serde_json::Value,
    user_metadata: serde_json::Value,
    iat: i64,
    exp: i64,
}

#[derive(Deserialize)]
struct PresentedClaims {
    role: String,
    sub: Option<UserId>,
    session_id: Option<SessionId>,
    nbf: Option<i64>,
    exp: i64,
}

/// The public key of the instance, and the one that may do everything.
#[derive(Clone, Copy)]
pub(super) enum Key {
    Anonymous,
    Service,
}

/// A key of the instance: the same text whenever it is made of the same secret and time.
pub(super) fn key(signer: &Signer, key: Key, issued_at: OffsetDateTime) -> Result<String, AuthError> {
    let role = match key {
        Key::Anonymous => ANONYMOUS,
        Key::Service => SERVICE,
    };
    signer.sign(&KeyClaims {
        iss: ISSUER,
        role,
        iat: issued_at.unix_timestamp(),
        exp: (issued_at + KEY_LIFETIME).unix_timestamp(),
    })
}

/// An access token of a log-in.
pub(super) fn access(
    signer: &Signer,
    account: &Account,
    session: SessionId,
    now: OffsetDateTime,
) -> Result<String, AuthError> {
    signer.sign(&AccessClaims {
        iss: ISSUER,
        sub: account.id,
        aud: USER,
        role: USER,
        email: account.email.as_deref().unwrap_or_default(),
        session_id: session,
        app_metadata: shown_app_metadata(account),
        user_metadata: account.user_metadata.to_value(),
        iat: now.unix_timestamp(),
        exp: (now + LIFETIME).unix_timestamp(),
    })
}

/// Reads a token, if it is one of ours and its time is now.
pub(super) fn verify(signer: &Signer, token: &str, now: OffsetDateTime) -> Result<Claims, AuthError> {
    let claims: PresentedClaims = signer.open(token)?;
    if (now - LEEWAY).unix_timestamp() >= claims.exp {
        return Err(AuthError::ExpiredToken);
    }
    if claims
        .nbf
        .is_some_and(|nbf| nbf > (now + LEEWAY).unix_timestamp())
    {
        return Err(AuthError::InvalidToken);
    }
    let identity = match (claims.role.as_str(), claims.sub) {
        (ANONYMOUS, _) => Identity::Anonymous,
        (SERVICE, _) => Identity::Service,
        (USER, Some(user)) if !user.0.is_nil() => Identity::User(user),
        _ => return Err(AuthError::InvalidToken),
    };
    Ok(Claims {
        identity,
        session: claims.session_id,
    })
}

#[cfg(test)]
#[path = "token_tests.rs"]
mod tests;
