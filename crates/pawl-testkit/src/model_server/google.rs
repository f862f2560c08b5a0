//! Google's tokens: a service account of our own, and the servers that give tokens for it.

use std::collections::HashMap;
use std::sync::LazyLock;
use std::sync::atomic::Ordering;

use aws_lc_rs::encoding::AsDer as _;
use aws_lc_rs::rsa::{KeyPair, KeySize};
use aws_lc_rs::signature::KeyPair as _;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::{Form, Json};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jsonwebtoken::{Algorithm, DecodingKey, Validation};
use serde_json::{Value, json};

use super::Shared;

const AUDIENCE: &str = "https://oauth2.googleapis.com/token";
const EMAIL: &str = "scripted@scripted.iam.gserviceaccount.com";

/// Of a user who logged in with gcloud.
pub(super) const REFRESH_TOKEN: &str = "scripted-refresh-token";

/// Made anew in every process.
static KEY: LazyLock<KeyPair> = LazyLock::new(|| KeyPair::generate(KeySize::Rsa2048).expect("an RSA key"));

/// The file of the service account.
pub(super) fn service_account(url: &str) -> Value {
    let key = KEY.as_der().expect("the key as PKCS #8");
    let text = STANDARD.encode(key.as_ref());
    json!({
        "type": "service_account", "project_id": "scripted", "client_email": EMAIL,
        "private_key": format!("-----BEGIN PRIVATE KEY-----\n{text}\n-----END PRIVATE KEY-----\n"),
        "token_uri": format!("{url}/token"),
    })
}

/// The file of a user who logged in.
pub(super) fn user(url: &str) -> Value {
    json!({
        "type": "authorized_user", "client_id": "scripted", "client_secret": "scripted",
        "refresh_token": REFRESH_TOKEN, "quota_project_id": "scripted", "token_uri": format!("{url}/token"),
    })
}

/// The token endpoint: a signed assertion, or a refresh token, for an access token.
pub(super) async fn exchange(
    State(shared): State<Shared>,
    Form(form): Form<HashMap<String, String>>,
) -> Response {
    let field = |name: &str| form.get(name).map_or("", String::as_str);
    let is_good = match field("grant_type") {
        "urn:ietf:params:oauth:grant-type:jwt-bearer" => is_signed(field("assertion")),
        "refresh_token" => field("refresh_token") == REFRESH_TOKEN,
        _ => false,
    };
    if !is_good {
        return (StatusCode::BAD_REQUEST, Json(json!({"error": "invalid_grant"}))).into_response();
    }
    token(&shared)
}

/// What the metadata server of a machine answers.
pub(super) async fn metadata(State(shared): State<Shared>, headers: HeaderMap) -> Response {
    if headers
        .get("metadata-flavor")
        .is_none_or(|flavor| flavor != "Google")
    {
        return StatusCode::FORBIDDEN.into_response();
    }
    token(&shared)
}

fn token(shared: &Shared) -> Response {
    let number = shared.tokens.fetch_add(1, Ordering::SeqCst);
    let token = ["scripted-token-", &number.to_string()].concat();
    Json(json!({"access_token": token, "expires_in": 3_600, "token_type": "Bearer"})).into_response()
}

/// Whether the account signed it for us. The clock of whoever did is not looked at.
fn is_signed(assertion: &str) -> bool {
    let public = KEY.public_key();
    let (modulus, exponent) = (public.modulus(), public.exponent());
    let key = DecodingKey::from_rsa_raw_components(
        modulus.big_endian_without_leading_zero(),
        exponent.big_endian_without_leading_zero(),
    );
    let mut validation = Validation::new(Algorithm::RS256);
    validation.validate_exp = false;
    validation.set_audience(&[AUDIENCE]);
    validation.set_issuer(&[EMAIL]);
    let claims = jsonwebtoken::decode::<Value>(assertion, &key, &validation);
    claims.is_ok_and(|claims| claims.claims["exp"].as_i64() > claims.claims["iat"].as_i64())
}
