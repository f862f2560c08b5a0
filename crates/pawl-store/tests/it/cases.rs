use pawl_model::{CaseRecord, Json, State};
use pawl_store::{Actor, StoreError, cases, runs};
use pawl_testkit::{TestDatabase, on_both_engines, samples};

on_both_engines!(
    cases_read_back_in_the_order_of_the_data_set,
    a_case_that_stands_is_left_as_it_is,
    outcomes_read_rows_of_other_writers,
    a_case_needs_its_run,
    numbers_beyond_a_column_are_refused,
    a_number_may_follow_where_there_was_none,
);

async fn cases_read_back_in_the_order_of_the_data_set(database: TestDatabase) {
    let run = samples::run(1);
    let written: Vec<CaseRecord> = (0..150)
        .map(|n| samples::case(&run, n, State::ALL[n as usize % 4]))
        .collect();
    let mut scope = database.store.write(Actor::Service).await.unwrap();
    runs::insert(&mut scope, &run).await.unwrap();
    let backwards: Vec<CaseRecord> = written.iter().rev().cloned().collect();
    assert_eq!(cases::insert(&mut scope, &backwards).await.unwrap(), 150);
    scope.commit().await.unwrap();

    let mut scope = database.store.read(Actor::Service).await.unwrap();
    let first = cases::page(&mut scope, run.id, None, 100).await.unwrap();
    let second = cases::page(&mut scope, run.id, first.last().map(|case| case.id), 100)
        .await
        .unwrap();
    assert_eq!((first.len(), second.len()), (100, 50));
    assert_eq!([first, second].concat(), written);
}

async fn a_case_that_stands_is_left_as_it_is(database: TestDatabase) {
    let run = samples::run(1);
    let mut scope = database.store.write(Actor::Service).await.unwrap();
    runs::insert(&mut scope, &run).await.unwrap();
    let stored = samples::case(&run, 0, State::Passed);
    cases::insert(&mut scope, std::slice::from_ref(&stored))
        .await
        .unwrap();
    let again = [
        samples::case(&run, 0, State::Failed),
        samples::case(&run, 1, State::Failed),
    ];
    assert_eq!(
        cases::insert(&mut scope, &again).await.unwrap(),
        1,
        "only the second is new"
    );
    let page = cases::page(&mut scope, run.id, None, 10).await.unwrap();
    assert_eq!(page, [stored, again[1].clone()]);
}

async fn outcomes_read_rows_of_other_writers(database: TestDatabase) {
    let run = samples::run(1);
    let mut scope = database.store.write(Actor::Service).await.unwrap();
    runs::insert(&mut scope, &run).await.unwrap();
    let mut foreign = samples::case(&run, 0, State::Failed);
    (foreign.status, foreign.score) = (None, None);
    foreign.input_data = Json::parse(r#"{"id": 7}"#).unwrap();
    let mut broken = samples::case(&run, 1, State::Error);
    broken.status = None;
    broken.input_data = Json::parse("{}").unwrap();
    cases::insert(&mut scope, &[foreign, broken]).await.unwrap();
    let outcomes = cases::outcomes(&mut scope, run.id, None, 10).await.unwrap();
    let read: Vec<_> = outcomes
        .iter()
        .map(|o| (o.input_id.as_deref(), o.state, o.score))
        .collect();
    assert_eq!(
        read,
        [(Some("7"), State::Failed, None), (None, State::Error, None)]
    );
}

async fn a_case_needs_its_run(database: TestDatabase) {
    let case = samples::case(&samples::run(1), 0, State::Passed);
    let mut scope = database.store.write(Actor::Service).await.unwrap();
    assert!(matches!(
        cases::insert(&mut scope, &[case]).await,
        Err(StoreError::Reference(_))
    ));
}

async fn numbers_beyond_a_column_are_refused(database: TestDatabase) {
    let run = samples::run(1);
    for spoil in [
        (|case: &mut CaseRecord| case.score = Some(1.5)) as fn(&mut CaseRecord),
        |case| case.latency_ms = Some(-1),
        |case| case.cost_usd = Some(-0.5),
    ] {
        let mut case = samples::case(&run, 0, State::Passed);
        spoil(&mut case);
        let mut scope = database.store.write(Actor::Service).await.unwrap();
        runs::insert(&mut scope, &run).await.unwrap();
        assert!(matches!(
            cases::insert(&mut scope, &[case]).await,
            Err(StoreError::Rule(_))
        ));
    }
}

/// On one connection, with statements of one shape: PostgreSQL keeps the types that it first saw.
async fn a_number_may_follow_where_there_was_none(database: TestDatabase) {
    let run = samples::run(1);
    let mut scope = database.store.write(Actor::Service).await.unwrap();
    runs::insert(&mut scope, &run).await.unwrap();
    let mut written = Vec::new();
    for (ordinal, latency_ms) in [(0, None), (1, Some(7)), (2, None)] {
        let mut case = samples::case(&run, ordinal, State::Passed);
        (case.latency_ms, case.score, case.cost_usd) =
            (latency_ms, latency_ms.map(f64::from).map(|n| n / 10.0), None);
        cases::insert(&mut scope, std::slice::from_ref(&case))
            .await
            .unwrap();
        written.push(case);
    }
    assert_eq!(cases::page(&mut scope, run.id, None, 10).await.unwrap(), written);
}
