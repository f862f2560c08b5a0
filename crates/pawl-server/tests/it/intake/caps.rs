//! The cap of a day is exact: under many writers, on several servers, on days of 23 and 25 hours.

use std::collections::BTreeMap;
use std::time::Duration;

use futures::future::join_all;
use pawl_engine::Engine;
use pawl_server::{AppState, ServerSettings};
use pawl_testkit::{TestDatabase, TestServer, on_both_engines};
use serde_json::json;
use time::OffsetDateTime;
use time::macros::datetime;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::{INGEST, interaction, post, request, set_policy, shown, stored};

on_both_engines!(
    a_thousand_at_once_store_as_many_as_the_cap,
    the_cap_lasts_as_long_as_the_day,
);

/// As many requests at once as the test sends.
fn settings() -> ServerSettings {
    ServerSettings {
        concurrency: 2_000,
        ..ServerSettings::default()
    }
}

/// Another server over the database of this one, with an engine and connections of its own.
async fn beside(server: &TestServer) -> String {
    let folder = server.database.folder();
    let engine = Engine::open(Some(&server.database.url()), folder, server.clock.clock()).await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = ["http://", &listener.local_addr().unwrap().to_string()].concat();
    let state = AppState::new(engine.unwrap(), settings());
    tokio::spawn(pawl_server::serve(listener, state, CancellationToken::new()));
    url
}

async fn a_thousand_at_once_store_as_many_as_the_cap(database: TestDatabase) {
    let server = TestServer::with(database, settings()).await;
    set_policy(&server, |policy| policy.max_eval_per_day = 100).await;
    let mut urls = vec![server.url.clone()];
    if server.database.engine == pawl_testkit::Engine::Postgres {
        urls.push(beside(&server).await);
    }
    let client = pawl_testkit::http::Client::new();
    let sent = (0..1_000).map(|n| {
        let url = [&*urls[n % urls.len()], INGEST].concat();
        let request = client
            .post(url)
            .header("x-ingestion-secret", &server.ingestion_secret)
            .json(&interaction(server.user_a.id, &n.to_string()));
        async { request.send().await.unwrap().status().as_u16() }
    });
    let mut answers: BTreeMap<u16, usize> = BTreeMap::new();
    for status in join_all(sent).await {
        *answers.entry(status).or_default() += 1;
    }
    assert_eq!(answers, BTreeMap::from([(201, 100), (429, 900)]));
    assert_eq!(stored(&server).await, 100);
    let ledger = "select count(*) from intake_ledger where reason = 'over_cap' and attempts = 1";
    assert_eq!(server.database.number(ledger).await, 900);
    let both =
        "select count(*) from intake_ledger l join evaluations e on e.interaction_id = l.interaction_id";
    assert_eq!(server.database.number(both).await, 0);
}

/// Lets the clock stand at this time.
fn wait_until(server: &TestServer, time: OffsetDateTime) {
    let left = (time - server.engine.now()).whole_seconds();
    server
        .clock
        .advance(Duration::from_secs(left.try_into().unwrap()));
}

async fn the_cap_lasts_as_long_as_the_day(database: TestDatabase) {
    let server = TestServer::new(database).await;
    let user = server.user_a.id;
    set_policy(&server, |policy| {
        policy.max_eval_per_day = 1;
        policy.timezone = "Europe/Berlin".to_owned();
    })
    .await;
    for (midnight, hours) in [
        (datetime!(2024-10-26 22:00 UTC), 25),
        (datetime!(2024-10-27 23:00 UTC), 24),
        (datetime!(2025-03-29 23:00 UTC), 23),
        (datetime!(2025-03-30 22:00 UTC), 24),
    ] {
        wait_until(&server, midnight);
        let id = |n: u32| [&midnight.to_string(), " ", &n.to_string()].concat();
        assert_eq!(
            post(&server, &interaction(user, &id(0))).await.0,
            201,
            "{midnight}"
        );
        for passed in [0, 1_234, hours * 3_600 - 1] {
            wait_until(&server, midnight + Duration::from_secs(passed));
            let request = request(&server, INGEST).json(&interaction(user, &id(1)));
            let answer = request.send().await.unwrap();
            let left = (hours * 3_600 - passed).to_string();
            assert_eq!(
                answer.headers()["retry-after"].to_str().unwrap(),
                left,
                "{midnight}"
            );
            let (status, problem) = shown(answer).await;
            assert_eq!((status, &problem["code"]), (429, &json!("over_cap")));
        }
    }
    assert_eq!(stored(&server).await, 4);
}
