//! Arrays: a result for each, in their order.

use pawl_testkit::{TestDatabase, TestServer, on_both_engines};
use serde_json::{Value, json};

use super::{changed, codes, fields, interaction, post, set_policy, stored};

on_both_engines!(
    each_is_answered_in_its_place,
    a_replayed_array_stores_nothing_twice,
    an_array_has_its_limit,
);

async fn each_is_answered_in_its_place(database: TestDatabase) {
    let server = TestServer::new(database).await;
    let user = server.user_a.id;
    set_policy(&server, |policy| policy.max_eval_per_day = 2).await;
    let (status, batch) = post(
        &server,
        &json!([
            interaction(user, "1"),
            changed(user, "2", json!({"score": 2})),
            interaction(user, "1"),
            changed(user, "1", json!({"prompt": "another"})),
            7,
            interaction(server.user_b.id, "1"),
            interaction(user, "3"),
            interaction(user, "4"),
            changed(user, "5", json!({"prompt": "x".repeat(1024 * 1024)})),
        ]),
    )
    .await;
    assert_eq!(status, 207);
    assert_eq!(
        codes(&batch),
        [201, 422, 200, 409, 422, 201, 201, 429, 413],
        "{batch}"
    );
    let results = batch["results"].as_array().unwrap();
    assert_eq!(results[0]["id"], results[2]["id"]);
    assert_eq!(results[2]["status"], "duplicate");
    assert_eq!(
        (results[1]["status"].as_str(), fields(&results[1]["error"])),
        (Some("refused"), vec!["score"])
    );
    assert_eq!(fields(&results[3]["error"]), ["prompt"]);
    assert!(results[7]["error"]["retry_after"].as_u64().unwrap() > 0);
    for result in results {
        let error = result.get("error");
        assert_eq!(error.is_none(), result.get("id").is_some(), "{result}");
        if let Some(error) = error {
            assert_eq!(error["status"], result["status_code"]);
        }
    }
    assert_eq!(stored(&server).await, 3);
}

async fn a_replayed_array_stores_nothing_twice(database: TestDatabase) {
    let server = TestServer::new(database).await;
    set_policy(&server, |policy| policy.max_eval_per_day = 2_000).await;
    let sent: Vec<Value> = (0..1_500)
        .map(|n| interaction(server.user_a.id, &n.to_string()))
        .collect();
    let (status, first) = post(&server, &json!(sent)).await;
    assert_eq!(status, 201, "every one is stored");
    let (status, again) = post(&server, &json!(sent)).await;
    assert_eq!((status, codes(&again)), (207, vec![200; 1_500]));
    let ids = |batch: &Value| {
        let results = batch["results"].as_array().unwrap().iter();
        results.map(|result| result["id"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(ids(&first), ids(&again));
    assert_eq!(stored(&server).await, 1_500);
    assert_eq!(
        server.database.number("select stored from intake_days").await,
        1_500
    );
}

async fn an_array_has_its_limit(database: TestDatabase) {
    let server = TestServer::new(database).await;
    assert_eq!(post(&server, &json!([])).await, (207, json!({"results": []})));
    let (status, batch) = post(&server, &json!(vec![0; 10_000])).await;
    assert_eq!((status, codes(&batch)), (207, vec![422; 10_000]));
    let (status, problem) = post(&server, &json!(vec![0; 10_001])).await;
    assert_eq!((status, &problem["code"]), (413, &json!("body_too_large")));
    assert_eq!(problem["detail"], "an array may have 10000 interactions");
}
