//! Servers that are killed while interactions are handed in.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use pawl_engine::intake::overview::{Days, Step};
use pawl_engine::{Actor, Clock, Engine};
use pawl_testkit::http::{Client, StatusCode};
use pawl_testkit::{TestDatabase, on_both_engines, samples};
use serde_json::json;

use crate::rig::Rig;
use crate::serve::Serving;

on_both_engines!(what_was_acknowledged_survives_every_kill);

const CLIENTS: usize = 16;
/// Interactions that are acknowledged before the server is killed.
const LEAST: usize = 50;

/// How often the server is killed; `scripts/test --long` asks for more.
fn kills() -> u32 {
    std::env::var("PAWL_TEST_KILLS").map_or(3, |kills| kills.parse().unwrap())
}

async fn what_was_acknowledged_survives_every_kill(database: TestDatabase) {
    database.add_users(1).await;
    let rig = Rig { database };
    let secret = rig.say(&["keys", "--json"]).exits(0).json()["ingestion_secret"]
        .as_str()
        .unwrap()
        .to_owned();
    let user = samples::user(1).id;
    // A cap that nothing comes near.
    let policy = [
        "insert into evaluation_configs (user_id, max_eval_per_day, obfuscate_pii)
         select id, 1000000, 'true' from auth.users",
        "insert into evaluation_configs (user_id, max_eval_per_day, obfuscate_pii)
         select id, 1000000, 1 from auth_users",
    ];
    let on_postgres = rig.database.url().starts_with("postgres");
    rig.database.run(policy[usize::from(!on_postgres)]).await;
    let mut acknowledged = BTreeSet::new();
    for round in 0..kills() {
        let mut serving = Serving::new(&rig);
        let url = format!("http://{}/api/evals/ingest", serving.address);
        let so_far = Arc::new(AtomicUsize::new(0));
        let clients: Vec<_> = (0..CLIENTS)
            .map(|client| {
                tokio::spawn(hand_in(
                    url.clone(),
                    secret.clone(),
                    format!("r{round}-c{client}"),
                    Arc::clone(&so_far),
                ))
            })
            .collect();
        // However slow the machine is, it is killed in the middle of work, at another point each time.
        while so_far.load(Ordering::Relaxed) < LEAST {
            assert_eq!(
                serving.child.try_wait().unwrap(),
                None,
                "the server ended by itself"
            );
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        tokio::time::sleep(Duration::from_millis(37 * u64::from(round % 7))).await;
        serving.child.kill().unwrap();
        serving.child.wait().unwrap();
        for client in clients {
            acknowledged.extend(client.await.unwrap());
        }
    }
    assert!(
        acknowledged.len() >= LEAST * kills() as usize,
        "{} are too few",
        acknowledged.len()
    );
    let stored = rig
        .database
        .text("select string_agg(interaction_id, ' ') from evaluations")
        .await;
    let mut ids: Vec<&str> = stored.split(' ').collect();
    let all = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), all, "nothing is stored twice");
    let lost: Vec<_> = acknowledged
        .iter()
        .filter(|id| ids.binary_search(&id.as_str()).is_err())
        .collect();
    assert!(
        lost.is_empty(),
        "{} were lost, such as {:?}",
        lost.len(),
        lost.first()
    );
    // What the hours came to was committed with the rows: nothing has to be added up again.
    assert_eq!(rig.database.number("select count(*) from stale_hours").await, 0);
    let used = rig
        .database
        .number("select cast(sum(stored) as bigint) from intake_days")
        .await;
    assert_eq!(used, i64::try_from(all).unwrap());
    #[expect(
        clippy::disallowed_methods,
        reason = "the server went by the machine's clock too"
    )]
    let now = time::OffsetDateTime::now_utc();
    let engine = Engine::new(rig.database.store.clone(), Clock::new(move || now));
    let days = Days {
        first: now.date() - time::Duration::days(1),
        last: now.date() + time::Duration::days(1),
    };
    let overview = engine
        .overview(Actor::Tenant(user), user, days, Step::Day)
        .await
        .unwrap();
    assert_eq!(overview.total.interactions(), all as u64);
    assert_eq!(overview.total.redacted_interactions(), all as u64);
}

/// Hands in one interaction after the other until nobody answers; gives those that were acknowledged.
async fn hand_in(url: String, secret: String, name: String, so_far: Arc<AtomicUsize>) -> Vec<String> {
    let client = Client::new();
    let mut acknowledged = Vec::new();
    for n in 0.. {
        let id = format!("{name}-{n}");
        let body = json!({
            "user_id": samples::user(1).id, "interaction_id": id, "prompt": "I am ann@example.org",
            "response": "Hello", "score": 0.5, "latency_ms": n, "flags": ["safe"],
        });
        let request = client
            .post(&url)
            .header("x-ingestion-secret", &secret)
            .header("content-type", "application/json")
            .body(body.to_string());
        match request.send().await {
            Ok(answer) if answer.status() == StatusCode::CREATED => {
                acknowledged.push(id);
                so_far.fetch_add(1, Ordering::Relaxed);
            }
            Ok(answer) => panic!("{}", answer.status()),
            Err(_) => break,
        }
    }
    acknowledged
}
