//! Spans of a trace arrive when they like.

use pawl_engine::Engine;
use pawl_engine::intake::{Outcome, Terms};
use pawl_engine::trace::otlp;
use pawl_model::{Json, NewInteraction};
use pawl_testkit::{TestDatabase, on_both_engines};

use super::{AGENT, INTERACTIONS, TRACE, part};
use crate::intake::{Rig, interaction, user};

on_both_engines!(
    spans_in_any_order_make_the_same_interaction,
    spans_at_once_over_two_servers_make_the_same_interaction,
    hours_follow_what_late_spans_change,
    a_trace_and_an_interaction_with_its_id_belong_together,
    spans_that_came_with_an_interaction_stay,
);

/// Every order of four.
fn orders() -> Vec<[usize; 4]> {
    let mut orders = Vec::new();
    for code in 0..256_usize {
        let order = [code % 4, code / 4 % 4, code / 16 % 4, code / 64];
        if (0..4).all(|place| order.contains(&place)) {
            orders.push(order);
        }
    }
    orders
}

async fn spans_in_any_order_make_the_same_interaction(database: TestDatabase) {
    let rig = Rig::new(database).await;
    rig.export(AGENT).await;
    let whole = rig.database.text(INTERACTIONS).await;
    assert!(
        whole.ends_with(" × 1") && whole.contains("find_refund"),
        "{whole}"
    );
    for (number, order) in orders().iter().enumerate() {
        let trace_id = format!("{:032x}", number + 1);
        for place in order {
            rig.pass(1);
            assert_eq!(rig.export(&part(&trace_id, &[*place])).await, None);
        }
    }
    assert_eq!(rig.database.number("select count(*) from evaluations").await, 25);
    assert_eq!(rig.database.text(INTERACTIONS).await, whole);
}

async fn spans_at_once_over_two_servers_make_the_same_interaction(database: TestDatabase) {
    let rig = Rig::new(database).await;
    let other = Rig::beside(&rig).await;
    rig.export(AGENT).await;
    let whole = rig.database.text(INTERACTIONS).await;
    let mut tasks = Vec::new();
    for number in 1..=6 {
        let trace_id = format!("{number:032x}");
        for place in 0..4 {
            // Each span twice, and each of the two by another server.
            for engine in [&rig.engine, &other] {
                let engine: Engine = engine.clone();
                let document = part(&trace_id, &[place]);
                tasks.push(tokio::spawn(async move {
                    engine.store_traces(user(1), otlp::read(&document).unwrap()).await
                }));
            }
        }
    }
    for task in tasks {
        assert_eq!(task.await.unwrap().unwrap(), None);
    }
    assert_eq!(rig.database.number("select count(*) from evaluations").await, 7);
    assert_eq!(rig.database.text(INTERACTIONS).await, whole);
}

async fn hours_follow_what_late_spans_change(database: TestDatabase) {
    const HOURS: &str =
        "select coalesce(min(cast(data as text)), '') || ' × ' || count(*) from interaction_rollups";
    let rig = Rig::new(database).await;
    rig.export(&part(TRACE, &[3])).await;
    rig.engine.catch_up().await.unwrap();
    let early = rig.database.text(HOURS).await;
    rig.export(&part(TRACE, &[0, 1, 2])).await;
    rig.engine.catch_up().await.unwrap();
    let late = rig.database.text(HOURS).await;
    assert_ne!(early, late);
    // The same as if all had come at once.
    let at_once = Rig::new(TestDatabase::new(rig.database.engine).await).await;
    at_once.export(AGENT).await;
    assert_eq!(at_once.database.text(HOURS).await, late);
}

async fn a_trace_and_an_interaction_with_its_id_belong_together(database: TestDatabase) {
    let rig = Rig::new(database).await;
    let handed_in = |id: &str| NewInteraction {
        interaction_id: id.to_owned(),
        ..interaction(id)
    };
    // The interaction first: it stays as it was handed in.
    let stored = rig.store(vec![handed_in(TRACE)], Terms::Sampled).await;
    let [Outcome::Created { id }] = stored[..] else {
        panic!("{stored:?}")
    };
    assert_eq!(rig.export(AGENT).await, None);
    assert_eq!(rig.export(&part(TRACE, &[0])).await, None);
    let actor = pawl_engine::Actor::Tenant(user(1));
    let detail = rig.engine.interaction(actor, id).await.unwrap().unwrap();
    assert_eq!(detail.interaction.prompt, "What is the capital of France?");
    assert!(detail.trace.unwrap().spans.as_str().contains("find_refund"));
    // The trace first, without an agent in it.
    let server = "0af7651916cd43dd8448eb211c80319c";
    assert_eq!(rig.export(super::SERVER).await, None);
    let stored = rig.store(vec![handed_in(server)], Terms::Sampled).await;
    let [Outcome::Created { id }] = stored[..] else {
        panic!("{stored:?}")
    };
    let detail = rig.engine.interaction(actor, id).await.unwrap().unwrap();
    assert!(detail.trace.unwrap().spans.as_str().contains("http.route"));
}

async fn spans_that_came_with_an_interaction_stay(database: TestDatabase) {
    let rig = Rig::new(database).await;
    let spans = Json::parse(r#"[{"name": "of its own form", "error": "broke"}]"#).ok();
    let with_spans = NewInteraction {
        spans,
        ..interaction(TRACE)
    };
    assert_eq!(rig.export(&part(TRACE, &[])).await, None);
    let first = rig.store(vec![with_spans.clone()], Terms::Sampled).await;
    assert!(matches!(first[..], [Outcome::Created { .. }]));
    assert_eq!(rig.export(AGENT).await, None);
    let server = NewInteraction {
        interaction_id: "0af7651916cd43dd8448eb211c80319c".to_owned(),
        ..with_spans
    };
    assert_eq!(rig.export(super::SERVER).await, None);
    let second = rig.store(vec![server], Terms::Sampled).await;
    assert!(matches!(second[..], [Outcome::Created { .. }]));
    let both = "select count(*) from interaction_traces where evaluation_id is not null
        and cast(spans as text) like '%of its own form%' and cast(spans as text) like '%scope%'";
    assert_eq!(rig.database.number(both).await, 2);
}
