//! The table and its rows.

use pawl_model::query::Field;
use pawl_model::table::{Column, ColumnType, Datum, Table, Verb};
use pawl_store::query::NewRows;
use pawl_store::{Actor, query};
use pawl_testkit::{Engine, TestDatabase};
use sqlx::{Connection as _, Executor as _};
use time::macros::datetime;

pub(super) static EVERYTHING: Table = Table {
    name: "everything",
    about: "A column of every type.",
    columns: &[
        Column::new("id", ColumnType::Uuid).required(),
        Column::new("user_id", ColumnType::Uuid),
        Column::new("label", ColumnType::Text),
        Column::new("count", ColumnType::Int),
        Column::new("small", ColumnType::Real),
        Column::new("large", ColumnType::Double),
        Column::new("exact", ColumnType::Numeric),
        Column::new("truth", ColumnType::Bool),
        Column::new("moment", ColumnType::TimestampTz),
        Column::new("local", ColumnType::Timestamp),
        Column::new("document", ColumnType::Jsonb),
        Column::new("tags", ColumnType::TextList),
    ],
    primary_key: &["id"],
    unique_keys: &[],
    foreign_keys: &[],
    tenant: "user_id",
    user_may: Verb::ALL,
    service_may: Verb::ALL,
};

const ON_SQLITE: &str = "create table everything (
    id text primary key not null, user_id text, label text, count integer, small real, large real, exact text,
    truth integer, moment integer, local integer, document text, tags text) strict";

const ON_POSTGRES: &str = "create table everything (
    id uuid primary key, user_id uuid, label text, count int, small real, large double precision, exact numeric,
    truth boolean, moment timestamptz, local timestamp, document jsonb, tags text[]);
    grant all on everything to pawl_app";

/// Rows as the texts of their values, in the order of the columns; `-` is null.
pub(super) const ROWS: &[[&str; 11]] = &[
    [
        "-",
        "Zebra",
        "10",
        "0.1",
        "0.1",
        "1.50",
        "t",
        "2026-01-01",
        "2026-01-01 12:00:00.5",
        r#"{"a":1,"b":[1,2,{"c":"x"}],"s":"text","n":null,"t":true}"#,
        "{a,b}",
    ],
    [
        "-",
        "apple",
        "9",
        "16777216",
        "1e15",
        "10",
        "f",
        "2026-01-01T00:00:00.000001Z",
        "1999-12-31",
        r#"{"a":1.0,"b":[],"s":"10"}"#,
        "{}",
    ],
    [
        "-",
        "Äpfel_5%",
        "-2147483648",
        "-1.5e-7",
        "1e-7",
        "9.9",
        "-",
        "0001-01-01",
        "9999-12-31T23:59:59.999999",
        r#"["a",2,{"k":[]}]"#,
        r#"{"b c","x\"y",null1}"#,
    ],
    ["-", "-", "-", "-", "-", "-", "-", "-", "-", "-", "-"],
    [
        "-",
        "apple*[1]",
        "2147483647",
        "3",
        "123456789012345",
        "0.10",
        "t",
        "1969-12-31T23:59:59.9Z",
        "1970-01-01",
        r#""bare""#,
        "{a}",
    ],
];

pub(super) async fn filled(database: &TestDatabase) {
    match database.engine {
        Engine::Sqlite => {
            let mut connection = sqlx::SqliteConnection::connect(&database.url()).await.unwrap();
            connection.execute(ON_SQLITE).await.unwrap();
        }
        Engine::Postgres => {
            let owner = database.url().replace("pawl_app", "pawl_owner");
            let mut connection = sqlx::PgConnection::connect(&owner).await.unwrap();
            connection.execute(ON_POSTGRES).await.unwrap();
        }
    }
    let rows: Vec<Vec<Datum>> = ROWS
        .iter()
        .enumerate()
        .map(|(n, texts)| {
            let id = Datum::Uuid(uuid::Uuid::from_u128(n as u128 + 1));
            let values = EVERYTHING.columns[1..]
                .iter()
                .zip(texts)
                .map(|(column, text)| match *text {
                    "-" => Datum::Null,
                    text => parsed(column.kind, text),
                });
            std::iter::once(id).chain(values).collect()
        })
        .collect();
    let new = NewRows {
        table: &EVERYTHING,
        rows: &rows,
        named: &[],
        on_conflict: None,
    };
    let mut scope = database.store.write(Actor::Service).await.unwrap();
    assert_eq!(
        query::insert(&mut scope, &new).await.unwrap().count,
        ROWS.len() as u64
    );
    scope.commit().await.unwrap();
}

pub(super) fn parsed(kind: ColumnType, text: &str) -> Datum {
    kind.parse(text, datetime!(2026-11-27 0:00 UTC)).unwrap()
}

pub(super) fn field(name: &str) -> Field {
    Field::of(EVERYTHING.column(name).unwrap())
}
