//! `/api/suggestions` and `/api/mining`.

use pawl_engine::intake::Terms;
use pawl_model::{NewInteraction, Score, UserId};
use pawl_testkit::http::{Method, StatusCode};
use pawl_testkit::{Identity, TestDatabase, TestServer, on_both_engines, over_firestore, samples};
use serde_json::Value;

on_both_engines!(
    suggestions_are_listed_filtered_and_paged,
    others_suggestions_are_not_there,
    mining_is_queued_once,
);

over_firestore!(
    suggestions_are_listed_filtered_and_paged,
    others_suggestions_are_not_there,
);

fn failing(user: UserId, id: &str, flag: &str) -> NewInteraction {
    NewInteraction {
        prompt: format!("What about {flag}?"),
        response: "An answer.".to_owned(),
        score: Score::parse("0.2"),
        flags: vec![flag.to_owned()],
        ..samples::interaction(user, id)
    }
}

/// A server where user A has a suggestion for each of these flags.
async fn mined(database: TestDatabase, flags: &[&str]) -> TestServer {
    let server = TestServer::new(database).await;
    let user_id = server.user_a.id;
    for flag in flags {
        let interactions = vec![failing(user_id, flag, flag)];
        server.engine.ingest(interactions, Terms::Whole).await.unwrap();
        server.mine().await;
        server.clock.advance(std::time::Duration::from_secs(1));
    }
    server
}

async fn read(server: &TestServer, who: Identity, path: &str) -> Value {
    let answer = server.get(who, path).send().await.unwrap();
    assert_eq!(answer.status(), StatusCode::OK, "{path}");
    answer.json().await.unwrap()
}

fn kinds(page: &Value) -> Vec<&str> {
    let rows = page["suggestions"].as_array().unwrap();
    rows.iter()
        .map(|row| row["pattern"]["failure_type"].as_str().unwrap())
        .collect()
}

async fn suggestions_are_listed_filtered_and_paged(database: TestDatabase) {
    let server = mined(database, &["toxicity", "runaway_loop", "stale_data"]).await;
    let all = read(&server, Identity::UserA, "/api/suggestions").await;
    assert_eq!(kinds(&all), ["stale_data", "runaway_loop", "toxicity"]);
    assert_eq!(
        (&all["has_more"], &all["next_cursor"]),
        (&false.into(), &Value::Null)
    );
    for (query, expected) in [
        ("type=guardrail", &["runaway_loop"][..]),
        ("severity=medium", &["stale_data"]),
        ("status=approved", &[]),
        ("status=pending&type=eval", &["stale_data", "toxicity"]),
    ] {
        let page = read(&server, Identity::UserA, &["/api/suggestions?", query].concat()).await;
        assert_eq!(kinds(&page), expected, "{query}");
    }
    let first = read(&server, Identity::UserA, "/api/suggestions?limit=2").await;
    assert_eq!(kinds(&first), ["stale_data", "runaway_loop"]);
    let cursor = first["next_cursor"].as_str().unwrap();
    let path = ["/api/suggestions?limit=2&cursor=", cursor].concat();
    assert_eq!(kinds(&read(&server, Identity::UserA, &path).await), ["toxicity"]);

    let id = all["suggestions"][0]["suggestion_id"].as_str().unwrap();
    let one = read(&server, Identity::UserA, &["/api/suggestions/", id].concat()).await;
    assert_eq!(one["source_traces"][0]["pattern_id"], "pattern_stale_data");
    assert_eq!(one["version_history"][0]["new_status"], "pending");
    assert_eq!(one["recurrence_count"], 1);
    let runs = read(&server, Identity::UserA, "/api/mining").await;
    assert_eq!(runs["runs"].as_array().unwrap().len(), 3);
    assert_eq!(runs["runs"][0]["suggestion_count"], 1);
    let run = runs["runs"][0]["run_id"].as_str().unwrap();
    let run = read(&server, Identity::UserA, &["/api/mining/", run].concat()).await;
    assert_eq!(
        (&run["suggestion_count"], &run["errors"]),
        (&1.into(), &Value::Array(Vec::new()))
    );

    for query in [
        "limit=0",
        "cursor=x",
        "status=open",
        "type=test",
        "severity=worst",
    ] {
        let path = ["/api/suggestions?", query].concat();
        let answer = server.get(Identity::UserA, &path).send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::BAD_REQUEST, "{query}");
    }
}

async fn others_suggestions_are_not_there(database: TestDatabase) {
    let server = mined(database, &["toxicity"]).await;
    let own = read(&server, Identity::UserA, "/api/suggestions").await;
    let id = own["suggestions"][0]["suggestion_id"].as_str().unwrap();
    let path = ["/api/suggestions/", id].concat();
    let others = read(&server, Identity::UserB, "/api/suggestions").await;
    assert!(kinds(&others).is_empty());
    let answer = server.get(Identity::UserB, &path).send().await.unwrap();
    assert_eq!(answer.status(), StatusCode::NOT_FOUND);
    assert!(
        read(&server, Identity::UserB, "/api/mining").await["runs"]
            .as_array()
            .unwrap()
            .is_empty()
    );
    let named = format!("/api/suggestions?user_id={}", server.user_a.id);
    assert_eq!(
        kinds(&read(&server, Identity::Service, &named).await),
        ["toxicity"]
    );
}

async fn mining_is_queued_once(database: TestDatabase) {
    let server = TestServer::new(database).await;
    for (who, expected) in [
        (Identity::UserA, "queued"),
        (Identity::UserA, "waiting"),
        (Identity::UserB, "queued"),
    ] {
        let answer = server
            .request(who, Method::POST, "/api/mining")
            .send()
            .await
            .unwrap();
        assert_eq!(answer.status(), StatusCode::ACCEPTED);
        let body: Value = answer.json().await.unwrap();
        assert_eq!(body["status"], expected);
    }
    let metrics = server.get(Identity::Nobody, "/metrics").send().await.unwrap();
    let metrics = metrics.text().await.unwrap();
    assert!(metrics.contains("pawl_jobs{state=\"queued\"} 2\n"), "{metrics}");
    assert!(metrics.contains("pawl_jobs{state=\"dead\"} 0\n"), "{metrics}");
}
