use pawl_engine::run::compare::Direction;
use pawl_engine::run::{RunReport, RunRequest, TargetChoice};
use pawl_engine::{Actor, EngineError};
use pawl_testkit::{TestDatabase, on_both_engines, samples};

use crate::rig::Rig;

on_both_engines!(
    two_runs_are_paired_case_by_case,
    a_case_passes_where_most_of_its_trials_do,
    runs_without_a_case_in_common_say_so,
    the_latest_run_is_of_the_same_suite,
    flips_come_with_their_rows,
    the_previous_run_began_before,
);

/// Grades `count` cases whose outputs are wrong where `is_wrong` says so.
async fn graded(rig: &Rig, count: usize, is_wrong: impl Fn(usize, u16) -> bool) -> RunReport {
    let trials = 3;
    let lines: String = (0..count)
        .flat_map(|n| (1..=trials).map(move |trial| (n, trial)))
        .map(|(n, trial)| {
            let output = if is_wrong(n, trial) { "no" } else { "ok" };
            format!("{{\"id\":\"case-{n}\",\"trial\":{trial},\"output\":\"{output}\"}}\n")
        })
        .collect();
    let outputs = rig.file("outputs.jsonl", &lines);
    let request = RunRequest {
        target: TargetChoice::Recorded(outputs),
        trials,
        ..rig.request(count, "echo")
    };
    rig.run(&request).await.unwrap()
}

async fn two_runs_are_paired_case_by_case(database: TestDatabase) {
    let rig = Rig::new(database);
    let a = graded(&rig, 40, |n, _| n == 0).await;
    let b = graded(&rig, 41, |n, _| (1..=12).contains(&n)).await;
    let comparison = rig
        .engine
        .compare(Actor::Service, a.run.id, b.run.id)
        .await
        .unwrap();
    let statistics = comparison.statistics.as_ref().unwrap();
    assert_eq!(statistics.pairs, 40);
    assert_eq!((comparison.lost.count, comparison.gained.count), (12, 1));
    assert_eq!(comparison.lost.first[0], "case-1");
    assert_eq!(comparison.gained.first, ["case-0"]);
    assert_eq!(comparison.only_in_b.first, ["case-40"]);
    assert_eq!(comparison.only_in_a.count, 0);
    // Two-sided binomial of 1 in 13: 2 × 14 ÷ 2^13.
    assert!((statistics.rates.p_value - 28.0 / 8_192.0).abs() < 1e-12);
    assert!(comparison.is_regression());
    let check = &comparison.checks[0];
    assert_eq!(
        (check.name.as_str(), check.lost, check.gained),
        ("contains", 12, 1)
    );
    let back = rig
        .engine
        .compare(Actor::Service, b.run.id, a.run.id)
        .await
        .unwrap();
    assert!(!back.is_regression(), "better is no regression");
    let same = rig
        .engine
        .compare(Actor::Service, a.run.id, a.run.id)
        .await
        .unwrap();
    assert!(!same.is_regression() && same.lost.count == 0);
}

async fn a_case_passes_where_most_of_its_trials_do(database: TestDatabase) {
    let rig = Rig::new(database);
    let a = graded(&rig, 2, |n, trial| n == 0 && trial == 1).await;
    let b = graded(&rig, 2, |n, trial| n == 0 && trial < 3).await;
    let comparison = rig
        .engine
        .compare(Actor::Service, a.run.id, b.run.id)
        .await
        .unwrap();
    assert_eq!(
        (comparison.lost.count, comparison.lost.first[0].as_str()),
        (1, "case-0")
    );
    let scores = comparison.statistics.unwrap().scores.unwrap();
    assert!((scores.first_mean - 5.0 / 6.0).abs() < 1e-9 && (scores.second_mean - 4.0 / 6.0).abs() < 1e-9);
}

