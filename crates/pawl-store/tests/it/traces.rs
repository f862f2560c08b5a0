//! A database whose traces stood behind interactions alone has them by their own ids after the migration.

use pawl_testkit::{Engine, TestDatabase};
use sqlx::{AssertSqlSafe, Connection as _, Executor as _};

const ROWS: &str = "
    insert into evaluations (id, user_id, interaction_id, prompt, response)
    values ('22222222-2222-4222-8222-222222222222', '11111111-1111-4111-8111-111111111111', 'session_1', 'p', 'r');
    insert into interaction_traces (user_id, evaluation_id, spans)
    values ('11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222', '[{\"name\": \"s\"}]');
";
const MIGRATED: &str = "select count(*) from interaction_traces
    where trace_id = 'session_1' and evaluation_id = '22222222-2222-4222-8222-222222222222' and spans = '[{\"name\": \"s\"}]'";

#[tokio::test]
async fn sqlite_keeps_what_was_stored() {
    const COLUMNS: &str =
        "select group_concat(name || type || \"notnull\" || coalesce(dflt_value, ''), char(10))
        from pragma_table_info('interaction_traces')";
    let database = TestDatabase::new(Engine::Sqlite).await;
    let mut connection = sqlx::SqliteConnection::connect(&database.url()).await.unwrap();
    let fresh: String = sqlx::query_scalar(COLUMNS)
        .fetch_one(&mut connection)
        .await
        .unwrap();
    let intake = include_str!("../../migrations/sqlite/0003_intake.sql");
    let table = intake.split("create table interaction_traces").nth(1).unwrap();
    let table = table.split_inclusive(") strict;").next().unwrap();
    let user = "insert into auth_users (id, created_at) values ('11111111-1111-4111-8111-111111111111', 0);";
    let before = [
        "alter table evaluation_configs drop column online_checks; drop table interaction_traces; create table interaction_traces",
        table,
        user,
        ROWS,
    ]
    .concat();
    connection
        .execute(sqlx::raw_sql(AssertSqlSafe(before)))
        .await
        .unwrap();
    connection
        .execute(sqlx::raw_sql(include_str!(
            "../../migrations/sqlite/0006_traces.sql"
        )))
        .await
        .unwrap();
    let migrated: String = sqlx::query_scalar(COLUMNS)
        .fetch_one(&mut connection)
        .await
        .unwrap();
    assert_eq!(migrated, fresh);
    let kept: i64 = sqlx::query_scalar(MIGRATED)
        .fetch_one(&mut connection)
        .await
        .unwrap();
    assert_eq!(kept, 1);
}

#[tokio::test]
async fn postgres_keeps_what_was_stored() {
    const COLUMNS: &str = "select string_agg(concat(column_name, data_type, is_nullable, column_default), E'\\n' order by ordinal_position)
        from information_schema.columns where table_name = 'interaction_traces'";
    let database = TestDatabase::new(Engine::Postgres).await;
    let owner = database.url().replace("pawl_app", "pawl_owner");
    let mut connection = sqlx::PgConnection::connect(&owner).await.unwrap();
    let columns = |text: String| -> Vec<String> { text.lines().map(str::to_owned).collect() };
    let fresh: String = sqlx::query_scalar(COLUMNS)
        .fetch_one(&mut connection)
        .await
        .unwrap();
    let user = "insert into auth.users (id) values ('11111111-1111-4111-8111-111111111111');";
    let before = [
        "alter table evaluation_configs drop column online_checks;
         alter table interaction_traces drop column trace_id, drop column assembled, drop column input_tokens,
            drop column output_tokens, drop column cost_usd, drop column unscored, drop column check_results,
            drop column first_seen, drop column last_seen, drop column user_hash, alter column evaluation_id set not null;
         set request.jwt.claims = '{\"role\": \"service_role\"}';",
        user,
        ROWS,
        "reset request.jwt.claims;",
    ]
    .concat();
    connection
        .execute(sqlx::raw_sql(AssertSqlSafe(before)))
        .await
        .unwrap();
    let mut transaction = connection.begin().await.unwrap();
    transaction
        .execute(sqlx::raw_sql(include_str!(
            "../../migrations/postgres/0006_traces.sql"
        )))
        .await
        .unwrap();
    transaction.commit().await.unwrap();
    let migrated: String = sqlx::query_scalar(COLUMNS)
        .fetch_one(&mut connection)
        .await
        .unwrap();
    assert_eq!(columns(migrated), columns(fresh));
    connection
        .execute("set request.jwt.claims = '{\"role\": \"service_role\"}'")
        .await
        .unwrap();
    let kept: i64 = sqlx::query_scalar(MIGRATED)
        .fetch_one(&mut connection)
        .await
        .unwrap();
    assert_eq!(kept, 1);
}
