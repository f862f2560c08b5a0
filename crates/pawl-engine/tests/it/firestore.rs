//! Suggestions in Firestore: what is written there, and what others see of it.

mod faults;
mod others;

use std::time::Duration;

use pawl_engine::Actor;
use pawl_engine::draft::DraftRequest;
use pawl_engine::intake::Terms;
use pawl_engine::mine::suggestions::Filter;
use pawl_engine::review::{Review, Verdict};
use pawl_engine::worker::WorkerSettings;
use pawl_model::{
    JobId, JobKind, Json, NewInteraction, Severity, Suggestion, SuggestionStatus, TriggeredBy, UserId,
};
use pawl_providers::firestore::Write;
use pawl_store::jobs::{self, NewJob};
use pawl_testkit::{ModelServer, Reply, Script, TestDatabase, over_firestore, samples};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::draft::rig::{Rig, answer, outcomes};

over_firestore!(
    what_is_listed_is_what_the_database_would_list,
    what_is_mined_has_the_form_that_others_read,
    what_was_rejected_is_not_joined,
    what_a_person_decides_in_between_is_seen,
    suggestions_of_other_users_are_rows,
    workers_mine_and_draft_there,
);

const FLAGS: [&str; 6] = [
    "hallucination",
    "toxicity",
    "wrong_tool",
    "stale_data",
    "pii_leak",
    "prompt_injection",
];

async fn fail_in_many_ways(rig: &Rig) {
    for flag in FLAGS {
        let prompt = format!("Question of {flag}: what about {flag}?");
        rig.store(flag, (&prompt, flag), Some(flag)).await;
    }
    rig.mine().await;
}

/// The ids of the queue, read so many at once.
async fn queue(rig: &Rig, filter: &Filter, limit: u32) -> Vec<String> {
    let actor = Actor::Tenant(rig.user());
    let (mut ids, mut after) = (Vec::new(), None::<String>);
    loop {
        let page = rig
            .engine
            .review_queue(actor, (filter, after.as_deref()), limit)
            .await
            .unwrap();
        ids.extend(page.items.into_iter().map(|one| one.suggestion_id));
        after = page.next;
        if after.is_none() {
            return ids;
        }
    }
}

async fn what_is_listed_is_what_the_database_would_list(database: TestDatabase) {
    let documents = Rig::new(database).await;
    let rows = Rig::new(TestDatabase::new(pawl_testkit::Engine::Sqlite).await).await;
    for rig in [&documents, &rows] {
        fail_in_many_ways(rig).await;
        rig.draft(rig.request()).await;
    }
    let strip = |mut all: Vec<Suggestion>| {
        // What is random.
        for one in &mut all {
            let mut content = one.suggestion_content.to_value();
            content["eval_test"]["generator_meta"]["run_id"] = json!("");
            one.suggestion_content = Json::from_serialize(&content).unwrap();
            one.version_history = Json::empty_array();
        }
        all
    };
    let all = strip(documents.suggestions().await);
    assert_eq!(all.len(), FLAGS.len());
    assert_eq!(all, strip(rows.suggestions().await));
    let high = Filter {
        status: Some(SuggestionStatus::Pending),
        severity: Some(Severity::High),
        ..Filter::default()
    };
    for filter in [Filter::default(), high] {
        for limit in [1, 2, 100] {
            assert_eq!(
                queue(&documents, &filter, limit).await,
                queue(&rows, &filter, limit).await
            );
        }
    }
    let actor = Actor::Tenant(documents.user());
    let mut filter = Filter::default();
    let mut paged = Vec::new();
    loop {
        let page = documents.engine.suggestions(actor, &filter, 2).await.unwrap();
        paged.extend(page.items);
        filter.after = page.next;
        if filter.after.is_none() {
            break;
        }
    }
    assert_eq!(strip(paged), all);
    for one in &all {
        let id = &one.suggestion_id;
        let (here, there) = (
            documents.engine.suggestion(actor, id).await.unwrap().unwrap(),
            rows.engine.suggestion(actor, id).await.unwrap().unwrap(),
        );
        assert_eq!(here.source_traces, there.source_traces);
    }
}

