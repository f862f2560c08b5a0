//! Review: what people write and decide, and what nobody takes from them.

use std::sync::Arc;

use pawl_engine::Actor;
use pawl_engine::draft::{DraftRequest, Overwrite};
use pawl_engine::review::{Base, DraftEdit, Drafted, Review, ReviewError, Verdict};
use pawl_model::{ProofVerdict, Suggestion, SuggestionStatus};
use pawl_testkit::{ModelServer, Reply, Script, TestDatabase, on_both_engines, over_firestore};
use proptest::strategy::{Strategy, ValueTree as _};
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};

use crate::draft::rig::{Rig, answer, outcomes};

on_both_engines!(
    of_a_hundred_reviewers_one_wins,
    an_edit_is_stored_as_it_was_written_and_proven,
    what_cannot_be_kept_as_it_is_written_is_refused,
    what_is_not_ready_is_not_approved,
    what_was_decided_stays,
    a_judge_is_heard_within_the_budget_and_again_where_it_is_unsure,
    no_sequence_loses_what_a_person_wrote,
);

over_firestore!(
    of_a_hundred_reviewers_one_wins,
    an_edit_is_stored_as_it_was_written_and_proven,
    what_cannot_be_kept_as_it_is_written_is_refused,
    what_is_not_ready_is_not_approved,
    what_was_decided_stays,
    no_sequence_loses_what_a_person_wrote,
);

const CATCHES: &str = "Must not contain \"within 90 days\"";

/// A suggestion with a template for a draft.
async fn drafted(database: TestDatabase) -> (Rig, String) {
    let rig = Rig::new(database).await;
    rig.incident("a").await;
    rig.store("fine", ("May I return it?", "Unopened, within 30 days."), None)
        .await;
    rig.mine().await;
    rig.draft(rig.request()).await;
    let id = rig.suggestions().await[0].suggestion_id.clone();
    (rig, id)
}

fn review<'a>(rig: &Rig, id: &'a str, by: &'a str) -> Review<'a> {
    Review {
        user_id: rig.user(),
        suggestion_id: id,
        by,
    }
}

fn edit(sentence: &str) -> DraftEdit {
    serde_json::from_value(json!({
        "title": "Opened software stays", "rationale": "",
        "input": {"prompt": "Can I return opened software?", "tools_involved": []},
        "assertions": {"required": [], "forbidden": [sentence]},
    }))
    .unwrap()
}

async fn write(rig: &Rig, id: &str, edit: DraftEdit) -> Result<Suggestion, ReviewError> {
    let review = review(rig, id, "ada@example.com");
    rig.engine.edit_draft(review, edit, Base::Any).await
}

async fn approve(rig: &Rig, id: &str, notes: Option<&str>) -> Result<Suggestion, ReviewError> {
    let review = review(rig, id, "ada@example.com");
    rig.engine.decide(review, Verdict::Approve { notes }).await
}

async fn of_a_hundred_reviewers_one_wins(database: TestDatabase) {
    let (rig, id) = drafted(database).await;
    write(&rig, &id, edit(CATCHES)).await.unwrap();
    let rig = Arc::new(rig);
    let reviewers = (0..100).map(|number| {
        let (rig, id) = (Arc::clone(&rig), id.clone());
        tokio::spawn(async move {
            let by = format!("reviewer {number}");
            let review = review(&rig, &id, &by);
            let verdict = if number % 2 == 0 {
                Verdict::Approve { notes: None }
            } else {
                Verdict::Reject { reason: "not ours" }
            };
            rig.engine.decide(review, verdict).await.map(|_| by)
        })
    });
    let mut winners = Vec::new();
    for decided in futures::future::join_all(reviewers).await {
        match decided.unwrap() {
            Ok(by) => winners.push(by),
            Err(ReviewError::Decided { by, .. }) => assert!(by.is_some()),
            Err(error) => panic!("{error}"),
        }
    }
    assert_eq!(winners.len(), 1);
    let suggestion = rig.suggestions().await.swap_remove(0);
    let metadata = suggestion.approval_metadata.unwrap().to_value();
    assert_eq!(metadata["actor"], winners[0].as_str());
    assert_eq!(metadata["action"], suggestion.status.as_str());
    let history = suggestion.version_history.to_value();
    let decisions = history.as_array().unwrap().iter();
    let decisions = decisions.filter(|entry| entry["new_status"] != "pending");
    assert_eq!(decisions.count(), 1);
}

