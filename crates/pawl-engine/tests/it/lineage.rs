//! Lineage: what led to what is told from either end, and whatever is changed behind our back is found.

mod changes;
mod documents;
mod flips;

use std::collections::BTreeSet;

use pawl_engine::Actor;
use pawl_engine::intake::Terms;
use pawl_engine::lineage::Verification;
use pawl_engine::promote::{NewPrompt, OnRefusal, Promotion};
use pawl_engine::review::{Review, Verdict};
use pawl_engine::run::{RunRequest, TargetChoice};
use pawl_model::{
    CandidateStatus, Json, LineageKind, NewInteraction, Optimization, PromptCandidate, RunId, UserId,
};
use pawl_store::evolution;
use pawl_testkit::{TestDatabase, on_both_engines, samples};
use serde_json::json;

use crate::draft::rig::{BAD, Rig, run_request};

on_both_engines!(
    what_led_to_what_is_told_from_either_end,
    the_lineage_of_others_is_not_seen,
);

const PROMPT: &str = "support";

async fn verify(rig: &Rig) -> Verification {
    rig.engine.verify_lineage(rig.user()).await.unwrap()
}

async fn assert_whole(rig: &Rig) -> Verification {
    let verified = verify(rig).await;
    assert!(verified.is_whole, "{verified:?}");
    verified
}

/// Two incidents, mined and drafted.
async fn drafted(database: TestDatabase) -> Rig {
    let rig = Rig::new(database).await;
    rig.incident("one").await;
    rig.incident("two").await;
    rig.store("fine", ("How are you?", "Fine."), None).await;
    rig.mine().await;
    rig.draft(rig.request()).await;
    rig
}

/// The test of the one suggestion, edited and approved by a person. Gives its id.
async fn approved(rig: &Rig) -> String {
    let id = rig.suggestions().await[0].suggestion_id.clone();
    let review = Review {
        user_id: rig.user(),
        suggestion_id: &id,
        by: "ada",
    };
    let content = rig.content().await;
    let mut edit = json!({
        "title": "No refund", "rationale": "It was promised.", "input": content["eval_test"]["input"],
        "assertions": content["eval_test"]["assertions"],
    });
    edit["input"] = json!({
        "prompt": "Can I return opened software?", "required_state": null, "tools_involved": [],
    });
    edit["assertions"] = json!({
        "required": [], "forbidden": ["Must not contain \"within 90 days\""], "golden_output": null, "notes": null,
    });
    let edit = serde_json::from_value(edit).unwrap();
    rig.engine
        .edit_draft(review, edit, pawl_engine::review::Base::Any)
        .await
        .unwrap();
    let notes = Some("good");
    rig.engine
        .decide(review, Verdict::Approve { notes })
        .await
        .unwrap();
    id
}

fn echo() -> TargetChoice {
    TargetChoice::Named("echo".to_owned())
}

async fn run_approved(rig: &Rig) -> RunId {
    rig.run_approved(echo()).await.run.id
}

