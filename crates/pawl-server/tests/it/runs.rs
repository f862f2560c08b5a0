//! `/api/runs`.

use pawl_engine::auth::ExposeSecret as _;
use pawl_model::{KeyScope, RunId, RunStatus, State, UserId};
use pawl_testkit::http::StatusCode;
use pawl_testkit::{Identity, TestDatabase, TestServer, on_both_engines, samples};
use serde_json::Value;

on_both_engines!(
    pages_of_runs_join_without_gap_or_overlap,
    a_run_shows_what_its_rows_come_to,
    pages_of_cases_are_in_the_order_of_the_data_set,
    two_runs_compare,
    the_service_names_the_tenant,
    what_cannot_be_is_refused,
    a_key_reads_what_its_tenant_has,
);

/// Stores runs of user A, three of each moment, and gives their ids newest first.
async fn store_runs(server: &TestServer, count: u32) -> Vec<RunId> {
    let mut stored = Vec::new();
    for n in 0..count {
        let mut run = samples::run(n);
        run.created_at = samples::time(i64::from(n / 3));
        run.user_id = Some(server.user_a.id);
        if n % 2 == 0 {
            run.status = RunStatus::Completed;
        }
        server.store_run(&run, &[]).await;
        stored.push((run.created_at, run.id));
    }
    stored.sort_unstable_by(|a, b| b.cmp(a));
    stored.into_iter().map(|(_, id)| id).collect()
}

/// A run of this user with cases of these states.
async fn store_cases(server: &TestServer, user: UserId, n: u32, states: &[State]) -> RunId {
    let mut run = samples::run(n);
    run.user_id = Some(user);
    let numbered = states.iter().zip(0..);
    let rows: Vec<_> = numbered
        .map(|(state, n)| samples::case(&run, n, *state))
        .collect();
    server.store_run(&run, &rows).await;
    run.id
}

async fn read(server: &TestServer, who: Identity, path: &str) -> Value {
    let answer = server.get(who, path).send().await.unwrap();
    assert_eq!(answer.status(), StatusCode::OK, "{path}");
    answer.json().await.unwrap()
}

async fn refused(server: &TestServer, who: Identity, path: &str) -> (u16, String) {
    let answer = server.get(who, path).send().await.unwrap();
    let status = answer.status().as_u16();
    assert_eq!(
        answer.headers()["content-type"],
        "application/problem+json",
        "{path}"
    );
    let problem: Value = answer.json().await.unwrap();
    assert_eq!(problem["status"], status);
    (status, problem["code"].as_str().unwrap().to_owned())
}

fn ids(page: &Value, list: &str) -> Vec<String> {
    let rows = page[list].as_array().unwrap();
    rows.iter()
        .map(|row| row["id"].as_str().unwrap().to_owned())
        .collect()
}

async fn pages_of_runs_join_without_gap_or_overlap(database: TestDatabase) {
    let server = TestServer::new(database).await;
    let stored = store_runs(&server, 25).await;
    let mut path = "/api/runs?limit=4".to_owned();
    let mut seen = Vec::new();
    loop {
        let page = read(&server, Identity::UserA, &path).await;
        seen.extend(ids(&page, "runs"));
        let Some(cursor) = page["next_cursor"].as_str() else {
            break;
        };
        path = ["/api/runs?limit=4&cursor=", cursor].concat();
    }
    assert_eq!(seen, stored.iter().map(RunId::to_string).collect::<Vec<_>>());
    assert_eq!(
        ids(
            &read(&server, Identity::UserA, "/api/runs?limit=25").await,
            "runs"
        )
        .len(),
        25
    );
    let completed = read(
        &server,
        Identity::UserA,
        "/api/runs?status=completed&suite=stories",
    )
    .await;
    assert_eq!(ids(&completed, "runs").len(), 13);
    let none = read(&server, Identity::UserA, "/api/runs?suite=other").await;
    assert_eq!(
        (ids(&none, "runs").len(), &none["next_cursor"]),
        (0, &Value::Null)
    );
    assert_eq!(
        ids(&read(&server, Identity::UserB, "/api/runs").await, "runs").len(),
        0
    );
}

async fn a_run_shows_what_its_rows_come_to(database: TestDatabase) {
    let server = TestServer::new(database).await;
    let states = [State::Passed, State::Passed, State::Failed, State::Error];
    let run = store_cases(&server, server.user_a.id, 1, &states).await;
    let mut detail = read(
        &server,
        Identity::UserA,
        &["/api/runs/", &run.to_string()].concat(),
    )
    .await;
    assert_eq!(detail["user_id"], server.user_a.id.to_string());
    detail["user_id"] = Value::Null;
    insta::allow_duplicates! { insta::assert_json_snapshot!("run", detail) };
}

