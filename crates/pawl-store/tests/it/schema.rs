use std::collections::BTreeSet;
use std::path::Path;

use pawl_testkit::{Engine, TestDatabase};
use sqlx::{Connection as _, Executor as _, Row as _};

/// Each statement stands: its columns exist, its parameters have types.
#[tokio::test]
async fn every_statement_prepares_on_both_engines() {
    let sqlite = TestDatabase::new(Engine::Sqlite).await;
    let postgres = TestDatabase::new(Engine::Postgres).await;
    let mut on_sqlite = sqlx::SqliteConnection::connect(&sqlite.url()).await.unwrap();
    let mut on_postgres = sqlx::PgConnection::connect(&postgres.url()).await.unwrap();
    let statements = pawl_store::statements();
    assert!(!statements.is_empty());
    for statement in statements {
        use sqlx::SqlSafeStr as _;
        let prepared = on_sqlite.prepare(statement.sqlite.into_sql_str()).await;
        assert!(
            prepared.is_ok(),
            "{} on SQLite: {:?}",
            statement.name,
            prepared.err()
        );
        let prepared = on_postgres.prepare(statement.postgres.into_sql_str()).await;
        assert!(
            prepared.is_ok(),
            "{} on PostgreSQL: {:?}",
            statement.name,
            prepared.err()
        );
    }
}

/// Every file is a statement that somebody uses, and every statement names the tenant.
#[test]
fn every_file_is_known_and_names_the_tenant() {
    let known: BTreeSet<String> = pawl_store::statements()
        .iter()
        .map(|statement| statement.name.to_owned())
        .collect();
    let queries = Path::new(env!("CARGO_MANIFEST_DIR")).join("queries");
    let mut files = BTreeSet::new();
    for noun in std::fs::read_dir(&queries).unwrap() {
        let noun = noun.unwrap().file_name().into_string().unwrap();
        if noun == "schema" {
            continue;
        }
        for file in std::fs::read_dir(queries.join(&noun)).unwrap() {
            let file = file.unwrap().file_name().into_string().unwrap();
            let verb = file.split('.').next().unwrap();
            files.insert([&noun, "/", verb].concat());
        }
    }
    assert_eq!(known, files);
    for statement in pawl_store::statements() {
        for text in [statement.sqlite, statement.postgres] {
            let names_the_tenant = [
                "user_id = $1 or $1 is null",
                "id = $1 or $1 is null",
                "$2 = $1 or $1 is null",
                // The service alone.
                "cast($1 as text) is null",
            ];
            let no_rows_of_tenants = statement.name.ends_with("_ownership");
            assert!(
                no_rows_of_tenants || names_the_tenant.iter().any(|guard| text.contains(guard)),
                "{} reads or writes rows of every tenant",
                statement.name
            );
        }
    }
}

/// The documented columns to the letter: name, type, nullable, default.
#[tokio::test]
async fn postgres_has_the_documented_tables() {
    let database = TestDatabase::new(Engine::Postgres).await;
    let mut connection = sqlx::PgConnection::connect(&database.url()).await.unwrap();
    let documented: &[(&str, &str, &str, &str, Option<&str>)] = &[
        ("sb_eval_runs", "id", "uuid", "NO", Some("gen_random_uuid()")),
        (
            "sb_eval_runs",
            "created_at",
            "timestamp with time zone",
            "NO",
            Some("now()"),
        ),
        ("sb_eval_runs", "run_name", "text", "YES", None),
        ("sb_eval_runs", "dataset_version", "text", "NO", None),
        ("sb_eval_runs", "model", "text", "YES", None),
        ("sb_eval_runs", "prompt_version", "text", "YES", None),
        ("sb_eval_runs", "total_cases", "integer", "NO", Some("0")),
        ("sb_eval_runs", "passed_cases", "integer", "NO", Some("0")),
        ("sb_eval_runs", "failed_cases", "integer", "NO", Some("0")),
        ("sb_eval_runs", "status", "text", "NO", Some("'running'::text")),
        (
            "sb_eval_runs",
            "completed_at",
            "timestamp with time zone",
            "YES",
            None,
        ),
        ("sb_eval_runs", "error", "text", "YES", None),
        ("sb_eval_cases", "id", "uuid", "NO", Some("gen_random_uuid()")),
        ("sb_eval_cases", "run_id", "uuid", "NO", None),
        (
            "sb_eval_cases",
            "created_at",
            "timestamp with time zone",
            "NO",
            Some("now()"),
        ),
        ("sb_eval_cases", "input_data", "jsonb", "NO", None),
        ("sb_eval_cases", "output_story", "jsonb", "YES", None),
        ("sb_eval_cases", "session_id", "uuid", "YES", None),
        ("sb_eval_cases", "story_id", "uuid", "YES", None),
        ("sb_eval_cases", "action_id", "uuid", "YES", None),
        (
            "sb_eval_cases",
            "eval_results",
            "jsonb",
            "NO",
            Some("'{}'::jsonb"),
        ),
        ("sb_eval_cases", "passed", "boolean", "NO", Some("false")),
        ("sb_eval_cases", "error", "text", "YES", None),
    ];
    for (table, column, kind, nullable, default) in documented {
        let row = sqlx::query(
            "select data_type, is_nullable, column_default from information_schema.columns
             where table_schema = 'public' and table_name = $1 and column_name = $2",
        )
        .bind(table)
        .bind(column)
        .fetch_one(&mut connection)
        .await
        .unwrap();
        let found = (
            row.get::<&str, _>(0),
            row.get::<&str, _>(1),
            row.get::<Option<&str>, _>(2),
        );
        assert_eq!(found, (*kind, *nullable, *default), "{table}.{column}");
    }
    let added: Vec<String> = sqlx::query_scalar(
        "select column_name::text from information_schema.columns
         where table_name in ('sb_eval_runs', 'sb_eval_cases') and is_nullable = 'NO' and column_default is null",
    )
    .fetch_all(&mut connection)
    .await
    .unwrap();
    let required: BTreeSet<&str> = added.iter().map(String::as_str).collect();
    assert_eq!(
        required,
        BTreeSet::from(["dataset_version", "run_id", "input_data"]),
        "nothing more is required"
    );
}

