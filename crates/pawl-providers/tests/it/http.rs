//! HTTP endpoints.

use std::time::Duration;

use futures::future::join_all;
use pawl_model::TargetFailure;
use pawl_model::TargetFailureKind::{Broken, Malformed, Throttled, Timeout};
use pawl_providers::{TargetReply, TargetSettings};
use serde_json::{Value, json};

use crate::server::{Reply, Server};
use crate::{assert_failure, request, settings, target};

const TEXT: &[&str] = &["content-type: text/plain"];
const JSON: &[&str] = &["content-type: application/json; charset=utf-8"];

async fn call(server: &Server) -> Result<TargetReply, TargetFailure> {
    let spec = format!("http://{}/answer", server.address);
    target(&spec, &settings()).call(&request("hello")).await
}

async fn answer(fields: &[&str], body: &str) -> Result<Value, TargetFailure> {
    let server = Server::start(vec![Reply::new("200 OK", fields, body.as_bytes())]).await;
    Ok(call(&server).await?.output.output)
}

fn fine() -> Reply {
    Reply::new("200 OK", TEXT, b"fine")
}

#[tokio::test]
async fn the_request_is_posted_as_json() {
    let server = Server::start(vec![fine()]).await;
    let spec = format!("http://user:secret@{}/answer?mode=short", server.address);
    let reply = target(&spec, &settings()).call(&request("hello")).await.unwrap();
    assert_eq!(reply.output.output, json!("fine"));
    assert!(reply.latency > Duration::ZERO);
    let received = server.received().remove(0);
    let head = received.head.to_lowercase();
    assert!(head.starts_with("post /answer?mode=short http/1.1\r\n"), "{head}");
    assert!(head.contains("content-type: application/json"), "{head}");
    assert!(head.contains("authorization: basic dxnlcjpzzwnyzxq="), "{head}");
    assert_eq!(received.body, serde_json::to_value(request("hello")).unwrap());
}

