use std::num::NonZeroUsize;
use std::time::Duration;

use pawl_engine::Actor;
use pawl_engine::run::{PlannedRun, RunRequest, SuiteChoice, TargetChoice};
use pawl_model::{RunStatus, State, Tally};
use pawl_testkit::{TestDatabase, on_both_engines};

use crate::rig::Rig;

on_both_engines!(
    a_run_and_its_rows_add_up,
    a_broken_case_leaves_the_others_alone,
    outputs_are_stored_as_what_they_are,
    trials_are_rows_of_their_own,
    recorded_outputs_are_graded_without_a_target,
    a_run_that_cannot_go_on_ends_failed,
    prompts_and_targets_of_a_suite_are_runs_of_their_own,
);

async fn a_run_and_its_rows_add_up(database: TestDatabase) {
    let rig = Rig::new(database);
    let mut request = rig.request(700, "echo");
    request.labels.model = Some("none".to_owned());
    let report = rig.run(&request).await.unwrap();
    assert_eq!(
        report.tally,
        Tally {
            passed: 700,
            ..Tally::default()
        }
    );
    let run = rig.engine.run(Actor::Service, report.run.id).await.unwrap();
    assert_eq!(
        (run.total_cases, run.passed_cases, run.failed_cases),
        (700, 700, 0)
    );
    assert_eq!((run.status, run.error), (RunStatus::Completed, None));
    assert!(run.completed_at.is_some());
    assert_eq!(
        (run.suite.as_deref(), run.target.as_deref()),
        (Some("cases"), Some("echo"))
    );
    assert_eq!(
        (run.model.as_deref(), run.run_name.as_deref()),
        (Some("none"), Some("cases"))
    );
    assert_eq!(run.dataset_version, run.dataset_hash.unwrap()[..12]);
    let rows = rig.rows(&report).await;
    let ids: Vec<String> = rows
        .iter()
        .map(|row| row.input_data.to_value()["id"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(
        ids,
        (0..700).map(|n| format!("case-{n}")).collect::<Vec<_>>(),
        "in the order of the data set"
    );
    assert!(
        rows.iter()
            .all(|row| row.passed && row.status == Some(State::Passed) && row.score == Some(1.0))
    );
}

const PICKY: &str = "exec:sh -c 'read line; case $line in *case-2*) exit 7;; *case-4*) sleep 30;; *case-5*) echo no;; \
    *) echo ok;; esac'";

async fn a_broken_case_leaves_the_others_alone(database: TestDatabase) {
    let rig = Rig::new(database);
    let request = RunRequest {
        timeout: Duration::from_millis(700),
        ..rig.request(7, PICKY)
    };
    let report = rig.run(&request).await.unwrap();
    assert_eq!(
        report.tally,
        Tally {
            passed: 4,
            failed: 1,
            error: 2,
            skipped: 0
        }
    );
    assert_eq!(report.run.status, RunStatus::Completed);
    assert_eq!(
        (
            report.run.total_cases,
            report.run.passed_cases,
            report.run.failed_cases
        ),
        (7, 4, 1)
    );
    let rows = rig.rows(&report).await;
    assert_eq!(
        rows[2].error.as_deref().map(|error| error.contains('7')),
        Some(true),
        "{:?}",
        rows[2].error
    );
    assert_eq!((rows[4].status, rows[4].passed), (Some(State::Error), false));
    assert_eq!(rows[4].eval_results.as_str(), "{}", "nothing was judged");
    assert_eq!(
        (rows[5].status, rows[5].error.as_deref()),
        (Some(State::Failed), None)
    );
    assert_eq!(report.unpassed().len(), 3);
}

async fn outputs_are_stored_as_what_they_are(database: TestDatabase) {
    let rig = Rig::new(database);
    let outputs = rig.file(
        "outputs.jsonl",
        "{\"id\":\"case-0\",\"output\":{\"b\":1.50,\"a\":\"ok\"},\"latency_ms\":12,\"cost_usd\":0.25,\"tokens\":7}\n\
         {\"id\":\"case-1\",\"output\":\"ok, in words\"}\n\
         {\"id\":\"case-2\",\"output\":\"ok\\u0000\"}\n\
         {\"id\":\"case-3\",\"output\":[\"ok\"]}\n\
         {\"id\":\"case-4\",\"output\":\"{\\\"said\\\": \\\"ok\\\"}\"}\n",
    );
    let request = RunRequest {
        target: TargetChoice::Recorded(outputs),
        ..rig.request(5, "echo")
    };
    let report = rig.run(&request).await.unwrap();
    let rows = rig.rows(&report).await;
    assert_eq!(
        rows[0].output_story.as_ref().unwrap().as_str(),
        r#"{"a":"ok","b":1.5}"#
    );
    assert_eq!((rows[0].latency_ms, rows[0].cost_usd), (Some(12), Some(0.25)));
    assert_eq!(rows[0].details.as_ref().unwrap().as_str(), r#"{"tokens":7}"#);
    assert_eq!(
        (rows[1].output.as_deref(), &rows[1].output_story),
        (Some("ok, in words"), &None)
    );
    assert_eq!(
        rows[2].error.as_deref(),
        Some("the output holds the NUL character, which cannot be stored")
    );
    assert_eq!((rows[2].status, &rows[2].output), (Some(State::Error), &None));
    assert_eq!(rows[3].output.as_deref(), Some(r#"["ok"]"#));
    assert_eq!(
        rows[4].output_story.as_ref().unwrap().as_str(),
        r#"{"said":"ok"}"#
    );
    assert_eq!(report.cost_usd(), Some(0.25));
}

async fn trials_are_rows_of_their_own(database: TestDatabase) {
    let rig = Rig::new(database);
    let flaky = "exec:sh -c 'read line; case $line in *\\\"trial\\\":2*) echo no;; *) echo ok;; esac'";
    let request = RunRequest {
        trials: 3,
        ..rig.request(4, flaky)
    };
    let report = rig.run(&request).await.unwrap();
    assert_eq!(
        report.tally,
        Tally {
            passed: 8,
            failed: 4,
            ..Tally::default()
        }
    );
    let places: Vec<(i32, bool)> = rig
        .rows(&report)
        .await
        .iter()
        .map(|row| (row.trial, row.passed))
        .collect();
    assert_eq!(places, [(1, true), (2, false), (3, true)].repeat(4));
}

async fn recorded_outputs_are_graded_without_a_target(database: TestDatabase) {
    let rig = Rig::new(database);
    let outputs = rig.file(
        "outputs.jsonl",
        "{\"id\":\"case-2\",\"output\":\"no\"}\n{\"id\":\"case-0\",\"output\":\"ok\"}\n\
         {\"id\":\"case-1\",\"error\":\"rate limit\"}\n{\"id\":\"unknown\",\"output\":\"ok\"}\n",
    );
    let request = RunRequest {
        target: TargetChoice::Recorded(outputs),
        ..rig.request(4, "echo")
    };
    let report = rig.run(&request).await.unwrap();
    let rows = rig.rows(&report).await;
    let states: Vec<State> = rows.iter().map(|row| row.state()).collect();
    assert_eq!(states, [State::Passed, State::Error, State::Failed, State::Error]);
    assert_eq!(rows[1].error.as_deref(), Some("rate limit"));
    assert_eq!(
        rows[3].error.as_deref(),
        Some("no output was recorded for this case")
    );
    assert!(
        rows.iter().all(|row| row.latency_ms.is_none()),
        "nothing was measured"
    );
}

async fn a_run_that_cannot_go_on_ends_failed(database: TestDatabase) {
    let rig = Rig::new(database);
    let request = RunRequest {
        concurrency: NonZeroUsize::new(1),
        ..rig.request(1_000, "exec:echo ok")
    };
    let planned = PlannedRun::plan(&request).unwrap().pop().unwrap();
    let SuiteChoice::File(suite) = request.suite.clone() else {
        panic!("it is a file");
    };
    // The file changes under the run: its start is as it was, then comes what is no case.
    let text = std::fs::read_to_string(&suite).unwrap();
    let cut: String = text.lines().take(3).map(|line| format!("{line}\n")).collect();
    std::fs::write(&suite, cut + "{\"id\": \"broken\n").unwrap();
    let stop = tokio_util::sync::CancellationToken::new();
    let error = rig
        .engine
        .execute(Actor::Service, planned, &stop, &|_| {})
        .await
        .unwrap_err();
    assert!(error.to_string().contains("cases.jsonl:4"), "{error}");
    let run = rig
        .engine
        .latest_run(Actor::Service, &pawl_testkit::samples::run(1))
        .await
        .unwrap();
    assert_eq!(run, None, "a failed run is no baseline");
    let failed = "select count(*) from sb_eval_runs
        where status = 'failed' and error is not null and completed_at is not null";
    assert_eq!(rig.database.number(failed).await, 1);
}

async fn prompts_and_targets_of_a_suite_are_runs_of_their_own(database: TestDatabase) {
    let rig = Rig::new(database);
    let suite = rig.file(
        "promptfooconfig.yaml",
        "description: greetings\nprompts: ['Say hello to {{name}}', 'Greet {{name}} at once']\nproviders: [echo]\n\
         tests:\n  - vars: {name: Ada}\n    assert: [{type: contains, value: '{{name}}'}]\n  - vars: {name: Alan}\n    \
         assert: [{type: icontains, value: HELLO}]\n",
    );
    let request = RunRequest {
        suite: suite.into(),
        checks: None,
        target: TargetChoice::OfSuite,
        ..rig.request(1, "echo")
    };
    let mut seen = Vec::new();
    for planned in PlannedRun::plan(&request).unwrap() {
        let stop = tokio_util::sync::CancellationToken::new();
        let report = rig
            .engine
            .execute(Actor::Service, planned, &stop, &|_| {})
            .await
            .unwrap();
        seen.push((
            report.run.prompt_version,
            report.tally.passed,
            report.tally.failed,
        ));
    }
    assert_eq!(
        seen,
        [
            (Some("Say hello to {{name}}".to_owned()), 2, 0),
            (Some("Greet {{name}} at once".to_owned()), 1, 1)
        ]
    );
}
