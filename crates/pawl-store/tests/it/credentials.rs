//! What lets somebody in is for the service alone.

use pawl_model::{ApiKey, ApiKeyId, BrowserSessionId, KeyScope, SessionId, UserId};
use pawl_store::browser_sessions::{self, NewBrowserSession};
use pawl_store::refresh_tokens::NewRefreshToken;
use pawl_store::secrets::Secrets;
use pawl_store::sessions::Session;
use pawl_store::users::{Credentials, Login, Page};
use pawl_store::{Actor, Scope, Store, StoreError, api_keys, refresh_tokens, secrets, sessions, users};
use pawl_testkit::{Engine, TestDatabase, on_both_engines, samples};
use sqlx::{AssertSqlSafe, Connection as _};
use uuid::Uuid;

on_both_engines!(
    only_the_service_has_to_do_with_credentials,
    no_later_user_is_older_than_the_first,
);

const SESSION: SessionId = SessionId(Uuid::from_u128(8));
const BROWSER: BrowserSessionId = BrowserSessionId(Uuid::from_u128(10));
const KEY: ApiKeyId = ApiKeyId(Uuid::from_u128(9));

fn user() -> UserId {
    samples::user(1).id
}

fn session() -> Session {
    Session {
        id: SESSION,
        user_id: user(),
    }
}

/// Writes one row of each kind.
async fn write_all(scope: &mut Scope) -> Result<(), StoreError> {
    let credentials = Credentials {
        user_id: user(),
        password_hash: "$argon2id$",
        changed_at: samples::time(1),
    };
    users::set_password(scope, credentials).await?;
    sessions::insert(scope, session(), samples::time(1)).await?;
    let token = NewRefreshToken {
        session: session(),
        hash: b"hash",
        created_at: samples::time(1),
    };
    refresh_tokens::insert(scope, token).await?;
    let browser = NewBrowserSession {
        id: BROWSER,
        user_id: user(),
        hash: b"hash of a cookie",
        created_at: samples::time(1),
    };
    browser_sessions::insert(scope, browser).await?;
    let key = ApiKey {
        id: KEY,
        user_id: user(),
        scope: KeyScope::Write,
        last_four: "abcd".to_owned(),
        created_at: samples::time(1),
    };
    api_keys::insert(scope, &key, b"hash of a key").await
}

async fn prepared(store: &Store) {
    let mut scope = store.write(Actor::Service).await.unwrap();
    users::insert(&mut scope, &samples::user(1)).await.unwrap();
    write_all(&mut scope).await.unwrap();
    scope.commit().await.unwrap();
    let fresh = Secrets {
        jwt: "signs".into(),
        ingestion: "lets in".into(),
        created_at: samples::time(1),
    };
    secrets::keep(store, fresh).await.unwrap();
}

async fn only_the_service_has_to_do_with_credentials(database: TestDatabase) {
    let store = &database.store;
    prepared(store).await;
    for actor in [Actor::Tenant(user()), Actor::Anonymous] {
        let mut scope = store.write(actor).await.unwrap();
        let page = Page { limit: 1, offset: 0 };
        for refused in [
            write_all(&mut scope).await.err(),
            users::account(&mut scope, user()).await.err(),
            users::accounts(&mut scope, page).await.err(),
            users::password(&mut scope, Login::Id(user())).await.err(),
            users::delete(&mut scope, user()).await.err(),
            sessions::refreshed_at(&mut scope, session()).await.err(),
            sessions::delete(&mut scope, SESSION).await.err(),
            sessions::delete_others(&mut scope, user(), None).await.err(),
            refresh_tokens::find(&mut scope, b"hash").await.err(),
            refresh_tokens::spend(&mut scope, b"hash", samples::time(2))
                .await
                .err(),
            browser_sessions::find(&mut scope, b"hash of a cookie")
                .await
                .err(),
            browser_sessions::delete(&mut scope, BROWSER).await.err(),
            browser_sessions::delete_others(&mut scope, user(), None)
                .await
                .err(),
            api_keys::list(&mut scope, user()).await.err(),
            api_keys::find(&mut scope, b"hash of a key").await.err(),
            api_keys::delete(&mut scope, user(), KEY).await.err(),
        ] {
            assert!(matches!(refused, Some(StoreError::ForeignRow)), "{refused:?}");
        }
    }
    let mut scope = store.read(Actor::Service).await.unwrap();
    let password = users::password(&mut scope, Login::Id(user())).await.unwrap();
    assert_eq!(password, Some((user(), Some("$argon2id$".to_owned()))));
    assert!(refresh_tokens::find(&mut scope, b"hash").await.unwrap().is_some());
    assert_eq!(api_keys::list(&mut scope, user()).await.unwrap().len(), 1);
}

