//! A line for each: stored while they arrive.

use std::time::Duration;

use futures::stream;
use pawl_server::ServerSettings;
use pawl_testkit::http::Body;
use pawl_testkit::{TestDatabase, TestServer, on_both_engines};
use serde_json::json;
use tokio::sync::mpsc;

use super::{INGEST, codes, interaction, post_lines, request, set_policy, shown, stored};

on_both_engines!(
    thousands_are_stored_and_their_repetition_is_not,
    a_bad_line_is_its_own_error,
    what_has_arrived_is_stored_before_the_body_ends,
    a_body_that_does_not_go_on_is_answered_so_far,
    there_may_be_so_many,
);

/// So many interactions of user A, a line each.
fn numbered(server: &TestServer, count: usize) -> String {
    let line = |n: usize| interaction(server.user_a.id, &n.to_string()).to_string() + "\n";
    (0..count).map(line).collect()
}

async fn thousands_are_stored_and_their_repetition_is_not(database: TestDatabase) {
    let server = TestServer::new(database).await;
    set_policy(&server, |policy| policy.max_eval_per_day = 3_210).await;
    let lines = numbered(&server, 3_210);
    let (status, answer) = post_lines(&server, &*lines).await;
    assert_eq!((status, codes(&answer)), (201, vec![201; 3_210]));
    let (status, answer) = post_lines(&server, &*lines).await;
    assert_eq!((status, codes(&answer)), (207, vec![200; 3_210]));
    assert_eq!(stored(&server).await, 3_210);
}

async fn a_bad_line_is_its_own_error(database: TestDatabase) {
    let server = TestServer::new(database).await;
    let good = |id: &str| interaction(server.user_a.id, id).to_string();
    let long = ["{\"prompt\": \"", &"x".repeat(3 * 1024 * 1024), "\"}"].concat();
    let mut body = Vec::new();
    for line in [
        good("1").as_bytes(),
        b"",
        b"{\"score\": NaN}",
        b"  \r",
        b"{\"prompt\": \"\xff\"}",
        [good("2").as_bytes(), b"\r"].concat().as_slice(),
        long.as_bytes(),
        b"[]",
        good("1").as_bytes(),
        br#"{"user_id": "00000000-0000-0000-0000-000000000009"}"#,
    ] {
        body.extend_from_slice(line);
        body.push(b'\n');
    }
    body.extend_from_slice(good("3").as_bytes());
    let (status, answer) = post_lines(&server, body).await;
    assert_eq!(status, 207);
    assert_eq!(codes(&answer), [201, 400, 400, 201, 413, 422, 200, 422, 201]);
    let detail = |n: usize| answer["results"][n]["error"]["detail"].as_str().unwrap();
    assert!(detail(1).contains("line 3, column 11"), "{}", detail(1));
    assert_eq!(detail(2), "invalid UTF-8 at line 5, column 13");
    assert!(
        detail(4).contains("1048576 bytes, this one has 3145742"),
        "{}",
        detail(4)
    );
    assert_eq!(answer.get("stopped"), None);
    assert_eq!(stored(&server).await, 3);
    assert_eq!(post_lines(&server, "\n\n").await, (207, json!({"results": []})));
}

/// A body that is sent piece by piece.
fn body_of(pieces: mpsc::UnboundedReceiver<String>) -> Body {
    Body::wrap_stream(stream::unfold(pieces, async |mut pieces| {
        let piece = pieces.recv().await?;
        Some((Ok::<_, std::io::Error>(piece), pieces))
    }))
}

async fn what_has_arrived_is_stored_before_the_body_ends(database: TestDatabase) {
    let server = TestServer::new(database).await;
    let (sender, pieces) = mpsc::unbounded_channel();
    let request = request(&server, INGEST).header("content-type", "application/jsonl");
    let answer = tokio::spawn(request.body(body_of(pieces)).send());
    let lines = numbered(&server, 750);
    // Pieces end anywhere.
    for piece in lines.as_bytes().chunks(997) {
        sender.send(String::from_utf8(piece.to_vec()).unwrap()).unwrap();
    }
    while stored(&server).await < 500 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert!(!answer.is_finished());
    drop(sender);
    let (status, answer) = shown(answer.await.unwrap().unwrap()).await;
    assert_eq!((status, codes(&answer)), (201, vec![201; 750]));
}

async fn a_body_that_does_not_go_on_is_answered_so_far(database: TestDatabase) {
    let settings = ServerSettings {
        request_timeout: Duration::from_secs(2),
        ..ServerSettings::default()
    };
    let server = TestServer::with(database, settings).await;
    let (sender, pieces) = mpsc::unbounded_channel();
    let request = request(&server, INGEST).header("content-type", "application/x-ndjson");
    let answer = tokio::spawn(request.body(body_of(pieces)).send());
    sender.send(numbered(&server, 3) + "{\"user_id\"").unwrap();
    let (status, answer) = shown(answer.await.unwrap().unwrap()).await;
    assert_eq!((status, codes(&answer)), (207, vec![201; 3]));
    assert_eq!(answer["stopped"]["code"], "request_timeout");
    assert_eq!(stored(&server).await, 3);
}

async fn there_may_be_so_many(database: TestDatabase) {
    let server = TestServer::new(database).await;
    let first = numbered(&server, 1);
    let (status, answer) = post_lines(&server, [&*first, &"\n".repeat(100_000)].concat()).await;
    assert_eq!((status, codes(&answer)), (207, vec![201]));
    assert_eq!(answer["stopped"]["detail"], "a request may have 100000 lines");
    let (status, problem) = post_lines(&server, "\n".repeat(100_001)).await;
    assert_eq!((status, &problem["code"]), (413, &json!("body_too_large")));
    // Each is told at length what is wrong with it.
    let (status, answer) = post_lines(&server, "0\n".repeat(100_000)).await;
    assert_eq!(status, 207);
    assert!((50_000..99_000).contains(&codes(&answer).len()));
    assert_eq!(answer["stopped"]["detail"], "results may have 16777216 bytes");
}
