//! Prompts, as agents read them.

use pawl_engine::promote::NewPrompt;
use pawl_testkit::http::StatusCode;
use pawl_testkit::{Identity, TestDatabase, TestServer, on_both_engines, samples};
use serde_json::{Value, json};

on_both_engines!(an_agent_sees_each_version_once);

async fn an_agent_sees_each_version_once(database: TestDatabase) {
    let server = TestServer::new(database).await;
    let path = "/api/prompts/support/live";
    let missing = server.get(Identity::UserA, path).send().await.unwrap();
    assert_eq!(missing.status(), StatusCode::NOT_FOUND);
    let components = samples::components("Answer.");
    let new = NewPrompt {
        user_id: server.user_a.id,
        name: "support",
        components: &components,
        by: "ada",
    };
    server.engine.add_prompt(new).await.unwrap();
    let first = server.get(Identity::UserA, path).send().await.unwrap();
    let tag = first.headers()["etag"].to_str().unwrap().to_owned();
    let live: Value = first.json().await.unwrap();
    assert_eq!(
        (&live["version"], &live["prompt"]),
        (&1.into(), &json!({"prompt": "Answer."}))
    );
    for known in [
        tag.clone(),
        format!("W/{tag}"),
        format!("\"x\", {tag}"),
        "*".to_owned(),
    ] {
        let again = server
            .get(Identity::UserA, path)
            .header("if-none-match", known)
            .send()
            .await
            .unwrap();
        assert_eq!(again.status(), StatusCode::NOT_MODIFIED);
        assert_eq!(again.headers()["etag"], tag.as_str());
        assert!(again.text().await.unwrap().is_empty());
    }
    let other = server
        .get(Identity::UserA, path)
        .header("if-none-match", "\"other\"")
        .send()
        .await
        .unwrap();
    assert_eq!(other.status(), StatusCode::OK);
    let stranger = server.get(Identity::UserB, path).send().await.unwrap();
    assert_eq!(stranger.status(), StatusCode::NOT_FOUND);
}
