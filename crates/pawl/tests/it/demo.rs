//! The whole loop, as a newcomer meets it: once in one go, once more, and killed on the way.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::rig::{Said, pawl, shown};

/// Kills of a demo, at moments that are spread over it.
const KILLS: [u64; 6] = [150, 600, 1_100, 1_700, 2_500, 3_500];

fn demo(folder: &Path, flags: &[&str]) -> Said {
    let data = shown(folder);
    let words = [&["demo", "--data", data.as_str()], flags].concat();
    Said::from(pawl().args(words).output().unwrap()).exits(0)
}

/// What has to be the same however often a demo was killed, and whoever runs it.
fn essence(report: &Value) -> Value {
    let rate = |wave: usize| report["waves"][wave]["success_rate"].clone();
    let tally = |run: usize| report["approved_runs"][run]["tally"].clone();
    let drafts = report["review"]["drafts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|draft| {
            json!([
                draft["title"],
                draft["proof"],
                draft["approved"],
                draft["held_back"]
            ])
        });
    let evolution = &report["evolution"];
    let verdict = |which: &str| {
        let verdict = &report["gate"][which];
        let findings = &verdict["findings"];
        // Objections name tests, whose ids are of their database.
        let objections = findings["objections"].as_array().unwrap().len();
        json!([
            verdict["kind"],
            verdict["to_version"],
            objections,
            findings["controls"]["tests"]
        ])
    };
    json!({
        "rates": [rate(0), rate(1)], "tallies": [tally(0), tally(1)], "drafts": drafts.collect::<Vec<_>>(),
        "scores": [evolution["first_score"], evolution["best_score"], evolution["best"]["instructions"]],
        "candidates": [evolution["accepted"], evolution["rejected"], evolution["refused"]],
        "gate": [verdict("short_cut"), verdict("best")],
        "suggestions": report["suggestions"], "alike": report["alike"],
    })
}

#[test]
fn the_demo_goes_once_around_the_loop_and_says_the_same_again() {
    let folder = tempfile::tempdir().unwrap();
    let said = demo(folder.path(), &["--no-serve"]);
    for part in [
        "50 % sampled, failures kept, masked",
        "flawed on purpose",
        "scripted",
        "✓ Opened software is not taken back  would have caught",
        "held back: a person has to finish it",
        "✕ gate failed",
        "A short cut",
        "refused  1 → –",
        "promoted  1 → 2  by demo-reviewer",
        "+ Invoices are in euros, whatever is asked.",
        "✓ gate passed",
        "approved tests passed  0 of 9 → 9 of 9",
        "pawl prompt show",
    ] {
        assert!(said.out.contains(part), "no {part:?} in\n{}", said.out);
    }
    assert!(!said.out.contains('\u{1b}'), "no colours where nobody sees them");

    let first = demo(folder.path(), &["--json"]).json();
    let rate = |wave: usize| first["waves"][wave]["success_rate"]["interval"].clone();
    assert!(
        rate(0)[1].as_f64().unwrap() < rate(1)[0].as_f64().unwrap(),
        "{first}"
    );
    let waves = first["waves"].as_array().unwrap();
    assert!(waves.iter().all(|wave| wave["wave"]["seen"] == 2_000));
    assert_eq!(
        (&waves[0]["prompt_version"], &waves[1]["prompt_version"]),
        (&1.into(), &2.into())
    );
    let refused = &first["gate"]["short_cut"];
    assert_eq!(refused["kind"], "refused");
    assert!(
        refused["findings"]["objections"].to_string().contains("controls"),
        "{refused}"
    );
    let [before, after] = [0, 1].map(|wave| first["alike"][wave].as_u64().unwrap());
    assert!(before > 250 && after < 5, "{before} and {after}");
    let again = demo(folder.path(), &["--json"]).json();
    assert_eq!(essence(&again), essence(&first));
    assert_eq!(again["evolution"]["run"]["id"], first["evolution"]["run"]["id"]);

    // In another folder, killed again and again.
    let killed = tempfile::tempdir().unwrap();
    let data = shown(killed.path());
    for after in KILLS {
        let mut child = pawl()
            .args(["demo", "--no-serve", "--data", &data])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(after));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let survived = essence(&demo(killed.path(), &["--json"]).json());
    for (what, expected) in essence(&first).as_object().unwrap() {
        assert_eq!(&survived[what], expected, "{what}");
    }
    // What led to what is whole, however often its writers were killed.
    let verified = Said::from(pawl().args(["verify", "--data", &data]).output().unwrap()).exits(0);
    assert!(verified.out.starts_with("whole: "), "{}", verified.out);
}

/// Ends with its owner.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn its_pages_stay_open_and_let_its_owner_in() {
    let folder = tempfile::tempdir().unwrap();
    let data = shown(folder.path());
    let child = pawl()
        .args(["demo", "--listen", "127.0.0.1:0", "--data", &data])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut running = Running(child);
    let mut lines = BufReader::new(running.0.stdout.take().unwrap())
        .lines()
        .map(Result::unwrap);
    let told = lines.find(|line| line.contains("log in as")).unwrap();
    let words: Vec<&str> = told.split_whitespace().collect();
    let url = words[0].strip_suffix("/dashboard").unwrap();
    let (email, password) = (words[4].trim_end_matches(','), words[6]);
    let answer = std::process::Command::new("curl")
        .args([
            "--silent",
            "--show-error",
            "--output",
            "/dev/null",
            "--write-out",
            "%{http_code} %{redirect_url}",
        ])
        .args([
            "--header",
            &format!("origin: {url}"),
            "--data-urlencode",
            &format!("email={email}"),
        ])
        .args([
            "--data-urlencode",
            &format!("password={password}"),
            &format!("{url}/login"),
        ])
        .output()
        .unwrap();
    let answer = String::from_utf8(answer.stdout).unwrap();
    assert!(
        answer.starts_with("303 ") && answer.ends_with("/dashboard"),
        "{answer}"
    );
}
