//! One interaction, and each of its answers.

use futures::future::join_all;
use pawl_model::RunPolicy;
use pawl_testkit::http::StatusCode;
use pawl_testkit::{Identity, TestDatabase, TestServer, on_both_engines};
use serde_json::{Value, json};

use super::{INGEST, changed, fields, interaction, post, request, set_policy, shown, stored};

on_both_engines!(
    what_is_new_is_stored_and_its_repetition_is_not,
    other_content_under_the_same_id_names_what_differs,
    every_wrong_field_is_named_and_an_unknown_tenant_among_them,
    what_is_no_json_has_its_place,
    beyond_the_cap_the_rest_of_the_day_is_to_be_waited_for,
    the_sample_is_drawn_where_that_is_asked_for,
    tenants_have_ids_of_their_own,
    a_database_that_is_away_is_said,
    requests_that_share_a_commit_are_counted,
);

async fn what_is_new_is_stored_and_its_repetition_is_not(database: TestDatabase) {
    let server = TestServer::new(database).await;
    let sent = interaction(server.user_a.id, "session_12345");
    let (status, created) = post(&server, &sent).await;
    assert_eq!((status, &created["status"]), (201, &json!("created")));
    let again = post(&server, &sent).await;
    assert_eq!(again, (200, json!({"status": "duplicate", "id": created["id"]})));
    assert_eq!(stored(&server).await, 1);
    let kept = "select cast(id as text) || ' ' || interaction_id from evaluations";
    if server.database.engine == pawl_testkit::Engine::Postgres {
        let kept = server.database.text(kept).await;
        assert_eq!(kept, [created["id"].as_str().unwrap(), " session_12345"].concat());
    }
    let used = server.database.number("select stored from intake_days").await;
    assert_eq!(used, 1, "what is stored again is not counted again");
}

async fn other_content_under_the_same_id_names_what_differs(database: TestDatabase) {
    let server = TestServer::new(database).await;
    let user = server.user_a.id;
    let (_, created) = post(&server, &interaction(user, "i")).await;
    let other = json!({"response": "another", "score": null, "flags": []});
    let (status, problem) = post(&server, &changed(user, "i", other)).await;
    assert_eq!((status, &problem["code"]), (409, &json!("conflict")));
    assert_eq!(fields(&problem), ["response", "score", "flags"]);
    let detail = problem["detail"].as_str().unwrap();
    assert!(detail.contains(created["id"].as_str().unwrap()), "{detail}");
    assert_eq!(stored(&server).await, 1);
}

async fn every_wrong_field_is_named_and_an_unknown_tenant_among_them(database: TestDatabase) {
    let server = TestServer::new(database).await;
    let wrong = json!({"user_id": "00000000-0000-0000-0000-000000000009", "interaction_id": "", "prompt": null,
        "response": "r", "score": 1.5, "latency_ms": -1, "flags": "x", "pii_tokens_redacted": 0.5,
        "created_at": "yesterday", "lantency_ms": 1});
    let (status, problem) = post(&server, &wrong).await;
    assert_eq!((status, &problem["code"]), (422, &json!("unprocessable")));
    let all = [
        "user_id",
        "interaction_id",
        "prompt",
        "score",
        "latency_ms",
        "flags",
        "pii_tokens_redacted",
        "created_at",
        "lantency_ms",
    ];
    assert_eq!(fields(&problem), all);
    let unknown = json!({"field": "user_id", "message": "is no user of this instance"});
    assert_eq!(problem["errors"][0], unknown);
    let nobody = changed(
        server.user_a.id,
        "i",
        json!({"user_id": "00000000-0000-0000-0000-000000000009"}),
    );
    let (status, problem) = post(&server, &nobody).await;
    assert_eq!((status, &problem["errors"]), (422, &json!([unknown])));
    let (status, problem) = post(&server, &json!({"user_id": server.user_a.id})).await;
    assert_eq!(
        (status, fields(&problem)),
        (422, vec!["interaction_id", "prompt", "response"])
    );
    let (status, problem) = post(&server, &json!("text")).await;
    assert_eq!((status, fields(&problem)), (422, vec![""]));
    assert_eq!(stored(&server).await, 0);
}

async fn what_is_no_json_has_its_place(database: TestDatabase) {
    let server = TestServer::new(database).await;
    for (body, place) in [
        (&b"{\"score\": NaN}"[..], "line 1, column 11"),
        (b"{\n \"score\": -Infinity}", "line 2, column 12"),
        (b"", "line 1, column 0"),
        (b"{\"prompt\": \"\n", "line 1, column 12"),
        (b"{}\n{}", "line 2, column 1"),
        (b"[{},", "line 1, column 4"),
        (b"{\n\"prompt\": \"\xff\"}", "line 2, column 12"),
        (b"{\"prompt\": \"\\ud800\"}", "line 1, column"),
    ] {
        let request = request(&server, INGEST).header("content-type", "application/json");
        let (status, problem) = shown(request.body(body).send().await.unwrap()).await;
        let said = problem["detail"].as_str().unwrap();
        assert_eq!(
            (status, &problem["code"]),
            (400, &json!("invalid_json")),
            "{said}"
        );
        assert!(said.contains(place), "{said} is not at {place}");
    }
}

