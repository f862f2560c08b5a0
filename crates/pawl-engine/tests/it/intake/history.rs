//! Histories that are made up and stored.

use pawl_engine::intake::list::InteractionFilter;
use pawl_engine::simulation::{History, HistoryPlan};
use pawl_engine::{Actor, EngineError};
use pawl_model::{Interaction, InteractionId};
use pawl_testkit::{TestDatabase, on_both_engines};
use time::macros::datetime;
use tokio_util::sync::CancellationToken;

use super::{Rig, user};

on_both_engines!(
    a_history_is_masked_and_added_up_but_not_capped,
    a_history_ends_when_it_is_told_to,
);

const PLAN: HistoryPlan = HistoryPlan {
    user: pawl_model::UserId(uuid::Uuid::nil()),
    rows: 2_500,
    days: 10,
    until: None,
    random_seed: 5,
};

async fn write(rig: &Rig, random_seed: u64) -> History {
    let plan = HistoryPlan {
        user: user(1),
        random_seed,
        ..PLAN
    };
    let told = std::sync::Mutex::new(Vec::new());
    let stored = |so_far| told.lock().unwrap().push(so_far);
    let history = rig
        .engine
        .write_history(plan, &CancellationToken::new(), &stored)
        .await
        .unwrap();
    assert_eq!(told.into_inner().unwrap(), [1_000, 2_000, 2_500]);
    history
}

async fn a_history_is_masked_and_added_up_but_not_capped(database: TestDatabase) {
    let rig = Rig::new(database).await;
    rig.policy(|policy| {
        policy.obfuscate_pii = true;
        policy.max_eval_per_day = 3;
        policy.timezone = "America/New_York".to_owned();
    })
    .await;
    let history = write(&rig, 5).await;
    assert_eq!(
        (history.created, history.duplicates, history.conflicts),
        (2_500, 0, 0)
    );
    assert!(history.is_whole);
    let number = async |query| rig.database.number(query).await;
    assert_eq!(number("select count(*) from evaluations").await, 2_500);
    assert_eq!(number("select count(*) from intake_ledger").await, 0);
    assert_eq!(number("select count(*) from stale_hours").await, 0);
    assert_eq!(
        number("select count(*) from evaluations where prompt like '%@example.%'").await,
        0
    );
    let masked = "select count(*) from evaluations where prompt like '%[EMAIL]%' and pii_tokens_redacted > 0";
    assert!(number(masked).await > 20);
    let left = rig.engine.policy_today(user(1)).await.unwrap().unwrap().remaining;
    assert_eq!(left, 3, "a history takes nothing of the cap");

    let again = write(&rig, 5).await;
    assert_eq!((again.created, again.duplicates, again.conflicts), (0, 2_500, 0));
    let another = write(&rig, 6).await;
    assert_eq!((another.created, another.duplicates), (2_500, 0));
}

async fn a_history_ends_when_it_is_told_to(database: TestDatabase) {
    let rig = Rig::new(database).await;
    let plan = HistoryPlan {
        user: user(1),
        ..PLAN
    };
    let stop = CancellationToken::new();
    let history = rig
        .engine
        .write_history(plan, &stop, &|_| stop.cancel())
        .await
        .unwrap();
    assert_eq!((history.created, history.is_whole), (1_000, false));
    let nobody = HistoryPlan {
        user: user(7),
        ..plan
    };
    let refused = rig
        .engine
        .write_history(nobody, &stop, &|_| ())
        .await
        .unwrap_err();
    assert!(refused.to_string().contains("there is no user"), "{refused}");

    // It never reaches past now.
    for (until, end) in [
        (datetime!(2023-01-05 12:40 UTC), datetime!(2023-01-05 12:00 UTC)),
        (datetime!(9000-01-01 00:00 UTC), history.span.end),
    ] {
        let plan = HistoryPlan {
            until: Some(until),
            ..plan
        };
        let history = rig
            .engine
            .write_history(plan, &CancellationToken::new(), &|_| {})
            .await
            .unwrap();
        assert_eq!(history.span.end, end);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn both_databases_hold_the_same_history() {
    let mut kept = Vec::new();
    for engine in [pawl_testkit::Engine::Sqlite, pawl_testkit::Engine::Postgres] {
        let rig = Rig::new(TestDatabase::new(engine).await).await;
        write(&rig, 5).await;
        let mut rows: Vec<Interaction> = Vec::new();
        let (actor, filter) = (Actor::Tenant(user(1)), InteractionFilter::default());
        let each = |mut row: Interaction| {
            row.id = InteractionId(uuid::Uuid::nil());
            rows.push(row);
            Ok::<_, EngineError>(())
        };
        rig.engine
            .each_interaction(actor, user(1), &filter, each)
            .await
            .unwrap();
        kept.push(rows);
    }
    assert_eq!(kept[0].len(), 2_500);
    assert_eq!(kept[0], kept[1]);
}