async fn pages_of_cases_are_in_the_order_of_the_data_set(database: TestDatabase) {
    let server = TestServer::new(database).await;
    let states: Vec<State> = (0..30).map(|n| State::ALL[n % 4]).collect();
    let run = store_cases(&server, server.user_a.id, 1, &states).await;
    for (filter, expected) in [("", 30), ("&status=failed", 8), ("&status=skipped", 7)] {
        let base = ["/api/runs/", &run.to_string(), "/cases?limit=7", filter].concat();
        let mut path = base.clone();
        let mut ordinals = Vec::new();
        loop {
            let page = read(&server, Identity::UserA, &path).await;
            for case in page["cases"].as_array().unwrap() {
                ordinals.push(
                    case["input_data"]["id"].as_str().unwrap()[5..]
                        .parse::<u32>()
                        .unwrap(),
                );
            }
            let Some(cursor) = page["next_cursor"].as_str() else {
                break;
            };
            path = [&*base, "&cursor=", cursor].concat();
        }
        assert_eq!(ordinals.len(), expected, "{filter}");
        assert!(ordinals.is_sorted(), "{filter}: {ordinals:?}");
    }
}

async fn two_runs_compare(database: TestDatabase) {
    let server = TestServer::new(database).await;
    let a = store_cases(&server, server.user_a.id, 1, &[State::Passed; 20]).await;
    let mut states = [State::Passed; 20];
    states[..12].fill(State::Failed);
    let b = store_cases(&server, server.user_a.id, 2, &states).await;
    let path = ["/api/runs/", &a.to_string(), "/compare/", &b.to_string()].concat();
    let comparison = read(&server, Identity::UserA, &path).await;
    assert_eq!(comparison["lost"]["count"], 12);
    assert_eq!(comparison["a"]["tally"]["passed"], 20);
    assert_eq!(comparison["is_regression"], true);
    assert_eq!(
        refused(&server, Identity::UserB, &path).await,
        (404, "not_found".to_owned())
    );
}

async fn the_service_names_the_tenant(database: TestDatabase) {
    let server = TestServer::new(database).await;
    let of_a = store_cases(&server, server.user_a.id, 1, &[State::Passed])
        .await
        .to_string();
    let of_b = store_cases(&server, server.user_b.id, 2, &[State::Passed])
        .await
        .to_string();
    let for_b = ["?user_id=", &server.user_b.id.to_string()].concat();
    let runs = read(&server, Identity::Service, "/api/runs").await;
    assert_eq!(ids(&runs, "runs"), [&*of_a], "without a name, the first user's");
    let runs = read(&server, Identity::Service, &["/api/runs", &for_b].concat()).await;
    assert_eq!(ids(&runs, "runs"), [&*of_b]);
    let path = ["/api/runs/", &of_b].concat();
    assert_eq!(refused(&server, Identity::Service, &path).await.0, 404);
    read(&server, Identity::Service, &[&*path, &for_b].concat()).await;
    let nobody = "/api/runs?user_id=00000000-0000-0000-0000-000000000009";
    assert_eq!(refused(&server, Identity::Service, nobody).await.0, 404);
    assert_eq!(
        refused(&server, Identity::UserA, &["/api/runs", &for_b].concat())
            .await
            .0,
        404
    );
}

async fn what_cannot_be_is_refused(database: TestDatabase) {
    let server = TestServer::new(database).await;
    for (path, code) in [
        ("/api/runs?limit=0", "invalid_parameter"),
        ("/api/runs?limit=201", "invalid_parameter"),
        ("/api/runs?limit=x", "invalid_parameter"),
        ("/api/runs?cursor=x", "invalid_cursor"),
        ("/api/runs?user_id=x", "invalid_parameter"),
        ("/api/runs/x", "invalid_parameter"),
        ("/api/runs?status=%00", "invalid_parameter"),
    ] {
        assert_eq!(
            refused(&server, Identity::UserA, path).await,
            (400, code.to_owned()),
            "{path}"
        );
    }
    let run = store_cases(&server, server.user_a.id, 1, &[State::Passed])
        .await
        .to_string();
    let cases = ["/api/runs/", &run, "/cases?status=great"].concat();
    assert_eq!(refused(&server, Identity::UserA, &cases).await.0, 400);
    let unknown = "/api/runs/00000000-0000-0000-0000-000000000009";
    for path in [
        unknown.to_owned(),
        [unknown, "/cases"].concat(),
        [unknown, "/compare/", &run].concat(),
    ] {
        assert_eq!(
            refused(&server, Identity::UserA, &path).await,
            (404, "not_found".to_owned()),
            "{path}"
        );
    }
}

async fn a_key_reads_what_its_tenant_has(database: TestDatabase) {
    let server = TestServer::new(database).await;
    let run = store_cases(&server, server.user_b.id, 1, &[State::Passed])
        .await
        .to_string();
    let path = ["/api/runs/", &run].concat();
    for (scope, user, status) in [
        (KeyScope::Read, server.user_b.id, 200),
        (KeyScope::Read, server.user_a.id, 404),
        (KeyScope::Ingest, server.user_b.id, 403),
    ] {
        let key = server.engine.create_api_key(user, scope).await.unwrap();
        let request = server
            .get(Identity::Nobody, &path)
            .bearer_auth(key.text.expose_secret());
        assert_eq!(request.send().await.unwrap().status(), status, "{scope:?}");
    }
}