async fn an_edit_is_stored_as_it_was_written_and_proven(database: TestDatabase) {
    let (rig, id) = drafted(database).await;
    let before = rig.content().await["eval_test"].clone();
    let mut written = edit(CATCHES);
    written.title = "  Opened software,\n as I say it …  ".to_owned();
    written.assertions.golden_output = Some(None);
    let suggestion = write(&rig, &id, written.clone()).await.unwrap();
    let drafted = Drafted::of(&suggestion).unwrap().unwrap();
    assert_eq!(DraftEdit::from(&drafted.draft), written);
    assert_eq!(
        (drafted.draft.edit_source.as_str(), drafted.draft.status.as_str()),
        ("human", "draft")
    );
    let proof = drafted.proof.unwrap();
    assert_eq!(proof.verdict, ProofVerdict::Proven);
    assert_eq!(proof.summary, "would have caught 1 of 1 · false alarms 0 of 1");
    let history = suggestion.version_history.to_value();
    let entry = history.as_array().unwrap().last().unwrap();
    assert_eq!(entry["previous_eval_test"], before);
    assert_eq!(entry["actor"], "ada@example.com");

    // Who saw an older version is told, and nothing is written.
    let base = Base::UpdatedAt(drafted.draft.updated_at - time::Duration::SECOND);
    let late = review(&rig, &id, "late");
    let error = rig.engine.edit_draft(late, edit("Must not refuse"), base).await;
    assert!(matches!(error, Err(ReviewError::Changed)), "{error:?}");
    assert_eq!(rig.suggestions().await[0], suggestion);
    let base = Base::UpdatedAt(drafted.draft.updated_at);
    rig.engine
        .edit_draft(late, edit("Must not refuse"), base)
        .await
        .unwrap();
}

async fn what_cannot_be_kept_as_it_is_written_is_refused(database: TestDatabase) {
    let (rig, id) = drafted(database).await;
    let before = rig.suggestions().await;
    let mut bad = edit("TODO: what the answer must not say");
    bad.title = "x".repeat(201);
    bad.rationale = "Ask jane.doe@example.com about it".to_owned();
    bad.input.prompt = " ".to_owned();
    bad.assertions.required = vec![String::new()];
    bad.assertions.notes = Some(Some("a\0b".to_owned()));
    let Err(ReviewError::Invalid(errors)) = write(&rig, &id, bad).await else {
        panic!("it was written");
    };
    let found: Vec<String> = errors
        .iter()
        .map(|error| format!("{}: {}", error.field, error.message))
        .collect();
    assert_eq!(
        found,
        [
            "title: has 201 characters, at most 200 are kept",
            "rationale: holds personal data or a secret (EMAIL): write a placeholder instead",
            "input.prompt: is blank",
            "assertions.required[0]: is blank",
            "assertions.forbidden[0]: is still a placeholder of the template: write it, or leave it out",
            "assertions.notes: holds the NUL character",
        ]
    );
    let mut empty = edit("x");
    empty.assertions.forbidden.clear();
    assert!(matches!(
        write(&rig, &id, empty).await,
        Err(ReviewError::Invalid(_))
    ));
    assert!(matches!(
        write(&rig, "sugg_none", edit(CATCHES)).await,
        Err(ReviewError::NotFound)
    ));
    assert_eq!(rig.suggestions().await, before);
}

