//! What the layers make of handlers that are slow, large, broken or many.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::routing::{get, post};
use pawl_engine::{Clock, Engine};
use pawl_testkit::TestDatabase;
use pawl_testkit::http::{Client, Error, Response, StatusCode};
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::{Routes, layered};
use crate::{AppState, ServerSettings};

/// A handler that waits, seen from outside.
#[derive(Clone, Default)]
struct Gate {
    reached: Arc<Notify>,
    opened: Arc<Notify>,
}

impl Gate {
    async fn pass(self) {
        self.reached.notify_one();
        self.opened.notified().await;
    }
}

/// Handlers that do what handlers should not do, under every form of errors.
fn misbehaving(gate: &Gate) -> Router<AppState> {
    let mut routes = Router::new();
    for prefix in ["/api", "/rest/v1", "/auth/v1"] {
        let gate = gate.clone();
        routes = routes
            .route(&[prefix, "/slow"].concat(), get(move || gate.pass()))
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
    gate: Gate,
    _database: TestDatabase,
}

impl Server {
    async fn new(settings: ServerSettings) -> Self {
        let database = TestDatabase::new(pawl_testkit::Engine::Sqlite).await;
        let clock = Clock::new(|| pawl_testkit::samples::time(0));
        let (drain, gate) = (settings.drain, Gate::default());
        let state = AppState::new(Engine::new(database.store.clone(), clock), settings);
        let routes = Routes {
            clients: misbehaving(&gate),
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
            gate,
            _database: database,
        }
    }

    /// A request that is under way.
    async fn slow(&self) -> JoinHandle<Result<Response, Error>> {
        let sent = tokio::spawn(self.client.get([&*self.url, "/api/slow"].concat()).send());
        self.gate.reached.notified().await;
        sent
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
        for path in ["/slow", "/broken", "/body", "/nowhere"] {
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
        ..ServerSettings::default()
    };
    let server = Server::new(settings).await;
    let first = server.slow().await;
    let second = server.get("/api/slow").await;
    assert_eq!(second.headers()["retry-after"], "1");
    let (status, problem) = shown(second).await;
    assert_eq!((status, &problem["code"]), (503, &Value::from("overloaded")));
    assert_eq!(server.get("/healthz").await.status(), StatusCode::OK);
    server.gate.opened.notify_one();
    assert_eq!(first.await.unwrap().unwrap().status(), StatusCode::OK);
    server.gate.opened.notify_one();
    assert_eq!(
        server.get("/api/slow").await.status(),
        StatusCode::OK,
        "its place is free again"
    );
}

#[tokio::test]
async fn what_is_under_way_ends_before_the_server_does() {
    let server = Server::new(ServerSettings::default()).await;
    let slow = server.slow().await;
    server.stop.cancel();
    let health = [&*server.url, "/healthz"].concat();
    while Client::new().get(&health).send().await.is_ok() {
        tokio::task::yield_now().await;
    }
    assert!(!server.task.is_finished(), "it waits for the request");
    server.gate.opened.notify_one();
    assert_eq!(slow.await.unwrap().unwrap().status(), StatusCode::OK);
    server.task.await.unwrap();
}

#[tokio::test]
async fn what_does_not_end_is_not_waited_for() {
    let settings = ServerSettings {
        drain: Duration::from_millis(50),
        ..ServerSettings::default()
    };
    let server = Server::new(settings).await;
    let slow = server.slow().await;
    server.stop.cancel();
    server.task.await.unwrap();
    assert!(!slow.is_finished(), "the end of the process ends it");
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
