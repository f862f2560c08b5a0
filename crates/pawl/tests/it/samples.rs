//! The rows of the documented samples, as they are typed: by SQL under row level security, and by the data API.

use std::io::Write as _;
use std::process::{Command, Stdio};

use pawl_testkit::Engine;
use pawl_testkit::http::{Client, StatusCode};
use serde_json::{Value, json};

use crate::rig::{Rig, Said};
use crate::serve::Serving;

const USER: &str = "476b56c5-d886-4896-a5e0-ab0b56a5b3dd";

const SERVICE_CLAIMS: &str =
    r#"select set_config('request.jwt.claims', '{"role":"service_role"}', false) is not null;"#;

const CONFIGURATION: &str = "
INSERT INTO evaluation_configs (id, user_id, run_policy, sample_rate_pct, obfuscate_pii, max_eval_per_day)
VALUES (
  gen_random_uuid(),
  '476b56c5-d886-4896-a5e0-ab0b56a5b3dd',
  'sampled',
  25,
  true,
  1000
);
";

const EVALUATIONS: &str = "
INSERT INTO evaluations (id, interaction_id, user_id, prompt, response, score, latency_ms, flags, pii_tokens_redacted, created_at)
VALUES 
  (
    gen_random_uuid(),
    'session_001',
    '476b56c5-d886-4896-a5e0-ab0b56a5b3dd',
    'What is the capital of France?',
    'The capital of France is Paris.',
    0.95,
    120,
    ARRAY[]::TEXT[],
    0,
    NOW()
  ),
  (
    gen_random_uuid(),
    'session_002',
    '476b56c5-d886-4896-a5e0-ab0b56a5b3dd',
    'Explain quantum computing',
    'Quantum computing uses quantum mechanics principles...',
    0.87,
    340,
    ARRAY['technical']::TEXT[],
    0,
    NOW()
  ),
  (
    gen_random_uuid(),
    'session_003',
    '476b56c5-d886-4896-a5e0-ab0b56a5b3dd',
    'What is my email address?',
    'I cannot access your personal information.',
    0.78,
    95,
    ARRAY['pii_request']::TEXT[],
    3,
    NOW()
  );
";

/// Has psql execute statements as the runtime role, with what each says.
fn psql(rig: &Rig, statements: &[&str]) -> Said {
    let mut psql = Command::new("psql")
        .args([
            "--no-psqlrc",
            "--quiet",
            "--tuples-only",
            "--no-align",
            "--set=ON_ERROR_STOP=1",
        ])
        .arg(rig.database.url())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = psql.stdin.take().unwrap();
    input.write_all(statements.concat().as_bytes()).unwrap();
    drop(input);
    psql.wait_with_output().unwrap().into()
}