async fn what_is_not_ready_is_not_approved(database: TestDatabase) {
    let (rig, id) = drafted(database).await;
    let error = approve(&rig, &id, Some("it will do")).await;
    assert!(matches!(error, Err(ReviewError::NeedsHumanInput)), "{error:?}");
    // One that is not proven, and one that is refuted, need a note.
    for (sentence, expected) in [
        ("Must be true to the policy", ProofVerdict::Unproven),
        ("Must not contain \"a million\"", ProofVerdict::Refuted),
    ] {
        write(&rig, &id, edit(sentence)).await.unwrap();
        for notes in [None, Some(" ")] {
            let Err(ReviewError::NoteNeeded { verdict, .. }) = approve(&rig, &id, notes).await else {
                panic!("{sentence} was approved");
            };
            assert_eq!(verdict, expected);
        }
    }
    let reviewer = review(&rig, &id, "ada");
    let error = rig.engine.decide(reviewer, Verdict::Reject { reason: " " }).await;
    assert!(matches!(error, Err(ReviewError::Invalid(_))), "{error:?}");
    let suggestion = approve(&rig, &id, Some("we watch it")).await.unwrap();
    assert_eq!(suggestion.status, SuggestionStatus::Approved);
    let history = suggestion.version_history.to_value();
    assert_eq!(
        history.as_array().unwrap().last().unwrap()["notes"],
        "we watch it"
    );
    let tests = rig
        .engine
        .approved_tests(Actor::Tenant(rig.user()))
        .await
        .unwrap();
    assert_eq!(tests.len(), 1);
}

async fn what_was_decided_stays(database: TestDatabase) {
    let (rig, id) = drafted(database).await;
    write(&rig, &id, edit(CATCHES)).await.unwrap();
    approve(&rig, &id, None).await.unwrap();
    let decided = rig.suggestions().await;
    let error = approve(&rig, &id, Some("again")).await.unwrap_err();
    assert_eq!(error.to_string(), "it is approved already, by ada@example.com");
    let error = write(&rig, &id, edit("Must not refuse")).await.unwrap_err();
    assert!(matches!(error, ReviewError::Decided { .. }), "{error}");
    let forced = DraftRequest {
        suggestion_ids: Some(vec![id]),
        overwrite: Overwrite::Force,
        ..rig.request()
    };
    assert_eq!(
        outcomes(&rig.draft(forced).await),
        [("skipped", Some("not_pending"))]
    );
    assert_eq!(rig.suggestions().await, decided);
}

async fn a_judge_is_heard_within_the_budget_and_again_where_it_is_unsure(database: TestDatabase) {
    let mut draft = answer();
    draft["assertions"] = json!({
        "required": [], "forbidden": ["Must not promise what the policy does not have"],
        "golden_output": null, "notes": null,
    });
    let verdict =
        |pass: bool, score: f64| Reply::json(&json!({"evidence": "as seen", "score": score, "pass": pass}));
    let script = Script::new()
        .next(1, Reply::json(&draft))
        // The incident: unsure at first, then twice against it.
        .next(1, verdict(true, 0.55))
        .next(2, verdict(false, 0.1))
        .otherwise(verdict(true, 0.95));
    let server = ModelServer::start(script).await;
    let mut rig = Rig::new(database).await;
    rig.set_model(&server, None);
    rig.incident("a").await;
    rig.mine().await;
    let report = rig.draft(rig.request()).await;
    let card = &report.drafts[0].1;
    assert_eq!(card.verdict, ProofVerdict::Proven, "{card:?}");
    assert_eq!(card.judge.as_deref(), Some("openai:gpt-4o-mini"));
    assert!(card.sentences[0].is_judged && !card.sentences[0].is_compiled);
    assert_eq!(card.sentences[0].caught, 1);
    assert!(report.run.cost_usd > 0.0 && report.run.cost_usd <= 0.1);
    assert_eq!(server.asked().len(), 4);
}

