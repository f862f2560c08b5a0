//! Optimisations and promotions that callers begin and a worker makes.

use std::collections::BTreeMap;
use std::time::Duration;

use pawl_engine::evolve::Named;
use pawl_engine::promote::NewPrompt;
use pawl_engine::worker::WorkerSettings;
use pawl_engine::{ModelSettings, Models};
use pawl_server::ScriptedModel;
use pawl_testkit::http::{Method, Response, StatusCode};
use pawl_testkit::{Identity, TestDatabase, TestServer, on_both_engines, samples};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

on_both_engines!(
    from_a_quote_to_a_live_version_and_back,
    what_was_begun_is_stopped,
    what_was_stopped_goes_on,
);

const AGENT: &str = "read -r request\ncase \"$request\" in\n*sorry.*) echo sorry, please ;;\n*please.*) echo please ;;\n*) echo no ;;\nesac\n";

/// Proposes one rule after the other.
fn propose(asked: &str) -> String {
    let next = match asked.contains("Answer. Say please.") {
        true => "Answer. Say please. Say sorry.",
        false => "Answer. Say please.",
    };
    format!("```\n{next}\n```")
}

/// A server with a prompt of the first user, that knows one target and one suite.
pub(crate) async fn server(database: TestDatabase) -> (TestServer, ScriptedModel) {
    let folder = database.folder().join("suites");
    std::fs::create_dir(&folder).unwrap();
    let cases: String = (0..30)
        .map(|n| {
            format!(
                "  - {{id: case-{n}, vars: {{input: q{n}}}, assert: [{{type: contains, value: please}}, \
                 {{type: contains, value: sorry}}]}}\n"
            )
        })
        .collect();
    std::fs::write(folder.join("suite.yaml"), format!("tests:\n{cases}")).unwrap();
    let agent = database.folder().join("agent.sh");
    std::fs::write(&agent, AGENT).unwrap();
    let model = ScriptedModel::start(propose).await.unwrap();
    let lookup = |name: &str| (name == "OLLAMA_HOST").then(|| model.url());
    let models = Models::new(ModelSettings::from_variables(lookup, || samples::time(0)).unwrap());
    let targets = BTreeMap::from([("agent".to_owned(), format!("exec:sh {}", agent.display()))]);
    let named = Named::new(targets, Some(folder), models).unwrap();
    let server = TestServer::with_named(database, named).await;
    let components = samples::components("Answer.");
    let new = NewPrompt {
        user_id: server.user_a.id,
        name: "support",
        components: &components,
        by: "ada",
    };
    server.engine.add_prompt(new).await.unwrap();
    (server, model)
}

/// Works until it is dropped.
pub(crate) struct Worker(CancellationToken);

