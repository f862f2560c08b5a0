//! Drafts: where they come from, what they are tried on, and what they leave alone.

pub(crate) mod rig;

use pawl_engine::Actor;
use pawl_engine::draft::{DraftRequest, Overwrite};
use pawl_engine::mine::Mode;
use pawl_model::ProofVerdict;
use pawl_testkit::{Fault, ModelServer, Reply, Rule, Script, TestDatabase, on_both_engines, over_firestore};
use serde_json::json;

use rig::{MODEL, Rig, answer, outcomes};

on_both_engines!(
    without_a_model_a_person_has_to_finish_it,
    a_draft_is_tried_before_it_is_written,
    what_cannot_fail_its_incident_needs_a_person,
    every_fault_ends_in_its_error_and_ends_nothing,
    what_a_person_edited_stays,
    a_dry_run_and_other_kinds_leave_no_trace,
);

over_firestore!(
    without_a_model_a_person_has_to_finish_it,
    a_draft_is_tried_before_it_is_written,
    what_cannot_fail_its_incident_needs_a_person,
    every_fault_ends_in_its_error_and_ends_nothing,
    what_a_person_edited_stays,
    a_dry_run_and_other_kinds_leave_no_trace,
);

async fn without_a_model_a_person_has_to_finish_it(database: TestDatabase) {
    let rig = Rig::new(database).await;
    rig.incident("a").await;
    rig.incident("b").await;
    rig.mine().await;
    let report = rig.draft(rig.request()).await;
    assert_eq!(outcomes(&report), [("generated", Some("model_not_configured"))]);
    assert_eq!(report.run.cost_usd, 0.0);
    let draft = rig.content().await["eval_test"].clone();
    assert_eq!(draft["status"], "needs_human_input");
    assert_eq!(draft["edit_source"], "generated");
    assert_eq!(draft["generator_meta"]["model"], "template_model_not_configured");
    assert_eq!(draft["generator_meta"]["temperature"], 0);
    assert!(
        draft["title"]
            .as_str()
            .unwrap()
            .starts_with("Needs human input: ")
    );
    assert!(
        draft["input"]["prompt"]
            .as_str()
            .unwrap()
            .ends_with("can I return opened software?")
    );
    assert_eq!(draft["source"]["trace_ids"].as_array().unwrap().len(), 2);
    assert_eq!(rig.content().await["eval_test_proof"]["verdict"], "unproven");
    // What has a draft waits for none.
    let again = rig.draft(rig.request()).await;
    assert_eq!(again.run.picked_up_count, 0);
    // The same again says the same.
    let named = DraftRequest {
        suggestion_ids: Some(vec![rig.suggestions().await[0].suggestion_id.clone()]),
        ..rig.request()
    };
    rig.draft(named).await;
    let mut same = rig.content().await["eval_test"].clone();
    same["generator_meta"]["run_id"] = draft["generator_meta"]["run_id"].clone();
    assert_eq!(same, draft);
    let runs = rig
        .engine
        .draft_runs(Actor::Tenant(rig.user()), 10)
        .await
        .unwrap();
    assert_eq!(runs.len(), 3);
    assert!(runs.contains(&report.run));
}

async fn a_draft_is_tried_before_it_is_written(database: TestDatabase) {
    let server = ModelServer::start(Script::new().otherwise(Reply::json(&answer()).in_prose())).await;
    let mut rig = Rig::new(database).await;
    rig.set_model(&server, None);
    for id in ["a", "b", "c"] {
        rig.incident(id).await;
    }
    for id in 0..30 {
        let prompt = format!("May I send number {id} back?");
        rig.store(&format!("good-{id}"), (&prompt, "Unopened items, yes."), None)
            .await;
    }
    rig.mine().await;
    let report = rig.draft(rig.request()).await;
    assert_eq!(outcomes(&report), [("generated", None)]);
    let (draft, card) = &report.drafts[0];
    assert_eq!(card.summary, "would have caught 3 of 3 · false alarms 0 of 20");
    assert_eq!(
        (card.verdict, card.golden_passes),
        (ProofVerdict::Proven, Some(true))
    );
    assert_eq!(card.sentences[1].caught, 3);
    assert_eq!(
        card.sentences[1].reason.as_deref(),
        Some("does contain \"within 90 days\"")
    );
    let content = rig.content().await;
    assert_eq!(content["eval_test"], serde_json::to_value(draft).unwrap());
    assert_eq!(content["eval_test_proof"], serde_json::to_value(card).unwrap());
    assert_eq!(content["eval_test"]["generator_meta"]["model"], MODEL);
    assert!(report.run.cost_usd > 0.0);

    // Something healthy that it would fail refutes it.
    rig.store(
        "late",
        (
            "Can I return opened software?",
            "Returns within 90 days, unopened.",
        ),
        None,
    )
    .await;
    let named = DraftRequest {
        suggestion_ids: Some(vec![rig.suggestions().await[0].suggestion_id.clone()]),
        ..rig.request()
    };
    let again = rig.draft(named).await;
    let (later, card) = &again.drafts[0];
    assert_eq!(
        (card.verdict, card.false_alarms.count),
        (ProofVerdict::Refuted, 1)
    );
    assert_eq!(later.generated_at, draft.generated_at);
}