/// A document as it stands.
async fn document(rig: &Rig, id: &str) -> Value {
    let documents = rig.documents().unwrap();
    let found = documents.get("suggestions", &[id]).await.unwrap().remove(0);
    found.unwrap().fields.into()
}

async fn put(rig: &Rig, collection: &str, id: &str, document: &Value) {
    let write = Write::put(collection, id, document.as_object().unwrap().clone());
    rig.documents().unwrap().commit(&[write]).await.unwrap();
}

async fn what_is_mined_has_the_form_that_others_read(database: TestDatabase) {
    let rig = Rig::new(database).await;
    rig.incident("a").await;
    rig.incident("b").await;
    rig.mine().await;
    let suggestion = rig.suggestions().await.swap_remove(0);
    let document = document(&rig, &suggestion.suggestion_id).await;
    let members: Vec<&String> = document.as_object().unwrap().keys().collect();
    assert_eq!(
        members,
        [
            "approval_metadata",
            "created_at",
            "embedding",
            "mining_vector",
            "pattern",
            "recurrence_of",
            "severity",
            "similarity_group",
            "source_traces",
            "status",
            "suggestion_content",
            "suggestion_id",
            "type",
            "updated_at",
            "version_history",
        ]
    );
    let traces = document["source_traces"].as_array().unwrap();
    assert_eq!(traces.len(), 2);
    assert_eq!(traces[0]["similarity_score"], Value::Null);
    assert!(traces[1]["similarity_score"].as_f64().unwrap() >= 0.85);
    assert_eq!(document["pattern"]["failure_type"], "hallucination");
    assert_eq!(document["version_history"][0]["new_status"], "pending");
    assert!(
        document["embedding"]
            .as_array()
            .unwrap()
            .iter()
            .all(Value::is_number)
    );
    assert_eq!(rig.database.number("select count(*) from suggestions").await, 0);
    assert_eq!(
        rig.database.number("select count(*) from failure_patterns").await,
        2
    );
}

fn review<'a>(rig: &Rig, id: &'a str) -> Review<'a> {
    Review {
        user_id: rig.user(),
        suggestion_id: id,
        by: "ada@example.com",
    }
}

async fn what_was_rejected_is_not_joined(database: TestDatabase) {
    let rig = Rig::new(database).await;
    rig.incident("a").await;
    rig.mine().await;
    let first = rig.suggestions().await.swap_remove(0);
    let verdict = Verdict::Reject { reason: "as meant" };
    rig.engine
        .decide(review(&rig, &first.suggestion_id), verdict)
        .await
        .unwrap();
    let rejected = document(&rig, &first.suggestion_id).await;
    assert_eq!(rejected["approval_metadata"]["reason"], "as meant");
    rig.incident("b").await;
    rig.incident("c").await;
    rig.mine().await;
    assert_eq!(document(&rig, &first.suggestion_id).await, rejected);
    let all = rig.suggestions().await;
    let again = all
        .iter()
        .find(|one| one.status == SuggestionStatus::Pending)
        .unwrap();
    assert_eq!(all.len(), 2);
    assert_eq!(again.recurrence_of.as_deref(), Some(first.suggestion_id.as_str()));
    assert_eq!(
        (again.recurrence_count, &again.similarity_group),
        (2, &first.similarity_group)
    );
}

