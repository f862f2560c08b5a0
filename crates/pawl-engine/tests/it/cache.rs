//! The response cache, on both databases.

use pawl_engine::Actor;
use pawl_engine::run::{CacheMode, PlannedRun, RunRequest, TargetChoice};
use pawl_model::{CaseRecord, State, UserId};
use pawl_testkit::{ModelServer, Reply, Script, TestDatabase, on_both_engines, samples};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::rig::Rig;

on_both_engines!(
    what_was_answered_is_not_asked_again,
    errors_are_asked_again,
    everything_that_an_answer_depends_on_tells_answers_apart,
    tenants_have_their_own_answers,
    nothing_is_asked_where_only_the_cache_is_to_answer,
    answers_of_commands_are_not_kept,
);

const SUITE: &str = "
prompts: ['Say {{ word }}']
providers: [{id: 'openai:gpt-4o-mini'}]
defaultTest: {assert: [{type: llm-rubric, value: is polite}]}
tests:
  - {id: a, vars: {word: please}}
  - {id: b, vars: {word: thanks}}
";

fn script() -> Script {
    Script::new()
        .on("Say ", Reply::text("Please.").with_usage(10, 5))
        .otherwise(Reply::json(&json!({"evidence": "x", "score": 1, "pass": true})))
}

fn request(rig: &Rig, suite: &str, server: &ModelServer) -> RunRequest {
    RunRequest {
        suite: rig.file("suite.yaml", suite).into(),
        checks: None,
        target: TargetChoice::OfSuite,
        models: Rig::models(&server.variables()),
        cache: CacheMode::Use,
        ..rig.request(1, "echo")
    }
}

async fn run(rig: &Rig, request: &RunRequest) -> Vec<CaseRecord> {
    let report = rig.run(request).await.unwrap();
    rig.rows(&report).await
}

fn details(row: &CaseRecord) -> Value {
    row.details.as_ref().unwrap().to_value()
}

async fn what_was_answered_is_not_asked_again(database: TestDatabase) {
    let server = ModelServer::start(script()).await;
    let rig = Rig::new(database);
    let request = RunRequest {
        trials: 2,
        ..request(&rig, SUITE, &server)
    };
    let first = run(&rig, &request).await;
    assert_eq!(server.asked().len(), 8);
    assert!(first.iter().all(|row| details(row).get("cached").is_none()));
    let second = run(&rig, &request).await;
    assert_eq!(server.asked().len(), 8);
    for (first, second) in first.iter().zip(&second) {
        assert_eq!(second.status, Some(State::Passed));
        let same = |row: &CaseRecord| (row.output.clone(), row.latency_ms, row.cost_usd, row.score);
        assert_eq!(same(first), same(second));
        assert_eq!(details(second)["cached"], true);
        assert_eq!(details(second).get("judges"), None, "nobody was asked");
    }
    let off = RunRequest {
        cache: CacheMode::Off,
        ..request
    };
    run(&rig, &off).await;
    assert_eq!(server.asked().len(), 16);
}

async fn errors_are_asked_again(database: TestDatabase) {
    let script = Script::new()
        .next(2, Reply::status(400))
        .on("Say ", Reply::text("Please."))
        .otherwise(Reply::text("no verdict"));
    let server = ModelServer::start(script).await;
    let rig = Rig::new(database);
    let request = request(&rig, SUITE, &server);
    let state = |rows: &[CaseRecord]| rows.iter().filter_map(|row| row.status).collect::<Vec<_>>();
    assert_eq!(state(&run(&rig, &request).await), [State::Error, State::Error]);
    assert_eq!(server.asked().len(), 2);
    assert_eq!(state(&run(&rig, &request).await), [State::Error, State::Error]);
    assert_eq!(server.asked().len(), 8, "the targets, and the judges twice");
    run(&rig, &request).await;
    assert_eq!(server.asked().len(), 12, "the judges twice");
}

async fn everything_that_an_answer_depends_on_tells_answers_apart(database: TestDatabase) {
    let server = ModelServer::start(script()).await;
    let rig = Rig::new(database);
    run(&rig, &request(&rig, SUITE, &server)).await;
    let mut asked = server.asked().len();
    for (suite, more) in [
        (
            SUITE.replace("gpt-4o-mini'", "gpt-4o-mini', config: {temperature: 1}"),
            2,
        ),
        (SUITE.replace("gpt-4o-mini", "gpt-4o"), 2),
        (SUITE.replace("please", "hello"), 2),
        (SUITE.replace("is polite", "is kind"), 2),
        (
            SUITE.replace("value: is polite", "value: is polite, threshold: 0.5"),
            0,
        ),
        (SUITE.replace("id: a", "id: c"), 1),
    ] {
        run(&rig, &request(&rig, &suite, &server)).await;
        assert_eq!(server.asked().len() - asked, more, "{suite}");
        asked = server.asked().len();
    }
    let elsewhere = ModelServer::start(script()).await;
    run(&rig, &request(&rig, SUITE, &elsewhere)).await;
    assert_eq!(elsewhere.asked().len(), 2, "another address");
}

async fn tenants_have_their_own_answers(database: TestDatabase) {
    let server = ModelServer::start(script()).await;
    database.add_users(2).await;
    let rig = Rig::new(database);
    let request = request(&rig, SUITE, &server);
    let as_user = async |n| {
        let user: UserId = samples::user(n).id;
        let planned = PlannedRun::plan(&request).unwrap().pop().unwrap();
        let stop = CancellationToken::new();
        rig.engine
            .execute(Actor::Tenant(user), planned, &stop, &|_| {})
            .await
            .unwrap();
        server.asked().len()
    };
    assert_eq!(as_user(1).await, 4);
    assert_eq!(as_user(1).await, 4);
    assert_eq!(as_user(2).await, 8);
    assert_eq!(
        rig.database.number("select count(*) from response_cache").await,
        8
    );
}

async fn nothing_is_asked_where_only_the_cache_is_to_answer(database: TestDatabase) {
    let server = ModelServer::start(script()).await;
    let rig = Rig::new(database);
    let only = RunRequest {
        cache: CacheMode::Only,
        ..request(&rig, SUITE, &server)
    };
    let rows = run(&rig, &only).await;
    for row in &rows {
        assert_eq!(
            (row.status, row.error.as_deref()),
            (Some(State::Error), Some("it is not in the response cache"))
        );
    }
    assert!(server.asked().is_empty());
    run(&rig, &request(&rig, SUITE, &server)).await;
    let asked = server.asked().len();
    let rows = run(&rig, &only).await;
    assert!(rows.iter().all(|row| row.status == Some(State::Passed)));
    let other_rubric = RunRequest {
        suite: rig.file("other.yaml", &SUITE.replace("polite", "kind")).into(),
        ..only
    };
    let rows = run(&rig, &other_rubric).await;
    assert_eq!(rows[0].status, Some(State::Error));
    assert!(
        rows[0]
            .error
            .as_deref()
            .unwrap()
            .contains("opinion is not in the response cache")
    );
    assert_eq!(server.asked().len(), asked);
}

async fn answers_of_commands_are_not_kept(database: TestDatabase) {
    let rig = Rig::new(database);
    for mode in [CacheMode::Use, CacheMode::Only] {
        let request = RunRequest {
            cache: mode,
            ..rig.request(3, "exec:echo ok")
        };
        assert_eq!(rig.run(&request).await.unwrap().tally.passed, 3);
    }
    assert_eq!(
        rig.database.number("select count(*) from response_cache").await,
        0
    );
}