/// What may happen to a suggestion.
#[derive(Clone, Debug)]
enum Step {
    Batch,
    Generate,
    Force,
    Edit(String),
    Approve(bool),
    Reject,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = proptest::prop_oneof![
        1 => proptest::strategy::Just(Step::Batch),
        2 => proptest::strategy::Just(Step::Generate),
        2 => proptest::strategy::Just(Step::Force),
        4 => "[a-z äöß「」🦀\"\\\\{}]{1,40}".prop_map(Step::Edit),
        1 => proptest::bool::ANY.prop_map(Step::Approve),
        1 => proptest::strategy::Just(Step::Reject),
    ];
    proptest::collection::vec(step, 1..12)
}

/// What generation never touches.
fn governed(suggestion: &Suggestion) -> (String, Option<String>) {
    let metadata = suggestion.approval_metadata.as_ref();
    (
        suggestion.status.to_string(),
        metadata.map(|metadata| metadata.as_str().to_owned()),
    )
}

async fn no_sequence_loses_what_a_person_wrote(database: TestDatabase) {
    let (rig, id) = drafted(database).await;
    let reset = "update suggestions set status = 'pending', approval_metadata = null, suggestion_content = '{}', \
                 version_history = '[]'";
    let mut runner = TestRunner::deterministic();
    let (mut edits, mut decisions) = (0, 0);
    for _ in 0..80 {
        let unwritten = [
            ("status", json!("pending")),
            ("approval_metadata", json!(null)),
            ("suggestion_content", json!({})),
            ("version_history", json!([])),
        ];
        rig.set(reset, &unwritten).await;
        let mut written: Vec<Value> = Vec::new();
        for step in steps().new_tree(&mut runner).unwrap().current() {
            let before = rig.suggestions().await.swap_remove(0);
            let named = DraftRequest {
                suggestion_ids: Some(vec![id.clone()]),
                ..rig.request()
            };
            match step {
                Step::Batch => drop(rig.draft(rig.request()).await),
                Step::Generate => drop(rig.draft(named).await),
                Step::Force => {
                    let forced = DraftRequest {
                        overwrite: Overwrite::Force,
                        ..named
                    };
                    rig.draft(forced).await;
                }
                Step::Edit(text) => {
                    let mut edit = edit(&format!("Must not contain \"{text}\""));
                    edit.title = format!("t{text}");
                    edit.assertions.notes = Some(Some(text));
                    if let Ok(after) = write(&rig, &id, edit).await {
                        edits += 1;
                        written.push(after.suggestion_content.to_value()["eval_test"].clone());
                        assert_eq!(governed(&after), governed(&before));
                    }
                    continue;
                }
                Step::Approve(with_note) => {
                    let notes = with_note.then_some("a note");
                    decisions += usize::from(approve(&rig, &id, notes).await.is_ok());
                    continue;
                }
                Step::Reject => {
                    let reviewer = review(&rig, &id, "ada");
                    let verdict = Verdict::Reject { reason: "no" };
                    decisions += usize::from(rig.engine.decide(reviewer, verdict).await.is_ok());
                    continue;
                }
            }
            let after = rig.suggestions().await.swap_remove(0);
            assert_eq!(governed(&after), governed(&before));
        }
        let last = rig.suggestions().await.swap_remove(0);
        let history = last.version_history.to_value();
        let kept: Vec<&Value> = history
            .as_array()
            .unwrap()
            .iter()
            .map(|entry| &entry["previous_eval_test"])
            .collect();
        let content = last.suggestion_content.to_value();
        for draft in &written {
            assert!(
                &content["eval_test"] == draft || kept.contains(&draft),
                "{draft} is lost"
            );
        }
    }
    assert!(
        edits > 30 && decisions > 10,
        "{edits} edits, {decisions} decisions"
    );
}
