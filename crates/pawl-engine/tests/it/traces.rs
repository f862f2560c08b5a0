//! Traces over both engines: what is stored of them, and the interactions that they make.

mod emitting;
mod joining;
mod masking;
mod scoring;

use pawl_engine::trace::{SpanProblem, otlp};
use pawl_testkit::{TestDatabase, on_both_engines};
use serde_json::{Value, json};

use crate::intake::{Rig, user};

on_both_engines!(
    an_agent_makes_an_interaction,
    other_spans_are_kept_and_make_none,
    tenants_do_not_meet
);

const AGENT: &str = include_str!("../../../../examples/traces/agent.otlp.json");
const SERVER: &str = include_str!("../../../../examples/traces/server.otlp.json");
const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";

impl Rig {
    /// Stores a document for the first user; tells what was not stored.
    async fn export(&self, document: &str) -> Option<(u64, SpanProblem)> {
        let export = otlp::read(document).unwrap();
        self.engine.store_traces(user(1), export).await.unwrap()
    }
}

/// The document of the agent with some of its spans alone, of a trace with this id.
fn part(trace_id: &str, places: &[usize]) -> String {
    let mut document: Value = serde_json::from_str(AGENT).unwrap();
    let spans = document["resourceSpans"][0]["scopeSpans"][0]["spans"].take();
    let spans = places.iter().map(|place| {
        let mut span = spans[*place].clone();
        span["traceId"] = json!(trace_id);
        span
    });
    document["resourceSpans"][0]["scopeSpans"][0]["spans"] = spans.collect();
    document.to_string()
}

/// What every interaction says, one line each.
const INTERACTIONS: &str = "select coalesce(min(line), '') || ' × ' || count(distinct line) from (
    select interaction_id, e.prompt || '|' || e.response || '|' || coalesce(cast(e.score as text), '-') || '|'
        || coalesce(cast(e.latency_ms as text), '-') || '|' || cast(e.trace as text) || '|'
        || cast(e.sample_weight as text) || '|' || coalesce(t.unscored, '-') || '|'
        || cast(t.input_tokens as text) || '|' || cast(t.output_tokens as text) || '|' || coalesce(cast(e.redactions as text), '-') as line
    from evaluations e join interaction_traces t on t.evaluation_id = e.id
) lines";

async fn an_agent_makes_an_interaction(database: TestDatabase) {
    let rig = Rig::new(database).await;
    assert_eq!(rig.export(AGENT).await, None);
    let stored = rig
        .database
        .text(
            "select interaction_id || '|' || prompt || '|' || response || '|' || cast(score as text) || '|'
            || cast(latency_ms as text) from evaluations",
        )
        .await;
    let expected =
        "|Where is my refund for order 4711?|Your refund of 20 EUR was paid on 3 January.|0.75|1840";
    assert_eq!(stored, [TRACE, expected].concat());
    for (query, expected) in [
        (
            "select count(*) from interaction_traces t join evaluations e on e.id = t.evaluation_id",
            1,
        ),
        (
            "select count(*) from interaction_traces where unscored is null and assembled",
            1,
        ),
        ("select input_tokens from interaction_traces", 213),
        ("select count(*) from evaluations where content_hash is null", 0),
        ("select count(*) from stale_hours", 0),
        // A verdict that came with the spans is no scoring of ours.
        ("select count(*) from intake_days", 0),
    ] {
        assert_eq!(rig.database.number(query).await, expected, "{query}");
    }
    // The same again changes nothing.
    rig.pass(60);
    assert_eq!(rig.export(AGENT).await, None);
    for (query, expected) in [
        ("select count(*) from evaluations", 1),
        (
            "select count(*) from interaction_traces where first_seen = last_seen",
            1,
        ),
        ("select count(*) from stale_hours", 0),
    ] {
        assert_eq!(rig.database.number(query).await, expected, "{query}");
    }
}

async fn other_spans_are_kept_and_make_none(database: TestDatabase) {
    let rig = Rig::new(database).await;
    assert_eq!(rig.export(SERVER).await, None);
    for (query, expected) in [
        ("select count(*) from evaluations", 0),
        (
            "select count(*) from interaction_traces where evaluation_id is null and unscored is null",
            1,
        ),
    ] {
        assert_eq!(rig.database.number(query).await, expected, "{query}");
    }
    let spans = rig
        .database
        .text("select cast(spans as text) from interaction_traces where trace_id = '0af7651916cd43dd8448eb211c80319c'")
        .await;
    assert!(
        spans.contains("http.route") && spans.contains("shop.scope"),
        "{spans}"
    );
}

async fn tenants_do_not_meet(database: TestDatabase) {
    let rig = Rig::new(database).await;
    for n in 1..=2 {
        let export = otlp::read(AGENT).unwrap();
        assert_eq!(rig.engine.store_traces(user(n), export).await.unwrap(), None);
    }
    for query in [
        "select count(*) from evaluations",
        "select count(*) from interaction_traces",
    ] {
        assert_eq!(rig.database.number(query).await, 2, "{query}");
    }
    let nobody = rig.engine.store_traces(user(7), otlp::read(AGENT).unwrap()).await;
    assert!(nobody.is_err());
}
