//! What the layers make of handlers that are slow, large, broken or many.

use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::routing::{get, post};
use pawl_engine::{Clock, Engine};
use pawl_testkit::TestDatabase;
use pawl_testkit::http::{Client, Response, StatusCode};
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::{Routes, layered};
use crate::{AppState, ServerSettings};

/// Lets `/slow` go on.
static GO_ON: Notify = Notify::const_new();

/// Handlers that do what handlers should not do, under every form of errors.
fn misbehaving() -> Router<AppState> {
    let forever = || async { std::future::pending::<()>().await };
    let slow = || async { GO_ON.notified().await };
    let mut routes = Router::new().route("/slow", get(slow));
    for prefix in ["/api", "/rest/v1", "/auth/v1"] {
        routes = routes
            .route(&[prefix, "/forever"].concat(), get(forever))
            .route(&[prefix, "/broken"].concat(), get(broken))
            .route(
                &[prefix, "/body"].concat(),
                post(|body: Bytes| async move { body.len().to_string() }),
            );
    }
    routes
}

#[expect(clippy::panic, reason = "what happens then is what is tested")]
async fn broken() {
    panic!("a secret of the handler")
}

/// A server with these handlers alone.
struct Server {
    url: String,
    stop: CancellationToken,
    task: JoinHandle<()>,
    client: Client,
    _database: TestDatabase,
}

impl Server {
    async fn new(settings: ServerSettings) -> Self {
        let database = TestDatabase::new(pawl_testkit::Engine::Sqlite).await;
        let clock = Clock::new(|| pawl_testkit::samples::time(0));
        let drain = settings.drain;
        let state = AppState::new(Engine::new(database.store.clone(), clock), settings);
        let routes = Routes {
            clients: misbehaving(),
            operations: Router::new().route("/healthz", get(|| async { "ok" })),
            ..Routes::default()
        };
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = ["http://", &listener.local_addr().unwrap().to_string()].concat();
        let stop = CancellationToken::new();
        let routes = layered(state, routes);
        let task = tokio::spawn(crate::serve::answer(listener, routes, stop.clone(), drain));
        Self {
            url,
            stop,
            task,
            client: Client::new(),
            _database: database,
        }
    }

    async fn get(&self, path: &str) -> Response {
        self.client.get([&*self.url, path].concat()).send().await.unwrap()
    }
}

async fn shown(response: Response) -> (u16, Value) {
    let status = response.status().as_u16();
    let id = response.headers()["x-request-id"].to_str().unwrap().to_owned();
    let mut document: Value = serde_json::from_str(&response.text().await.unwrap()).unwrap();
    // Fresh each time, and the same in header and document.
    if let Some(written) = document
        .as_object_mut()
        .and_then(|document| document.remove("request_id"))
    {
        assert_eq!(written, id);
    }
    (status, document)
}

#[tokio::test]
async fn every_form_of_errors_says_what_a_limit_or_a_panic_did() {
    let settings = ServerSettings {
        body_limit: 1_000,
        request_timeout: Duration::from_millis(100),
        ..ServerSettings::default()
    };
    let server = Server::new(settings).await;
    let mut answers = Vec::new();
    for prefix in ["/api", "/rest/v1", "/auth/v1"] {
        for path in ["/forever", "/broken", "/body", "/nowhere"] {
            answers.push(shown(server.get(&[prefix, path].concat()).await).await);
        }
        let body = server
            .client
            .post([&*server.url, prefix, "/body"].concat())
            .body("x".repeat(1_001));
        answers.push(shown(body.send().await.unwrap()).await);
    }
    insta::assert_json_snapshot!(answers);
}