async fn what_cannot_fail_its_incident_needs_a_person(database: TestDatabase) {
    let mut vague = answer();
    vague["assertions"]["forbidden"] = json!(["Must not contain \"a million\""]);
    let mut for_a_judge = answer();
    for_a_judge["assertions"]["forbidden"] = json!(["Must not promise what the policy does not have"]);
    let script = Script::new()
        .next(1, Reply::json(&vague))
        .otherwise(Reply::json(&for_a_judge));
    let server = ModelServer::start(script).await;
    let mut rig = Rig::new(database).await;
    rig.set_model(&server, None);
    rig.incident("a").await;
    rig.mine().await;
    let report = rig.draft(rig.request()).await;
    let (draft, card) = &report.drafts[0];
    assert_eq!(draft.status.as_str(), "needs_human_input");
    let notes = draft.assertions.notes.clone().flatten().unwrap();
    assert!(notes.contains("would not have caught the incident"), "{notes}");
    assert_eq!(card.verdict, ProofVerdict::Refuted);
    let named = DraftRequest {
        suggestion_ids: Some(vec![draft.source.suggestion_id.clone()]),
        ..rig.request()
    };
    let report = rig.draft(named).await;
    let (draft, card) = &report.drafts[0];
    assert_eq!(
        (draft.status.as_str(), card.verdict),
        ("draft", ProofVerdict::Unproven)
    );
    assert!(
        card.summary.ends_with("not proven: 1 of 2 need a judge"),
        "{}",
        card.summary
    );
}

async fn every_fault_ends_in_its_error_and_ends_nothing(database: TestDatabase) {
    let good = || Reply::json(&answer()).with_usage(900, 200);
    let mut empty = answer();
    empty["assertions"]["required"] = json!([]);
    empty["assertions"]["forbidden"] = json!([" "]);
    let on = |prompt: &str, reply: Reply| Rule {
        prompt: Some(format!("Question {prompt}:")),
        ..Rule::always(reply)
    };
    let faults = [
        ("plain", good(), None),
        ("fences", good().in_fences(), None),
        ("truncated", good().truncated(), Some("invalid_json")),
        ("silent", Reply::text(""), Some("invalid_json")),
        (
            "nan",
            Reply::text(answer().to_string().replace("null", "NaN")),
            Some("invalid_json"),
        ),
        ("empty", Reply::json(&empty), Some("schema_validation")),
        (
            "other",
            Reply::json(&json!({"assertions": 1})),
            Some("schema_validation"),
        ),
        ("down", Reply::status(500), Some("vertex_error")),
        ("huge", Reply::fault(Fault::TooLong), Some("vertex_error")),
    ];
    let rules = faults.iter().map(|(what, reply, _)| on(what, reply.clone()));
    let server = ModelServer::start(rules.fold(Script::new(), Script::rule)).await;
    let mut rig = Rig::new(database).await;
    rig.set_model(&server, Some("2"));
    // Apart from each other, so that each is a suggestion of its own.
    let flags = [
        "hallucination",
        "toxicity",
        "wrong_tool",
        "stale_data",
        "pii_leak",
        "guardrail_failed",
        "prompt_injection",
        "pii_found",
        "safety_violation",
    ];
    for ((what, ..), flag) in faults.iter().zip(flags) {
        let prompt = format!("Question {what}: {what}?");
        rig.store(what, (&prompt, what), Some(flag)).await;
    }
    rig.mine().await;
    assert_eq!(rig.suggestions().await.len(), faults.len());
    let report = rig.draft(rig.request()).await;
    let run = &report.run;
    let failed = faults.iter().filter(|(.., error)| error.is_some()).count();
    assert_eq!(
        (run.picked_up_count, run.generated_count, run.error_count),
        (faults.len() as u32, (faults.len() - failed) as u32, failed as u32)
    );
    assert!(run.cost_usd > 0.0 && run.cost_usd <= 2.0);
    let actor = Actor::Tenant(rig.user());
    let errors = rig.engine.draft_errors(actor, &run.run_id, 100).await.unwrap();
    let mut found: Vec<&str> = errors.iter().map(|error| error.error_type.as_str()).collect();
    let mut expected: Vec<&str> = faults.iter().filter_map(|(.., error)| *error).collect();
    found.sort_unstable();
    expected.sort_unstable();
    assert_eq!(found, expected);
    for suggestion in rig.suggestions().await {
        assert_eq!(suggestion.status.as_str(), "pending");
        assert!(suggestion.approval_metadata.is_none());
    }
    // Only what has no draft is looked at again.
    let again = rig.draft(rig.request()).await;
    assert_eq!(again.run.picked_up_count, failed as u32);

    // And what may be spent is not passed: the rest is for a person.
    rig.set_model(&server, Some("0.05"));
    let rest = rig.draft(rig.request()).await;
    assert_eq!(rest.run.cost_usd, 0.0);
    assert!(
        outcomes(&rest)
            .iter()
            .all(|outcome| *outcome == ("generated", Some("run_budget_exceeded")))
    );
}