async fn no_later_user_is_older_than_the_first(database: TestDatabase) {
    let mut scope = database.store.write(Actor::Service).await.unwrap();
    for n in [5, 3, 4] {
        let is_first = users::insert(&mut scope, &samples::user(n)).await.unwrap();
        assert_eq!(is_first, n == 5);
    }
    for n in [3, 4, 5] {
        let account = users::account(&mut scope, samples::user(n).id)
            .await
            .unwrap()
            .unwrap();
        assert_eq!(account.is_owner, n == 5, "user {n}");
    }
}

/// Whatever SQL a tenant could send: neither hashes nor tokens nor secrets are theirs to see or to write.
#[tokio::test(flavor = "multi_thread")]
async fn tenants_see_no_credentials_by_plain_sql() {
    let database = TestDatabase::new(Engine::Postgres).await;
    prepared(&database.store).await;
    let tables = [
        "auth.credentials",
        "auth.sessions",
        "auth.refresh_tokens",
        "auth.browser_sessions",
        "auth.api_keys",
        "_pawl_secrets",
    ];
    let tenant = serde_json::json!({"role": "authenticated", "sub": user()}).to_string();
    let mut connection = sqlx::PgConnection::connect(&database.url()).await.unwrap();
    for (claims, seen) in [
        ("", 0_i64),
        (tenant.as_str(), 0),
        (r#"{"role":"anon"}"#, 0),
        (r#"{"role":"service_role"}"#, 1),
    ] {
        for table in tables {
            let mut transaction = connection.begin().await.unwrap();
            sqlx::query("select set_config('request.jwt.claims', $1, true)")
                .bind(claims)
                .execute(&mut *transaction)
                .await
                .unwrap();
            let count = sqlx::query_scalar(AssertSqlSafe(["select count(*) from ", table].concat()));
            let rows: i64 = count.fetch_one(&mut *transaction).await.unwrap();
            assert_eq!(rows, seen, "{table} under {claims}");
            let delete = sqlx::query(AssertSqlSafe(["delete from ", table].concat()));
            let deleted = delete.execute(&mut *transaction).await.unwrap().rows_affected();
            assert_eq!(i64::try_from(deleted).unwrap(), seen, "{table} under {claims}");
            transaction.rollback().await.unwrap();
        }
    }
    let columns: Vec<String> = sqlx::query_scalar(
        "select column_name::text from information_schema.columns
         where table_schema = 'auth' and table_name = 'users' order by ordinal_position",
    )
    .fetch_all(&mut connection)
    .await
    .unwrap();
    let shown = [
        "id",
        "email",
        "created_at",
        "updated_at",
        "last_sign_in_at",
        "raw_app_meta_data",
        "raw_user_meta_data",
    ];
    assert_eq!(columns, shown, "what users see of themselves");
}

/// A database of the first version, with its runtime role, goes on working after `pawl migrate` alone.
#[tokio::test(flavor = "multi_thread")]
async fn a_runtime_role_from_before_may_use_what_is_new() {
    let database = TestDatabase::new(Engine::Postgres).await;
    let owner = database.url().replace("pawl_app", "pawl_owner");
    let mut connection = sqlx::PgConnection::connect(&owner).await.unwrap();
    let undo =
        "drop table lineage_parents, lineage, promotion_verdicts, prompt_versions, prompts, prompt_steps, prompt_calls, prompt_evaluations,
            prompt_candidates, prompt_optimization_runs;
        drop function generate_random_id;
        drop table response_cache, eval_test_errors, eval_test_runs, failure_patterns, suggestions, mining_errors, mining_runs, schedules, jobs;
        drop function pawl_notify_workers, pawl_delete_patterns;
        drop table _pawl_search, _pawl_search_blocks, _pawl_search_queue, stale_hours, interaction_rollups, intake_days, intake_ledger,
            interaction_traces, evaluations, evaluation_configs;
        drop function pawl_mark_stale_hour, pawl_queue_words, pawl_delete_blocks, pawl_change_policy;
        drop table auth.browser_sessions, auth.refresh_tokens, auth.sessions, auth.credentials, auth.api_keys, _pawl_secrets;
        alter table auth.users drop column updated_at, drop column last_sign_in_at,
            drop column raw_app_meta_data, drop column raw_user_meta_data;
        delete from _pawl_migrations where version > 1";
    sqlx::raw_sql(undo).execute(&mut connection).await.unwrap();
    let old = Store::open(&database.location).await.err();
    assert!(
        matches!(old, Some(StoreError::Old { found: Some(1), .. })),
        "{old:?}"
    );
    pawl_store::migrate_postgres(&owner, None).await.unwrap();
    let store = Store::open(&database.location).await.unwrap();
    prepared(&store).await;
    let mut scope = store.read(Actor::Service).await.unwrap();
    assert_eq!(api_keys::count(&mut scope, user()).await.unwrap(), 1);
}
