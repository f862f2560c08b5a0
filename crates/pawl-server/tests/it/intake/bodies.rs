//! Types, compression and sizes of bodies.

use pawl_server::ServerSettings;
use pawl_testkit::{TestDatabase, TestServer, on_both_engines};
use serde_json::{Value, json};

use super::{INGEST, codes, gzip, interaction, request, shown, stored};

on_both_engines!(
    types_are_told_apart,
    compressed_bodies_are_inflated,
    limits_hold_for_what_a_body_inflates_to,
);

async fn types_are_told_apart(database: TestDatabase) {
    let server = TestServer::new(database).await;
    let body = interaction(server.user_a.id, "1").to_string();
    for (content_type, status) in [
        (None, 201),
        (Some("application/json"), 200),
        (Some("Application/JSON; charset=utf-8"), 200),
        (Some("application/x-ndjson"), 207),
        (Some("application/jsonl"), 207),
        (Some("text/plain"), 415),
        (Some("application/x-www-form-urlencoded"), 415),
        (Some(""), 415),
    ] {
        let mut request = request(&server, INGEST).body(body.clone());
        if let Some(content_type) = content_type {
            request = request.header("content-type", content_type);
        }
        let (answered, answer) = shown(request.send().await.unwrap()).await;
        assert_eq!(answered, status, "{content_type:?}: {answer}");
    }
    for (encoding, status) in [
        ("identity", 200),
        ("br", 415),
        ("deflate", 415),
        ("gzip, gzip", 415),
    ] {
        let request = request(&server, INGEST)
            .header("content-encoding", encoding)
            .body(body.clone());
        let (answered, answer) = shown(request.send().await.unwrap()).await;
        assert_eq!(answered, status, "{encoding}: {answer}");
    }
}

/// Sends a body that is said to be compressed.
async fn send(server: &TestServer, content_type: &str, body: Vec<u8>) -> (u16, Value) {
    let request = request(server, INGEST)
        .header("content-type", content_type)
        .header("content-encoding", "gzip");
    shown(request.body(body).send().await.unwrap()).await
}

async fn compressed_bodies_are_inflated(database: TestDatabase) {
    let server = TestServer::new(database).await;
    let of = |id: &str| interaction(server.user_a.id, id).to_string();
    let one = gzip(of("1").as_bytes()).await;
    assert_eq!(send(&server, "application/json", one.clone()).await.0, 201);
    let array = ["[", &of("2"), ",", &of("3"), "]"].concat();
    let (status, _) = send(&server, "application/json", gzip(array.as_bytes()).await).await;
    assert_eq!(status, 201);
    // Two that follow one another are one.
    let mut lines = gzip([&of("4"), "\n"].concat().as_bytes()).await;
    lines.extend(gzip(of("5").as_bytes()).await);
    let (status, answer) = send(&server, "application/x-ndjson", lines.clone()).await;
    assert_eq!((status, codes(&answer)), (201, vec![201; 2]));
    for (body, name) in [
        (one[..one.len() - 9].to_vec(), "cut off"),
        (of("6").into_bytes(), "as it is"),
    ] {
        let (status, problem) = send(&server, "application/json", body).await;
        assert_eq!((status, &problem["code"]), (400, &json!("bad_request")), "{name}");
        assert_eq!(problem["detail"], "the body is no gzip, or breaks off", "{name}");
    }
    lines.truncate(lines.len() - 9);
    let (status, answer) = send(&server, "application/x-ndjson", lines).await;
    assert_eq!((status, codes(&answer)), (207, vec![200]));
    assert_eq!(answer["stopped"]["code"], "bad_request");
    assert_eq!(stored(&server).await, 5);
}

async fn limits_hold_for_what_a_body_inflates_to(database: TestDatabase) {
    let server = TestServer::new(database).await;
    let long = |bytes: usize| {
        let rest = interaction(server.user_a.id, "1").to_string();
        [" ".repeat(bytes - rest.len()), rest].concat().into_bytes()
    };
    const MIB: usize = 1024 * 1024;
    assert_eq!(
        send(&server, "application/json", gzip(&long(MIB)).await).await.0,
        201
    );
    for (bytes, limit) in [
        (MIB + 1, "an interaction may have 1048576 bytes"),
        (16 * MIB + 1, "a body may have 16777216 bytes"),
    ] {
        let bomb = gzip(&long(bytes)).await;
        assert!(bomb.len() < 100_000);
        let (status, problem) = send(&server, "application/json", bomb).await;
        assert_eq!((status, &problem["code"]), (413, &json!("body_too_large")));
        let detail = problem["detail"].as_str().unwrap();
        assert!(detail.starts_with(limit), "{detail}");
    }

    let settings = ServerSettings {
        body_limit: 1_000,
        ..ServerSettings::default()
    };
    let database = server.stopped().await;
    let server = TestServer::with(TestDatabase::new(database.engine).await, settings).await;
    let request = request(&server, INGEST).body(vec![b' '; 1_001]);
    let (status, problem) = shown(request.send().await.unwrap()).await;
    assert_eq!((status, &problem["code"]), (413, &json!("body_too_large")));
}
