//! Documents of Firestore in the lineage.

use pawl_model::{LineageEvent, LineageKind};
use pawl_providers::firestore::Write;
use pawl_testkit::{TestDatabase, over_firestore};
use serde_json::json;

use super::{approved, assert_whole, drafted, reached, run_approved, verify};

over_firestore!(
    documents_are_compared_with_what_was_intended,
    what_was_not_brought_to_its_end_is_told,
);

async fn documents_are_compared_with_what_was_intended(database: TestDatabase) {
    let rig = drafted(database).await;
    let suggestion = approved(&rig).await;
    run_approved(&rig).await;
    let verified = assert_whole(&rig).await;
    assert_eq!(verified.unfinished, []);
    let [back, forth] = reached(&rig, &suggestion).await;
    assert_eq!(back, [LineageKind::Interaction, LineageKind::Pattern].into());
    assert_eq!(forth, [LineageKind::Run].into());
    let lineage = rig
        .engine
        .lineage(rig.user(), &suggestion)
        .await
        .unwrap()
        .unwrap();
    for told in &lineage.nodes {
        let events: Vec<LineageEvent> = told.entries.iter().rev().map(|entry| entry.event).collect();
        assert_eq!(
            events[..2],
            [LineageEvent::Intended, LineageEvent::Completed],
            "{told:?}"
        );
    }
    let documents = rig.documents().unwrap();
    let write = Write::update("suggestions", &suggestion, [("severity", json!("low"))]);
    documents.commit(&[write]).await.unwrap();
    let broken = verify(&rig).await.broken.unwrap();
    assert_eq!(
        (broken.id.as_str(), broken.kind.as_str()),
        (suggestion.as_str(), "approval")
    );
    assert!(
        broken.problem.contains("the document is not what was written"),
        "{broken:?}"
    );
}

async fn what_was_not_brought_to_its_end_is_told(database: TestDatabase) {
    let rig = drafted(database).await;
    approved(&rig).await;
    // Killed behind the commit of the document, and before it was told.
    let cut = "delete from lineage_parents where position = (select max(position) from lineage);
        delete from lineage where position = (select max(position) from lineage)";
    rig.database.tamper(cut).await;
    let verified = assert_whole(&rig).await;
    assert_eq!(verified.unfinished.len(), 1);
    assert_eq!(verified.unfinished[0].node.kind, LineageKind::Approval);
    assert_eq!(verified.unfinished[0].found, "as intended");
    // The document as it was before: the kill came before the commit.
    let id = &verified.unfinished[0].node.id;
    let documents = rig.documents().unwrap();
    let is = documents
        .get("suggestions", &[id])
        .await
        .unwrap()
        .pop()
        .flatten()
        .unwrap();
    let mut history = is.fields["version_history"].as_array().unwrap().clone();
    history.pop();
    let draft = &is.fields["suggestion_content"]["eval_test"];
    let before = [
        ("status", json!("pending")),
        ("approval_metadata", json!(null)),
        ("version_history", json!(history)),
        ("updated_at", draft["updated_at"].clone()),
    ];
    documents
        .commit(&[Write::update("suggestions", id, before)])
        .await
        .unwrap();
    let verified = assert_whole(&rig).await;
    assert_eq!(
        verified.unfinished[0].found,
        "as it was before: it was not written"
    );
    // Neither.
    let write = Write::update("suggestions", id, [("severity", json!("low"))]);
    documents.commit(&[write]).await.unwrap();
    assert!(!verify(&rig).await.is_whole);
}
