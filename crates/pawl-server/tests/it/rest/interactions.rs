//! Interactions and policies by the data API: what is added goes through intake.

use pawl_testkit::{Identity, TestDatabase, TestServer, on_both_engines};

use super::Transcript;

on_both_engines!(interactions_are_added, policies_are_written);

const SHOWN: &str =
    "evaluations?select=interaction_id,prompt,score,latency_ms,flags,pii_tokens_redacted,redactions,trace";
const REPRESENTATION: (&str, &str) = ("prefer", "return=representation");

/// Rows as the samples of the documentation have them.
const SAMPLES: &str = r#"[
    {"interaction_id": "session_001", "prompt": "What is the capital of France?",
     "response": "The capital of France is Paris.", "score": 0.95, "latency_ms": 120, "flags": [],
     "pii_tokens_redacted": 0},
    {"interaction_id": "session_003", "prompt": "What is my email address?",
     "response": "I cannot access your personal information.", "score": 0.780, "latency_ms": 95,
     "flags": ["pii_request"], "pii_tokens_redacted": 3}
]"#;

fn one(id: &str, more: &str) -> String {
    format!(r#"{{"interaction_id": "{id}", "prompt": "p", "response": "r"{more}}}"#)
}

async fn interactions_are_added(database: TestDatabase) {
    let server = TestServer::new(database).await;
    let mut a = Transcript::new(&server, Identity::UserA);
    let policy = r#"{"obfuscate_pii": true, "max_eval_per_day": 4}"#;
    a.post(
        "evaluation_configs?select=max_eval_per_day,version",
        &[REPRESENTATION],
        policy,
    )
    .await;
    a.post(SHOWN, &[REPRESENTATION], SAMPLES).await;
    // The same again, as an error and passed over.
    a.post(SHOWN, &[REPRESENTATION], &one("session_001", "")).await;
    let ignoring = ("prefer", "return=representation,resolution=ignore-duplicates");
    let again = ["[", &one("session_001", ""), ",", &one("x", ""), "]"].concat();
    let on_conflict = [SHOWN, "&on_conflict=user_id,interaction_id"].concat();
    a.post(&on_conflict, &[ignoring], &again).await;
    let merging = ("prefer", "resolution=merge-duplicates");
    a.post(&on_conflict, &[merging], &one("x", "")).await;
    // Nothing personal is stored.
    let personal = one(
        "y",
        r#", "flags": ["of canary@example.org"], "trace": [{"name": "mail", "arguments": {"to": "canary@example.org"}}]"#,
    );
    a.post(SHOWN, &[REPRESENTATION], &personal).await;
    // Four are stored: the day is full.
    a.post(SHOWN, &[REPRESENTATION], &one("z", "")).await;
    // What breaks a rule.
    for more in [
        r#", "score": 1.5"#,
        r#", "latency_ms": -1"#,
        r#", "sample_weight": 0"#,
        r#", "flags": null"#,
        r#", "received_at": "2026-01-01T00:00:00""#,
        r#", "user_id": "00000000-0000-0000-0000-00000000000a""#,
    ] {
        a.post("evaluations", &[], &one("w", more)).await;
    }
    a.post("evaluations", &[], r#"{"interaction_id": "w", "prompt": "p"}"#)
        .await;
    // They are neither changed nor removed.
    a.patch("evaluations?interaction_id=eq.x", &[], r#"{"score": 1}"#)
        .await;
    a.delete("evaluations?interaction_id=eq.x", &[]).await;
    a.get("evaluations?select=interaction_id,score&order=interaction_id")
        .await;
    let mut b = Transcript::new(&server, Identity::UserB);
    b.get("evaluations?select=interaction_id").await;
    insta::assert_snapshot!("interactions", [a.text, b.text].concat());
    assert_eq!(
        server.database.number("select count(*) from intake_ledger").await,
        1
    );
    assert_eq!(
        server.database.number("select count(*) from stale_hours").await,
        0
    );
}

async fn policies_are_written(database: TestDatabase) {
    let server = TestServer::new(database).await;
    let mut a = Transcript::new(&server, Identity::UserA);
    let shown =
        "evaluation_configs?select=run_policy,sample_rate_pct,timezone,failure_flags,pii_patterns,version";
    let upsert = [("prefer", "return=representation,resolution=merge-duplicates")];
    let path = [shown, "&on_conflict=user_id"].concat();
    a.post(
        &path,
        &upsert,
        r#"{"run_policy": "sampled", "sample_rate_pct": 25}"#,
    )
    .await;
    a.post(
        &path,
        &upsert,
        r#"{"timezone": "Europe/Berlin", "failure_flags": ["bad", "worse"]}"#,
    )
    .await;
    for wrong in [
        r#"{"timezone": "Mars/Olympus"}"#,
        r#"{"run_policy": "never"}"#,
        r#"{"sample_rate_pct": 101}"#,
        r#"{"pii_patterns": [{"name": "x", "pattern": "("}]}"#,
        r#"{"pii_patterns": {"a": 1}}"#,
    ] {
        a.patch(shown, &[REPRESENTATION], wrong).await;
    }
    a.patch(
        shown,
        &[REPRESENTATION],
        r#"{"pii_patterns": [{"name": "ORDER", "pattern": "ORD-[0-9]+"}]}"#,
    )
    .await;
    insta::assert_snapshot!("policies", a.text);
}
