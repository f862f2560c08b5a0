//! The least that a server can do with the same requests: read the body as JSON, answer. Nothing is checked or stored.

use std::io::Write as _;

use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use axum::{Json, Router, routing};
use serde_json::Value;

/// As many rows as the select asks for.
const ROWS: usize = 20;

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let row = r#"{"id":"01935d1e-8a4c-7def-9abc-def012345678","created_at":"2026-03-01T12:00:00+00:00","run_name":"bench"}"#;
    let rows = ["[", &vec![row; ROWS].join(",\n"), "]"].concat();
    let select = move || {
        let rows = rows.clone();
        async move { ([(header::CONTENT_TYPE, "application/json")], rows).into_response() }
    };
    let insert = |Json(row): Json<Value>| async move {
        if row.is_object() {
            StatusCode::CREATED
        } else {
            StatusCode::BAD_REQUEST
        }
    };
    let routes = Router::new().route("/rest/v1/sb_eval_runs", routing::get(select).post(insert));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    writeln!(
        std::io::stderr(),
        "bare answers at http://{}",
        listener.local_addr()?
    )?;
    axum::serve(listener, routes).await
}
