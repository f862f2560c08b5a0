//! Searches and prompts through the data API: read by whose they are, written by nobody but to be marked as deleted.

use pawl_testkit::evolution::evolved;
use pawl_testkit::http::Method;
use pawl_testkit::{Identity, TestDatabase, TestServer, on_both_engines};
use serde_json::{Value, json};

on_both_engines!(searches_are_read_and_marked_as_deleted, what_is_live_is_only_read);

const TABLES: [&str; 6] = [
    "prompt_optimization_runs",
    "prompt_candidates",
    "prompt_evaluations",
    "prompts",
    "prompt_versions",
    "promotion_verdicts",
];

async fn rows(server: &TestServer, who: Identity, path: &str) -> Value {
    let path = ["/rest/v1/", path].concat();
    server.get(who, &path).send().await.unwrap().json().await.unwrap()
}

async fn searches_are_read_and_marked_as_deleted(database: TestDatabase) {
    let server = TestServer::new(database).await;
    evolved(&server, "Answer.").await;
    for table in TABLES {
        let mine = rows(&server, Identity::UserA, table).await;
        assert!(!mine.as_array().unwrap().is_empty(), "{table}: {mine}");
        assert_eq!(rows(&server, Identity::Service, table).await, mine, "{table}");
        assert_eq!(rows(&server, Identity::UserB, table).await, json!([]), "{table}");
    }
    let path = "prompt_candidates?select=id,reason,prompt_optimization_runs(signature_name),\
                prompt_evaluations(example_id,score,feedback)&order=step";
    assert_eq!(
        rows(&server, Identity::UserA, path).await[1],
        json!({
            "id": "apc_child", "reason": null,
            "prompt_optimization_runs": {"signature_name": "support"},
            "prompt_evaluations": [
                {"example_id": "validation:case-1", "score": 0.5, "feedback": "not kind Answer."}
            ],
        })
    );
    // The example's two questions: what failed, the worst first; and how each candidate does.
    let worst = "prompt_evaluations?select=id&deleted_at=is.null&score=lt.0.6&order=score.asc,id&limit=10";
    assert_eq!(
        rows(&server, Identity::UserA, worst).await,
        json!([{"id": "ape_test"}])
    );
    for (who, status) in [(Identity::UserA, 403), (Identity::Service, 200)] {
        let request = server.request(
            who,
            Method::PATCH,
            "/rest/v1/prompt_evaluations?id=eq.ape_test&select=id",
        );
        let answer = request
            .header("content-type", "application/json")
            .header("prefer", "return=representation")
            .body(r#"{"deleted_at": "2026-01-02T00:00:00"}"#)
            .send()
            .await
            .unwrap();
        assert_eq!(answer.status(), status, "{who:?}");
        let body: Value = answer.json().await.unwrap();
        match who {
            Identity::Service => assert_eq!(body, json!([{"id": "ape_test"}])),
            _ => assert_eq!(body["code"], "42501"),
        }
    }
    assert_eq!(rows(&server, Identity::UserA, worst).await, json!([]));
}

async fn what_is_live_is_only_read(database: TestDatabase) {
    let server = TestServer::new(database).await;
    evolved(&server, "Answer.").await;
    let before = rows(&server, Identity::Service, "prompt_versions").await;
    for table in ["prompts", "prompt_versions", "promotion_verdicts"] {
        for who in [Identity::UserA, Identity::Service] {
            for (method, body) in [
                (Method::POST, r#"{"name": "other"}"#),
                (Method::PATCH, r#"{"name": "other"}"#),
                (Method::DELETE, ""),
            ] {
                let path = ["/rest/v1/", table, "?name=eq.support"].concat();
                let path = match method == Method::POST {
                    true => ["/rest/v1/", table].concat(),
                    false => path,
                };
                let answer = server
                    .request(who, method.clone(), &path)
                    .header("content-type", "application/json")
                    .body(body)
                    .send()
                    .await
                    .unwrap();
                assert_eq!(answer.status(), 403, "{method} {table} as {who:?}");
            }
        }
    }
    assert_eq!(rows(&server, Identity::Service, "prompt_versions").await, before);
}
