//! Runs to print: one with rows made by hand, two that an engine executed.

use std::time::Duration;

use pawl_engine::run::compare::Comparison;
use pawl_engine::run::{
    CacheMode, Gate, GateOutcome, Labels, PlannedRun, RunReport, RunRequest, TargetChoice,
};
use pawl_engine::{Actor, Clock, Engine};
use pawl_model::{CaseRecord, CheckResult, EvalResults, Json, RunStatus, State};
use pawl_testkit::{TestDatabase, samples};
use tokio_util::sync::CancellationToken;

use super::super::{FinishedRun, RowFormat};

/// A text that means something in every format.
const HOSTILE: &str =
    "=1+1, \"a\"; 100 %\r\n| `b` | <img src=x> ::error::fake \u{1b}[31mred\u{0} ]]> & \u{202e}olleh";

/// What a row is made of.
struct Sample {
    id: &'static str,
    trial: i32,
    checks: Vec<CheckResult>,
    error: Option<&'static str>,
    output: &'static str,
}

fn samples() -> Vec<Sample> {
    let passed = |name: &str| CheckResult::new(name, State::Passed, None);
    let failed =
        |name: &str, why: &str| CheckResult::new(name, State::Failed, Some(why.replace('\0', "\u{1}")));
    let sample = |id, checks, output| Sample {
        id,
        trial: 1,
        checks,
        error: None,
        output,
    };
    vec![
        sample(
            "login",
            vec![passed("has_title"), passed("contains")],
            "{\"title\":\"Log in\",\"n\":1.50}",
        ),
        sample(
            "@logout",
            vec![
                passed("has_title"),
                failed("contains", "no `log out` in the output"),
            ],
            "-1",
        ),
        sample(
            "größe, \"quoted\"",
            vec![failed("has_title", HOSTILE), failed("contains", "not there")],
            "=cmd|' /C calc'!A0",
        ),
        Sample {
            error: Some("the target did not answer within 60 s\nlast words: \u{1b}[2J"),
            ..sample("slow|case", Vec::new(), "")
        },
        Sample {
            trial: 2,
            ..sample(
                "login",
                vec![CheckResult::new(
                    "llm-rubric",
                    State::Skipped,
                    Some("needs a judge".to_owned()),
                )],
                "日本語 text",
            )
        },
    ]
}

/// The rows, in the order of the data set.
pub(super) fn rows() -> Vec<CaseRecord> {
    let run = samples::run(1);
    (0_u8..)
        .zip(samples())
        .map(|(place, sample)| {
            let results = EvalResults::of(sample.checks);
            let state = if sample.error.is_some() {
                State::Error
            } else {
                results.state()
            };
            let story = Json::parse(sample.output)
                .ok()
                .filter(|_| sample.output.starts_with('{'));
            CaseRecord {
                input_data: Json::from_serialize(&serde_json::json!({ "id": sample.id })).unwrap(),
                output: (story.is_none() && sample.error.is_none()).then(|| sample.output.to_owned()),
                output_story: story,
                eval_results: Json::from_serialize(&results).unwrap(),
                error: sample.error.map(str::to_owned),
                trial: sample.trial,
                score: results.score(),
                latency_ms: Some(1_200 * i32::from(place)),
                cost_usd: (place == 0).then_some(0.0123),
                ..samples::case(&run, u32::from(place), state)
            }
        })
        .collect()
}

/// The run of these rows.
pub(super) fn finished() -> FinishedRun {
    let mut run = samples::run(1);
    run.run_name = Some("nightly | <b>".to_owned());
    run.target = Some("exec:python3 agent.py --mode \"fast\"".to_owned());
    (run.status, run.completed_at) = (RunStatus::Completed, Some(samples::time(9)));
    (run.total_cases, run.passed_cases, run.failed_cases) = (5, 1, 2);
    let mut report = RunReport::new(run);
    for row in rows() {
        report.add(&row, &EvalResults::read(&row.eval_results.to_value()));
    }
    report.took = Duration::from_millis(4_321);
    let gate = GateOutcome::Uncovered("coverage 60.0 % is below 100.0 %: 3 of 5 could be judged".to_owned());
    FinishedRun {
        report,
        gate,
        baseline: None,
    }
}

/// What a format with rows writes for these runs, each with the rows of [`rows`].
pub(super) fn written(mut format: Box<dyn RowFormat + '_>, runs: &[FinishedRun]) {
    format.start(runs).unwrap();
    for finished in runs {
        format.start_run(finished).unwrap();
        rows().iter().for_each(|row| format.row(row).unwrap());
        format.end_run().unwrap();
    }
    format.end().unwrap();
}

/// Two runs over cases of which most are the same, by a real engine.
pub(super) struct Compared {
    pub(super) engine: Engine,
    pub(super) first: FinishedRun,
    pub(super) second: FinishedRun,
    pub(super) comparison: Comparison,
    _database: TestDatabase,
}

/// Executes both: `lost` of 40 cases fail in the second run alone, three more in the first alone.
pub(super) async fn compared(lost: usize) -> Compared {
    let database = TestDatabase::new(pawl_testkit::Engine::Sqlite).await;
    let engine = Engine::new(database.store.clone(), Clock::new(|| samples::time(0)));
    let first = execute(&engine, &database, 0..40, |n| n < 37).await;
    let second = execute(&engine, &database, 1..41, |n| n > lost).await;
    let comparison = engine
        .compare(Actor::Service, first.report.run.id, second.report.run.id)
        .await
        .unwrap();
    Compared {
        engine,
        first,
        second,
        comparison,
        _database: database,
    }
}

async fn execute(
    engine: &Engine,
    database: &TestDatabase,
    cases: std::ops::Range<usize>,
    passes: impl Fn(usize) -> bool,
) -> FinishedRun {
    let file = |name: &str, text: &str| {
        let path = database.folder().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let text: String = cases
        .map(|n| {
            let input = if passes(n) { "ok" } else { "no" };
            format!("{{\"id\": \"case-{n:02}\", \"input\": \"{input}\"}}\n")
        })
        .collect();
    let checks = file(
        "checks.yaml",
        "- {type: contains, value: ok}\n- {type: not-equals, value: nothing}\n",
    );
    let request = RunRequest {
        suite: file("cases.jsonl", &text).into(),
        checks: Some(checks.to_string_lossy().into_owned()),
        target: TargetChoice::Named("echo".to_owned()),
        trials: 1,
        concurrency: None,
        timeout: Duration::from_secs(20),
        judge: None,
        embedder: None,
        models: crate::commands::models().unwrap(),
        cache: CacheMode::Off,
        labels: Labels::default(),
        resume: None,
    };
    let planned = PlannedRun::plan(&request).unwrap().pop().unwrap();
    let report = engine
        .execute(Actor::Service, planned, &CancellationToken::new(), &|_| {})
        .await
        .unwrap();
    let gate = Gate {
        min_pass_rate: 0.9,
        min_coverage: 1.0,
    }
    .judge(&report, None);
    FinishedRun {
        report,
        gate,
        baseline: None,
    }
}