async fn what_a_person_edited_stays(database: TestDatabase) {
    let rig = Rig::new(database).await;
    rig.incident("a").await;
    rig.mine().await;
    rig.draft(rig.request()).await;
    let human = match rig.database.engine {
        pawl_testkit::Engine::Sqlite => {
            "update suggestions set suggestion_content = json_set(suggestion_content,
                '$.eval_test.edit_source', 'human', '$.eval_test.title', 'By hand')"
        }
        pawl_testkit::Engine::Postgres => {
            "update suggestions set suggestion_content = jsonb_set(jsonb_set(suggestion_content,
                '{eval_test,edit_source}', '\"human\"'), '{eval_test,title}', '\"By hand\"')"
        }
    };
    let by_hand = [
        ("suggestion_content.eval_test.edit_source", json!("human")),
        ("suggestion_content.eval_test.title", json!("By hand")),
    ];
    rig.set(human, &by_hand).await;
    let before = rig.suggestions().await.swap_remove(0);
    let id = before.suggestion_id.clone();
    let named = DraftRequest {
        suggestion_ids: Some(vec![id.clone(), "sugg_none".to_owned()]),
        ..rig.request()
    };
    let kept = rig.draft(named.clone()).await;
    assert_eq!(outcomes(&kept), [("skipped", Some("overwrite_blocked"))]);
    assert_eq!(rig.suggestions().await.swap_remove(0), before);
    // A batch never forces.
    let batch = DraftRequest {
        overwrite: Overwrite::Force,
        ..rig.request()
    };
    assert_eq!(rig.draft(batch).await.run.picked_up_count, 0);
    let forced = DraftRequest {
        overwrite: Overwrite::Force,
        ..named
    };
    let forced = rig.draft(forced).await;
    assert_eq!(outcomes(&forced), [("generated", Some("model_not_configured"))]);
    let after = rig.suggestions().await.swap_remove(0);
    assert_eq!(
        (after.status, &after.approval_metadata),
        (before.status, &before.approval_metadata)
    );
    let history = after.version_history.to_value();
    let kept = history.as_array().unwrap().last().unwrap();
    assert_eq!(
        kept["previous_eval_test"],
        before.suggestion_content.to_value()["eval_test"]
    );
    assert_eq!(kept["previous_eval_test"]["title"], "By hand");
}

async fn a_dry_run_and_other_kinds_leave_no_trace(database: TestDatabase) {
    let rig = Rig::new(database).await;
    rig.incident("a").await;
    rig.store("loop", ("Again and again", "…"), Some("runaway_loop"))
        .await;
    rig.mine().await;
    let before = rig.suggestions().await;
    assert_eq!(before.len(), 2);
    let dry = DraftRequest {
        mode: Mode::DryRun,
        suggestion_ids: Some(before.iter().map(|one| one.suggestion_id.clone()).collect()),
        ..rig.request()
    };
    let report = rig.draft(dry).await;
    let mut found = outcomes(&report);
    found.sort_unstable();
    assert_eq!(
        found,
        [
            ("generated", Some("model_not_configured")),
            ("skipped", Some("not_eval_type"))
        ]
    );
    assert_eq!(rig.suggestions().await, before);
    let runs = rig.engine.draft_runs(Actor::Tenant(rig.user()), 10).await;
    assert_eq!(runs.unwrap(), []);
    let approve = "update suggestions set status = 'approved'";
    rig.set(approve, &[("status", json!("approved"))]).await;
    let named = DraftRequest {
        suggestion_ids: Some(before.iter().map(|one| one.suggestion_id.clone()).collect()),
        ..rig.request()
    };
    let report = rig.draft(named).await;
    assert_eq!(report.run.skipped_count, 2);
    assert!(outcomes(&report).contains(&("skipped", Some("not_pending"))));
}