async fn what_a_person_decides_in_between_is_seen(database: TestDatabase) {
    // A second to decide in.
    let script = Script::new().next(1, Reply::throttled("1"));
    let server = ModelServer::start(script.otherwise(Reply::json(&answer()))).await;
    let mut rig = Rig::new(database).await;
    rig.incident("a").await;
    rig.mine().await;
    rig.set_model(&server, None);
    let id = rig.suggestions().await.swap_remove(0).suggestion_id;
    let rejection = async {
        while server.asked().is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let verdict = Verdict::Reject { reason: "not ours" };
        rig.engine.decide(review(&rig, &id), verdict).await.unwrap()
    };
    let (report, rejected) = tokio::join!(rig.draft(rig.request()), rejection);
    assert_eq!(outcomes(&report), [("skipped", Some("changed_meanwhile"))]);
    assert_eq!(rig.suggestions().await, [rejected]);
}

async fn suggestions_of_other_users_are_rows(database: TestDatabase) {
    let rig = Rig::new(database).await;
    rig.incident("a").await;
    rig.mine().await;
    rig.database.add_user(2).await;
    let other: UserId = samples::user(2).id;
    let interaction = NewInteraction {
        prompt: "Question b: can I return opened software?".to_owned(),
        response: "Yes.".to_owned(),
        flags: vec!["hallucination".to_owned()],
        ..samples::interaction(other, "b")
    };
    rig.engine.ingest(vec![interaction], Terms::Whole).await.unwrap();
    let report = rig.try_mine(other).await.unwrap();
    assert_eq!(report.counts.suggestions, 1);
    let named = DraftRequest {
        user_id: other,
        ..rig.request()
    };
    rig.draft(named).await;
    assert_eq!(rig.database.number("select count(*) from suggestions").await, 1);
    assert_eq!(
        rig.database.number("select count(*) from eval_test_runs").await,
        1
    );
    let seen = rig
        .engine
        .suggestions(Actor::Tenant(other), &Filter::default(), 10)
        .await
        .unwrap();
    let (own, others) = (
        &seen.items[0].suggestion_id,
        &rig.suggestions().await[0].suggestion_id,
    );
    assert_ne!(own, others);
    assert!(
        rig.engine
            .suggestion(Actor::Tenant(other), others)
            .await
            .unwrap()
            .is_none()
    );
    assert!(
        rig.engine
            .suggestion(Actor::Tenant(rig.user()), own)
            .await
            .unwrap()
            .is_none()
    );
    let place = rig.engine.ping_suggestions().await.unwrap();
    assert!(place.contains("Firestore") && place.contains("test_"), "{place}");
}

async fn work_through(rig: &Rig, kind: JobKind) {
    let payload = Json::empty_object();
    let job = NewJob {
        id: JobId(Uuid::new_v4()),
        user_id: rig.user(),
        kind,
        payload: &payload,
        dedup_key: None,
        priority: 0,
        run_at: samples::time(0),
    };
    let mut scope = rig.database.store.write(Actor::Service).await.unwrap();
    jobs::enqueue(&mut scope, &job).await.unwrap();
    scope.commit().await.unwrap();
    let settings = WorkerSettings {
        concurrency: 1,
        lease: Duration::from_secs(15),
        failed: |error| panic!("{error}"),
    };
    let stop = CancellationToken::new();
    let finished = async {
        while rig
            .database
            .number("select count(*) from jobs where state <> 'finished'")
            .await
            > 0
        {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        stop.cancel();
    };
    tokio::join!(rig.engine.run_worker(settings, &stop), finished);
}

async fn workers_mine_and_draft_there(database: TestDatabase) {
    let rig = Rig::new(database).await;
    rig.incident("a").await;
    work_through(&rig, JobKind::Mine).await;
    assert_eq!(rig.suggestions().await.len(), 1);
    work_through(&rig, JobKind::Draft).await;
    assert_eq!(rig.content().await["eval_test"]["status"], "needs_human_input");
    // One that finds nothing leaves nothing.
    work_through(&rig, JobKind::Draft).await;
    let runs = rig
        .engine
        .draft_runs(Actor::Tenant(rig.user()), 10)
        .await
        .unwrap();
    assert_eq!(runs.len(), 1);
    assert_eq!(
        (runs[0].triggered_by, runs[0].generated_count),
        (TriggeredBy::Scheduled, 1)
    );
}