/// Claims of a user who is logged in.
fn claims_of(user: &str) -> String {
    format!(
        "select set_config('request.jwt.claims', '{}', false) is not null;",
        json!({"role": "authenticated", "sub": user})
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn the_samples_are_typed_into_postgres_as_its_runtime_role() {
    let rig = Rig::new(Engine::Postgres).await;
    rig.say(&["user", "add", "ann@example.org", "--id", USER])
        .exits(0);
    let typed = psql(&rig, &[SERVICE_CLAIMS, CONFIGURATION, EVALUATIONS]).exits(0);
    assert_eq!((typed.out.trim(), typed.err.trim()), ("t", ""));
    let count = "select count(*), sum(pii_tokens_redacted) from evaluations;
        select run_policy, sample_rate_pct, obfuscate_pii, max_eval_per_day from evaluation_configs;";
    let own = psql(&rig, &[&claims_of(USER), count]).exits(0);
    assert_eq!(own.out, "t\n3|3\nsampled|25|t|1000\n");

    // Without claims, and with those of somebody else, there is nothing.
    assert_eq!(psql(&rig, &[count]).exits(0).out, "0|\n");
    rig.say(&["user", "add", "bob@example.org", "--json"]).exits(0);
    let bob = rig.say(&["user", "list", "--json"]).exits(0);
    let bob: Value = bob
        .out
        .lines()
        .next()
        .map(|line| serde_json::from_str(line).unwrap())
        .unwrap();
    assert_eq!(bob["email"], "bob@example.org");
    let as_bob = claims_of(bob["id"].as_str().unwrap());
    assert_eq!(psql(&rig, &[&as_bob, count]).exits(0).out, "t\n0|\n");
    let own_again = EVALUATIONS.replace("session_", "other_");
    for refused in [&own_again, CONFIGURATION] {
        let said = psql(&rig, &[&as_bob, refused]).exits(3);
        assert!(
            said.err.contains("violates row-level security policy"),
            "{}",
            said.err
        );
    }
    let nothing_changed =
        "with changed as (update evaluations set score = 0 returning 1) select count(*) from changed;
        with removed as (delete from evaluations returning 1) select count(*) from removed;";
    assert_eq!(psql(&rig, &[&as_bob, nothing_changed]).exits(0).out, "t\n0\n0\n");
    assert_eq!(
        psql(&rig, &[&claims_of(USER), nothing_changed]).exits(0).out,
        "t\n0\n0\n"
    );
    assert_eq!(
        psql(&rig, &[SERVICE_CLAIMS, "select count(*) from evaluations;"])
            .exits(0)
            .out,
        "t\n3\n"
    );

    // What was typed is exported like what was handed in, and masked as the policy says.
    let exported = rig.say(&["export", "interactions", "--user", USER]).exits(0);
    assert_eq!(exported.out.lines().count(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_samples_are_added_to_sqlite_by_the_data_api() {
    let rig = Rig::new(Engine::Sqlite).await;
    rig.say(&["user", "add", "ann@example.org", "--id", USER])
        .exits(0);
    let keys = rig.say(&["keys", "--json"]).exits(0).json();
    let key = keys["service_role_key"].as_str().unwrap();
    let serving = Serving::new(&rig);
    let client = Client::new();
    let post = async |table: &str, rows: Value| {
        let url = format!("http://{}/rest/v1/{table}", serving.address);
        let request = client.post(url).header("apikey", key).bearer_auth(key);
        let request = request
            .header("content-type", "application/json")
            .header("prefer", "return=representation");
        let answer = request.body(rows.to_string()).send().await.unwrap();
        (answer.status(), answer.text().await.unwrap())
    };
    let (status, answer) = post(
        "evaluation_configs",
        json!({"user_id": USER, "run_policy": "sampled", "sample_rate_pct": 25, "obfuscate_pii": true,
            "max_eval_per_day": 1000}),
    )
    .await;
    assert_eq!(status, StatusCode::CREATED, "{answer}");
    let rows = json!([
        {"interaction_id": "session_001", "user_id": USER, "prompt": "What is the capital of France?",
         "response": "The capital of France is Paris.", "score": 0.95, "latency_ms": 120, "flags": [],
         "pii_tokens_redacted": 0},
        {"interaction_id": "session_002", "user_id": USER, "prompt": "Explain quantum computing",
         "response": "Quantum computing uses quantum mechanics principles...", "score": 0.87, "latency_ms": 340,
         "flags": ["technical"], "pii_tokens_redacted": 0},
        {"interaction_id": "session_003", "user_id": USER, "prompt": "What is my email address?",
         "response": "I cannot access your personal information.", "score": 0.78, "latency_ms": 95,
         "flags": ["pii_request"], "pii_tokens_redacted": 3},
    ]);
    let (status, answer) = post("evaluations", rows).await;
    assert_eq!(status, StatusCode::CREATED, "{answer}");
    let added: Value = serde_json::from_str(&answer).unwrap();
    assert_eq!(added[0]["score"], json!(0.95));
    assert_eq!(added[1]["flags"], json!(["technical"]));
    assert_eq!(added[2]["pii_tokens_redacted"], json!(3));
    assert_eq!(rig.database.number("select count(*) from evaluations").await, 3);
    assert_eq!(rig.database.number("select stored from intake_days").await, 3);
    serving.stop().exits(0);
}
