//! Interactions go out as traces, and make the same interactions where these are handed in.

use pawl_engine::intake::Terms;
use pawl_engine::intake::list::InteractionFilter;
use pawl_engine::trace::{datadog, otlp};
use pawl_engine::{Actor, EngineError};
use pawl_model::{Json, NewInteraction};
use pawl_testkit::{TestDatabase, on_both_engines};
use serde_json::Value;

use super::{AGENT, part};
use crate::intake::{Rig, interaction, user};

on_both_engines!(what_goes_out_comes_in_as_the_same, personal_data_does_not_go_out);

const DATADOG: &str = include_str!("../../../../../examples/traces/agent.datadog.json");

async fn documents(rig: &Rig) -> Vec<Value> {
    let mut documents = Vec::new();
    let see = |document: &Value| {
        documents.push(document.clone());
        Ok::<(), EngineError>(())
    };
    let actor = Actor::Tenant(user(1));
    rig.engine
        .each_interaction_as_otlp(actor, user(1), &InteractionFilter::default(), see)
        .await
        .unwrap();
    documents
}

async fn what_goes_out_comes_in_as_the_same(database: TestDatabase) {
    const SAME: &str = "select count(*) from evaluations a join evaluations b
        on a.prompt = b.prompt and a.response = b.response and a.score = b.score and a.latency_ms = b.latency_ms
            and coalesce(cast(a.trace as text), '-') = coalesce(cast(b.trace as text), '-') and a.created_at = b.created_at
        where a.user_id < b.user_id";
    let rig = Rig::new(database).await;
    let checks = "- type: icontains\n  value: REFUND\n- type: contains\n  value: voucher\n  weight: 2\n";
    rig.engine
        .set_online_checks(user(1), Some(checks.to_owned()))
        .await
        .unwrap();
    // With a verdict of its own; scored by checks; without spans; of Datadog.
    assert_eq!(rig.export(AGENT).await, None);
    assert_eq!(rig.export(&part(&"0c".repeat(16), &[1, 2, 3])).await, None);
    let tool_calls =
        Json::parse(r#"[{"name": "look", "arguments": {"q": 1}, "result": "found", "error": null}]"#).ok();
    let handed_in = NewInteraction {
        tool_calls,
        ..interaction("session_1")
    };
    rig.store(vec![handed_in], Terms::Sampled).await;
    let export = datadog::read(DATADOG).unwrap();
    assert_eq!(rig.engine.store_traces(user(1), export).await.unwrap(), None);
    let ids = "select count(*) from interaction_traces where trace_id = 'dd_trace_6903738200000000af2d3775dfc70530'";
    assert_eq!(rig.database.number(ids).await, 1);

    let documents = documents(&rig).await;
    assert_eq!(documents.len(), 4);
    let text: String = documents.iter().map(Value::to_string).collect();
    // Our own verdicts: on what checks scored, and on what was scored when it was handed in.
    assert_eq!(text.matches(r#"{"stringValue":"pawl"}"#).count(), 2);
    assert!(text.contains(r#"{"stringValue":"failed"}"#));
    for document in &documents {
        let export = otlp::read(&document.to_string()).unwrap();
        assert_eq!(rig.engine.store_traces(user(2), export).await.unwrap(), None);
    }
    assert_eq!(rig.database.number(SAME).await, 4);
    assert_eq!(rig.database.number("select count(*) from evaluations").await, 8);
}

async fn personal_data_does_not_go_out(database: TestDatabase) {
    let rig = Rig::new(database).await;
    let personal = NewInteraction {
        prompt: "I am canary@example.org".to_owned(),
        ..interaction("session_1")
    };
    rig.store(vec![personal], Terms::Sampled).await;
    let mut agent: Value = serde_json::from_str(AGENT).unwrap();
    agent["resourceSpans"][0]["scopeSpans"][0]["spans"][0]["name"] = "canary@example.org".into();
    assert_eq!(rig.export(&agent.to_string()).await, None);
    let before: String = documents(&rig).await.iter().map(Value::to_string).collect();
    assert_eq!(before.matches("canary").count(), 2);
    rig.policy(|policy| policy.obfuscate_pii = true).await;
    let after: String = documents(&rig).await.iter().map(Value::to_string).collect();
    assert!(!after.contains("canary") && after.contains("[EMAIL]"));
}
