//! Review over HTTP.

use pawl_testkit::http::{Method, StatusCode};
use pawl_testkit::{Engine, Identity, TestDatabase, TestServer, on_both_engines, over_firestore};
use serde_json::{Value, json};

use crate::eval_tests::mined;

on_both_engines!(
    a_draft_is_edited_approved_and_then_stays,
    refusals_say_what_to_do,
    a_draft_from_elsewhere_keeps_every_member,
);

over_firestore!(
    a_draft_is_edited_approved_and_then_stays,
    refusals_say_what_to_do,
    without_firestore_there_is_a_problem_that_says_so,
);

async fn without_firestore_there_is_a_problem_that_says_so(database: TestDatabase) {
    let (mut server, path) = drafted(database).await;
    let actions = [
        (Method::GET, path.clone()),
        (Method::GET, "/api/suggestions".to_owned()),
        (Method::GET, "/eval-tests/health".to_owned()),
        (Method::POST, [&path, "/approve"].concat()),
        (Method::POST, "/eval-tests/run-once".to_owned()),
    ];
    server.database.firestore = None;
    for (method, path) in actions {
        let (status, problem) = send(&server, Identity::UserA, (method, &path), &json!({})).await;
        assert_eq!(
            (status, &problem["code"]),
            (502, &"suggestions_failed".into()),
            "{path}"
        );
        let detail = problem["detail"].as_str().unwrap();
        assert!(
            detail.starts_with("Firestore cannot be reached: check the network"),
            "{detail}"
        );
    }
    // Who keeps theirs in the database misses nothing.
    let (status, _) = send(
        &server,
        Identity::UserB,
        (Method::POST, "/eval-tests/run-once"),
        &json!({}),
    )
    .await;
    assert_eq!(status, 200);
}

async fn send(
    server: &TestServer,
    who: Identity,
    (method, path): (Method, &str),
    body: &Value,
) -> (u16, Value) {
    let request = server.request(who, method, path).body(body.to_string());
    let answer = request.send().await.unwrap();
    (answer.status().as_u16(), answer.json().await.unwrap())
}

async fn get(server: &TestServer, path: &str) -> Value {
    let answer = server.get(Identity::UserA, path).send().await.unwrap();
    assert_eq!(answer.status(), StatusCode::OK, "{path}");
    answer.json().await.unwrap()
}

/// A server with a suggestion that has a template for a draft, and the path of the suggestion.
async fn drafted(database: TestDatabase) -> (TestServer, String) {
    let (server, id) = mined(database).await;
    let path = "/eval-tests/run-once";
    let (status, _) = send(&server, Identity::UserA, (Method::POST, path), &json!({})).await;
    assert_eq!(status, 200);
    (server, ["/api/suggestions/", &id].concat())
}

fn written(draft: &Value) -> Value {
    let mut draft = draft.clone();
    draft["title"] = "Opened software stays".into();
    draft["input"]["required_state"] = Value::Null;
    draft["assertions"] = json!({"required": [], "forbidden": ["Must not contain \"within 90 days\""]});
    draft
}

async fn a_draft_is_edited_approved_and_then_stays(database: TestDatabase) {
    let (server, path) = drafted(database).await;
    let before = get(&server, &path).await["suggestion_content"]["eval_test"].clone();
    let edit = (Method::PUT, [&path, "/eval-test"].concat());
    let edit = (edit.0, edit.1.as_str());
    // What was read is sent back whole, with what a person wrote in it.
    let body = written(&before);
    let (status, artifact) = send(&server, Identity::UserA, edit.clone(), &body).await;
    assert_eq!(status, 200, "{artifact}");
    let draft = &artifact["eval_test"];
    assert_eq!(draft["assertions"], body["assertions"]);
    assert_eq!(
        (&draft["edit_source"], &draft["status"]),
        (&"human".into(), &"draft".into())
    );
    assert_eq!(draft["generated_at"], before["generated_at"]);
    assert_eq!(artifact["eval_test_proof"]["verdict"], "proven");
    // The same once more is of a version that is gone; it says so, unless its time is left out.
    let (status, problem) = send(&server, Identity::UserA, edit.clone(), &body).await;
    assert_eq!((status, &problem["code"]), (409, &"conflict".into()));
    let mut newest = body.clone();
    newest.as_object_mut().unwrap().remove("updated_at");
    assert_eq!(send(&server, Identity::UserA, edit.clone(), &newest).await.0, 200);
    // Nobody else sees it.
    assert_eq!(send(&server, Identity::UserB, edit.clone(), &newest).await.0, 404);

    let approve = [&path, "/approve"].concat();
    let approve = (Method::POST, approve.as_str());
    assert_eq!(
        send(&server, Identity::UserB, approve.clone(), &json!({}))
            .await
            .0,
        404
    );
    let (status, suggestion) = send(&server, Identity::UserA, approve.clone(), &json!({})).await;
    assert_eq!((status, &suggestion["status"]), (200, &"approved".into()));
    assert_eq!(suggestion["approval_metadata"]["action"], "approved");
    let actor = suggestion["approval_metadata"]["actor"].as_str().unwrap();
    assert!(actor.contains('@'), "{actor}");
    let (status, problem) = send(&server, Identity::UserA, approve, &json!({})).await;
    assert_eq!(status, 409);
    assert_eq!(problem["detail"], format!("it is approved already, by {actor}"));
    assert_eq!(send(&server, Identity::UserA, edit, &newest).await.0, 409);
}