#[tokio::test]
async fn a_request_too_many_is_turned_away_and_health_is_not() {
    let settings = ServerSettings {
        concurrency: 1,
        request_timeout: Duration::from_secs(60),
        ..ServerSettings::default()
    };
    let server = Server::new(settings).await;
    let first = tokio::spawn(server.client.get([&*server.url, "/api/forever"].concat()).send());
    // The first may not have arrived yet; what is turned away then is the first one, and this waits as it would have.
    let turned_away = loop {
        let again = server
            .client
            .get([&*server.url, "/api/body"].concat())
            .send()
            .await
            .unwrap();
        if again.status() == StatusCode::SERVICE_UNAVAILABLE {
            break again;
        }
        assert_eq!(again.status(), StatusCode::METHOD_NOT_ALLOWED);
        tokio::task::yield_now().await;
    };
    assert_eq!(turned_away.headers()["retry-after"], "1");
    assert_eq!(shown(turned_away).await.1["code"], "overloaded");
    assert_eq!(server.get("/healthz").await.status(), StatusCode::OK);
    first.abort();
}

#[tokio::test]
async fn what_is_under_way_ends_before_the_server_does() {
    let server = Server::new(ServerSettings::default()).await;
    let slow = tokio::spawn(server.client.get([&*server.url, "/slow"].concat()).send());
    // It is under way once the metrics, or here the second try of a new connection, say so.
    while server.get("/healthz").await.status() != StatusCode::OK {}
    tokio::time::sleep(Duration::from_millis(100)).await;
    server.stop.cancel();
    while Client::new()
        .get([&*server.url, "/healthz"].concat())
        .send()
        .await
        .is_ok()
    {
        tokio::task::yield_now().await;
    }
    assert!(!server.task.is_finished(), "it waits for the request");
    GO_ON.notify_one();
    assert_eq!(slow.await.unwrap().unwrap().status(), StatusCode::OK);
    server.task.await.unwrap();
}

#[tokio::test]
async fn what_does_not_end_is_cut_off() {
    let settings = ServerSettings {
        drain: Duration::from_millis(50),
        request_timeout: Duration::from_secs(60),
        ..ServerSettings::default()
    };
    let server = Server::new(settings).await;
    let forever = tokio::spawn(server.client.get([&*server.url, "/api/forever"].concat()).send());
    tokio::time::sleep(Duration::from_millis(100)).await;
    server.stop.cancel();
    server.task.await.unwrap();
    assert!(!forever.is_finished(), "the runtime ends it, not the server");
    forever.abort();
}

#[tokio::test]
async fn pages_of_any_origin_may_call_and_read_what_clients_need() {
    let server = Server::new(ServerSettings::default()).await;
    let preflight = server
        .client
        .request(
            pawl_testkit::http::Method::OPTIONS,
            [&*server.url, "/rest/v1/body"].concat(),
        )
        .header("origin", "https://app.example.org")
        .header("access-control-request-method", "POST")
        .header(
            "access-control-request-headers",
            "apikey,authorization,prefer,x-client-info",
        )
        .send()
        .await
        .unwrap();
    assert_eq!(preflight.status(), StatusCode::OK);
    assert_eq!(preflight.headers()["access-control-allow-origin"], "*");
    assert!(
        !preflight
            .headers()
            .contains_key("access-control-allow-credentials")
    );
    let allowed = preflight.headers()["access-control-allow-headers"]
        .to_str()
        .unwrap()
        .to_owned();
    for header in [
        "apikey",
        "authorization",
        "prefer",
        "x-client-info",
        "range",
        "accept-profile",
    ] {
        assert!(
            allowed.split(',').any(|allowed| allowed.trim() == header),
            "{header} in {allowed}"
        );
    }
    let refused = server
        .client
        .get([&*server.url, "/rest/v1/broken"].concat())
        .header("origin", "https://x.org");
    let refused = refused.send().await.unwrap();
    assert_eq!(
        refused.headers()["access-control-allow-origin"],
        "*",
        "errors can be read as well"
    );
    assert!(
        refused.headers()["access-control-expose-headers"]
            .to_str()
            .unwrap()
            .contains("content-range")
    );
    let elsewhere = server
        .client
        .get([&*server.url, "/healthz"].concat())
        .header("origin", "https://x.org");
    assert!(
        !elsewhere
            .send()
            .await
            .unwrap()
            .headers()
            .contains_key("access-control-allow-origin")
    );
}
