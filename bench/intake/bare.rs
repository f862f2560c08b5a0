//! The least that a server can do with interactions: read them as the product does, answer. Nothing is stored.

use std::io::Write as _;

use axum::body::Bytes;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::{Router, routing};
use pawl_engine::intake::received;
use serde_json::value::RawValue;

const CREATED: &str = r#"{"status":"created","id":"01935d1e-8a4c-7def-9abc-def012345678"}"#;

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let routes = Router::new().route("/api/evals/ingest", routing::post(ingest));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    writeln!(
        std::io::stderr(),
        "bare answers at http://{}",
        listener.local_addr()?
    )?;
    axum::serve(listener, routes).await
}

async fn ingest(body: Bytes) -> Response {
    match read(&body) {
        Some(1) => created(CREATED.to_owned()),
        Some(count) => created(["[", &vec![CREATED; count].join(","), "]"].concat()),
        None => StatusCode::BAD_REQUEST.into_response(),
    }
}

fn created(body: String) -> Response {
    let json = [(header::CONTENT_TYPE, "application/json")];
    (StatusCode::CREATED, json, body).into_response()
}

/// How many interactions there are, if all of them can be read.
fn read(body: &[u8]) -> Option<usize> {
    let text = std::str::from_utf8(body).ok()?;
    if !text.trim_ascii_start().starts_with('[') {
        return received::read(text).ok().map(|_| 1);
    }
    let items: Vec<&RawValue> = serde_json::from_str(text).ok()?;
    let read: Result<Vec<_>, _> = items.iter().map(|item| received::read(item.get())).collect();
    read.ok().map(|read| read.len())
}
