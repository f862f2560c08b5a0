//! What the hashes of the lineage are made of, and who may write it.

use pawl_store::lineage::TABLES;
use pawl_testkit::{Engine, TestDatabase};
use sqlx::Connection as _;

/// A column that is added later is hashed too, and rows are written in the order of the JSON normal form.
#[tokio::test]
async fn every_column_of_a_named_row_is_hashed() {
    let database = TestDatabase::new(Engine::Postgres).await;
    let mut connection = sqlx::PgConnection::connect(&database.url()).await.unwrap();
    for table in &TABLES {
        let stored: Vec<String> = sqlx::query_scalar(
            "select column_name::text from information_schema.columns
             where table_schema = 'public' and table_name = $1
             order by length(column_name), column_name collate \"C\"",
        )
        .bind(table.name)
        .fetch_all(&mut connection)
        .await
        .unwrap();
        let hashed: Vec<&str> = table.columns.iter().map(|(name, _)| *name).collect();
        assert_eq!(hashed, stored, "{}", table.name);
    }
}

/// Whatever SQL the program could send: entries are added, and that is all.
#[tokio::test(flavor = "multi_thread")]
async fn entries_are_neither_changed_nor_removed() {
    let database = TestDatabase::new(Engine::Postgres).await;
    let mut connection = sqlx::PgConnection::connect(&database.url()).await.unwrap();
    for statement in [
        "update lineage set position = 1",
        "delete from lineage",
        "truncate lineage",
        "update lineage_parents set position = 1",
        "delete from lineage_parents",
    ] {
        let refused = sqlx::raw_sql(statement)
            .execute(&mut connection)
            .await
            .unwrap_err();
        let refused = refused.into_database_error().unwrap();
        assert_eq!(refused.code().as_deref(), Some("42501"), "{statement}");
    }
}
