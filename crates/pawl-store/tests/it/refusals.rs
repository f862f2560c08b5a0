use std::path::Path;

use pawl_model::State;
use pawl_store::{Actor, Location, RuntimeRole, Store, StoreError, cases, migrate_postgres, runs, users};
use pawl_testkit::{Engine, TestDatabase, on_both_engines, samples};
use sqlx::{Connection as _, Executor as _};

on_both_engines!(
    nul_in_a_text_is_refused_and_nothing_is_written,
    a_newer_schema_is_refused
);

async fn nul_in_a_text_is_refused_and_nothing_is_written(database: TestDatabase) {
    let mut run = samples::run(1);
    let mut scope = database.store.write(Actor::Service).await.unwrap();
    runs::insert(&mut scope, &run).await.unwrap();
    let mut case = samples::case(&run, 0, State::Error);
    case.error = Some("a\0b".to_owned());
    assert!(matches!(
        cases::insert(&mut scope, &[case]).await,
        Err(StoreError::Nul)
    ));
    run = samples::run(2);
    run.run_name = Some("\0".to_owned());
    assert!(matches!(
        runs::insert(&mut scope, &run).await,
        Err(StoreError::Nul)
    ));
    assert_eq!(
        cases::page(&mut scope, samples::run(1).id, None, 10)
            .await
            .unwrap(),
        []
    );
}

const FROM_THE_FUTURE: &str =
    "insert into _pawl_migrations (version, description, success, checksum, execution_time)
    values (9999, 'future', true, '', 0)";

async fn a_newer_schema_is_refused(database: TestDatabase) {
    database.store.close().await;
    match database.engine {
        Engine::Sqlite => {
            let mut connection = sqlx::SqliteConnection::connect(&database.url()).await.unwrap();
            connection.execute(FROM_THE_FUTURE).await.unwrap();
            connection.close().await.unwrap();
        }
        Engine::Postgres => {
            let owner = database.url().replace("pawl_app", "pawl_owner");
            let mut connection = sqlx::PgConnection::connect(&owner).await.unwrap();
            connection.execute(FROM_THE_FUTURE).await.unwrap();
            let again = migrate_postgres(&owner, None).await;
            assert!(
                matches!(again, Err(StoreError::Newer { found: 9999, .. })),
                "{again:?}"
            );
        }
    }
    let refused = Store::open(&database.location).await.err().unwrap();
    assert!(
        matches!(refused, StoreError::Newer { found: 9999, .. }),
        "{refused:?}"
    );
    assert!(refused.to_string().contains("use a newer pawl"));
}

async fn refusal(path: &Path) -> String {
    Store::open(&Location::Sqlite(path.to_owned()))
        .await
        .err()
        .unwrap()
        .to_string()
}

#[tokio::test]
async fn a_file_that_is_no_database_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("notes.db");
    let text = "these are my notes, not a database\n".repeat(100);
    std::fs::write(&file, &text).unwrap();
    assert_eq!(
        refusal(&file).await,
        format!("cannot open the database file {}", file.display())
    );
    assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
    assert_eq!(
        refusal(folder.path()).await,
        format!("cannot open the database file {}", folder.path().display())
    );
}

#[cfg(unix)]
#[tokio::test]
async fn a_new_database_is_readable_by_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("deep/er/pawl.db");
    Store::open(&Location::Sqlite(file.clone()))
        .await
        .unwrap()
        .close()
        .await;
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&file), mode(file.parent().unwrap())), (0o600, 0o700));
}

#[tokio::test]
async fn several_processes_may_open_a_new_file_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let location = Location::in_folder(folder.path());
    let openings = (0..8).map(|_| {
        let location = location.clone();
        tokio::spawn(async move { Store::open(&location).await.map(drop) })
    });
    for opening in openings.collect::<Vec<_>>() {
        opening.await.unwrap().unwrap();
    }
}

#[tokio::test]
async fn a_server_that_is_not_there_is_unreachable() {
    let location = Location::parse("postgres://pawl_app:secret@127.0.0.1:1/none").unwrap();
    let refused = Store::open(&location).await.err().unwrap();
    assert!(matches!(refused, StoreError::Unreachable(_)), "{refused:?}");
    assert!(!format!("{refused} {location:?}").contains("secret"));
}

