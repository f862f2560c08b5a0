//! `/api/evals`.

mod bodies;
mod caps;
mod lines;
mod many;
mod one;
mod policy;
mod senders;

use async_compression::tokio::write::GzipEncoder;
use pawl_engine::Actor;
use pawl_model::{Policy, UserId};
use pawl_testkit::http::{Method, RequestBuilder, Response};
use pawl_testkit::{Identity, TestServer};
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;

const INGEST: &str = "/api/evals/ingest";

/// An interaction that may be handed in.
fn interaction(user: UserId, id: &str) -> Value {
    json!({"user_id": user, "interaction_id": id, "prompt": "What is machine learning?",
        "response": "A subset of AI", "score": 0.92, "latency_ms": 145, "flags": ["technical"],
        "pii_tokens_redacted": 0})
}

/// As [`interaction`], with these fields changed.
fn changed(user: UserId, id: &str, fields: Value) -> Value {
    let mut interaction = interaction(user, id);
    let Value::Object(fields) = fields else {
        panic!("fields are an object")
    };
    interaction.as_object_mut().unwrap().extend(fields);
    interaction
}

/// A policy of user A that differs from the default like this.
async fn set_policy(server: &TestServer, change: impl FnOnce(&mut Policy)) {
    let mut policy = Policy::default_of(server.user_a.id);
    policy.sample_salt = "salt".to_owned();
    change(&mut policy);
    let owner = Actor::Tenant(policy.user_id);
    server.engine.set_policy(owner, policy).await.unwrap();
}

/// A request with the ingestion secret.
fn request(server: &TestServer, path: &str) -> RequestBuilder {
    server
        .request(Identity::Nobody, Method::POST, path)
        .header("x-ingestion-secret", &server.ingestion_secret)
}

async fn post(server: &TestServer, body: &Value) -> (u16, Value) {
    shown(request(server, INGEST).json(body).send().await.unwrap()).await
}

async fn post_lines(server: &TestServer, lines: impl Into<Vec<u8>>) -> (u16, Value) {
    let request = request(server, INGEST).header("content-type", "application/x-ndjson");
    shown(request.body(lines.into()).send().await.unwrap()).await
}

/// Status and document of an answer; a problem names its request, which is another one each time.
async fn shown(answer: Response) -> (u16, Value) {
    let status = answer.status().as_u16();
    let is_problem = answer.headers()["content-type"] == "application/problem+json";
    assert_eq!(is_problem, status >= 400, "{status}");
    let mut document: Value = answer.json().await.unwrap();
    if is_problem {
        assert!(document.as_object_mut().unwrap().remove("request_id").is_some());
    }
    (status, document)
}

/// The fields that a problem is about.
fn fields(problem: &Value) -> Vec<&str> {
    let errors = problem["errors"].as_array().unwrap();
    errors
        .iter()
        .map(|error| error["field"].as_str().unwrap())
        .collect()
}

/// Status codes of the results of a batch.
fn codes(batch: &Value) -> Vec<u64> {
    let results = batch["results"].as_array().unwrap();
    results
        .iter()
        .map(|result| result["status_code"].as_u64().unwrap())
        .collect()
}

pub(crate) async fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzipEncoder::new(Vec::new());
    encoder.write_all(bytes).await.unwrap();
    encoder.shutdown().await.unwrap();
    encoder.into_inner()
}

/// How many interactions are stored.
async fn stored(server: &TestServer) -> i64 {
    server.database.number("select count(*) from evaluations").await
}