async fn runs_without_a_case_in_common_say_so(database: TestDatabase) {
    let rig = Rig::new(database);
    let a = rig.run(&rig.request(3, "echo")).await.unwrap();
    let other = rig.file("other.jsonl", "{\"id\": \"x\", \"input\": \"ok\"}\n");
    let b = rig
        .run(&RunRequest {
            suite: other.into(),
            ..rig.request(3, "echo")
        })
        .await
        .unwrap();
    let comparison = rig
        .engine
        .compare(Actor::Service, a.run.id, b.run.id)
        .await
        .unwrap();
    assert!(comparison.statistics.is_none() && !comparison.is_regression());
    assert_eq!((comparison.only_in_a.count, comparison.only_in_b.count), (3, 1));
    assert_eq!(comparison.evidence(), "no case in common");
    let unknown = rig
        .engine
        .compare(Actor::Service, a.run.id, samples::run(9).id)
        .await;
    assert!(matches!(unknown, Err(EngineError::UnknownRun { .. })));
}

async fn the_latest_run_is_of_the_same_suite(database: TestDatabase) {
    let rig = Rig::new(database);
    let first = rig.run(&rig.request(3, "echo")).await.unwrap();
    assert_eq!(
        rig.engine.latest_run(Actor::Service, &first.run).await.unwrap(),
        None
    );
    let second = rig.run(&rig.request(3, "echo")).await.unwrap();
    assert_eq!(
        rig.engine.latest_run(Actor::Service, &second.run).await.unwrap(),
        Some(first.run.id)
    );
}

async fn flips_come_with_their_rows(database: TestDatabase) {
    let rig = Rig::new(database);
    let a = graded(&rig, 40, |n, _| n == 0).await.run;
    let b = graded(&rig, 40, |n, _| (1..=30).contains(&n)).await.run;
    let comparison = rig.engine.compare(Actor::Service, a.id, b.id).await.unwrap();
    let flips = rig.engine.flips(Actor::Service, &comparison).await.unwrap();
    let named = |direction| {
        let flips = flips.iter().filter(|flip| flip.direction == direction);
        flips.map(|flip| flip.a.input_id().unwrap()).collect::<Vec<_>>()
    };
    // As many as are named, in the order of the first run.
    assert_eq!(
        (comparison.lost.count, named(Direction::Lost)),
        (30, comparison.lost.first.clone())
    );
    assert_eq!(named(Direction::Gained), ["case-0"]);
    for flip in &flips {
        assert_eq!((flip.a.run_id, flip.b.run_id), (a.id, b.id));
        assert_eq!(
            (flip.a.input_id(), flip.a.trial, flip.b.trial),
            (flip.b.input_id(), 1, 1)
        );
    }
    let stranger = Actor::Tenant(samples::user(9).id);
    assert!(rig.engine.flips(stranger, &comparison).await.unwrap().is_empty());
    assert!(rig.engine.case(stranger, flips[0].a.id).await.unwrap().is_none());
    let case = rig.engine.case(Actor::Service, flips[0].a.id).await.unwrap();
    assert_eq!(case.as_ref(), Some(&flips[0].a));
    let progress = rig.engine.run_progress(Actor::Service, b.id).await.unwrap();
    assert_eq!((progress.tally.passed, progress.tally.failed), (30, 90));
    assert!(progress.latest.is_some());
    assert!(rig.engine.run_progress(stranger, b.id).await.is_err());
}

async fn the_previous_run_began_before(database: TestDatabase) {
    let rig = Rig::new(database);
    let mut runs = [
        graded(&rig, 2, |_, _| false).await.run,
        graded(&rig, 2, |_, _| false).await.run,
    ];
    // The clock stands, and of those that began at once the larger id is the later one.
    runs.sort_by_key(|run| run.id);
    let [first, second] = &runs;
    let previous = async |run| rig.engine.previous_run(Actor::Service, run).await.unwrap();
    assert_eq!(previous(second).await.map(|run| run.id), Some(first.id));
    assert_eq!(previous(first).await, None);
}