#[tokio::test]
async fn an_unmigrated_database_and_unsafe_roles_are_refused() {
    let database = TestDatabase::new(Engine::Postgres).await;
    let server = std::env::var("PAWL_TEST_POSTGRES_URL").unwrap();
    let empty = Store::open(&Location::Postgres(server.clone()))
        .await
        .err()
        .unwrap();
    assert!(matches!(empty, StoreError::Old { found: None, .. }), "{empty:?}");
    assert!(
        empty
            .to_string()
            .contains("pawl migrate --database-url OWNER_URL")
    );

    let owner = database.url().replace("pawl_app", "pawl_owner");
    let refused = Store::open(&Location::Postgres(owner.clone()))
        .await
        .err()
        .unwrap()
        .to_string();
    assert!(refused.contains("`pawl_owner` owns the tables"), "{refused}");
    let (before, _) = server.rsplit_once('/').unwrap();
    let name = owner.rsplit_once('/').unwrap().1;
    let superuser = Location::Postgres([before, "/", name].concat());
    let refused = Store::open(&superuser).await.err().unwrap().to_string();
    assert!(
        refused.contains("is a superuser") && refused.contains("nosuperuser"),
        "{refused}"
    );

    let role = RuntimeRole {
        name: "pawl_app",
        password: "not used, since the role exists",
    };
    let migrated = migrate_postgres(&owner, Some(role)).await.unwrap();
    assert!(
        migrated
            .runtime_url
            .unwrap()
            .starts_with("postgres://pawl_app:PASSWORD@127.0.0.1:")
    );
}

const END_SESSIONS: &str = "select pg_terminate_backend(pid) from pg_stat_activity
    where usename = current_user and datname = current_database() and pid <> pg_backend_pid()";

const SESSIONS: &str = "select count(*) from pg_stat_activity
    where usename = current_user and datname = current_database() and pid <> pg_backend_pid()";

/// A connection that was of use a moment ago is not asked whether it is still there.
#[tokio::test]
async fn sessions_that_the_server_ended_are_unreachable_and_replaced() {
    let database = TestDatabase::new(Engine::Postgres).await;
    for store in [&database.store, &database.store.apart()] {
        let scope = store.write(Actor::Service).await.unwrap();
        scope.commit().await.unwrap();
        let mut other = sqlx::PgConnection::connect(&database.url()).await.unwrap();
        let ended = other.execute(END_SESSIONS).await.unwrap().rows_affected();
        other.close().await.unwrap();
        assert!(ended > 0);
        let mut begun = store.write(Actor::Service).await;
        // Each attempt takes one of them out of the pool.
        for _ in 0..ended {
            if let Err(error) = &begun {
                assert!(matches!(error, StoreError::Unreachable(_)), "{error:?}");
                begun = store.write(Actor::Service).await;
            }
        }
        begun.unwrap().commit().await.unwrap();
    }
}

#[tokio::test]
async fn who_is_apart_has_one_session_for_all_transactions() {
    let database = TestDatabase::new(Engine::Postgres).await;
    let before = database.number(SESSIONS).await;
    let apart = database.store.apart();
    for n in 0..3 {
        let mut scope = apart.write(Actor::Service).await.unwrap();
        users::insert(&mut scope, &samples::user(n)).await.unwrap();
        match n {
            0 => scope.commit().await.unwrap(),
            1 => scope.roll_back().await.unwrap(),
            _ => drop(scope),
        }
        if n < 2 {
            assert_eq!(database.number(SESSIONS).await, before + 1);
        }
    }
    // The one that was dropped took it along.
    apart.write(Actor::Service).await.unwrap().commit().await.unwrap();
    assert_eq!(database.number("select count(*) from auth.users").await, 1);
    database.store.close().await;
    let closed = apart.write(Actor::Service).await.err().unwrap();
    assert!(matches!(closed, StoreError::Unreachable(_)), "{closed:?}");
}
