//! Mining: what is mined and what is not, and that doing it again changes nothing.

mod grouping;
mod models;

use std::collections::{BTreeMap, BTreeSet};

use pawl_engine::intake::Terms;
use pawl_engine::mine::suggestions::Filter;
use pawl_engine::mine::{MineReport, MineRequest, Mode};
use pawl_engine::trace::otlp;
use pawl_engine::{Actor, Clock, Engine, EngineError};
use pawl_model::{Json, NewInteraction, Policy, Score, TriggeredBy, UserId};
use pawl_testkit::{TestDatabase, on_both_engines, samples};
use serde_json::json;
use time::OffsetDateTime;
use tokio_util::sync::CancellationToken;

on_both_engines!(
    mining_again_changes_nothing,
    a_recurrence_of_what_was_rejected_is_linked_to_it,
    what_is_mined_holds_no_personal_data,
    what_was_answered_well_is_not_mined,
    people_are_counted_and_named_nowhere,
);

const TUNED: &str = include_str!("../../src/simulation/incidents.jsonl");
const HELD_OUT: &str = include_str!("incidents.jsonl");

/// An interaction of the corpus, and the incident that it is a wording of.
#[derive(Clone, serde::Deserialize)]
struct Wording {
    incident: String,
    prompt: String,
    response: String,
    flags: Vec<String>,
    score: serde_json::Number,
    tool_calls: Option<serde_json::Value>,
}

