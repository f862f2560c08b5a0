//! Handing interactions in to a server that answers from a script.

use pawl_model::{Json, NewInteraction, RunPolicy, Score, UserId};
use pawl_providers::{IngestClient, IngestError, Receipt};
use serde_json::json;
use time::macros::datetime;

use crate::server::{Reply, Server};

const USER: &str = "476b56c5-d886-4896-a5e0-ab0b56a5b3dd";

fn user() -> UserId {
    USER.parse().unwrap()
}

fn interaction() -> NewInteraction {
    NewInteraction {
        user_id: user(),
        interaction_id: "session_001".to_owned(),
        prompt: "What is the capital of France?".to_owned(),
        response: "The capital of France is Paris.".to_owned(),
        score: Score::parse("0.95"),
        latency_ms: None,
        flags: vec!["technical".to_owned()],
        pii_tokens_redacted: 2,
        created_at: Some(datetime!(2026-03-01 09:30 UTC)),
        sample_weight: Some(4.0),
        tool_calls: Json::parse(r#"[{"name":"look_up"}]"#).ok(),
        spans: None,
    }
}

fn json(status: &str, fields: &[&str], body: &serde_json::Value) -> Reply {
    Reply::new(status, fields, body.to_string().as_bytes())
}

fn client(server: &Server) -> IngestClient {
    IngestClient::new(&format!("http://{}/base/", server.address), "s3cret").unwrap()
}

#[tokio::test]
async fn an_interaction_is_sent_as_it_is_with_the_secret() {
    let busy = json(
        "503 Service Unavailable",
        &["retry-after: 0"],
        &json!({"code": "overloaded"}),
    );
    let created = json("201 Created", &[], &json!({"status": "created", "id": USER}));
    let server = Server::start(vec![busy, created]).await;
    let receipt = client(&server).send(&interaction()).await.unwrap();
    assert_eq!(receipt, Receipt::Created);
    let received = server.received();
    assert_eq!(received.len(), 2, "a busy server is asked again");
    assert_eq!(received[0].body, received[1].body);
    let head = received[1].head.to_ascii_lowercase();
    assert!(
        head.starts_with("post /base/api/evals/ingest http/1.1\r\n"),
        "{head}"
    );
    assert!(head.contains("\r\nx-ingestion-secret: s3cret"), "{head}");
    let expected = json!({
        "user_id": USER, "interaction_id": "session_001", "prompt": "What is the capital of France?",
        "response": "The capital of France is Paris.", "score": 0.95, "flags": ["technical"],
        "pii_tokens_redacted": 2, "created_at": "2026-03-01T09:30:00Z", "sample_weight": 4.0,
        "tool_calls": [{"name": "look_up"}],
    });
    assert_eq!(received[1].body, expected);
}

#[tokio::test]
async fn receipts_are_told_apart() {
    for (status, body, expected) in [
        ("200 OK", json!({"status": "duplicate"}), Receipt::Duplicate),
        ("409 Conflict", json!({"code": "conflict"}), Receipt::Conflict),
        (
            "429 Too Many Requests",
            json!({"code": "over_cap"}),
            Receipt::OverCap,
        ),
    ] {
        let server = Server::start(vec![json(status, &["retry-after: 3600"], &body)]).await;
        assert_eq!(client(&server).send(&interaction()).await.unwrap(), expected);
        assert_eq!(server.received().len(), 1, "{status}");
    }
}

#[tokio::test]
async fn refusals_say_who_refused_what() {
    let refused = json(
        "422 Unprocessable Content",
        &[],
        &json!({"detail": "`score` is wrong"}),
    );
    let server = Server::start(vec![refused]).await;
    let error = client(&server).send(&interaction()).await.unwrap_err();
    assert!(
        error.to_string().contains("422") && error.to_string().contains("`score` is wrong"),
        "{error}"
    );
    assert!(!error.is_usage());
    let server = Server::start(vec![json("401 Unauthorized", &[], &json!({}))]).await;
    let error = client(&server).send(&interaction()).await.unwrap_err();
    assert!(matches!(error, IngestError::Unauthenticated { .. }) && error.is_usage());
    assert!(!error.to_string().contains("s3cret"), "{error}");
    let error = IngestClient::new("http://127.0.0.1:1", "s")
        .unwrap()
        .send(&interaction())
        .await;
    assert!(matches!(error, Err(IngestError::Unreachable { .. })), "{error:?}");
    for url in ["127.0.0.1:8787", "ftp://host", "mailto:a@b"] {
        assert!(
            matches!(IngestClient::new(url, "s"), Err(IngestError::Url { .. })),
            "{url}"
        );
    }
    assert!(matches!(
        IngestClient::new("http://h", "a\nb"),
        Err(IngestError::Secret)
    ));
}

#[tokio::test]
async fn a_policy_is_read_and_an_unknown_tenant_named() {
    let policy = json!({
        "user_id": USER, "run_policy": "sampled", "sample_rate_pct": 25, "obfuscate_pii": true,
        "max_eval_per_day": 1000, "timezone": "Europe/Berlin", "keep_failures": false,
        "failure_flags": ["toxicity"], "failure_score": 0.4, "sample_salt": "salt", "version": 3,
        "remaining_today": 17, "resets_at": "2026-11-28T23:00:00Z", "something_new": 1,
    });
    let unknown = json("404 Not Found", &[], &json!({"code": "not_found"}));
    let elsewhere = json("404 Not Found", &[], &json!("no such page"));
    let server = Server::start(vec![json("200 OK", &[], &policy), unknown, elsewhere]).await;
    let fetched = client(&server).policy(user()).await.unwrap();
    assert_eq!(
        (fetched.remaining_today, fetched.resets_at),
        (17, datetime!(2026-11-28 23:00 UTC))
    );
    let policy = fetched.policy;
    assert_eq!(
        (policy.run_policy, policy.sample_rate_pct),
        (RunPolicy::Sampled, 25)
    );
    assert!(policy.obfuscate_pii && !policy.keep_failures);
    assert_eq!((policy.sample_salt.as_str(), policy.version), ("salt", 3));
    assert!(
        server.received()[0]
            .head
            .contains(&format!("/base/api/evals/policy?user_id={USER} "))
    );
    let unknown = client(&server).policy(user()).await.unwrap_err();
    assert!(matches!(unknown, IngestError::UnknownTenant { .. }) && unknown.is_usage());
    let elsewhere = client(&server).policy(user()).await.unwrap_err();
    assert!(matches!(elsewhere, IngestError::Refused { .. }), "{elsewhere}");
}
