use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use pawl_model::Json;
use serde_json::{Value, json};
use time::macros::datetime;
use uuid::Uuid;

use super::*;

const SECRET: &str = "a secret of tests, which is long enough";
const NOW: OffsetDateTime = datetime!(2026-11-27 12:00 UTC);
const USER_ID: UserId = UserId(Uuid::from_u128(7));
const SESSION: SessionId = SessionId(Uuid::from_u128(8));

fn signer() -> Signer {
    Signer::of_secret(SECRET)
}

fn account() -> Account {
    Account {
        id: USER_ID,
        email: Some("ann@example.org".to_owned()),
        created_at: NOW,
        updated_at: NOW,
        last_sign_in_at: None,
        app_metadata: Json::parse(r#"{"team": "a"}"#).unwrap(),
        user_metadata: Json::parse(r#"{"name": "Ann"}"#).unwrap(),
        is_owner: true,
    }
}

fn payload(token: &str) -> Value {
    let part = token.split('.').nth(1).unwrap();
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).unwrap()).unwrap()
}

#[test]
fn an_access_token_says_who_and_until_when() {
    let token = access(&signer(), &account(), SESSION, NOW).unwrap();
    let expected = json!({
        "iss": "pawl",
        "sub": USER_ID,
        "aud": "authenticated",
        "role": "authenticated",
        "email": "ann@example.org",
        "session_id": SESSION,
        "app_metadata": {"provider": "email", "providers": ["email"], "team": "a", "owner": true},
        "user_metadata": {"name": "Ann"},
        "iat": NOW.unix_timestamp(),
        "exp": NOW.unix_timestamp() + 3_600,
    });
    assert_eq!(payload(&token), expected);
    let claims = Claims {
        identity: Identity::User(USER_ID),
        session: Some(SESSION),
    };
    assert_eq!(verify(&signer(), &token, NOW).unwrap(), claims);
    let almost = NOW + LIFETIME + LEEWAY - Duration::seconds(1);
    assert_eq!(verify(&signer(), &token, almost).unwrap(), claims);
    assert!(matches!(
        verify(&signer(), &token, NOW + LIFETIME + LEEWAY),
        Err(AuthError::ExpiredToken)
    ));
}

#[test]
fn keys_of_the_instance_are_the_same_each_time() {
    for (kind, role, identity) in [
        (Key::Anonymous, "anon", Identity::Anonymous),
        (Key::Service, "service_role", Identity::Service),
    ] {
        let token = key(&signer(), kind, NOW).unwrap();
        assert_eq!(token, key(&signer(), kind, NOW).unwrap());
        let exp = NOW.unix_timestamp() + 3_652 * 86_400;
        let expected = json!({"iss": "pawl", "role": role, "iat": NOW.unix_timestamp(), "exp": exp});
        assert_eq!(payload(&token), expected);
        let claims = verify(&signer(), &token, NOW + Duration::days(3_000)).unwrap();
        assert_eq!((claims.identity, claims.session), (identity, None));
    }
}

#[test]
fn what_others_signed_or_changed_is_refused() {
    let token = access(&signer(), &account(), SESSION, NOW).unwrap();
    let (signed, signature) = token.rsplit_once('.').unwrap();
    let claims = URL_SAFE_NO_PAD.encode(payload(&token).to_string());
    let headed = |header: Value| [URL_SAFE_NO_PAD.encode(header.to_string()), claims.clone()].join(".");
    let none = headed(json!({"alg": "none", "typ": "JWT"}));
    let longer = headed(json!({"alg": "HS512", "typ": "JWT"}));
    let public = headed(json!({"alg": "RS256", "typ": "JWT"}));
    for wrong in [
        String::new(),
        "a.b.c".to_owned(),
        signed.to_owned(),
        [signed, "."].concat(),
        [signed, &signature.replace(|_| true, "A")].join("."),
        [&none, ""].join("."),
        [&none, signature].join("."),
        [&longer, signature].join("."),
        [&public, signature].join("."),
        access(
            &Signer::of_secret(&SECRET.to_uppercase()),
            &account(),
            SESSION,
            NOW,
        )
        .unwrap(),
    ] {
        let refused = verify(&signer(), &wrong, NOW);
        assert!(
            matches!(refused, Err(AuthError::InvalidToken)),
            "{wrong}: {refused:?}"
        );
    }
}

#[test]
fn what_we_would_not_say_is_refused() {
    let now = NOW.unix_timestamp();
    for wrong in [
        json!({"role": "authenticated", "exp": now + 60}),
        json!({"role": "authenticated", "sub": Uuid::nil(), "exp": now + 60}),
        json!({"role": "authenticated", "sub": "ann", "exp": now + 60}),
        json!({"role": "postgres", "sub": USER_ID, "exp": now + 60}),
        json!({"role": ["service_role"], "exp": now + 60}),
        json!({"sub": USER_ID, "exp": now + 60}),
        json!({"role": "service_role"}),
        json!({"role": "service_role", "exp": "never"}),
        json!({"role": "service_role", "exp": now + 600, "nbf": now + 60}),
    ] {
        let token = signer().sign(&wrong).unwrap();
        let refused = verify(&signer(), &token, NOW);
        assert!(
            matches!(refused, Err(AuthError::InvalidToken)),
            "{wrong}: {refused:?}"
        );
    }
}
