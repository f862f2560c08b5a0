use pawl_model::{RunStatus, State, Tally};
use pawl_store::runs::{self, Finish};
use pawl_store::{Actor, StoreError};
use pawl_testkit::{TestDatabase, on_both_engines, samples};

on_both_engines!(
    a_run_reads_back_as_it_was_written,
    a_run_finishes,
    the_latest_run_is_the_newest_completed_one
);

async fn a_run_reads_back_as_it_was_written(database: TestDatabase) {
    let run = samples::run(1);
    let mut scope = database.store.write(Actor::Service).await.unwrap();
    runs::insert(&mut scope, &run).await.unwrap();
    assert!(matches!(
        runs::insert(&mut scope, &run).await,
        Err(StoreError::Duplicate(_))
    ));
    drop(scope);
    let mut scope = database.store.write(Actor::Service).await.unwrap();
    assert_eq!(
        runs::get(&mut scope, run.id).await.unwrap(),
        None,
        "dropped without a commit"
    );
    runs::insert(&mut scope, &run).await.unwrap();
    scope.commit().await.unwrap();
    let mut scope = database.store.read(Actor::Service).await.unwrap();
    assert_eq!(runs::get(&mut scope, run.id).await.unwrap(), Some(run));
}

async fn a_run_finishes(database: TestDatabase) {
    let run = samples::run(1);
    let mut tally = Tally::default();
    tally.add_many(State::Passed, 3);
    tally.add_many(State::Failed, 2);
    tally.add_many(State::Error, 1);
    let mut scope = database.store.write(Actor::Service).await.unwrap();
    runs::insert(&mut scope, &run).await.unwrap();
    let finish = Finish {
        status: RunStatus::Failed,
        completed_at: samples::time(9),
        error: Some("disk full"),
        tally,
    };
    runs::finish(&mut scope, run.id, &finish).await.unwrap();
    let read = runs::get(&mut scope, run.id).await.unwrap().unwrap();
    assert_eq!(
        (read.total_cases, read.passed_cases, read.failed_cases),
        (6, 3, 2)
    );
    assert_eq!(
        (read.status, read.error.as_deref()),
        (RunStatus::Failed, Some("disk full"))
    );
    assert_eq!(read.completed_at, Some(samples::time(9)));
    runs::reopen(&mut scope, run.id).await.unwrap();
    let read = runs::get(&mut scope, run.id).await.unwrap().unwrap();
    assert_eq!(
        (read.status, read.error, read.completed_at),
        (RunStatus::Running, None, None)
    );
}

async fn the_latest_run_is_the_newest_completed_one(database: TestDatabase) {
    let mut scope = database.store.write(Actor::Service).await.unwrap();
    for (n, status, suite) in [
        (1, RunStatus::Completed, "stories"),
        (2, RunStatus::Completed, "stories"),
        (3, RunStatus::Failed, "stories"),
        (4, RunStatus::Completed, "other"),
    ] {
        let mut run = samples::run(n);
        (run.status, run.suite) = (status, Some(suite.to_owned()));
        runs::insert(&mut scope, &run).await.unwrap();
    }
    let latest = runs::latest(&mut scope, "stories", samples::run(9).id)
        .await
        .unwrap();
    assert_eq!(latest.map(|run| run.id), Some(samples::run(2).id));
    let latest = runs::latest(&mut scope, "stories", samples::run(2).id)
        .await
        .unwrap();
    assert_eq!(latest.map(|run| run.id), Some(samples::run(1).id));
    assert_eq!(
        runs::latest(&mut scope, "none", samples::run(9).id)
            .await
            .unwrap(),
        None
    );
}
