//! From a failure to an approved test by commands alone, without a model.

use pawl_testkit::{TestDatabase, on_both_engines, over_firestore};
use serde_json::{Value, json};

use crate::rig::{Rig, shown};

on_both_engines!(
    a_failure_becomes_a_test_that_holds,
    refusals_are_usage_and_say_why
);

over_firestore!(
    a_failure_becomes_a_test_that_holds,
    refusals_are_usage_and_say_why
);

fn lines(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// A database with a month of a made-up history, mined, and a suggestion of opened software in it.
fn mined(database: TestDatabase) -> (Rig, String) {
    let rig = Rig { database };
    rig.say(&["user", "add", "ada@example.org"]).exits(0);
    // What is alike depends on what came first, and so on the hour at which a history ends.
    let history = [
        "--rows",
        "3000",
        "--random-seed",
        "7",
        "--until",
        "2026-10-05T12:00:00Z",
    ];
    rig.say(&[&["seed"], &history[..]].concat()).exits(0);
    rig.say(&["mine", "--since", "all"]).exits(0);
    let queue = rig.say(&["review", "list", "--limit", "1000", "--json"]).exits(0);
    let found = lines(&queue.out).into_iter().find(|suggestion| {
        let summary = suggestion["pattern"]["summary"].as_str().unwrap();
        summary.contains("full refund")
    });
    let id = found.unwrap()["suggestion_id"].as_str().unwrap().to_owned();
    (rig, id)
}

fn draft() -> Value {
    json!({
        "title": "Opened software is not taken back", "rationale": "",
        "input": {"prompt": "Can I return opened software?", "tools_involved": []},
        "assertions": {"required": [], "forbidden": ["Must not contain \"full refund\""]},
    })
}

async fn a_failure_becomes_a_test_that_holds(database: TestDatabase) {
    let (rig, id) = mined(database);
    let id = id.as_str();
    let none = rig.say(&["run", "approved", "--target", "echo"]).exits(2);
    assert!(none.err.contains("no test is approved yet"), "{}", none.err);
    rig.say(&["draft", "--suggestion", id]).exits(0);
    let seen = rig.say(&["review", "show", id]).exits(0);
    assert!(seen.out.contains("needs_human_input"), "{}", seen.out);

    let file = shown(&rig.file("draft.json", &draft().to_string()));
    let edited = rig.say(&["review", "edit", id, "--file", &file]).exits(0);
    assert!(
        edited.out.starts_with("proven: would have caught"),
        "{}",
        edited.out
    );
    let approved = rig.say(&["review", "approve", id, "--by", "Ada"]).exits(0);
    assert_eq!(approved.out, format!("{id} is approved\n"));
    let seen = rig.say(&["review", "show", id, "--json"]).exits(0).json();
    assert_eq!(seen["approval_metadata"]["actor"], "Ada");

    let test = ["eval_", id].concat();
    for (output, code) in [("You get a full refund.", 1), ("It stays with you.", 0)] {
        let line = json!({"id": test, "output": output}).to_string();
        let outputs = shown(&rig.file("outputs.jsonl", &line));
        let run = rig
            .say(&["run", "approved", "--outputs", &outputs, "--format", "json"])
            .exits(code);
        let case = &run.json()["runs"][0]["cases"][0];
        assert_eq!(case["passed"], code == 0, "{case}");
    }
    let exported = rig.say(&["review", "export", "--format", "jsonl"]).exits(0);
    assert_eq!(lines(&exported.out)[0]["eval_test_id"], test);
    let suite = rig.say(&["export", "suite", "--format", "pytest"]).exits(0);
    assert!(suite.out.contains("full refund"), "{}", suite.out);
}

async fn refusals_are_usage_and_say_why(database: TestDatabase) {
    let (rig, id) = mined(database);
    let id = id.as_str();
    let told = |words: &[&str], why: &str| {
        let said = rig.say(words).exits(2);
        assert!(said.err.contains(why), "{words:?}: {}", said.err);
    };
    told(&["review", "approve", id], "it has no draft yet");
    rig.say(&["draft", "--suggestion", id]).exits(0);
    told(&["review", "approve", id], "needs human input");
    told(&["review", "reject", id, "--reason", " "], "needs a reason");
    told(
        &["review", "show", "sugg_none"],
        "there is no suggestion sugg_none",
    );
    told(&["review", "export", id], "it is not approved");
    told(
        &["draft", "--suggestion", "sugg_none"],
        "there is no suggestion sugg_none",
    );
    told(
        &[
            "draft",
            "--batch-size",
            "1",
            "--suggestion",
            id,
            "--suggestion",
            id,
        ],
        "2 suggestions are named, and --batch-size is 1",
    );
    told(
        &["review", "list", "--status", "done"],
        "expected pending, approved, rejected or all",
    );
    let mut bad = draft();
    bad["title"] = "Ask ann@example.org".into();
    bad["assertions"]["forbidden"] = json!([]);
    let file = shown(&rig.file("bad.json", &bad.to_string()));
    told(
        &["review", "edit", id, "--file", &file],
        "title: holds personal data",
    );
    bad["colour"] = "red".into();
    let file = shown(&rig.file("bad.json", &bad.to_string()));
    told(&["review", "edit", id, "--file", &file], "unknown field `colour`");
    let vague = draft()
        .to_string()
        .replace("Must not contain \\\"full refund\\\"", "Must not be wrong");
    let file = shown(&rig.file("vague.json", &vague));
    rig.say(&["review", "edit", id, "--file", &file]).exits(0);
    told(&["review", "approve", id], "needs a note");
    rig.say(&["review", "approve", id, "--notes", "we watch it"])
        .exits(0);
    told(
        &["review", "approve", id],
        "it is approved already, by ada@example.org",
    );
}