impl Worker {
    pub(crate) fn of(server: &TestServer) -> Self {
        let stop = CancellationToken::new();
        let settings = WorkerSettings {
            concurrency: 1,
            lease: Duration::from_secs(15),
            failed: |error| panic!("{error}"),
        };
        let (engine, until) = (server.engine.clone(), stop.clone());
        tokio::spawn(async move { engine.run_worker(settings, &until).await });
        Self(stop)
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

fn asked() -> Value {
    json!({"prompt": "support", "suite": "suite.yaml", "reflector": "ollama:scripted", "max_metric_calls": 300})
}

async fn send(server: &TestServer, path: &str, body: &Value) -> Response {
    let request = server.request(Identity::UserA, Method::POST, path);
    request.json(body).send().await.unwrap()
}

async fn read(server: &TestServer, path: &str) -> Value {
    let answer = server.get(Identity::UserA, path).send().await.unwrap();
    assert_eq!(answer.status(), StatusCode::OK, "{path}");
    answer.json().await.unwrap()
}

async fn until(it_is_so: impl AsyncFn() -> bool) {
    for _ in 0..600 {
        if it_is_so().await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("it never came to be so");
}

async fn from_a_quote_to_a_live_version_and_back(database: TestDatabase) {
    let (server, _model) = server(database).await;
    let mut dry = asked();
    dry["dry_run"] = true.into();
    let quoted = send(&server, "/api/optimizations", &dry).await;
    assert_eq!(quoted.status(), StatusCode::OK);
    let quoted: Value = quoted.json().await.unwrap();
    assert_eq!(quoted["run"], Value::Null);
    assert_eq!(quoted["quote"]["metric_calls"], 300);
    assert_eq!(
        read(&server, "/api/optimizations").await["optimizations"],
        json!([])
    );

    let begun = send(&server, "/api/optimizations", &asked()).await;
    assert_eq!(begun.status(), StatusCode::ACCEPTED);
    let place = begun.headers()["location"].to_str().unwrap().to_owned();
    let begun: Value = begun.json().await.unwrap();
    assert_eq!(
        (&begun["run"]["status"], &begun["quote"]),
        (&"pending".into(), &quoted["quote"])
    );
    let stranger = server.get(Identity::UserB, &place).send().await.unwrap();
    assert_eq!(stranger.status(), StatusCode::NOT_FOUND);

    // Watched from before it begins until it is over.
    let stream = server
        .get(Identity::UserA, &[&place, "/stream"].concat())
        .send()
        .await
        .unwrap();
    assert_eq!(stream.headers()["content-type"], "text/event-stream");
    let worker = Worker::of(&server);
    let told = tokio::time::timeout(Duration::from_secs(60), stream.text())
        .await
        .unwrap()
        .unwrap();
    let told: Vec<Value> = told
        .lines()
        .filter_map(|line| serde_json::from_str(line.strip_prefix("data: ")?).ok())
        .collect();
    assert_eq!(told[0]["status"], "pending");
    let last = told.last().unwrap();
    assert_eq!(
        (&last["status"], &last["best_score"]),
        (&"completed".into(), &json!(1.0))
    );

    let run = read(&server, &place).await;
    assert_eq!(run["status"], "completed");
    let points = run["progress"]["points"].as_array().unwrap();
    assert_eq!(points.len(), 3, "{run}");
    assert!(run["progress"]["spent"]["metric_calls"].as_u64().unwrap() <= 300);
    let candidates = read(&server, &[&place, "/candidates"].concat()).await;
    let best = candidates["candidates"].as_array().unwrap().iter();
    let best = best
        .clone()
        .find(|one| one["id"] == run["best_candidate_id"])
        .unwrap();
    assert_eq!(best["instructions"], "Answer. Say please. Say sorry.");

    let promotion = json!({"candidate_id": best["id"], "reason": "the suite passes"});
    let queued = send(&server, "/api/prompts/support/promote", &promotion).await;
    assert_eq!(queued.status(), StatusCode::ACCEPTED);
    let queued: Value = queued.json().await.unwrap();
    let verdict = loop {
        let prompt = read(&server, "/api/prompts/support").await;
        let verdicts = prompt["verdicts"].as_array().unwrap().clone();
        if let Some(verdict) = verdicts.iter().find(|one| one["id"] == queued["verdict_id"]) {
            break verdict.clone();
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    };
    assert_eq!(
        (&verdict["kind"], &verdict["decided_by"]),
        (&"promoted".into(), &json!(server.user_a.email)),
        "{verdict}"
    );
    let live = read(&server, "/api/prompts/support").await["live"].clone();
    assert_eq!(live["version"], 2);
    let back = send(
        &server,
        "/api/prompts/support/rollback",
        &json!({"reason": "to see"}),
    )
    .await;
    assert_eq!(back.status(), StatusCode::OK);
    assert_eq!(read(&server, "/api/prompts").await["prompts"][0]["version"], 1);
    drop(worker);

    for (path, body) in [
        (
            "/api/optimizations",
            json!({"prompt": "support", "target": "exec:true"}),
        ),
        (
            "/api/optimizations",
            json!({"prompt": "support", "suite": "../x"}),
        ),
        (
            "/api/optimizations",
            json!({"prompt": "support", "max_cost_usd": -1}),
        ),
        (
            "/api/prompts/support/promote",
            json!({"candidate_id": best["id"], "reason": " "}),
        ),
        (
            "/api/prompts/support/promote",
            json!({"candidate_id": "apc_none", "reason": "x"}),
        ),
        (
            "/api/prompts/support/promote",
            json!({"candidate_id": best["id"], "reason": "x", "by": "somebody"}),
        ),
        ("/api/prompts/support/rollback", json!({"reason": ""})),
    ] {
        let answer = send(&server, path, &body).await;
        assert_eq!(answer.status(), StatusCode::UNPROCESSABLE_ENTITY, "{path} {body}");
    }
}

async fn what_was_begun_is_stopped(database: TestDatabase) {
    let (server, _model) = server(database).await;
    let begun = send(&server, "/api/optimizations", &asked()).await;
    let place = begun.headers()["location"].to_str().unwrap().to_owned();
    let cancel = [&place, "/cancel"].concat();
    let other = server
        .request(Identity::UserB, Method::POST, &cancel)
        .send()
        .await
        .unwrap();
    assert_eq!(other.status(), StatusCode::NOT_FOUND);
    let stopped: Value = send(&server, &cancel, &Value::Null).await.json().await.unwrap();
    assert_eq!(stopped["status"], "stopping");
    let run = read(&server, &place).await;
    assert_eq!(
        (&run["status"], &run["finish"]),
        (&"cancelled".into(), &"it was stopped".into())
    );
    let again: Value = send(&server, &cancel, &Value::Null).await.json().await.unwrap();
    assert_eq!(again["status"], "over");
}

async fn what_was_stopped_goes_on(database: TestDatabase) {
    let (server, _model) = server(database).await;
    let begun = send(&server, "/api/optimizations", &asked()).await;
    let place = begun.headers()["location"].to_str().unwrap().to_owned();
    let [cancel, resume] = ["/cancel", "/resume"].map(|end| [&place, end].concat());
    let refusal = async || {
        let answer = send(&server, &resume, &Value::Null).await;
        assert_eq!(answer.status(), StatusCode::UNPROCESSABLE_ENTITY);
        answer.json::<Value>().await.unwrap()["detail"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    assert_eq!(
        refusal().await,
        "it is pending: only one that was stopped goes on"
    );
    send(&server, &cancel, &Value::Null).await;
    assert_eq!(refusal().await, "it is being stopped: try again in a moment");
    let other = server.request(Identity::UserB, Method::POST, &resume);
    assert_eq!(other.send().await.unwrap().status(), StatusCode::NOT_FOUND);
    // Its job finds that nobody wants it any more, and makes room for the next.
    let _worker = Worker::of(&server);
    until(async || send(&server, &resume, &Value::Null).await.status() == StatusCode::ACCEPTED).await;
    until(async || read(&server, &place).await["status"] == "completed").await;
    let run = read(&server, &place).await;
    assert!(run["best_score"].as_f64().unwrap() > 0.0, "{run}");
    assert_eq!(
        refusal().await,
        "it is completed: only one that was stopped goes on"
    );
}
