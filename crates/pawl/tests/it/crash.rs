//! Runs that are killed or interrupted, and what is left of them.

use std::collections::HashMap;
use std::path::Path;
use std::process::Child;
use std::time::{Duration, Instant};

use pawl_testkit::{TestDatabase, on_both_engines};

use crate::rig::{Rig, shown};

on_both_engines!(
    a_killed_run_is_resumed_without_loss,
    an_interrupted_run_is_finalised
);

const CASES: usize = 2_000;
const CONCURRENCY: usize = 8;

/// A target that writes each request down before it answers.
fn logging_target(log: &Path) -> String {
    format!(
        "exec:sh -c 'while read -r line; do echo \"$line\" >> {}; echo ok; done'",
        log.display()
    )
}

fn asked(log: &Path) -> HashMap<String, usize> {
    let mut counts = HashMap::new();
    for line in std::fs::read_to_string(log).unwrap_or_default().lines() {
        let request: serde_json::Value = serde_json::from_str(line).unwrap();
        *counts
            .entry(request["id"].as_str().unwrap().to_owned())
            .or_default() += 1;
    }
    counts
}

fn wait_for_lines(log: &Path, lines: usize, child: &mut Child) {
    let deadline = Instant::now() + Duration::from_secs(120);
    while std::fs::read_to_string(log).unwrap_or_default().lines().count() < lines {
        assert!(
            child.try_wait().unwrap().is_none(),
            "the run ended before it could be stopped"
        );
        assert!(Instant::now() < deadline, "the run does not get on");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn words<'a>(suite: &'a [String], target: &'a str, concurrency: &'a str) -> Vec<&'a str> {
    let suite = suite.iter().map(String::as_str);
    let rest = [
        "--target",
        target,
        "--persistent",
        "--concurrency",
        concurrency,
        "--format",
        "json",
    ];
    std::iter::once("run").chain(suite).chain(rest).collect()
}

async fn a_killed_run_is_resumed_without_loss(database: TestDatabase) {
    let rig = Rig { database };
    let log = rig.database.folder().join("asked.log");
    let (suite, target, concurrency) = (rig.suite(CASES), logging_target(&log), CONCURRENCY.to_string());
    let words = words(&suite, &target, &concurrency);
    let mut child = rig
        .command(&words)
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    wait_for_lines(&log, CASES / 3, &mut child);
    child.kill().unwrap();
    child.wait().unwrap();

    assert_eq!(
        rig.database
            .number("select count(*) from sb_eval_runs where status = 'running'")
            .await,
        1
    );
    let stored = rig.database.number("select count(*) from sb_eval_cases").await;
    let known = asked(&log).len();
    assert!(stored > 0 && stored < 2_000, "{stored}");
    let lost = known - usize::try_from(stored).unwrap();
    assert!(lost <= CONCURRENCY, "{lost} answers were not stored yet");

    let id = rig
        .database
        .text("select cast(id as text) from sb_eval_runs")
        .await;
    let said = rig
        .say(&[words.as_slice(), &["--resume", &id]].concat())
        .exits(0)
        .json();
    let run = &said["runs"][0];
    assert_eq!(
        (&run["status"], &run["total_cases"], &run["passed_cases"]),
        (&"completed".into(), &2_000.into(), &2_000.into())
    );
    assert_eq!(run["summary"]["resumed"], stored);
    assert_eq!(run["cases"].as_array().unwrap().len(), CASES);
    assert_eq!(
        rig.database.number("select count(*) from sb_eval_cases").await,
        2_000
    );
    assert_eq!(
        rig.database
            .number("select count(distinct input_data) from sb_eval_cases")
            .await,
        2_000
    );
    let asked = asked(&log);
    let again: usize = asked.values().map(|times| times - 1).sum();
    assert_eq!(asked.len(), CASES);
    assert!(again <= CONCURRENCY, "{again} cases were asked again");
}

async fn an_interrupted_run_is_finalised(database: TestDatabase) {
    let rig = Rig { database };
    let log = rig.database.folder().join("asked.log");
    let (suite, target) = (rig.suite(CASES), logging_target(&log));
    let output = rig.database.folder().join("result.json");
    let output = shown(&output);
    let words = [words(&suite, &target, "4").as_slice(), &["--output", &output]].concat();
    let mut child = rig
        .command(&words)
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    wait_for_lines(&log, 100, &mut child);
    let interrupted = std::process::Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(interrupted.success());
    assert_eq!(
        child.wait().unwrap().code(),
        Some(3),
        "an unfinished run does not cover its suite"
    );
    let result: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&output).unwrap()).unwrap();
    let run = &result["runs"][0];
    assert_eq!(run["status"], "failed");
    assert!(
        run["error"].as_str().unwrap().contains("--resume"),
        "{}",
        run["error"]
    );
    assert!(run["completed_at"].is_string());
    let stored = run["total_cases"].as_i64().unwrap();
    assert_eq!(
        rig.database.number("select count(*) from sb_eval_cases").await,
        stored
    );
    assert_eq!(
        run["cases"].as_array().unwrap().len(),
        usize::try_from(stored).unwrap()
    );
}
