//! Story suites end to end: the bundled inputs, and real ones where they lie beside the checkout.

use std::io::Write as _;

use pawl_testkit::{TestDatabase, on_both_engines};
use serde_json::Value;

use crate::rig::{Rig, stories, story_agent};

on_both_engines!(
    the_flawed_agent_fails_the_gate_and_the_fixed_one_passes,
    a_bar_that_is_low_enough_passes,
    a_baseline_that_was_better_fails_the_gate,
    real_inputs_run_with_their_edge_cases,
);

fn run_stories(rig: &Rig, suite: &str, flags: &str, words: &[&str]) -> crate::rig::Said {
    let target = story_agent(flags);
    let suite = [suite.to_owned()];
    let fixed = [
        "--target",
        target.as_str(),
        "--persistent",
        "--checks",
        "user-story",
        "--format",
        "json",
    ];
    rig.run(&suite, &[&fixed, words].concat())
}

async fn the_flawed_agent_fails_the_gate_and_the_fixed_one_passes(database: TestDatabase) {
    let rig = Rig { database };
    let flawed = run_stories(&rig, &stories(), "--flawed", &[]).exits(1).json();
    let run = &flawed["runs"][0];
    assert_eq!(run["status"], "completed");
    assert_eq!(run["total_cases"], 50);
    assert_eq!(
        run["passed_cases"].as_i64().unwrap() + run["failed_cases"].as_i64().unwrap(),
        50
    );
    assert_eq!(run["dataset_version"], "v1.0");
    let cases = run["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 50);
    assert!(
        cases
            .iter()
            .all(|case| case["eval_results"]["summary"]["total"] == 8)
    );
    let failed = cases.iter().filter(|case| case["status"] == "failed").count();
    assert_eq!(i64::try_from(failed).ok(), run["failed_cases"].as_i64());
    assert!((10..40).contains(&failed), "{failed}");
    let fixed = run_stories(&rig, &stories(), "", &[]).exits(0).json();
    assert_eq!(fixed["runs"][0]["passed_cases"], 50);
    assert_eq!(
        rig.database.number("select count(*) from sb_eval_cases").await,
        100
    );
}

async fn a_bar_that_is_low_enough_passes(database: TestDatabase) {
    let rig = Rig { database };
    run_stories(&rig, &stories(), "--flawed", &["--min-pass-rate", "0"]).exits(0);
    run_stories(&rig, &stories(), "--flawed", &["--min-pass-rate", "0.99"]).exits(1);
}

async fn a_baseline_that_was_better_fails_the_gate(database: TestDatabase) {
    let rig = Rig { database };
    let open = ["--min-pass-rate", "0", "--baseline", "latest"];
    let first = run_stories(&rig, &stories(), "", &open).exits(0);
    assert!(first.err.contains("this is the first baseline"), "{}", first.err);
    let worse = run_stories(&rig, &stories(), "--flawed", &open).exits(1).json();
    let baseline = &worse["runs"][0]["baseline"];
    assert_eq!(baseline["a"]["id"], first.json()["runs"][0]["id"]);
    assert!(baseline["statistics"]["rates"]["p_value"].as_f64().unwrap() < 0.05);
    let better = run_stories(&rig, &stories(), "", &open).exits(0).json();
    let (a, b) = (
        worse["runs"][0]["id"].as_str().unwrap(),
        better["runs"][0]["id"].as_str().unwrap(),
    );
    let compared = rig.say(&["compare", a, b, "--json"]).exits(0).json();
    assert_eq!(compared["lost"]["count"], 0);
    assert_eq!(compared["gained"]["count"], worse["runs"][0]["failed_cases"]);
}

/// Fifty inputs as users have them; not part of this repository.
const REAL_INPUTS: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../../shared/data/eval_seed_inputs.json"
);

async fn real_inputs_run_with_their_edge_cases(database: TestDatabase) {
    if !std::path::Path::new(REAL_INPUTS).exists() {
        let _ = writeln!(std::io::stderr(), "skipped: {REAL_INPUTS} is not here");
        return;
    }
    let rig = Rig { database };
    let flawed = run_stories(&rig, REAL_INPUTS, "--flawed", &[]).exits(1).json();
    let cases = flawed["runs"][0]["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 50);
    for edge in 45..=50 {
        let id = format!("seed_{edge:03}");
        let case = cases
            .iter()
            .find(|case| case["input_data"]["id"] == id.as_str())
            .unwrap();
        assert!(
            matches!(case["status"].as_str(), Some("passed" | "failed")),
            "{id}: {case}"
        );
        assert!(case["output_story"]["title"].is_string());
    }
    run_stories(&rig, REAL_INPUTS, "", &[]).exits(0);
}

/// What is left of a result when ids and times are taken out, as bytes.
fn without_ids_and_times(result: &str) -> String {
    fn scrub(value: &mut Value) {
        match value {
            Value::Object(members) => {
                for (key, member) in members.iter_mut() {
                    let moves =
                        ["id", "run_id", "latency_ms", "created_at", "completed_at"].contains(&key.as_str());
                    if moves
                        && !member.is_null()
                        && !(key == "id" && member.as_str().is_some_and(|id| id.len() < 36))
                    {
                        *member = Value::Null;
                    } else {
                        scrub(member);
                    }
                }
            }
            Value::Array(items) => items.iter_mut().for_each(scrub),
            _ => {}
        }
    }
    let mut value: Value = serde_json::from_str(result).unwrap();
    scrub(&mut value);
    serde_json::to_string_pretty(&value).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn both_databases_give_the_same_bytes() {
    let mut results = Vec::new();
    for engine in [pawl_testkit::Engine::Sqlite, pawl_testkit::Engine::Postgres] {
        let rig = Rig::new(engine).await;
        results.push(without_ids_and_times(
            &run_stories(&rig, &stories(), "--flawed", &[]).exits(1).out,
        ));
    }
    assert_eq!(results[0], results[1]);
}