async fn beyond_the_cap_the_rest_of_the_day_is_to_be_waited_for(database: TestDatabase) {
    let server = TestServer::new(database).await;
    set_policy(&server, |policy| policy.max_eval_per_day = 1).await;
    let user = server.user_a.id;
    assert_eq!(post(&server, &interaction(user, "1")).await.0, 201);
    for _ in 0..2 {
        let answer = request(&server, INGEST)
            .json(&interaction(user, "2"))
            .send()
            .await
            .unwrap();
        assert_eq!(answer.status(), StatusCode::TOO_MANY_REQUESTS);
        let wait = answer.headers()["retry-after"].to_str().unwrap().to_owned();
        let (_, problem) = shown(answer).await;
        let midnight = server
            .engine
            .now()
            .date()
            .next_day()
            .unwrap()
            .midnight()
            .assume_utc();
        let left = (midnight - server.engine.now()).whole_seconds();
        assert_eq!((wait, &problem["retry_after"]), (left.to_string(), &json!(left)));
        assert_eq!(problem["code"], "over_cap");
    }
    assert_eq!(
        post(&server, &interaction(user, "1")).await.0,
        200,
        "it is stored already"
    );
    assert_eq!(post(&server, &interaction(server.user_b.id, "2")).await.0, 201);
    let attempts = "select cast(attempts as bigint) from intake_ledger where reason = 'over_cap' and interaction_id = '2'";
    assert_eq!(server.database.number(attempts).await, 2);
}

async fn the_sample_is_drawn_where_that_is_asked_for(database: TestDatabase) {
    let server = TestServer::new(database).await;
    set_policy(&server, |policy| {
        policy.run_policy = RunPolicy::Sampled;
        policy.sample_rate_pct = 0;
    })
    .await;
    let user = server.user_a.id;
    for (path, sent, status, said) in [
        (
            "/api/evals/ingest?apply_policy=true",
            interaction(user, "1"),
            202,
            "sampled_out",
        ),
        (
            "/api/evals/ingest?apply_policy=true",
            changed(user, "2", json!({"score": 0.1})),
            201,
            "created",
        ),
        (
            "/api/evals/ingest?apply_policy=false",
            interaction(user, "1"),
            201,
            "created",
        ),
        (INGEST, interaction(user, "3"), 201, "created"),
    ] {
        let (answered, answer) = shown(request(&server, path).json(&sent).send().await.unwrap()).await;
        assert_eq!((answered, &answer["status"]), (status, &json!(said)), "{path}");
    }
    let dropped = "select count(*) from intake_ledger where reason = 'sampled_out'";
    assert_eq!(server.database.number(dropped).await, 1);
    let odd = request(&server, "/api/evals/ingest?apply_policy=perhaps").json(&json!({}));
    let (status, problem) = shown(odd.send().await.unwrap()).await;
    assert_eq!((status, &problem["code"]), (400, &json!("invalid_parameter")));
}

async fn tenants_have_ids_of_their_own(database: TestDatabase) {
    let server = TestServer::new(database).await;
    let (of_a, first) = post(&server, &interaction(server.user_a.id, "session")).await;
    let (of_b, second) = post(&server, &interaction(server.user_b.id, "session")).await;
    assert_eq!((of_a, of_b), (201, 201));
    assert_ne!(first["id"], second["id"]);
}

async fn a_database_that_is_away_is_said(database: TestDatabase) {
    let server = TestServer::new(database).await;
    assert_eq!(post(&server, &interaction(server.user_a.id, "1")).await.0, 201);
    server.engine.close().await;
    let request = request(&server, INGEST).json(&interaction(server.user_a.id, "2"));
    let answer = request.send().await.unwrap();
    assert_eq!(answer.headers()["retry-after"], "1");
    let (status, problem) = shown(answer).await;
    assert_eq!((status, &problem["code"]), (503, &json!("database_unavailable")));
}

async fn requests_that_share_a_commit_are_counted(database: TestDatabase) {
    let server = TestServer::new(database).await;
    let count = async |name: &str| {
        let answer = server.get(Identity::Nobody, "/metrics").send().await.unwrap();
        let text = answer.text().await.unwrap();
        let mut counts = text.lines().filter_map(|line| line.strip_prefix(name));
        counts.next().unwrap().trim().parse::<u64>().unwrap()
    };
    assert_eq!(count("pawl_intake_groups_total").await, 0);
    let sent: Vec<Value> = (0..40)
        .map(|number: u32| interaction(server.user_a.id, &number.to_string()))
        .collect();
    let (first, rest) = sent.split_first().unwrap();
    assert_eq!(post(&server, first).await.0, 201);
    for (status, _) in join_all(rest.iter().map(|sent| post(&server, sent))).await {
        assert_eq!(status, 201);
    }
    assert_eq!(count("pawl_intake_requests_total").await, 40);
    // The first was alone; of the rest some came while others were being stored.
    assert!((2..40).contains(&count("pawl_intake_groups_total").await));
}
