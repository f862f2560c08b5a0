//! `/eval-tests`.

use pawl_engine::intake::Terms;
use pawl_model::{NewInteraction, Score};
use pawl_testkit::http::{Method, StatusCode};
use pawl_testkit::{Engine, Identity, TestDatabase, TestServer, on_both_engines, over_firestore, samples};
use serde_json::{Value, json};

on_both_engines!(
    drafts_are_generated_and_read,
    what_a_person_edited_is_a_conflict,
    bodies_are_read_strictly,
);

over_firestore!(drafts_are_generated_and_read, bodies_are_read_strictly);

/// A server where user A has one suggestion, and its id.
pub(crate) async fn mined(database: TestDatabase) -> (TestServer, String) {
    let server = TestServer::new(database).await;
    let failing = NewInteraction {
        prompt: "Can I return opened software?".to_owned(),
        response: "Yes, within 90 days.".to_owned(),
        score: Score::parse("0.1"),
        flags: vec!["hallucination".to_owned()],
        ..samples::interaction(server.user_a.id, "a")
    };
    server.engine.ingest(vec![failing], Terms::Whole).await.unwrap();
    let mut report = server.mine().await;
    let id = report.suggestions.remove(0).suggestion_id;
    (server, id)
}

async fn post(server: &TestServer, path: &str, body: &str) -> (u16, Value) {
    let request = server.request(Identity::UserA, Method::POST, path);
    let answer = request.body(body.to_owned()).send().await.unwrap();
    (answer.status().as_u16(), answer.json().await.unwrap())
}

async fn get(server: &TestServer, who: Identity, path: &str) -> (StatusCode, Value) {
    let answer = server.get(who, path).send().await.unwrap();
    (answer.status(), answer.json().await.unwrap())
}

async fn drafts_are_generated_and_read(database: TestDatabase) {
    let (server, id) = mined(database).await;
    let artifact = ["/eval-tests/", &id].concat();
    assert_eq!(
        get(&server, Identity::UserA, &artifact).await.0,
        StatusCode::NOT_FOUND
    );
    let (_, health) = get(&server, Identity::UserA, "/eval-tests/health").await;
    assert_eq!(
        (&health["status"], &health["pendingCount"]),
        (&"ok".into(), &1.into())
    );
    assert_eq!(
        (&health["config"]["batchSize"], &health["config"]["model"]),
        (&20.into(), &Value::Null)
    );

    let (status, dry) = post(&server, "/eval-tests/run-once", r#"{"dryRun": true}"#).await;
    assert_eq!((status, &dry["generatedCount"]), (200, &1.into()));
    assert_eq!(
        get(&server, Identity::UserA, &artifact).await.0,
        StatusCode::NOT_FOUND
    );
    let body = r#"{"batchSize": 5, "triggeredBy": "scheduled"}"#;
    let (status, summary) = post(&server, "/eval-tests/run-once", body).await;
    assert_eq!(status, 200);
    assert_eq!(
        (&summary["pickedUpCount"], &summary["triggeredBy"]),
        (&1.into(), &"scheduled".into())
    );
    assert_eq!(
        summary["suggestionOutcomes"],
        json!([{"suggestionId": id, "status": "generated", "errorReason": "model_not_configured"}])
    );
    let (status, found) = get(&server, Identity::UserA, &artifact).await;
    assert_eq!(status, StatusCode::OK);
    assert_eq!(
        (&found["suggestion_id"], &found["suggestion_status"]),
        (&id.clone().into(), &"pending".into())
    );
    assert_eq!(found["eval_test"]["eval_test_id"], ["eval_", &id].concat());
    assert_eq!(found["eval_test_proof"]["caught"], json!({"count": 0, "of": 1}));
    assert!(found.get("approval_metadata").is_none());
    let (_, health) = get(&server, Identity::UserA, "/eval-tests/health").await;
    assert_eq!(
        (&health["pendingCount"], &health["lastRun"]["generatedCount"]),
        (&0.into(), &1.into())
    );

    assert_eq!(
        get(&server, Identity::UserB, &artifact).await.0,
        StatusCode::NOT_FOUND
    );
    let (_, others) = get(&server, Identity::UserB, "/eval-tests/health").await;
    assert_eq!(
        (&others["pendingCount"], &others["lastRun"]),
        (&0.into(), &Value::Null)
    );
}

async fn what_a_person_edited_is_a_conflict(database: TestDatabase) {
    let (server, id) = mined(database).await;
    let path = ["/eval-tests/generate/", &id].concat();
    let (status, made) = post(&server, &path, "").await;
    assert_eq!((status, &made["status"]), (200, &"generated".into()));
    assert_eq!(made["evalTest"]["edit_source"], "generated");
    let by_hand = match server.database.engine {
        Engine::Sqlite => {
            "update suggestions set suggestion_content =
                json_set(suggestion_content, '$.eval_test.edit_source', 'human')"
        }
        Engine::Postgres => {
            "update suggestions set suggestion_content =
                jsonb_set(suggestion_content, '{eval_test,edit_source}', '\"human\"')"
        }
    };
    server.database.run(by_hand).await;
    let (status, problem) = post(&server, &path, "{}").await;
    assert_eq!((status, &problem["code"]), (409, &"conflict".into()));
    let (status, forced) = post(&server, &path, r#"{"forceOverwrite": true}"#).await;
    assert_eq!(
        (status, &forced["evalTest"]["edit_source"]),
        (200, &"generated".into())
    );
}

async fn bodies_are_read_strictly(database: TestDatabase) {
    let (server, _) = mined(database).await;
    for (body, status, code) in [
        (r#"{"batchSize": 0}"#, 422, "unprocessable"),
        (r#"{"batchSize": 201}"#, 422, "unprocessable"),
        (r#"{"batch_size": 5}"#, 422, "unprocessable"),
        (r#"{"triggeredBy": "someone"}"#, 422, "unprocessable"),
        (r#"{"dryRun": "#, 400, "invalid_json"),
    ] {
        let (found, problem) = post(&server, "/eval-tests/run-once", body).await;
        assert_eq!((found, problem["code"].as_str()), (status, Some(code)), "{body}");
    }
    let (status, _) = post(&server, "/eval-tests/generate/sugg_none", "").await;
    assert_eq!(status, 404);
    assert_eq!(
        server
            .database
            .number("select count(*) from eval_test_errors")
            .await,
        0
    );
}
