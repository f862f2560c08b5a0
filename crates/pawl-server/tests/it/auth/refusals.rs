use axum::http::Request;
use http_body_util::BodyExt as _;
use pawl_engine::auth::{AuthSettings, SignUp};
use pawl_server::{AppState, ServerSettings};
use pawl_testkit::http::{Method, StatusCode};
use pawl_testkit::{Identity, TestDatabase, TestServer, on_both_engines};
use serde_json::{Value, json};
use tower::ServiceExt as _;

use super::{read, refused};

on_both_engines!(wrong_bodies_are_refused, where_sign_up_is_closed_clients_are_told);

async fn wrong_bodies_are_refused(database: TestDatabase) {
    let server = TestServer::new(database).await;
    let deep = ["[".repeat(10_000), "]".repeat(10_000)].concat();
    let token = "/auth/v1/token?grant_type=password";
    for (path, body, status, word) in [
        ("/auth/v1/signup", "", 400, "bad_json"),
        ("/auth/v1/signup", "null", 400, "bad_json"),
        ("/auth/v1/signup", "{\"email\": 5}", 400, "bad_json"),
        ("/auth/v1/signup", deep.as_str(), 400, "bad_json"),
        ("/auth/v1/signup", "{\"email\": \"\\ud800@x\"}", 400, "bad_json"),
        ("/auth/v1/signup", "{}", 422, "anonymous_provider_disabled"),
        (
            "/auth/v1/signup",
            "{\"email\": \"a@b\"}",
            400,
            "validation_failed",
        ),
        (
            "/auth/v1/signup",
            "{\"email\": \"a@b\\u0000\", \"password\": \"12345678\"}",
            400,
            "validation_failed",
        ),
        (
            "/auth/v1/signup",
            "{\"phone\": \"+41\", \"password\": \"12345678\"}",
            422,
            "phone_provider_disabled",
        ),
        (token, "{}", 400, "invalid_credentials"),
        (
            token,
            "{\"email\": \"a@b' or 1=1 --\", \"password\": \"x\"}",
            400,
            "invalid_credentials",
        ),
        (
            token,
            "{\"email\": \"a@b\", \"password\": \"\\u0000\"}",
            400,
            "invalid_credentials",
        ),
        ("/auth/v1/token", "{}", 400, "validation_failed"),
        ("/auth/v1/token?grant_type=pkce", "{}", 400, "validation_failed"),
        (
            "/auth/v1/token?grant_type=refresh_token",
            "{}",
            400,
            "validation_failed",
        ),
        (
            "/auth/v1/token?grant_type=refresh_token",
            "{\"refresh_token\": \"\"}",
            400,
            "refresh_token_not_found",
        ),
    ] {
        let request = server
            .request(Identity::Anonymous, Method::POST, path)
            .body(body.to_owned());
        assert_eq!(
            refused(request).await,
            (status, word.to_owned()),
            "{path} {}",
            &body[..body.len().min(80)]
        );
    }
    let large = server
        .request(Identity::Anonymous, Method::POST, "/auth/v1/signup")
        .body("x".repeat(70_000));
    assert_eq!(refused(large).await, (413, "validation_failed".to_owned()));
    // What does not read may hold a password, so that none of it comes back.
    let broken = "{\"email\": \"a@b\", \"password\": hunter22}";
    let broken = server
        .request(Identity::Anonymous, Method::POST, token)
        .body(broken);
    let (status, answer) = read(broken).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    assert!(!answer.to_string().contains("hunter"), "{answer}");
}

/// Over an engine that lets nobody sign up; the first user is there already.
async fn where_sign_up_is_closed_clients_are_told(database: TestDatabase) {
    let open = TestServer::new(database).await;
    let settings = "/auth/v1/settings";
    let (_, answer) = read(open.get(Identity::Anonymous, settings)).await;
    assert_eq!(
        (&answer["disable_signup"], &answer["external"]["email"]),
        (&json!(false), &json!(true))
    );
    let auth = AuthSettings {
        sign_up: SignUp::Closed,
        ..AuthSettings::default()
    };
    let engine = open.engine.clone().with_auth(auth).unwrap();
    let router = pawl_server::router(AppState::new(engine, ServerSettings::default()));
    let ask = async |method: &str, path: &str, body: String| {
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header("apikey", &open.anon_key)
            .body(body);
        let response = router.clone().oneshot(request.unwrap()).await.unwrap();
        let status = response.status();
        let body = response.into_body().collect().await.unwrap().to_bytes();
        (status, serde_json::from_slice::<Value>(&body).unwrap())
    };
    assert_eq!(
        ask("GET", settings, String::new()).await.1["disable_signup"],
        true
    );
    let body = json!({"email": "c@example.org", "password": "correct horse"});
    let (status, answer) = ask("POST", "/auth/v1/signup", body.to_string()).await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(answer["error_code"], "signup_disabled");
}
