use std::time::Duration;

use pawl_model::UserId;
use pawl_testkit::http::{Method, StatusCode};
use pawl_testkit::{Identity, TestDatabase, TestServer, on_both_engines};
use serde_json::{Value, json};
use time::format_description::well_known::Rfc3339;

use super::{post, read, refused, send};

on_both_engines!(
    a_client_signs_up_and_is_answered_as_by_supabase,
    a_session_goes_on_and_ends,
    an_expired_token_leads_to_a_new_one,
    users_change_themselves,
    a_client_that_tries_too_often_waits,
);

const PASSWORD_GRANT: &str = "/auth/v1/token?grant_type=password";
const REFRESH_GRANT: &str = "/auth/v1/token?grant_type=refresh_token";

fn as_user(
    server: &TestServer,
    method: Method,
    path: &str,
    session: &Value,
) -> pawl_testkit::http::RequestBuilder {
    let request = server
        .request(Identity::Nobody, method, path)
        .header("apikey", &server.anon_key);
    request.bearer_auth(session["access_token"].as_str().unwrap())
}

async fn a_client_signs_up_and_is_answered_as_by_supabase(database: TestDatabase) {
    let server = TestServer::new(database).await;
    let body = json!({
        "email": "Ann@Example.org", "password": "correct horse", "data": {"name": "Ann"},
        "gotrue_meta_security": {"captcha_token": null}, "code_challenge": null,
    });
    let (status, session) = read(post(&server, "/auth/v1/signup", &body)).await;
    assert_eq!(status, StatusCode::OK);
    let id = session["user"]["id"].clone();
    let user: UserId = id.as_str().unwrap().parse().unwrap();
    let created_at = server.engine.account(user).await.unwrap().created_at;
    let time = created_at.format(&Rfc3339).unwrap();
    let expected = json!({
        "access_token": session["access_token"],
        "token_type": "bearer",
        "expires_in": 3_600,
        "expires_at": created_at.unix_timestamp() + 3_600,
        "refresh_token": session["refresh_token"],
        "user": {
            "id": id,
            "aud": "authenticated",
            "role": "authenticated",
            "email": "ann@example.org",
            "email_confirmed_at": time,
            "phone": "",
            "confirmed_at": time,
            "last_sign_in_at": time,
            "app_metadata": {"provider": "email", "providers": ["email"]},
            "user_metadata": {"name": "Ann"},
            "identities": [{
                "identity_id": id,
                "id": id,
                "user_id": id,
                "identity_data": {
                    "email": "ann@example.org", "email_verified": false, "phone_verified": false, "sub": id,
                },
                "provider": "email",
                "last_sign_in_at": time,
                "created_at": time,
                "updated_at": time,
                "email": "ann@example.org",
            }],
            "created_at": time,
            "updated_at": time,
            "is_anonymous": false,
        },
    });
    assert_eq!(session, expected);
    let (status, user) = read(as_user(&server, Method::GET, "/auth/v1/user", &session)).await;
    assert_eq!((status, &user), (StatusCode::OK, &session["user"]));
    let (_, owner) = read(server.get(Identity::UserA, "/auth/v1/user")).await;
    assert_eq!(owner["app_metadata"]["owner"], true);
    let again = refused(post(&server, "/auth/v1/signup", &body)).await;
    assert_eq!(again, (422, "user_already_exists".to_owned()));
}

async fn a_session_goes_on_and_ends(database: TestDatabase) {
    let server = TestServer::new(database).await;
    let body = json!({"email": server.user_a.email, "password": TestServer::PASSWORD});
    let response = post(&server, PASSWORD_GRANT, &body).send().await.unwrap();
    assert_eq!(response.headers()["cache-control"], "no-store");
    let first: Value = super::document(response).await;
    let refresh = |session: &Value| {
        post(
            &server,
            REFRESH_GRANT,
            &json!({"refresh_token": session["refresh_token"]}),
        )
    };
    let (status, second) = read(refresh(&first)).await;
    assert_eq!(status, StatusCode::OK);
    server.clock.advance(Duration::from_secs(60));
    let reused = refused(refresh(&first)).await;
    assert_eq!(reused, (400, "refresh_token_already_used".to_owned()));
    let ended = refused(refresh(&second)).await;
    assert_eq!(ended, (400, "refresh_token_not_found".to_owned()));
    let user = refused(as_user(&server, Method::GET, "/auth/v1/user", &second)).await;
    assert_eq!(user, (403, "session_not_found".to_owned()));

    let (_, session) = read(post(&server, PASSWORD_GRANT, &body)).await;
    let log_out = |scope: &str| {
        let path = ["/auth/v1/logout", scope].concat();
        as_user(&server, Method::POST, &path, &session)
    };
    let odd = refused(log_out("?scope=everywhere")).await;
    assert_eq!(odd, (400, "validation_failed".to_owned()));
    assert_eq!(
        log_out("?scope=others").send().await.unwrap().status(),
        StatusCode::NO_CONTENT
    );
    let elsewhere = refused(server.get(Identity::UserA, "/auth/v1/user")).await;
    assert_eq!(elsewhere, (403, "session_not_found".to_owned()));
    assert_eq!(
        log_out("?scope=local").send().await.unwrap().status(),
        StatusCode::NO_CONTENT
    );
    assert_eq!(refused(log_out("")).await, (403, "session_not_found".to_owned()));
    // Where sessions are not looked up the token is good until it expires.
    assert_eq!(
        as_user(&server, Method::GET, "/api/runs", &session)
            .send()
            .await
            .unwrap()
            .status(),
        StatusCode::OK
    );
}