/// Both engines have the same tables and columns, with the same ones required.
#[tokio::test]
async fn both_engines_have_the_same_columns() {
    let sqlite = TestDatabase::new(Engine::Sqlite).await;
    let postgres = TestDatabase::new(Engine::Postgres).await;
    let mut connection = sqlx::SqliteConnection::connect(&sqlite.url()).await.unwrap();
    let on_sqlite: Vec<(String, String, bool)> = sqlx::query_as(
        "select replace(t.name, 'auth_', 'auth.'), c.name, c.\"notnull\" and c.dflt_value is null
         from sqlite_schema t, pragma_table_info(t.name) c
         where t.type = 'table' and t.name not like '\\_pawl%' escape '\\' and t.name not like 'sqlite%'
            and t.name || '.' || c.name <> 'evaluations.number' order by 1, c.cid",
    )
    .fetch_all(&mut connection)
    .await
    .unwrap();
    let mut connection = sqlx::PgConnection::connect(&postgres.url()).await.unwrap();
    let on_postgres: Vec<(String, String, bool)> = sqlx::query_as(
        "select case table_schema when 'auth' then 'auth.' || table_name else table_name::text end, column_name::text,
            is_nullable = 'NO' and column_default is null
         from information_schema.columns
         where table_schema in ('public', 'auth') and table_name not like '\\_pawl%' order by 1, ordinal_position",
    )
    .fetch_all(&mut connection)
    .await
    .unwrap();
    assert!(on_sqlite.len() > 40);
    assert_eq!(on_sqlite, on_postgres);
}

/// Cases go with their run; a session that goes leaves its cases.
#[tokio::test]
async fn deletes_cascade_on_both_engines() {
    const ROWS: [&str; 4] = [
        "insert into sb_sessions (id) values ('11111111-1111-4111-8111-111111111111')",
        "insert into sb_eval_runs (id, dataset_version) values ('22222222-2222-4222-8222-222222222222', 'v1.0')",
        "insert into sb_eval_cases (run_id, input_data, session_id)
            values ('22222222-2222-4222-8222-222222222222', '{}', '11111111-1111-4111-8111-111111111111')",
        "delete from sb_sessions",
    ];
    const LEFT: &str = "select count(*) from sb_eval_cases where session_id is null and eval_results = '{}'";
    let database = TestDatabase::new(Engine::Sqlite).await;
    let mut connection = sqlx::SqliteConnection::connect(&database.url()).await.unwrap();
    for statement in ROWS {
        connection.execute(statement).await.unwrap();
    }
    assert_eq!(
        sqlx::query_scalar::<_, i64>(LEFT)
            .fetch_one(&mut connection)
            .await
            .unwrap(),
        1
    );
    connection.execute("delete from sb_eval_runs").await.unwrap();
    assert_eq!(
        sqlx::query_scalar::<_, i64>(LEFT)
            .fetch_one(&mut connection)
            .await
            .unwrap(),
        0
    );

    let database = TestDatabase::new(Engine::Postgres).await;
    let mut connection = sqlx::PgConnection::connect(&database.url()).await.unwrap();
    connection
        .execute("set request.jwt.claims = '{\"role\":\"service_role\"}'")
        .await
        .unwrap();
    for statement in ROWS {
        connection.execute(statement).await.unwrap();
    }
    assert_eq!(
        sqlx::query_scalar::<_, i64>(LEFT)
            .fetch_one(&mut connection)
            .await
            .unwrap(),
        1
    );
    connection.execute("delete from sb_eval_runs").await.unwrap();
    assert_eq!(
        sqlx::query_scalar::<_, i64>(LEFT)
            .fetch_one(&mut connection)
            .await
            .unwrap(),
        0
    );
}
