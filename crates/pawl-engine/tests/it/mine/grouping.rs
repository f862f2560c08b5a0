//! What is put together and what is kept apart.

use std::collections::{BTreeMap, BTreeSet};

use pawl_engine::mine::Mode;
use pawl_engine::simulation::HistoryPlan;
use pawl_testkit::{TestDatabase, on_both_engines};
use tokio_util::sync::CancellationToken;

use super::{HELD_OUT, Rig, TUNED, Wording, corpus, mixed};

on_both_engines!(
    wordings_of_one_incident_give_one_or_two_suggestions,
    different_incidents_stay_apart,
    incidents_of_a_history_are_found,
);

fn incident(trace: &str) -> &str {
    trace.rsplit_once('-').unwrap().0
}

/// How many of the pairs that were put together belong together, and how many of those that belong together were.
fn precision_and_recall(groups: &BTreeMap<String, Vec<String>>) -> (f64, f64) {
    let traces: Vec<(&str, &str)> = groups
        .iter()
        .flat_map(|(group, traces)| traces.iter().map(move |trace| (group.as_str(), incident(trace))))
        .collect();
    let (mut together, mut alike, mut both) = (0.0, 0.0, 0.0);
    for (place, (group, name)) in traces.iter().enumerate() {
        for (other_group, other_name) in &traces[place + 1..] {
            let (grouped, same) = (group == other_group, name == other_name);
            together += f64::from(u8::from(grouped));
            alike += f64::from(u8::from(same));
            both += f64::from(u8::from(grouped && same));
        }
    }
    (both / f64::max(together, 1.0), both / f64::max(alike, 1.0))
}

async fn wordings_of_one_incident_give_one_or_two_suggestions(database: TestDatabase) {
    let rig = Rig::new(database).await;
    let all = corpus(TUNED).into_iter().chain(corpus(HELD_OUT));
    let mut by_incident: BTreeMap<String, Vec<Wording>> = BTreeMap::new();
    for wording in all {
        by_incident
            .entry(wording.incident.clone())
            .or_default()
            .push(wording);
    }
    assert_eq!(by_incident.len(), 16);
    for (name, wordings) in by_incident {
        let before = rig.number("select count(*) from suggestions").await;
        rig.store(&wordings).await;
        rig.mine(Mode::Store).await;
        let made = rig.number("select count(*) from suggestions").await - before;
        assert!((1..=2).contains(&made), "{name}: {made} suggestions");
    }
}

#[expect(clippy::print_stderr, reason = "how well it does is for people to see")]
async fn different_incidents_stay_apart(database: TestDatabase) {
    let rig = Rig::new(database).await;
    // One wording of each of ten incidents that share their flag and their service.
    let first: Vec<Wording> = mixed(corpus(TUNED)).into_iter().take(10).collect();
    assert_eq!(
        first.iter().map(|one| &one.flags).collect::<BTreeSet<_>>().len(),
        1
    );
    rig.store(&first).await;
    let report = rig.mine(Mode::Store).await;
    assert_eq!((report.counts.suggestions, report.counts.joined), (10, 0));
    // And all wordings of both corpora, one after the other.
    for (name, text, precise, complete) in [("tuned", TUNED, 1.0, 0.95), ("held out", HELD_OUT, 0.95, 0.9)] {
        rig.database.run("delete from suggestions").await;
        rig.database.run("delete from evaluations").await;
        rig.store(&mixed(corpus(text))).await;
        rig.mine(Mode::Store).await;
        let groups = rig.groups().await;
        let (precision, recall) = precision_and_recall(&groups);
        let count = groups.len();
        eprintln!("{name}: {count} suggestions, precision {precision:.3}, recall {recall:.3}");
        assert!(precision >= precise && recall >= complete, "{groups:#?}");
    }
}

/// Among everything else that went wrong in a month.
async fn incidents_of_a_history_are_found(database: TestDatabase) {
    let rig = Rig::new(database).await;
    let plan = HistoryPlan {
        user: rig.user(),
        rows: 8_000,
        days: 30,
        until: None,
        random_seed: 1,
    };
    rig.engine
        .write_history(plan, &CancellationToken::new(), &|_| {})
        .await
        .unwrap();
    rig.mine(Mode::Store).await;
    let incident_of: BTreeMap<String, String> = corpus(TUNED)
        .into_iter()
        .map(|wording| (wording.prompt, wording.incident))
        .collect();
    // What was asked, and the suggestion that it went to.
    let pairs = rig
        .database
        .text(
            "select '[' || string_agg(pair, ',') || ']' from (
                select '[' || cast(reproduction_context as text) || ',\"' || suggestion_id || '\"]' as pair
                from failure_patterns
            ) pairs",
        )
        .await;
    let pairs: Vec<(serde_json::Value, String)> = serde_json::from_str(&pairs).unwrap();
    let mut suggestions_of: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut incidents_in: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (context, suggestion) in &pairs {
        let asked = context["input_pattern"].as_str().unwrap();
        let incident = incident_of.get(asked).map_or("something else", String::as_str);
        incidents_in.entry(suggestion).or_default().insert(incident);
        if incident != "something else" {
            suggestions_of.entry(incident).or_default().insert(suggestion);
        }
    }
    assert_eq!(suggestions_of.len(), 10, "{suggestions_of:#?}");
    for (incident, suggestions) in suggestions_of {
        assert!(suggestions.len() <= 2, "{incident}: {suggestions:?}");
        for suggestion in suggestions {
            assert_eq!(incidents_in[suggestion], BTreeSet::from([incident]));
        }
    }
}
