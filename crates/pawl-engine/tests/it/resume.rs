use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::path::Path;

use pawl_engine::EngineError;
use pawl_engine::run::{RunEvent, RunRequest, TargetChoice};
use pawl_model::{RunStatus, Tally};
use pawl_testkit::{TestDatabase, on_both_engines};
use tokio_util::sync::CancellationToken;

use crate::rig::Rig;

on_both_engines!(
    an_interrupted_run_is_finalised_and_goes_on_where_it_was,
    a_run_is_resumed_only_as_what_it_was,
    a_completed_run_has_nothing_to_resume,
);

/// How often each case was asked, by a target that writes its input down.
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

async fn an_interrupted_run_is_finalised_and_goes_on_where_it_was(database: TestDatabase) {
    const CASES: usize = 120;
    const CONCURRENCY: usize = 4;
    let rig = Rig::new(database);
    let log = rig.database.folder().join("asked.log");
    let target = format!("exec:sh -c 'tee -a {}; echo ok'", log.display());
    let request = RunRequest {
        concurrency: NonZeroUsize::new(CONCURRENCY),
        ..rig.request(CASES, &target)
    };
    let stop = CancellationToken::new();
    let stop_early = |event: RunEvent<'_>| {
        if matches!(event, RunEvent::Stored { tally } if tally.total() >= 20) {
            stop.cancel();
        }
    };
    let first = rig.run_until(&request, &stop, &stop_early).await.unwrap();
    let stored = first.tally.total();
    assert!((20..CASES as u64).contains(&stored), "{stored}");
    assert_eq!(first.run.status, RunStatus::Failed);
    let error = first.run.error.as_deref().unwrap();
    assert!(
        error.starts_with("interrupted with") && error.contains(&first.run.id.to_string()),
        "{error}"
    );
    assert_eq!(u64::try_from(first.run.total_cases), Ok(stored));

    let request = RunRequest {
        resume: Some(first.run.id),
        ..request
    };
    let second = rig.run(&request).await.unwrap();
    assert_eq!((second.run.id, second.resumed), (first.run.id, stored));
    assert_eq!(
        second.tally,
        Tally {
            passed: CASES as u64,
            ..Tally::default()
        }
    );
    assert_eq!(
        (second.run.status.clone(), second.run.error.clone()),
        (RunStatus::Completed, None)
    );
    assert_eq!(
        rig.rows(&second).await.len(),
        CASES,
        "no case is lost or stored twice"
    );
    let asked = asked(&log);
    assert_eq!(asked.len(), CASES);
    let again: usize = asked.values().map(|times| times - 1).sum();
    assert!(again <= CONCURRENCY, "{again} cases were asked again");
}

async fn a_run_is_resumed_only_as_what_it_was(database: TestDatabase) {
    let rig = Rig::new(database);
    let request = rig.request(10, "echo");
    let run = rig.run(&request).await.unwrap().run.id;
    let resumed = RunRequest {
        resume: Some(run),
        ..request.clone()
    };
    for (changed, what) in [
        (
            RunRequest {
                target: TargetChoice::Named("exec:echo ok".to_owned()),
                ..resumed.clone()
            },
            "target",
        ),
        (
            RunRequest {
                trials: 2,
                ..resumed.clone()
            },
            "number of trials",
        ),
        (
            RunRequest {
                checks: None,
                ..resumed.clone()
            },
            "suite",
        ),
    ] {
        refused(&rig, &changed, what).await;
    }
    refused(
        &rig,
        &RunRequest {
            resume: Some(run),
            ..rig.request(11, "echo")
        },
        "data set",
    )
    .await;
    let unknown = RunRequest {
        resume: Some(pawl_testkit::samples::run(9).id),
        ..request
    };
    assert!(matches!(
        rig.run(&unknown).await,
        Err(EngineError::UnknownRun { .. })
    ));
}

async fn refused(rig: &Rig, request: &RunRequest, what: &str) {
    let error = rig.run(request).await.unwrap_err();
    assert!(
        matches!(&error, EngineError::ResumeDiffers { what: found, .. } if *found == what),
        "{what}: {error}"
    );
}

async fn a_completed_run_has_nothing_to_resume(database: TestDatabase) {
    let rig = Rig::new(database);
    let request = rig.request(10, "echo");
    let run = rig.run(&request).await.unwrap().run.id;
    let error = rig
        .run(&RunRequest {
            resume: Some(run),
            ..request
        })
        .await
        .unwrap_err();
    assert!(
        matches!(error, EngineError::NothingToResume { rows: 10, .. }),
        "{error}"
    );
}
