//! Traces from files and into files, and what scores them.

use pawl_testkit::Engine;

use crate::rig::{Rig, shown};

const ANN: &str = "ann@example.org";
const BOB: &str = "bob@example.org";

fn example(name: &str) -> String {
    [
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/traces/"),
        name,
    ]
    .concat()
}

async fn traces_go_through_files(engine: Engine) {
    let rig = Rig::new(engine).await;
    for user in [ANN, BOB] {
        rig.say(&["user", "add", user]).exits(0);
    }
    let (otlp, datadog) = (example("agent.otlp.json"), example("agent.datadog.json"));
    let imported = rig.say(&["import", "traces", &otlp, "--user", ANN]).exits(0);
    assert_eq!(
        (imported.out.as_str(), imported.err.as_str()),
        ("", "4 spans read\n")
    );
    for _ in 0..2 {
        rig.say(&["import", "traces", &datadog, "--format", "datadog", "--user", ANN])
            .exits(0);
    }
    let exported = rig
        .say(&["export", "interactions", "--format", "otlp", "--user", ANN])
        .exits(0);
    assert_eq!(exported.out.lines().count(), 2, "{}", exported.err);
    let file = shown(&rig.file("traces.jsonl", &exported.out));
    rig.say(&["import", "traces", &file, "--user", BOB]).exits(0);
    let same = "select count(*) from evaluations a join evaluations b
        on a.prompt = b.prompt and a.response = b.response and a.score = b.score
            and cast(a.trace as text) = cast(b.trace as text) and a.user_id < b.user_id";
    assert_eq!(rig.database.number(same).await, 2);
    for (text, problem) in [
        ("{\"data\": []} {", "document 2: EOF while parsing"),
        (
            "{\"resourceSpans\": 7}",
            "document 1: no answer of Datadog's Export API: missing field `data`",
        ),
    ] {
        let file = shown(&rig.file("wrong.json", text));
        let refused = rig.say(&["import", "traces", &file, "--format", "datadog", "--user", ANN]);
        assert!(refused.err.contains(problem), "{}", refused.err);
        refused.exits(2);
    }
    let missing = rig
        .say(&["import", "traces", "nowhere.json", "--user", ANN])
        .exits(2);
    assert!(
        missing.err.contains("cannot read nowhere.json"),
        "{}",
        missing.err
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn traces_go_through_files_of_sqlite() {
    traces_go_through_files(Engine::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn traces_go_through_files_of_postgres() {
    traces_go_through_files(Engine::Postgres).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn online_checks_are_set_shown_and_cleared() {
    let rig = Rig::new(Engine::Sqlite).await;
    rig.say(&["user", "add", ANN]).exits(0);
    let nothing = rig.say(&["online-checks", "show"]).exits(0);
    assert_eq!(nothing.out, "");
    let wrong = "- type: contains\n  value: refund\n- type: llm-rubric\n  value: be kind\n";
    let wrong = shown(&rig.file("wrong.yaml", wrong));
    let refused = rig.say(&["online-checks", "set", &wrong]).exits(2);
    assert!(
        refused.err.contains("wrong.yaml:3:9") && refused.err.contains("llm-rubric"),
        "{}",
        refused.err
    );
    let checks = "assert:\n  - type: contains\n    value: refund\n";
    let file = shown(&rig.file("checks.yaml", checks));
    rig.say(&["online-checks", "set", &file]).exits(0);
    assert_eq!(rig.say(&["online-checks", "show"]).exits(0).out, checks);
    let datadog = example("agent.datadog.json");
    let plain = std::fs::read_to_string(datadog)
        .unwrap()
        .replace("\"evaluation\"", "\"unknown\"");
    let file = shown(&rig.file("plain.json", &plain));
    rig.say(&["import", "traces", &file, "--format", "datadog"])
        .exits(0);
    let scored = "select count(*) from evaluations where score = '1'";
    assert_eq!(rig.database.number(scored).await, 1);
    rig.say(&["online-checks", "clear"]).exits(0);
    assert_eq!(rig.say(&["online-checks", "show"]).exits(0).out, "");
}