async fn an_expired_token_leads_to_a_new_one(database: TestDatabase) {
    let server = TestServer::new(database).await;
    let body = json!({"email": server.user_b.email, "password": TestServer::PASSWORD});
    let (_, session) = read(post(&server, PASSWORD_GRANT, &body)).await;
    server.clock.advance(Duration::from_secs(3_611));
    let user = refused(as_user(&server, Method::GET, "/auth/v1/user", &session)).await;
    assert_eq!(user, (403, "bad_jwt".to_owned()));
    let (status, problem) = read(as_user(&server, Method::GET, "/api/runs", &session)).await;
    assert_eq!(
        (status, problem["detail"].as_str()),
        (StatusCode::UNAUTHORIZED, Some("JWT expired"))
    );
    // Clients send the old token along.
    let body = json!({"refresh_token": session["refresh_token"]}).to_string();
    let (status, fresh) = read(as_user(&server, Method::POST, REFRESH_GRANT, &session).body(body)).await;
    assert_eq!(status, StatusCode::OK);
    let (status, _) = read(as_user(&server, Method::GET, "/auth/v1/user", &fresh)).await;
    assert_eq!(status, StatusCode::OK);
}

async fn users_change_themselves(database: TestDatabase) {
    let server = TestServer::new(database).await;
    let put = |body: Value| send(&server, Identity::UserA, (Method::PUT, "/auth/v1/user"), &body);
    let (status, user) = read(put(
        json!({"data": {"name": "A", "old": null}, "email": server.user_a.email}),
    ))
    .await;
    assert_eq!(status, StatusCode::OK);
    assert_eq!(user["user_metadata"], json!({"name": "A"}));
    for (change, status, word) in [
        (json!({"email": "other@example.org"}), 422, "validation_failed"),
        (json!({"password": TestServer::PASSWORD}), 422, "same_password"),
        (json!({"password": "short"}), 422, "weak_password"),
        (json!({"password": "x".repeat(257)}), 400, "validation_failed"),
        (
            json!({"data": {"long": "x".repeat(5_000)}}),
            400,
            "validation_failed",
        ),
        (json!({"data": {"nul": "\0"}}), 400, "validation_failed"),
        (json!({"data": "text"}), 400, "bad_json"),
        (json!({"phone": "+41"}), 422, "phone_provider_disabled"),
        (json!({"app_metadata": {"owner": true}}), 403, "not_admin"),
    ] {
        assert_eq!(
            refused(put(change.clone())).await,
            (status, word.to_owned()),
            "{change}"
        );
    }
    let (_, weak) = read(put(json!({"password": "short"}))).await;
    assert_eq!(
        weak["weak_password"],
        json!({"reasons": ["length"]}),
        "clients look into it"
    );
    let (status, _) = read(put(json!({"password": "a better one"}))).await;
    assert_eq!(status, StatusCode::OK);
    let body = json!({"email": server.user_a.email, "password": "a better one"});
    assert_eq!(read(post(&server, PASSWORD_GRANT, &body)).await.0, StatusCode::OK);
}

async fn a_client_that_tries_too_often_waits(database: TestDatabase) {
    let server = TestServer::new(database).await;
    let wrong = json!({"email": server.user_a.email, "password": "wrong"});
    for _ in 0..10 {
        let answer = refused(post(&server, PASSWORD_GRANT, &wrong)).await;
        assert_eq!(answer, (400, "invalid_credentials".to_owned()));
    }
    // In any spelling, and with the right password too: ten tries were enough.
    let right = json!({"email": server.user_a.email.to_uppercase(), "password": TestServer::PASSWORD});
    let response = post(&server, PASSWORD_GRANT, &right).send().await.unwrap();
    assert_eq!(response.status(), StatusCode::TOO_MANY_REQUESTS);
    let wait: u64 = response.headers()["retry-after"]
        .to_str()
        .unwrap()
        .parse()
        .unwrap();
    assert!((1..=31).contains(&wait), "{wait}");
    assert_eq!(
        super::document(response).await["error_code"],
        "over_request_rate_limit"
    );
    let other = json!({"email": server.user_b.email, "password": TestServer::PASSWORD});
    assert_eq!(
        read(post(&server, PASSWORD_GRANT, &other)).await.0,
        StatusCode::OK
    );
    let mut turned_away = false;
    for _ in 0..30 {
        let sign_up = json!({"email": "no address", "password": "irrelevant"});
        let (status, _) = refused(post(&server, "/auth/v1/signup", &sign_up)).await;
        turned_away |= status == 429;
    }
    assert!(!turned_away, "thirty are allowed");
    let sign_up = json!({"email": "c@example.org", "password": "correct horse"});
    assert_eq!(refused(post(&server, "/auth/v1/signup", &sign_up)).await.0, 429);
}
