//! What agents are told of a policy.

use pawl_engine::auth::ExposeSecret as _;
use pawl_model::{KeyScope, RunPolicy};
use pawl_testkit::{Identity, TestDatabase, TestServer, on_both_engines};
use serde_json::{Value, json};

use super::{interaction, post, set_policy, shown};

on_both_engines!(an_agent_learns_the_policy_and_what_is_left);

async fn ask(server: &TestServer, query: &str) -> (u16, Value) {
    let path = ["/api/evals/policy", query].concat();
    let request = server
        .get(Identity::Nobody, &path)
        .header("x-ingestion-secret", &server.ingestion_secret);
    shown(request.send().await.unwrap()).await
}

async fn an_agent_learns_the_policy_and_what_is_left(database: TestDatabase) {
    let server = TestServer::new(database).await;
    set_policy(&server, |policy| {
        policy.run_policy = RunPolicy::Sampled;
        policy.sample_rate_pct = 25;
        policy.obfuscate_pii = true;
        policy.max_eval_per_day = 3;
        policy.timezone = "Asia/Kolkata".to_owned();
        policy.failure_flags = vec!["wrong_tool".to_owned()];
        policy.failure_score = 0.25;
    })
    .await;
    assert_eq!(post(&server, &interaction(server.user_a.id, "1")).await.0, 201);
    let of_a = ["?user_id=", &server.user_a.id.to_string()].concat();
    // It is the 4th of October, 0:16 in UTC.
    let expected = json!({"user_id": server.user_a.id, "run_policy": "sampled", "sample_rate_pct": 25,
        "obfuscate_pii": true, "max_eval_per_day": 3, "timezone": "Asia/Kolkata", "keep_failures": true,
        "failure_flags": ["wrong_tool"], "failure_score": 0.25, "sample_salt": "salt", "version": 1,
        "remaining_today": 2, "resets_at": "2024-10-04T18:30:00Z"});
    assert_eq!(ask(&server, &of_a).await, (200, expected.clone()));
    let of_b = ["?user_id=", &server.user_b.id.to_string()].concat();
    let (status, default) = ask(&server, &of_b).await;
    assert_eq!((status, &default["run_policy"]), (200, &json!("always")));
    assert_eq!(
        (&default["remaining_today"], &default["version"]),
        (&json!(1_000), &json!(0))
    );
    for (query, status, code) in [
        ("", 400, "invalid_parameter"),
        ("?user_id=x", 400, "invalid_parameter"),
        ("?user_id=00000000-0000-0000-0000-000000000009", 404, "not_found"),
    ] {
        let (answered, problem) = ask(&server, query).await;
        assert_eq!((answered, &problem["code"]), (status, &json!(code)), "{query}");
    }
    let key = server.engine.create_api_key(server.user_a.id, KeyScope::Ingest);
    let key = key.await.unwrap();
    for (query, status) in [("", 200), (&*of_a, 200), (&*of_b, 404)] {
        let path = ["/api/evals/policy", query].concat();
        let request = server
            .get(Identity::Nobody, &path)
            .bearer_auth(key.text.expose_secret());
        let (answered, answer) = shown(request.send().await.unwrap()).await;
        assert_eq!(answered, status, "{query}");
        if status == 200 {
            assert_eq!(answer, expected);
        }
    }
}
