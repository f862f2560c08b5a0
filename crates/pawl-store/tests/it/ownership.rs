use pawl_model::{Run, State, UserId};
use pawl_store::{Actor, Store, StoreError, cases, runs, users};
use pawl_testkit::{Engine, TestDatabase, on_both_engines, samples};
use sqlx::Connection as _;

on_both_engines!(
    rows_from_before_the_first_user_become_theirs,
    the_service_names_the_first_user_where_nobody_is_named,
    tenants_see_and_write_their_own_rows_only,
    a_case_cannot_hang_on_the_run_of_another_tenant,
    users_are_found_by_id_and_address,
);

async fn insert(store: &Store, actor: Actor, run: &Run) -> Result<(), StoreError> {
    let mut scope = store.write(actor).await.unwrap();
    runs::insert(&mut scope, run).await?;
    cases::insert(&mut scope, &[samples::case(run, 0, State::Passed)]).await?;
    scope.commit().await
}

async fn owner_of(store: &Store, run: &Run) -> Option<UserId> {
    let mut scope = store.read(Actor::Service).await.unwrap();
    let case = &cases::page(&mut scope, run.id, None, 10).await.unwrap()[0];
    let run = runs::get(&mut scope, run.id).await.unwrap().unwrap();
    assert_eq!(run.user_id, case.user_id);
    run.user_id
}

async fn rows_from_before_the_first_user_become_theirs(database: TestDatabase) {
    let store = &database.store;
    insert(store, Actor::Service, &samples::run(1)).await.unwrap();
    assert_eq!(owner_of(store, &samples::run(1)).await, None);
    database.add_users(2).await;
    assert_eq!(owner_of(store, &samples::run(1)).await, Some(samples::user(1).id));
}

async fn the_service_names_the_first_user_where_nobody_is_named(database: TestDatabase) {
    let store = &database.store;
    database.add_users(2).await;
    insert(store, Actor::Service, &samples::run(1)).await.unwrap();
    assert_eq!(owner_of(store, &samples::run(1)).await, Some(samples::user(1).id));
    let named = Run {
        user_id: Some(samples::user(2).id),
        ..samples::run(2)
    };
    insert(store, Actor::Service, &named).await.unwrap();
    assert_eq!(owner_of(store, &named).await, named.user_id);
}

async fn tenants_see_and_write_their_own_rows_only(database: TestDatabase) {
    let store = &database.store;
    database.add_users(2).await;
    let [one, two] = [1, 2].map(|n| Actor::Tenant(samples::user(n).id));
    insert(store, one, &samples::run(1)).await.unwrap();
    for (actor, seen) in [(one, 1), (two, 0), (Actor::Service, 1)] {
        let mut scope = store.read(actor).await.unwrap();
        let run = runs::get(&mut scope, samples::run(1).id).await.unwrap();
        assert_eq!(usize::from(run.is_some()), seen, "{actor:?}");
        assert_eq!(
            cases::page(&mut scope, samples::run(1).id, None, 10)
                .await
                .unwrap()
                .len(),
            seen
        );
        assert_eq!(
            cases::outcomes(&mut scope, samples::run(1).id, None, 10)
                .await
                .unwrap()
                .len(),
            seen
        );
        assert_eq!(
            users::list(&mut scope, 10).await.unwrap().len(),
            if actor == Actor::Service { 2 } else { 1 }
        );
    }
    let foreign = Run {
        user_id: Some(samples::user(1).id),
        ..samples::run(2)
    };
    assert!(matches!(
        insert(store, two, &foreign).await,
        Err(StoreError::ForeignRow)
    ));
    let mut scope = store.write(two).await.unwrap();
    runs::reopen(&mut scope, samples::run(1).id).await.unwrap();
    assert!(matches!(
        users::insert(&mut scope, &samples::user(3)).await,
        Err(StoreError::ForeignRow)
    ));
    scope.commit().await.unwrap();
}

async fn a_case_cannot_hang_on_the_run_of_another_tenant(database: TestDatabase) {
    let store = &database.store;
    database.add_users(2).await;
    insert(store, Actor::Tenant(samples::user(1).id), &samples::run(1))
        .await
        .unwrap();
    let mut scope = store.write(Actor::Tenant(samples::user(2).id)).await.unwrap();
    let case = samples::case(&samples::run(1), 7, State::Passed);
    let refused = cases::insert(&mut scope, &[case]).await;
    assert!(matches!(refused, Err(StoreError::Reference(_))), "{refused:?}");
}

async fn users_are_found_by_id_and_address(database: TestDatabase) {
    database.add_users(2).await;
    let mut scope = database.store.read(Actor::Service).await.unwrap();
    let user = samples::user(2);
    for key in [user.id.to_string(), "USER2@example.org".to_owned()] {
        assert_eq!(users::find(&mut scope, &key).await.unwrap(), Some(user.clone()));
    }
    assert_eq!(users::find(&mut scope, "nobody").await.unwrap(), None);
    assert_eq!(users::list(&mut scope, 1).await.unwrap(), [samples::user(1)]);
}

/// The policies hold for whatever SQL the runtime role sends, not only for ours.
#[tokio::test(flavor = "multi_thread")]
async fn row_level_security_holds_for_plain_sql() {
    let database = TestDatabase::new(Engine::Postgres).await;
    database.add_users(2).await;
    insert(
        &database.store,
        Actor::Tenant(samples::user(1).id),
        &samples::run(1),
    )
    .await
    .unwrap();
    let mut connection = sqlx::PgConnection::connect(&database.url()).await.unwrap();
    let count = "select (select count(*) from sb_eval_runs) + (select count(*) from sb_eval_cases)
        + (select count(*) from auth.users)";
    for (claims, seen) in [
        (None, 0_i64),
        (Some(r#"{"role":"anon"}"#), 0),
        (
            Some(r#"{"role":"authenticated","sub":"a1b2c3d4-e5f6-4890-abcd-000000000002"}"#),
            1,
        ),
        (
            Some(r#"{"role":"authenticated","sub":"a1b2c3d4-e5f6-4890-abcd-000000000001"}"#),
            3,
        ),
        (Some(r#"{"role":"service_role"}"#), 4),
    ] {
        let mut transaction = connection.begin().await.unwrap();
        if let Some(claims) = claims {
            sqlx::query("select set_config('request.jwt.claims', $1, true)")
                .bind(claims)
                .execute(&mut *transaction)
                .await
                .unwrap();
        }
        let rows: i64 = sqlx::query_scalar(count)
            .fetch_one(&mut *transaction)
            .await
            .unwrap();
        assert_eq!(rows, seen, "under {claims:?}");
        transaction.rollback().await.unwrap();
    }
    let mut transaction = connection.begin().await.unwrap();
    sqlx::query("select set_config('request.jwt.claims', $1, true)")
        .bind(r#"{"role":"authenticated","sub":"a1b2c3d4-e5f6-4890-abcd-000000000002"}"#)
        .execute(&mut *transaction)
        .await
        .unwrap();
    let foreign = sqlx::query("insert into sb_eval_runs (dataset_version, user_id) values ('v', $1)")
        .bind(samples::user(1).id.0)
        .execute(&mut *transaction)
        .await;
    let code = foreign
        .unwrap_err()
        .as_database_error()
        .and_then(|error| error.code())
        .map(|code| code.into_owned());
    assert_eq!(
        code.as_deref(),
        Some("42501"),
        "insert for another tenant is refused"
    );
}
