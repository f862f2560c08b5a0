//! What is changed and erased by the data API, by several at once too.

use pawl_engine::Actor;
use pawl_model::query::{Delete, Field, Filter, Update};
use pawl_model::table::{Datum, TABLES as EXPOSED};
use pawl_model::{LineageEvent, LineageKind};
use pawl_testkit::{TestDatabase, on_both_engines, samples};

use super::{assert_whole, reached, verify, whole_loop};
use crate::draft::rig::Rig;

on_both_engines!(
    changes_by_the_data_api_are_told,
    what_is_erased_leaves_its_hash,
    writers_at_once_make_one_chain,
);

fn table(name: &str) -> &'static pawl_model::table::Table {
    EXPOSED.iter().find(|table| table.name == name).unwrap()
}

fn by_id(table: &'static pawl_model::table::Table, ids: &[&str]) -> Filter {
    let ids = ids.iter().map(|id| Datum::Uuid(id.parse().unwrap())).collect();
    Filter::In(Field::of(table.column("id").unwrap()), ids)
}

const ANY: pawl_engine::data::Expected<'static> = pawl_engine::data::Expected {
    shown: None,
    rows: pawl_engine::data::ExpectedRows::Any,
};

async fn interaction_id(rig: &Rig, name: &str) -> String {
    let mut scope = rig.database.store.read(Actor::Service).await.unwrap();
    let known = pawl_store::interactions::known(&mut scope, &[(rig.user(), name)]).await;
    known.unwrap()[0].id.to_string()
}

/// What became of a node last.
async fn newest(rig: &Rig, id: &str) -> LineageEvent {
    let lineage = rig.engine.lineage(rig.user(), id).await.unwrap().unwrap();
    lineage.nodes[0].entries[0].event
}

async fn changes_by_the_data_api_are_told(database: TestDatabase) {
    let (rig, _, run) = whole_loop(database).await;
    rig.database.add_user(2).await;
    let one = interaction_id(&rig, "one").await;
    let interactions = table("evaluations");
    let answer = Update {
        table: interactions,
        values: vec![(
            interactions.column("response").unwrap(),
            Datum::Text("Never.".to_owned()),
        )],
        filter: by_id(interactions, &[&one]),
    };
    rig.engine
        .update_rows(Actor::Service, &answer, &ANY)
        .await
        .unwrap();
    assert_eq!(newest(&rig, &one).await, LineageEvent::Changed);
    let runs = table("sb_eval_runs");
    let run = run.to_string();
    let change = Update {
        table: runs,
        values: vec![(runs.column("run_name").unwrap(), Datum::Text("best".to_owned()))],
        filter: by_id(runs, &[&run]),
    };
    let tenant = Actor::Tenant(rig.user());
    rig.engine.update_rows(tenant, &change, &ANY).await.unwrap();
    assert_eq!(newest(&rig, &run).await, LineageEvent::Changed);
    let candidates = table("prompt_candidates");
    let column = |name: &str| candidates.column(name).unwrap();
    let mark = Update {
        table: candidates,
        values: vec![(column("deleted_at"), Datum::Timestamp(samples::time(9)))],
        filter: Filter::In(Field::of(column("id")), vec![Datum::Text("apc_seed".to_owned())]),
    };
    rig.engine.update_rows(Actor::Service, &mark, &ANY).await.unwrap();
    assert_eq!(newest(&rig, "apc_seed").await, LineageEvent::Changed);
    assert_whole(&rig).await;
    // Given to somebody else, it is gone here, and there is nothing of it there.
    let other = samples::user(2).id;
    let give = Update {
        table: runs,
        values: vec![(runs.column("user_id").unwrap(), Datum::Uuid(other.0))],
        filter: by_id(runs, &[&run]),
    };
    rig.database.tamper("delete from sb_eval_cases").await;
    rig.engine.update_rows(Actor::Service, &give, &ANY).await.unwrap();
    assert_eq!(newest(&rig, &run).await, LineageEvent::Erased);
    assert_whole(&rig).await;
    assert!(rig.engine.verify_lineage(other).await.unwrap().is_whole);
    // Twice the same is no change.
    let entries = verify(&rig).await.entries;
    rig.engine
        .update_rows(Actor::Service, &answer, &ANY)
        .await
        .unwrap();
    assert_eq!(assert_whole(&rig).await.entries, entries);
}

async fn what_is_erased_leaves_its_hash(database: TestDatabase) {
    let (rig, suggestion, run) = whole_loop(database).await;
    let one = interaction_id(&rig, "one").await;
    let before = rig.engine.lineage(rig.user(), &one).await.unwrap().unwrap();
    let erase = |name: &str, id: &str| {
        let table = table(name);
        Delete {
            table,
            filter: by_id(table, &[id]),
        }
    };
    rig.engine
        .delete_rows(Actor::Service, &erase("evaluations", &one), &ANY)
        .await
        .unwrap();
    let tenant = Actor::Tenant(rig.user());
    rig.engine
        .delete_rows(tenant, &erase("sb_eval_runs", &run.to_string()), &ANY)
        .await
        .unwrap();
    // The interaction, its pattern that went with it, and the run.
    assert_eq!(assert_whole(&rig).await.erased, 3);
    let after = rig.engine.lineage(rig.user(), &one).await.unwrap().unwrap();
    let tombstone = &after.nodes[0].entries[0];
    assert_eq!(tombstone.event, LineageEvent::Erased);
    assert_eq!(tombstone.sha256, before.nodes[0].entries[0].sha256);
    // It still leads where it led.
    assert_eq!(after.it_led_to.len(), before.it_led_to.len());
    let [back, _] = reached(&rig, &suggestion).await;
    assert!(back.contains(&LineageKind::Interaction));
    // Somebody who goes takes it all along.
    rig.engine.delete_account(rig.user()).await.unwrap();
    let left = "select (select count(*) from lineage) + (select count(*) from lineage_parents)";
    assert_eq!(rig.database.number(left).await, 0);
}

async fn writers_at_once_make_one_chain(database: TestDatabase) {
    let rig = Rig::new(database).await;
    for id in ["one", "two", "three", "four", "five"] {
        rig.incident(id).await;
    }
    rig.mine().await;
    let interactions = table("evaluations");
    let mut writers = tokio::task::JoinSet::new();
    for (place, id) in ["one", "two", "three", "four", "five"].into_iter().enumerate() {
        let id = interaction_id(&rig, id).await;
        let engine = rig.engine.clone();
        writers.spawn(async move {
            for turn in 0..8 {
                let text = Datum::Text(format!("{place} {turn}"));
                let change = Update {
                    table: interactions,
                    values: vec![(interactions.column("response").unwrap(), text)],
                    filter: by_id(interactions, &[&id]),
                };
                engine.update_rows(Actor::Service, &change, &ANY).await.unwrap();
            }
        });
    }
    for _ in 0..5 {
        assert_whole(&rig).await;
    }
    writers.join_all().await;
    let verified = assert_whole(&rig).await;
    assert_eq!(verified.entries, 5 + 5 + 1 + 40);
}