fn corpus(text: &str) -> Vec<Wording> {
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// One wording of each incident after the other, as they would come in.
fn mixed(wordings: Vec<Wording>) -> Vec<Wording> {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let mut placed: Vec<(usize, Wording)> = wordings
        .into_iter()
        .map(|wording| {
            let place = seen.entry(wording.incident.clone()).or_default();
            *place += 1;
            (*place, wording)
        })
        .collect();
    placed.sort_by_key(|(place, _)| *place);
    placed.into_iter().map(|(_, wording)| wording).collect()
}

struct Rig {
    engine: Engine,
    database: TestDatabase,
}

impl Rig {
    async fn new(database: TestDatabase) -> Self {
        database.add_users(2).await;
        let engine = Engine::new(database.store.clone(), Clock::new(|| samples::time(0)));
        Self { engine, database }
    }

    fn user(&self) -> UserId {
        samples::user(1).id
    }

    async fn store(&self, wordings: &[Wording]) -> Vec<String> {
        let interactions: Vec<NewInteraction> = wordings
            .iter()
            .enumerate()
            .map(|(number, wording)| self.interaction(number, wording))
            .collect();
        let ids = interactions
            .iter()
            .map(|one| one.interaction_id.clone())
            .collect();
        let outcomes = self.engine.ingest(interactions, Terms::Whole).await.unwrap();
        assert_eq!(outcomes.len(), wordings.len());
        ids
    }

    fn interaction(&self, number: usize, wording: &Wording) -> NewInteraction {
        NewInteraction {
            prompt: wording.prompt.clone(),
            response: wording.response.clone(),
            score: Score::parse(&wording.score.to_string()),
            latency_ms: Some(300),
            flags: wording.flags.clone(),
            created_at: Some(samples::time(0) + time::Duration::seconds(number as i64)),
            tool_calls: wording
                .tool_calls
                .as_ref()
                .map(|calls| Json::from_serialize(calls).unwrap()),
            ..samples::interaction(
                self.user(),
                &format!("{}-{number}", wording.incident.replace(' ', "-")),
            )
        }
    }

    async fn mine(&self, mode: Mode) -> MineReport {
        self.try_mine(mode).await.unwrap()
    }

    async fn try_mine(&self, mode: Mode) -> Result<MineReport, EngineError> {
        let request = MineRequest {
            user_id: self.user(),
            since: OffsetDateTime::UNIX_EPOCH,
            triggered_by: TriggeredBy::Manual,
            mode,
        };
        self.engine.mine(request, &CancellationToken::new(), |_| {}).await
    }

    /// Which incidents each suggestion holds, by the ids of its traces.
    async fn groups(&self) -> BTreeMap<String, Vec<String>> {
        let actor = Actor::Tenant(self.user());
        let page = self
            .engine
            .suggestions(actor, &Filter::default(), 100)
            .await
            .unwrap();
        let mut groups = BTreeMap::new();
        for suggestion in page.items {
            let id = suggestion.suggestion_id;
            let detail = self.engine.suggestion(actor, &id).await.unwrap().unwrap();
            assert_eq!(
                detail.suggestion.recurrence_count,
                detail.source_traces.len() as u64
            );
            let traces = detail.source_traces.into_iter().map(|source| source.trace_id);
            groups.insert(id, traces.collect());
        }
        groups
    }

    async fn number(&self, query: &'static str) -> i64 {
        self.database.number(query).await
    }
}

async fn mining_again_changes_nothing(database: TestDatabase) {
    let rig = Rig::new(database).await;
    rig.store(&mixed(corpus(TUNED))).await;
    let dry = rig.mine(Mode::DryRun).await;
    assert_eq!((dry.run_id, dry.counts.patterns), (None, 40));
    assert_eq!(rig.number("select count(*) from suggestions").await, 0);
    assert_eq!(rig.number("select count(*) from mining_runs").await, 0);

    let report = rig.mine(Mode::Store).await;
    assert!(report.is_complete);
    assert_eq!(report.suggestions, dry.suggestions);
    let groups = rig.groups().await;
    let again = rig.mine(Mode::Store).await;
    assert_eq!(again.counts.picked_up, 0);
    assert_eq!(rig.groups().await, groups);

    // Mined from the start, everything has the ids that it had.
    rig.database.run("delete from suggestions").await;
    assert_eq!(rig.number("select count(*) from failure_patterns").await, 0);
    rig.mine(Mode::Store).await;
    assert_eq!(rig.groups().await, groups);
    assert_eq!(
        rig.number("select count(*) from mining_runs where finished_at is null")
            .await,
        0
    );
    assert_eq!(rig.number("select sum(pattern_count) from mining_runs").await, 80);
}

async fn a_recurrence_of_what_was_rejected_is_linked_to_it(database: TestDatabase) {
    let rig = Rig::new(database).await;
    let wordings: Vec<Wording> = corpus(TUNED).into_iter().take(4).collect();
    rig.store(&wordings[..2]).await;
    rig.mine(Mode::Store).await;
    let first = rig.groups().await;
    assert_eq!(first.len(), 1);
    rig.database
        .run("update suggestions set status = 'rejected'")
        .await;
    let late: Vec<NewInteraction> = wordings[2..]
        .iter()
        .enumerate()
        .map(|(number, wording)| rig.interaction(number + 2, wording))
        .collect();
    rig.engine.ingest(late, Terms::Whole).await.unwrap();
    let report = rig.mine(Mode::Store).await;
    assert_eq!((report.counts.suggestions, report.counts.joined), (1, 1));
    let (rejected, traces) = first.into_iter().next().unwrap();
    assert_eq!(report.suggestions[0].recurrence_of.as_deref(), Some(&*rejected));
    let groups = rig.groups().await;
    assert_eq!(groups[&rejected], traces, "nothing is added to what was rejected");
    assert_eq!(
        rig.number("select count(distinct similarity_group) from suggestions")
            .await,
        1
    );
}

async fn what_is_mined_holds_no_personal_data(database: TestDatabase) {
    let rig = Rig::new(database).await;
    let mut wording = corpus(HELD_OUT).swap_remove(12);
    assert_eq!(wording.incident, "payment gateway down");
    wording.prompt = "Charge the card of jane.doe@canary.example".to_owned();
    wording.response = "I could not reach jane.doe@canary.example".to_owned();
    wording.tool_calls = Some(serde_json::json!([
        {"name": "charge_card", "error": "502 for jane.doe@canary.example"}
    ]));
    rig.store(&[wording]).await;
    rig.mine(Mode::Store).await;
    assert_eq!(rig.number("select count(*) from failure_patterns").await, 1);
    assert_eq!(
        rig.number("select count(*) from evaluations where prompt like '%canary%'")
            .await,
        1
    );
    let pattern = rig
        .database
        .text(
            "select title || trigger_condition || summary || cast(evidence as text)
                || cast(reproduction_context as text) from failure_patterns",
        )
        .await;
    assert!(
        !pattern.contains("canary") && pattern.contains("[EMAIL]"),
        "{pattern}"
    );
    let suggestion = rig
        .database
        .text("select title || trigger_condition || summary || type || severity || failure_type from suggestions")
        .await;
    assert!(!suggestion.contains("canary"), "{suggestion}");
    assert!(
        suggestion.ends_with("runbookhighinfrastructure_error"),
        "{suggestion}"
    );
}

async fn what_was_answered_well_is_not_mined(database: TestDatabase) {
    let rig = Rig::new(database).await;
    let mut wordings: Vec<Wording> = corpus(TUNED).into_iter().take(4).collect();
    for wording in &mut wordings {
        wording.flags = vec!["technical".to_owned()];
        wording.score = 1.into();
        wording.tool_calls = None;
    }
    // A score on the boundary is none below it.
    wording_score(&mut wordings[1], "0.5");
    wording_score(&mut wordings[2], "0.49");
    wordings[3].tool_calls = Some(serde_json::json!([{"name": "search", "error": "oops"}]));
    let ids = rig.store(&wordings).await;
    let report = rig.mine(Mode::Store).await;
    assert_eq!(report.counts.patterns, 2);
    let mined: BTreeSet<String> = rig.groups().await.into_values().flatten().collect();
    assert_eq!(mined, BTreeSet::from([ids[2].clone(), ids[3].clone()]));
}

/// A trace of an agent that failed one of its customers.
fn failing_trace(number: u32, person: Option<&str>) -> String {
    let mut attributes = vec![
        json!({"key": "gen_ai.operation.name", "value": {"stringValue": "invoke_agent"}}),
        json!({"key": "input.value", "value": {"stringValue": "Where is my refund?"}}),
        json!({"key": "output.value", "value": {"stringValue": "It was paid yesterday."}}),
    ];
    attributes.extend(person.map(|name| json!({"key": "user.id", "value": {"stringValue": name}})));
    json!({"resourceSpans": [{"scopeSpans": [{"spans": [{
        "traceId": format!("{number:032x}"), "spanId": "00000000000000a1", "name": "agent",
        "startTimeUnixNano": "1767225600000000000", "endTimeUnixNano": "1767225601000000000",
        "status": {"code": 2, "message": "tool failed"}, "attributes": attributes,
    }]}]}]})
    .to_string()
}

async fn people_are_counted_and_named_nowhere(database: TestDatabase) {
    let rig = Rig::new(database).await;
    let policy = Policy {
        obfuscate_pii: true,
        ..Policy::default_of(rig.user())
    };
    rig.engine
        .set_policy(Actor::Tenant(rig.user()), policy)
        .await
        .unwrap();
    let people = [
        Some("ann@canary.example"),
        Some("ben@canary.example"),
        Some("ann@canary.example"),
        None,
    ];
    for (number, person) in (1..).zip(people) {
        let export = otlp::read(&failing_trace(number, person)).unwrap();
        assert_eq!(rig.engine.store_traces(rig.user(), export).await.unwrap(), None);
    }
    rig.mine(Mode::Store).await;
    let page = rig
        .engine
        .suggestions(Actor::Tenant(rig.user()), &Filter::default(), 10)
        .await
        .unwrap();
    let counts: Vec<(u64, u64)> = page
        .items
        .iter()
        .map(|suggestion| (suggestion.recurrence_count, suggestion.affected_users))
        .collect();
    assert_eq!(counts, [(4, 2)]);
    let kept = rig
        .database
        .text("select string_agg(cast(spans as text) || coalesce(user_hash, ''), '') from interaction_traces")
        .await;
    assert!(!kept.contains("canary") && kept.contains("[EMAIL]"), "{kept}");
}

fn wording_score(wording: &mut Wording, score: &str) {
    wording.score = serde_json::from_str(score).unwrap();
}