/// A prompt, a candidate of it that becomes live, and the way back.
async fn promoted(rig: &Rig) {
    let user = rig.user();
    let components = samples::components("Answer.");
    let new = NewPrompt {
        user_id: user,
        name: PROMPT,
        components: &components,
        by: "ada",
    };
    rig.engine.add_prompt(new).await.unwrap();
    let run = Optimization {
        config: Json::parse(r#"{"suite": "approved"}"#).unwrap(),
        ..samples::optimization()
    };
    let mut seed = samples::candidate("apc_seed", "Answer.", CandidateStatus::Proposed);
    let child = PromptCandidate {
        parents: vec!["apc_seed".to_owned()],
        ..samples::candidate("apc_child", "Answer.", CandidateStatus::Proposed)
    };
    let mut scope = rig.database.store.write(Actor::Service).await.unwrap();
    evolution::insert_run(&mut scope, user, &run).await.unwrap();
    for candidate in [&seed, &child] {
        evolution::propose(&mut scope, user, candidate).await.unwrap();
    }
    scope.commit().await.unwrap();
    let mut scope = rig.database.store.write(Actor::Service).await.unwrap();
    for digest in ["apc_seed", "apc_child"] {
        let accepted = CandidateStatus::Accepted;
        evolution::decide_candidate(&mut scope, (&run.id, digest), accepted, None)
            .await
            .unwrap();
    }
    scope.commit().await.unwrap();
    let mut scope = rig.database.store.write(Actor::Service).await.unwrap();
    seed.avg_score = Some(0.3);
    evolution::set_standing(&mut scope, &seed).await.unwrap();
    scope.commit().await.unwrap();
    let path = rig.database.folder().join("cases.jsonl");
    std::fs::write(&path, "{\"id\": \"a\", \"input\": \"ok\"}\n").unwrap();
    let checks = rig.database.folder().join("checks.yaml");
    std::fs::write(&checks, "- type: contains\n  value: ok\n").unwrap();
    let promotion = Promotion {
        user_id: user,
        candidate_id: "apc_child",
        name: PROMPT,
        by: "ada",
        reason: "it is time",
        on_refusal: OnRefusal::Override,
        weights: Default::default(),
        run: RunRequest {
            checks: Some(checks.to_string_lossy().into_owned()),
            ..run_request(path.into(), echo())
        },
        workers: 1,
    };
    rig.engine.promote(promotion).await.unwrap();
    rig.engine
        .roll_back((user, PROMPT), None, ("ada", "not yet"))
        .await
        .unwrap();
}

/// From incidents to a prompt that is live.
async fn whole_loop(database: TestDatabase) -> (Rig, String, RunId) {
    let rig = drafted(database).await;
    let suggestion = approved(&rig).await;
    let run = run_approved(&rig).await;
    promoted(&rig).await;
    (rig, suggestion, run)
}

/// The kinds of what is reached from a node, back and forth.
async fn reached(rig: &Rig, id: &str) -> [BTreeSet<LineageKind>; 2] {
    let lineage = rig.engine.lineage(rig.user(), id).await.unwrap().unwrap();
    assert!(lineage.is_complete);
    [lineage.led_to_it, lineage.it_led_to].map(|steps| steps.iter().map(|step| step.node.kind).collect())
}

async fn what_led_to_what_is_told_from_either_end(database: TestDatabase) {
    use LineageKind::{
        Approval, Candidate, Draft, Interaction, Pattern, Prompt, Run, Suggestion, Verdict as Decision,
        Version,
    };
    let (rig, suggestion, run) = whole_loop(database).await;
    let verified = assert_whole(&rig).await;
    assert_eq!(verified.erased, 0);
    let kinds = |kinds: &[LineageKind]| kinds.iter().copied().collect::<BTreeSet<_>>();
    let behind_a_test = [Run, Candidate, Decision, Version, Prompt];
    // By the name that the agent gave it.
    let [back, forth] = reached(&rig, "one").await;
    assert_eq!(back, kinds(&[]));
    assert_eq!(
        forth,
        kinds(&[&[Pattern, Suggestion, Draft, Approval], &behind_a_test[..]].concat())
    );
    let [back, forth] = reached(&rig, &suggestion).await;
    assert_eq!(back, kinds(&[Interaction, Pattern]));
    assert_eq!(forth, kinds(&behind_a_test));
    let before_a_test = [Interaction, Pattern, Suggestion, Draft, Approval];
    let [back, forth] = reached(&rig, &run.to_string()).await;
    assert_eq!((back, forth), (kinds(&before_a_test), kinds(&[])));
    let [back, forth] = reached(&rig, "apc_seed").await;
    assert_eq!(
        (back, forth),
        (
            kinds(&before_a_test),
            kinds(&[Candidate, Decision, Version, Prompt])
        )
    );
    let [back, _] = reached(&rig, PROMPT).await;
    assert_eq!(
        back,
        kinds(&[&before_a_test[..], &[Candidate, Decision, Version]].concat())
    );
    let [back, forth] = reached(&rig, "support@2").await;
    assert!(
        back.contains(&Candidate) && forth.contains(&Decision),
        "{back:?} {forth:?}"
    );
    let lineage = rig
        .engine
        .lineage(rig.user(), &suggestion)
        .await
        .unwrap()
        .unwrap();
    let told: Vec<(LineageKind, usize)> = lineage
        .nodes
        .iter()
        .map(|told| (told.node.kind, told.entries.len()))
        .collect();
    // A draft is made, and edited.
    assert_eq!(told, [(Suggestion, 1), (Draft, 2), (Approval, 1)]);
    assert!(rig.engine.lineage(rig.user(), "fine").await.unwrap().is_none());
    assert!(rig.engine.lineage(rig.user(), "nothing").await.unwrap().is_none());
}

async fn the_lineage_of_others_is_not_seen(database: TestDatabase) {
    let (rig, suggestion, _) = whole_loop(database).await;
    rig.database.add_user(2).await;
    let other: UserId = samples::user(2).id;
    assert!(rig.engine.lineage(other, &suggestion).await.unwrap().is_none());
    assert!(rig.engine.lineage(other, "one").await.unwrap().is_none());
    assert_eq!(rig.engine.verify_lineage(other).await.unwrap().entries, 0);
    let interaction = NewInteraction {
        prompt: "p".to_owned(),
        response: BAD.to_owned(),
        flags: vec!["hallucination".to_owned()],
        ..samples::interaction(other, "one")
    };
    rig.engine.ingest(vec![interaction], Terms::Whole).await.unwrap();
    assert!(rig.engine.lineage(other, "one").await.unwrap().is_none());
}
