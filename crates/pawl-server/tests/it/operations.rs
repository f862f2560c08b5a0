//! Health, metrics, the OpenAPI document and what every answer has.

use pawl_testkit::http::StatusCode;
use pawl_testkit::{Identity, TestDatabase, TestServer, on_both_engines};
use serde_json::Value;

on_both_engines!(
    the_server_is_ready_while_its_database_is,
    requests_are_counted_by_route,
    every_answer_names_its_request_and_is_hardened,
);

async fn the_server_is_ready_while_its_database_is(database: TestDatabase) {
    let server = TestServer::new(database).await;
    for path in ["/healthz", "/readyz"] {
        let answer = server.get(Identity::Nobody, path).send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::OK, "{path}");
        assert_eq!(answer.text().await.unwrap(), r#"{"status":"ok"}"#);
    }
    server.engine.close().await;
    let ready = server.get(Identity::Nobody, "/readyz").send().await.unwrap();
    assert_eq!(ready.status(), StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(ready.headers()["content-type"], "application/problem+json");
    assert_eq!(
        ready.json::<Value>().await.unwrap()["code"],
        "database_unavailable"
    );
    let runs = server.get(Identity::UserA, "/api/runs").send().await.unwrap();
    assert_eq!(runs.status(), StatusCode::SERVICE_UNAVAILABLE);
    let alive = server.get(Identity::Nobody, "/healthz").send().await.unwrap();
    assert_eq!(alive.status(), StatusCode::OK);
}

async fn requests_are_counted_by_route(database: TestDatabase) {
    let server = TestServer::new(database).await;
    let run = "00000000-0000-0000-0000-000000000001";
    for path in [
        "/api/runs",
        &["/api/runs/", run].concat(),
        "/nowhere/secret-in-path",
    ] {
        server.get(Identity::UserA, path).send().await.unwrap();
    }
    let answer = server.get(Identity::Nobody, "/metrics").send().await.unwrap();
    let kind = answer.headers()["content-type"].to_str().unwrap().to_owned();
    assert!(kind.starts_with("application/openmetrics-text"), "{kind}");
    let text = answer.text().await.unwrap();
    for line in [
        "pawl_build_info{version=\"0.1.0\"} 1",
        "pawl_http_requests_total{method=\"GET\",route=\"/api/runs\",status=\"2xx\"} 1",
        "pawl_http_requests_total{method=\"GET\",route=\"/api/runs/{id}\",status=\"4xx\"} 1",
        "pawl_http_requests_total{method=\"GET\",route=\"none\",status=\"4xx\"} 1",
        "pawl_http_request_duration_seconds_count{method=\"GET\",route=\"/api/runs\"} 1",
        "pawl_http_requests_in_flight 1",
    ] {
        assert!(
            text.lines().any(|found| found == line),
            "{line} is not in\n{text}"
        );
    }
    assert!(!text.contains(run) && !text.contains("secret-in-path"));
    assert!(text.ends_with("# EOF\n"));
}

async fn every_answer_names_its_request_and_is_hardened(database: TestDatabase) {
    let server = TestServer::new(database).await;
    for path in [
        "/healthz",
        "/api/runs",
        "/nowhere",
        "/docs/api/",
        "/rest/v1/nowhere",
    ] {
        let request = server
            .get(Identity::Nobody, path)
            .header("x-request-id", "of-the-client");
        let answer = request.send().await.unwrap();
        let headers = answer.headers();
        assert_eq!(headers["x-request-id"], "of-the-client", "{path}");
        assert_eq!(headers["x-content-type-options"], "nosniff", "{path}");
        assert_eq!(headers["referrer-policy"], "no-referrer", "{path}");
        assert_eq!(headers["x-frame-options"], "DENY", "{path}");
        assert!(headers.contains_key("content-security-policy"), "{path}");
        let ids = headers.get_all("x-request-id").iter().count();
        assert_eq!(ids, 1, "{path}");
    }
}

#[tokio::test]
async fn answers_are_compressed_as_the_client_takes_them() {
    let database = TestDatabase::new(pawl_testkit::Engine::Sqlite).await;
    let server = TestServer::new(database).await;
    for (accepted, encoding) in [
        ("gzip", Some("gzip")),
        ("br, gzip;q=0.5", Some("br")),
        ("identity", None),
    ] {
        let request = server.get(Identity::Nobody, "/openapi.json");
        let answer = request.header("accept-encoding", accepted).send().await.unwrap();
        let found = answer
            .headers()
            .get("content-encoding")
            .map(|value| value.to_str().unwrap());
        assert_eq!(found, encoding, "{accepted}");
    }
}

/// The document is reviewed like code: it is what clients are made from.
#[test]
fn the_openapi_document_is_known() {
    insta::assert_snapshot!(pawl_server::document().to_pretty_json().unwrap());
}

/// Every reference leads somewhere.
#[test]
fn the_openapi_document_is_whole() {
    let document = serde_json::to_value(pawl_server::document()).unwrap();
    let mut references = Vec::new();
    collect_references(&document, &mut references);
    assert!(!references.is_empty());
    for reference in references {
        let pointer = reference.strip_prefix('#').unwrap();
        assert!(document.pointer(pointer).is_some(), "{reference} leads nowhere");
    }
}

fn collect_references(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(object) => {
            found.extend(object.get("$ref").and_then(Value::as_str).map(str::to_owned));
            object.values().for_each(|value| collect_references(value, found));
        }
        Value::Array(values) => values.iter().for_each(|value| collect_references(value, found)),
        _ => {}
    }
}

#[tokio::test]
async fn the_reference_needs_no_other_host() {
    let database = TestDatabase::new(pawl_testkit::Engine::Sqlite).await;
    let server = TestServer::new(database).await;
    let get = async |path: &str| server.get(Identity::Nobody, path).send().await.unwrap();
    let page = get("/docs/api/").await;
    let policy = page.headers()["content-security-policy"]
        .to_str()
        .unwrap()
        .to_owned();
    assert!(policy.contains("script-src 'self';"), "{policy}");
    let html = page.text().await.unwrap();
    assert!(!html.contains("https://") && !html.contains("<script>"), "{html}");
    for script in html
        .split("src=\"./")
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
    {
        let script = get(&["/docs/api/", script].concat()).await;
        assert_eq!(script.status(), StatusCode::OK);
    }
    let initializer = get("/docs/api/swagger-initializer.js")
        .await
        .text()
        .await
        .unwrap();
    assert!(initializer.contains("/openapi.json"), "{initializer}");
    let document: Value = get("/openapi.json").await.json().await.unwrap();
    assert_eq!(document, serde_json::to_value(pawl_server::document()).unwrap());
    let page = get("/docs/errors/not_found").await.text().await.unwrap();
    assert!(page.starts_with("# not_found\n"));
    assert_eq!(
        get("/docs/errors/..%2f..%2fCargo").await.status(),
        StatusCode::NOT_FOUND
    );
}
