//! Suggestions that another program wrote.

use pawl_engine::Actor;
use pawl_engine::review::{Base, DraftEdit, ReviewError, Verdict};
use pawl_testkit::{ModelServer, Reply, Script, TestDatabase, over_firestore};
use serde_json::{Value, json};

use super::{document, put, review};
use crate::draft::rig::{Rig, answer, outcomes};

over_firestore!(suggestions_of_another_program_are_drafted_and_reviewed);

/// As another program writes it.
fn theirs() -> Value {
    json!({
        "suggestion_id": "sugg_abc123", "type": "eval", "status": "pending", "severity": "high",
        "source_traces": [
            {"trace_id": "dd_1", "pattern_id": "pattern_dd_1", "added_at": "2025-12-29T10:00:00Z", "similarity_score": null},
            {"trace_id": "dd_2", "pattern_id": "pattern_dd_2", "added_at": "2025-12-29T11:00:00Z", "similarity_score": 0.91},
        ],
        "pattern": {
            "failure_type": "stale_data", "trigger_condition": "Asked by jane@canary.example for a laptop",
            "title": "Stale recommendation", "summary": "A discontinued product was recommended.",
        },
        "embedding": [0.25, -0.5], "similarity_group": "group_1", "suggestion_content": {},
        "version_history": [{
            "previous_status": null, "new_status": "pending", "actor": "dedup", "timestamp": "2025-12-29T10:00:00Z",
            "notes": null,
        }],
        "created_at": "2025-12-29T10:00:00Z", "updated_at": "2025-12-29T11:00:00Z",
        "colour": {"of": ["their", "own"]},
    })
}

fn their_pattern(trace: &str, confidence: f64) -> Value {
    json!({
        "pattern_id": format!("pattern_{trace}"), "source_trace_id": trace, "title": "Stale", "failure_type": "stale_data",
        "trigger_condition": "a question", "summary": "jane@canary.example was told of a discontinued product",
        "root_cause_hypothesis": "no look into the stock", "evidence": {"signals": ["stale"]},
        "recommended_actions": ["look"], "severity": "high", "confidence": confidence, "confidence_rationale": "seen",
        "reproduction_context": {"input_pattern": "Recommend a laptop.", "tools_involved": ["inventory_lookup"]},
        "extracted_at": "2025-12-29T10:00:00Z",
    })
}

async fn suggestions_of_another_program_are_drafted_and_reviewed(database: TestDatabase) {
    let server = ModelServer::start(Script::new().otherwise(Reply::json(&answer()))).await;
    let mut rig = Rig::new(database).await;
    rig.set_model(&server, None);
    put(&rig, "suggestions", "sugg_abc123", &theirs()).await;
    put(
        &rig,
        "suggestions",
        "sugg_unreadable",
        &json!({"status": "archived", "created_at": "2025-12-29T10:00:00Z"}),
    )
    .await;
    put(&rig, "failure_patterns", "dd_1", &their_pattern("dd_1", 0.5)).await;
    put(&rig, "failure_patterns", "dd_2", &their_pattern("dd_2", 0.75)).await;
    let listed = rig.suggestions().await;
    assert_eq!(listed.len(), 1);
    assert_eq!(listed[0].recurrence_count, 2);

    let report = rig.draft(rig.request()).await;
    assert_eq!(outcomes(&report), [("generated", None)]);
    let source = &report.drafts[0].0.source;
    assert_eq!(source.canonical_trace_id, "dd_2");
    assert_eq!(source.pattern_ids, ["pattern_dd_2", "pattern_dd_1"]);
    let asked = format!("{:?}", server.asked());
    assert!(
        asked.contains("no look into the stock") && !asked.contains("canary"),
        "{asked}"
    );
    let mut drafted = document(&rig, "sugg_abc123").await;
    let content = drafted["suggestion_content"].take();
    assert_eq!(
        content["eval_test"],
        serde_json::to_value(&report.drafts[0].0).unwrap()
    );
    let mut expected = theirs();
    expected["suggestion_content"] = Value::Null;
    expected["updated_at"] = content["eval_test"]["updated_at"].clone();
    assert_eq!(drafted, expected, "nothing else is written");

    let edit: DraftEdit = serde_json::from_value(json!({
        "title": "No stale products", "rationale": "",
        "input": {"prompt": "Recommend a laptop.", "tools_involved": []},
        "assertions": {"required": ["Must call inventory_lookup"], "forbidden": []},
    }))
    .unwrap();
    let reviewer = review(&rig, "sugg_abc123");
    rig.engine.edit_draft(reviewer, edit, Base::Any).await.unwrap();
    let unproven = rig
        .engine
        .decide(reviewer, Verdict::Approve { notes: None })
        .await;
    assert!(
        matches!(unproven, Err(ReviewError::NoteNeeded { .. })),
        "{unproven:?}"
    );
    let notes = Some("seen in production");
    rig.engine
        .decide(reviewer, Verdict::Approve { notes })
        .await
        .unwrap();
    let tests = rig
        .engine
        .approved_tests(Actor::Tenant(rig.user()))
        .await
        .unwrap();
    assert_eq!(tests.len(), 1);

    // Mining leaves the vector that is not its own alone, and keeps one beside it.
    rig.incident("a").await;
    rig.mine().await;
    let mined = document(&rig, "sugg_abc123").await;
    assert_eq!(mined["embedding"], theirs()["embedding"]);
    assert_eq!(mined["mining_vector"]["embedded_by"], "lexical");
    assert_eq!(mined["colour"], theirs()["colour"]);
    assert_eq!(mined["status"], "approved");
    assert_eq!(rig.suggestions().await.len(), 2);
}
