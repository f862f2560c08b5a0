//! Lineage, as programs read it.

use pawl_testkit::http::StatusCode;
use pawl_testkit::{Identity, TestDatabase, TestServer, evolution, on_both_engines};
use serde_json::{Value, json};

on_both_engines!(what_led_to_what_is_told_to_whose_it_is);

async fn read(server: &TestServer, who: Identity, path: &str) -> Value {
    let answer = server.get(who, path).send().await.unwrap();
    assert_eq!(answer.status(), StatusCode::OK, "{path}");
    answer.json().await.unwrap()
}

async fn what_led_to_what_is_told_to_whose_it_is(database: TestDatabase) {
    let server = TestServer::new(database).await;
    evolution::evolved(&server, "Answer.").await;
    let prompt = read(&server, Identity::UserA, "/api/lineage/support").await;
    assert_eq!(prompt["nodes"][0]["kind"], "prompt");
    let before = prompt["led_to_it"].as_array().unwrap();
    assert_eq!((before.len(), &before[0]["kind"]), (1, &json!("verdict")));
    assert_eq!(before[0]["newest"]["sha256"].as_str().unwrap().len(), 64);
    let seed = read(&server, Identity::UserA, "/api/lineage/apc_seed").await;
    assert_eq!(seed["it_led_to"][0]["id"], "apc_child");
    let verified = read(&server, Identity::UserA, "/api/lineage").await;
    assert_eq!(
        (&verified["is_whole"], &verified["entries"]),
        (&json!(true), &json!(6))
    );
    let other = server
        .get(Identity::UserB, "/api/lineage/support")
        .send()
        .await
        .unwrap();
    assert_eq!(other.status(), StatusCode::NOT_FOUND);
    assert_eq!(read(&server, Identity::UserB, "/api/lineage").await["entries"], 0);
    server
        .database
        .tamper("update prompt_versions set candidate_id = 'apc_other'")
        .await;
    let verified = read(&server, Identity::UserA, "/api/lineage").await;
    assert_eq!(verified["is_whole"], false);
    assert_eq!(
        (&verified["broken"]["kind"], &verified["broken"]["id"]),
        (&json!("version"), &json!("support@1"))
    );
}