async fn refusals_say_what_to_do(database: TestDatabase) {
    let (server, path) = drafted(database).await;
    let before = get(&server, &path).await["suggestion_content"]["eval_test"].clone();
    let to = |action: &str| [&path, action].concat();
    let post = |action: &'static str, body: Value| {
        let (server, path) = (&server, to(action));
        async move { send(server, Identity::UserA, (Method::POST, &path), &body).await }
    };
    let put = |body: Value| {
        let (server, path) = (&server, to("/eval-test"));
        async move { send(server, Identity::UserA, (Method::PUT, &path), &body).await }
    };
    let export = server.get(Identity::UserA, &to("/export")).send().await.unwrap();
    assert_eq!(export.status(), StatusCode::CONFLICT);
    let (status, problem) = post("/approve", json!({"notes": "good"})).await;
    assert_eq!(status, 409);
    assert_eq!(problem["detail"], "its draft needs human input: edit it first");
    let (status, problem) = post("/reject", json!({"reason": " "})).await;
    assert_eq!((status, &problem["errors"][0]["field"]), (422, &"reason".into()));
    let (status, _) = post("/reject", json!({"because": "x"})).await;
    assert_eq!(status, 422);
    let (status, problem) = post("/approve", json!({"by": "somebody else"})).await;
    assert_eq!(status, 422);
    assert!(
        problem["detail"].as_str().unwrap().contains("own name"),
        "{problem}"
    );

    let mut bad = written(&before);
    bad["title"] = "x".repeat(300).into();
    bad["input"]["prompt"] = "Mail me at jane.doe@example.com".into();
    bad["assertions"]["required"] = json!(["TODO: something"]);
    let (status, problem) = put(bad).await;
    assert_eq!(status, 422);
    let fields: Vec<&Value> = problem["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|error| &error["field"])
        .collect();
    assert_eq!(fields, ["title", "input.prompt", "assertions.required[0]"]);
    let mut unknown = written(&before);
    unknown["colour"] = "red".into();
    assert_eq!(put(unknown).await.0, 422);
    assert_eq!(
        get(&server, &path).await["suggestion_content"]["eval_test"],
        before
    );

    // One that says too little to be proven needs a note.
    let mut vague = written(&before);
    vague["assertions"]["forbidden"] = json!(["Must not be wrong"]);
    assert_eq!(put(vague).await.0, 200);
    let (status, problem) = post("/approve", json!({})).await;
    assert_eq!(status, 422);
    assert!(
        problem["detail"].as_str().unwrap().contains("needs a note"),
        "{problem}"
    );
    let by_service = json!({"notes": "we watch it", "by": "release bot"});
    let user = server.user_a.id;
    let approve = format!("{}?user_id={user}", to("/approve"));
    let (status, suggestion) = send(&server, Identity::Service, (Method::POST, &approve), &by_service).await;
    assert_eq!(
        (status, &suggestion["approval_metadata"]["actor"]),
        (200, &"release bot".into())
    );
    assert_eq!(suggestion["approval_metadata"]["notes"], "we watch it");
}

const SAMPLE: &str = include_str!("sample_draft.json");

async fn a_draft_from_elsewhere_keeps_every_member(database: TestDatabase) {
    let (server, path) = drafted(database).await;
    let statement = match server.database.engine {
        Engine::Sqlite => concat!(
            "update suggestions set suggestion_content = json_object('eval_test', json('",
            include_str!("sample_draft.json"),
            "'))"
        ),
        Engine::Postgres => concat!(
            "update suggestions set suggestion_content = jsonb_build_object('eval_test', '",
            include_str!("sample_draft.json"),
            "'::jsonb)"
        ),
    };
    server.database.run(statement).await;
    let sample: Value = serde_json::from_str(SAMPLE).unwrap();
    let artifact = get(&server, &path.replace("/api/suggestions/", "/eval-tests/")).await;
    assert_eq!(sorted(&artifact["eval_test"]), sorted(&sample));
    assert!(artifact["eval_test"]["assertions"]["golden_output"].is_null());
    assert!(artifact["eval_test"]["assertions"].get("notes").is_none());
    let approve = [&path, "/approve"].concat();
    let body = json!({"notes": "as it came"});
    let (status, _) = send(&server, Identity::UserA, (Method::POST, &approve), &body).await;
    assert_eq!(status, 200);
    let artifact = get(&server, &path.replace("/api/suggestions/", "/eval-tests/")).await;
    assert_eq!(sorted(&artifact["eval_test"]), sorted(&sample));

    let export = |format: &str| {
        server
            .get(Identity::UserA, &format!("{path}/export{format}"))
            .send()
    };
    let file = export("?format=jsonl").await.unwrap();
    assert_eq!(file.headers()["content-type"], "application/x-ndjson");
    let line: Value = serde_json::from_str(&file.text().await.unwrap()).unwrap();
    assert_eq!(sorted(&line), sorted(&sample));
    let golden: Value = export("").await.unwrap().json().await.unwrap();
    assert_eq!(golden[0]["input"], sample["input"]["prompt"]);
    assert_eq!(
        export("?format=excel").await.unwrap().status(),
        StatusCode::UNPROCESSABLE_ENTITY
    );
    let other = server
        .get(Identity::UserB, &format!("{path}/export"))
        .send()
        .await
        .unwrap();
    assert_eq!(other.status(), StatusCode::NOT_FOUND);
}

/// As bytes, with the keys of every object in order.
fn sorted(value: &Value) -> String {
    let mut value = value.clone();
    value.sort_all_objects();
    value.to_string()
}