#[tokio::test]
async fn text_and_json_are_read() {
    for (fields, body, output) in [
        (TEXT, "two\nlines\n", json!("two\nlines")),
        (TEXT, r#""quoted""#, json!(r#""quoted""#)),
        (TEXT, r#"{"output":[1]}"#, json!([1])),
        (JSON, r#""a \"text\"""#, json!(r#"a "text""#)),
        (JSON, r#"{"output":"x","tokens":3}"#, json!("x")),
        (JSON, r#"{"title":"x"}"#, json!(r#"{"title":"x"}"#)),
        (&[], "no type", json!("no type")),
    ] {
        assert_eq!(answer(fields, body).await.unwrap(), output, "{body}");
    }
}

#[tokio::test]
async fn what_breaks_the_contract_is_malformed() {
    assert_failure(
        answer(JSON, r#"{"output":NaN}"#).await,
        Malformed,
        "said to be JSON but is not",
    );
    assert_failure(
        answer(TEXT, r#"{"output":1,"cost_usd":"much"}"#).await,
        Malformed,
        "does not fit",
    );
    let server = Server::start(vec![Reply::new("200 OK", TEXT, b"ab\xff")]).await;
    assert_failure(call(&server).await, Malformed, "not UTF-8");
}

#[tokio::test]
async fn answers_have_a_bound() {
    let longest = vec![b'x'; 16 * 1024 * 1024];
    let longer = [longest.as_slice(), b"x"].concat();
    let server = Server::start(vec![
        Reply::new("200 OK", TEXT, &longest),
        Reply::new("200 OK", TEXT, &longer),
    ])
    .await;
    let reply = call(&server).await.unwrap();
    assert_eq!(reply.output.output.as_str().unwrap().len(), longest.len());
    assert_failure(call(&server).await, Malformed, "longer than 16 MiB");
}

#[tokio::test]
async fn other_statuses_are_failures_with_an_excerpt() {
    let body = format!("{{\"output\":\"never judged\"}}\u{7}{}", "x".repeat(10_000));
    let server = Server::start(vec![
        Reply::new("500 Internal Server Error", JSON, body.as_bytes()),
        Reply::new("404 Not Found", TEXT, b""),
    ])
    .await;
    let failure = call(&server).await.unwrap_err();
    assert_eq!(failure.kind, Broken);
    let expected = format!(
        "`http://{}/answer` answered 500 Internal Server Error: {{\"output\":\"never judged\"}}xxx",
        server.address
    );
    assert!(failure.message.starts_with(&expected), "{failure}");
    assert!(failure.message.chars().count() < 300, "{failure}");
    let failure = call(&server).await.unwrap_err();
    assert!(failure.message.ends_with("answered 404 Not Found"), "{failure}");
}

#[tokio::test]
async fn nobody_there_and_a_connection_that_breaks() {
    let free = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let spec = format!("http://user:secret@{}/", free.local_addr().unwrap());
    drop(free);
    let failure = target(&spec, &settings()).call(&request("")).await.unwrap_err();
    assert_eq!(failure.kind, Broken);
    assert!(
        failure.message.starts_with("cannot reach `http://***@127.0.0.1:"),
        "{failure}"
    );
    assert!(
        failure.message.contains("refused") && !failure.message.contains("secret"),
        "{failure}"
    );

    let cut = b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nnot all".to_vec();
    let server = Server::start(vec![Reply::Raw(cut)]).await;
    assert_failure(call(&server).await, Broken, "no whole answer from");
}

#[tokio::test]
async fn silence_is_a_timeout() {
    let server = Server::start(vec![Reply::Silence]).await;
    let hasty = TargetSettings {
        timeout: Duration::from_millis(100),
        ..settings()
    };
    let result = target(&format!("http://{}/", server.address), &hasty)
        .call(&request(""))
        .await;
    assert_failure(result, Timeout, "no answer within 0.1 s");
}

#[tokio::test]
async fn a_throttled_request_is_sent_again() {
    let server = Server::start(vec![
        Reply::new("429 Too Many Requests", &["retry-after: 0"], b"slow down"),
        Reply::new("503 Service Unavailable", &[], b""),
        fine(),
    ])
    .await;
    assert_eq!(call(&server).await.unwrap().output.output, json!("fine"));
    let received = server.received();
    assert_eq!(received.len(), 3);
    assert!(received.iter().all(|request| request.body == received[0].body));
}

#[tokio::test]
async fn the_server_says_how_long_to_wait() {
    let server = Server::start(vec![
        Reply::new("429 Too Many Requests", &["retry-after: 1"], b""),
        fine(),
    ])
    .await;
    let begin = tokio::time::Instant::now();
    let reply = call(&server).await.unwrap();
    assert!(begin.elapsed() >= Duration::from_secs(1));
    // Latency is that of the attempt that succeeded, without the wait.
    assert!(reply.latency + Duration::from_secs(1) <= begin.elapsed());
}

#[tokio::test]
async fn retries_end() {
    let server = Server::start(vec![Reply::new(
        "429 Too Many Requests",
        &["retry-after: 0"],
        b"",
    )])
    .await;
    assert_failure(
        call(&server).await,
        Throttled,
        "answered 429 Too Many Requests: 3 retries are used up",
    );
    assert_eq!(server.received().len(), 4);
}

#[tokio::test]
async fn a_wait_that_does_not_fit_fails_at_once() {
    let server = Server::start(vec![Reply::new(
        "429 Too Many Requests",
        &["retry-after: 3600"],
        b"",
    )])
    .await;
    assert_failure(call(&server).await, Throttled, "asks to wait 3600 s");
    assert_eq!(server.received().len(), 1);
}

#[tokio::test]
async fn a_throttled_endpoint_still_answers_everybody() {
    let mut replies = vec![Reply::new("429 Too Many Requests", &["retry-after: 0"], b""); 8];
    replies.push(fine());
    let server = Server::start(replies).await;
    let target = target(&format!("http://{}/", server.address), &settings());
    let requests: Vec<_> = (0..30).map(request).collect();
    let replies = join_all(requests.iter().map(|request| target.call(request))).await;
    assert!(replies.iter().all(Result::is_ok), "{replies:?}");
    assert_eq!(server.received().len(), 38);
}

#[tokio::test]
async fn redirects_stay_at_the_origin_and_repeat_the_post() {
    let other = Server::start(vec![fine()]).await;
    let server = Server::start(vec![
        Reply::new("308 Permanent Redirect", &["location: /answer/"], b""),
        fine(),
        Reply::new("302 Found", &["location: /login"], b""),
        Reply::new(
            "307 Temporary Redirect",
            &[&format!("location: http://{}/", other.address)],
            b"",
        ),
        Reply::new("308 Permanent Redirect", &["location: /again"], b""),
    ])
    .await;
    assert_eq!(call(&server).await.unwrap().output.output, json!("fine"));
    let followed = server.received().remove(1);
    assert!(followed.head.starts_with("POST /answer/ "), "{}", followed.head);
    assert_eq!(followed.body, serde_json::to_value(request("hello")).unwrap());
    assert_failure(
        call(&server).await,
        Broken,
        "redirect to `/login`, which is not followed",
    );
    assert_failure(
        call(&server).await,
        Broken,
        &format!("redirect to `http://{}/`", other.address),
    );
    assert!(other.received().is_empty());
    assert_failure(call(&server).await, Broken, "redirect to `/again`");
}
