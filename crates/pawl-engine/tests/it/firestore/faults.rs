//! What goes wrong with Firestore: a failure in between, a document that is full, no answer.

use pawl_engine::review::{ReviewError, Verdict};
use pawl_engine::{Actor, EngineError, Fault, Trouble};
use pawl_providers::firestore::Write;
use pawl_testkit::{TestDatabase, over_firestore};
use serde_json::json;

use super::{document, fail_in_many_ways, review};
use crate::draft::rig::Rig;

over_firestore!(
    what_was_mined_before_a_failure_comes_to_the_same,
    a_document_that_is_full_is_an_error_of_its_suggestion,
    without_an_answer_nothing_is_said_to_be_done,
);

async fn what_was_mined_before_a_failure_comes_to_the_same(database: TestDatabase) {
    let rig = Rig::new(database).await;
    fail_in_many_ways(&rig).await;
    let before = rig.suggestions().await;
    let documents_before = document(&rig, &before[0].suggestion_id).await;
    // As if the database had failed behind Firestore.
    let pairs = "select group_concat(pattern_id || suggestion_id || coalesce(similarity_score, '')) from
                 (select * from failure_patterns order by pattern_id)";
    let patterns = rig.database.text(pairs).await;
    rig.database.run("delete from failure_patterns").await;
    rig.mine().await;
    assert_eq!(rig.database.text(pairs).await, patterns);
    assert_eq!(rig.suggestions().await, before);
    assert_eq!(document(&rig, &before[0].suggestion_id).await, documents_before);
}

async fn a_document_that_is_full_is_an_error_of_its_suggestion(database: TestDatabase) {
    let rig = Rig::new(database).await;
    rig.incident("a").await;
    rig.mine().await;
    let full = rig.suggestions().await.swap_remove(0).suggestion_id;
    let documents = rig.documents().unwrap();
    for size in (0..1 << 20).rev().step_by(1_000) {
        let snippet = json!("x".repeat(size));
        let write = Write::update(
            "suggestions",
            &full,
            [("suggestion_content.runbook_snippet", snippet)],
        );
        if documents.commit(&[write]).await.is_ok() {
            break;
        }
    }
    rig.store("loud", ("Why so rude?", "Because."), Some("toxicity"))
        .await;
    rig.mine().await;
    let report = rig.draft(rig.request()).await;
    assert_eq!((report.run.generated_count, report.run.error_count), (1, 1));
    let errors = rig
        .engine
        .draft_errors(Actor::Tenant(rig.user()), &report.run.run_id, 10)
        .await
        .unwrap();
    assert_eq!(errors, report.errors);
    let error = &errors[0];
    assert_eq!(
        (error.suggestion_id.as_str(), error.error_type.as_str()),
        (full.as_str(), "unknown")
    );
    assert_eq!(
        error.error_message,
        "a document would be larger than 1 MiB: shorten its draft or its history"
    );
    let id = format!("{}:{full}", report.run.run_id);
    assert!(documents.get("eval_test_errors", &[&id]).await.unwrap()[0].is_some());
    assert!(
        documents
            .get("eval_test_runs", &[&report.run.run_id])
            .await
            .unwrap()[0]
            .is_some()
    );
}

async fn without_an_answer_nothing_is_said_to_be_done(database: TestDatabase) {
    let mut rig = Rig::new(database).await;
    rig.incident("a").await;
    rig.mine().await;
    let id = rig.suggestions().await.swap_remove(0).suggestion_id;
    rig.database.firestore = None;
    rig.incident("b").await;
    let mined = rig.try_mine(rig.user()).await.map(drop);
    let drafted = rig.engine.draft(&rig.request()).await.map(drop);
    let decided = rig
        .engine
        .decide(review(&rig, &id), Verdict::Reject { reason: "no" })
        .await;
    let decided = match decided {
        Err(ReviewError::Engine(error)) => Err(error),
        other => panic!("{other:?}"),
    };
    for failed in [mined, drafted, decided] {
        let error = failed.unwrap_err();
        let EngineError::Suggestions(cause) = &error else {
            panic!("{error}");
        };
        assert_eq!(
            (cause.trouble, error.fault()),
            (Trouble::Unavailable, Fault::Infrastructure)
        );
        assert!(
            error
                .to_string()
                .starts_with("Firestore cannot be reached: check the network"),
            "{error}"
        );
    }
    // What was not written there is not taken for mined.
    assert_eq!(
        rig.database.number("select count(*) from failure_patterns").await,
        1
    );
}
