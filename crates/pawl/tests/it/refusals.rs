//! Bad input: each a clear error with its place and the next step, and nothing half-written.

use pawl_testkit::{Engine, TestDatabase, on_both_engines};

use crate::rig::{Rig, Said, pawl};

on_both_engines!(bad_suites_are_refused_before_anything_is_written);

async fn bad_suites_are_refused_before_anything_is_written(database: TestDatabase) {
    let rig = Rig { database };
    let deep = format!(
        "{{\"id\": \"a\", \"input\": {}1{}}}\n",
        "[".repeat(10_000),
        "]".repeat(10_000)
    );
    for (name, text, told) in [
        ("empty.jsonl", "\n\n", "the suite has no cases"),
        ("nan.jsonl", "{\"id\": \"a\", \"input\": NaN}\n", "nan.jsonl:1:"),
        (
            "nul.jsonl",
            "{\"id\": \"a\", \"input\": \"b\\u0000\"}\n",
            "nul.jsonl:1",
        ),
        ("deep.jsonl", deep.as_str(), "deep.jsonl:1"),
        (
            "twice.jsonl",
            "{\"id\": \"a\", \"input\": 1}\n{\"id\": \"a\", \"input\": 2}\n",
            "twice.jsonl:2",
        ),
        (
            "late.jsonl",
            "{\"id\": \"a\", \"input\": 1}\n{\"id\": \"b\", \"inp",
            "late.jsonl:2:",
        ),
        ("ragged.csv", "id,input\na,b\nc\n", "ragged.csv"),
        (
            "typo.yaml",
            "prompts: [hi]\nproviders: [echo]\ntests:\n  - vars: {a: 1}\n    asert: []\n",
            "typo.yaml:5:",
        ),
        (
            "cycle.yaml",
            "prompts: [hi]\nproviders: [echo]\ntests: file://cycle.yaml\n",
            "cycle.yaml",
        ),
        (
            "gone.yaml",
            "prompts: [hi]\nproviders: [echo]\ntests: file://nowhere.csv\n",
            "nowhere.csv",
        ),
        (
            "models.yaml",
            "prompts: [hi]\nproviders: ['openai:gpt-4o']\ntests: [{vars: {a: 1}}]\n",
            "`openai:gpt-4o` cannot be asked",
        ),
        (
            "rubric.yaml",
            "prompts: [hi]\nproviders: [echo]\ntests:\n  - assert: [{type: llm-rubric, value: x}]\n",
            "rubric.yaml:4:14: needs a judge",
        ),
        ("notes.txt", "no suite at all", "notes.txt"),
    ] {
        let suite = [crate::rig::shown(&rig.file(name, text))];
        let words: &[&str] = if name.ends_with(".yaml") {
            &[]
        } else {
            &["--target", "echo"]
        };
        let said = rig.run(&suite, words).exits(2);
        assert!(said.err.contains(told), "{name}: no {told:?} in\n{}", said.err);
        assert!(
            said.err.starts_with("error: ") && said.out.is_empty(),
            "{name}: {}\n{}",
            said.out,
            said.err
        );
    }
    std::fs::write(
        rig.database.folder().join("latin.jsonl"),
        b"{\"id\": \"a\", \"input\": \"\xe9\"}\n",
    )
    .unwrap();
    let latin = [crate::rig::shown(&rig.database.folder().join("latin.jsonl"))];
    assert!(
        rig.run(&latin, &["--target", "echo"])
            .exits(2)
            .err
            .contains("UTF-8")
    );
    assert_eq!(rig.database.number("select count(*) from sb_eval_runs").await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_asked_is_a_usage_error() {
    let rig = Rig::new(Engine::Sqlite).await;
    let suite = rig.suite(1);
    for (words, told) in [
        (vec![], "names no target"),
        (
            vec!["--target", "openai:gpt-4o"],
            "openai: models need OPENAI_API_KEY",
        ),
        (vec!["--target", "exec"], "is not a target"),
        (vec!["--target", "echo", "--persistent"], "cannot be persistent"),
        (
            vec!["--target", "echo", "--min-pass-rate", "2"],
            "a number from 0 to 1",
        ),
        (vec!["--target", "echo", "--format", "jsn"], "json"),
        (vec!["--target", "echo", "--outputs", "x"], "cannot be used with"),
        (
            vec!["--outputs", "/nowhere.jsonl"],
            "cannot read the recorded outputs /nowhere.jsonl",
        ),
        (
            vec!["--target", "echo", "--baseline", "yesterday"],
            "a run is named by its id",
        ),
        (
            vec![
                "--target",
                "echo",
                "--baseline",
                "01935d1e-8a4c-7def-9abc-def012345678",
            ],
            "there is no run",
        ),
        (
            vec![
                "--target",
                "echo",
                "--resume",
                "01935d1e-8a4c-7def-9abc-def012345678",
            ],
            "there is no run",
        ),
        (
            vec!["--target", "echo", "--output", "/nowhere/result.json"],
            "cannot write /nowhere/result.json",
        ),
        (vec!["--target", "echo", "--checks", "user-stroy"], "user-story"),
    ] {
        let said = rig.run(&suite[..1], &words).exits(2);
        assert!(said.err.contains(told), "{words:?}: no {told:?} in\n{}", said.err);
    }
    assert_eq!(rig.database.number("select count(*) from sb_eval_runs").await, 0);
    let typo: Said = pawl().arg("comapre").output().unwrap().into();
    let typo = typo.exits(2);
    assert!(typo.err.contains("'compare'"), "{}", typo.err);
}

#[test]
fn a_folder_that_holds_no_database_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("pawl.db"), "no database").unwrap();
    let suite = folder.path().join("cases.jsonl");
    std::fs::write(&suite, "{\"id\": \"a\", \"input\": \"b\"}\n").unwrap();
    let said: Said = pawl()
        .args([
            "run",
            &suite.to_string_lossy(),
            "--target",
            "echo",
            "--data",
            &folder.path().to_string_lossy(),
        ])
        .output()
        .unwrap()
        .into();
    assert!(said.exits(2).err.contains("cannot open the database file"));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_outage_is_an_error_and_not_a_failure() {
    let rig = Rig::new(Engine::Sqlite).await;
    let suite = rig.suite(4);
    let broken = "exec:sh -c 'echo connection refused >&2; exit 1'";
    let said = rig
        .run(&suite, &["--target", broken, "--format", "json"])
        .exits(3)
        .json();
    let run = &said["runs"][0];
    assert_eq!(
        (&run["summary"]["error"], &run["summary"]["coverage"]),
        (&4.into(), &0.0.into())
    );
    assert!(
        run["cases"][0]["error"]
            .as_str()
            .unwrap()
            .contains("connection refused")
    );
    rig.run(&suite, &["--target", broken, "--min-coverage", "0"])
        .exits(1);
    rig.run(
        &suite,
        &["--target", broken, "--min-coverage", "0", "--min-pass-rate", "0"],
    )
    .exits(0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_that_has_had_enough_is_no_error() {
    let rig = Rig::new(Engine::Sqlite).await;
    let suite = rig.suite(3_000);
    let mut child = rig
        .command(&["run", &suite[0], "--target", "echo", "--format", "jsonl"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let said: Said = child.wait_with_output().unwrap().into();
    assert_eq!(said.err, "", "nothing is said, and nothing panics");
}
