//! What goes in comes out, the same from both engines.

use std::ops::ControlFlow;

use pawl_model::Json;
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use sqlx::postgres::{PgArguments, PgConnection};
use sqlx::types::BigDecimal;
use sqlx::{AssertSqlSafe, Connection as _, Executor as _};
use time::OffsetDateTime;
use time::macros::datetime;
use uuid::Uuid;

use crate::insert::{Insert, OnExisting};
use crate::sqlite::{Amount, Sqlite, SqliteTransaction};
use crate::value::shortest;
use crate::{Actor, Columns, Result, Row, StoreError, Value};

const SCRATCH: &str =
    "a BOOLEAN, b BIGINT, c DOUBLE, d REAL32, e DECIMAL, f TEXT, g BYTES, h UUID, i TIME, j JSON, k LIST";

fn types(engine: &[(&str, &str)]) -> String {
    engine.iter().fold(SCRATCH.to_owned(), |text, (word, native)| {
        text.replace(word, native)
    })
}

async fn sqlite() -> SqliteTransaction {
    let folder = tempfile::tempdir().unwrap();
    // The file goes with its folder; what has it open keeps it.
    let sqlite = Sqlite::open(&folder.path().join("pawl.db")).await.unwrap();
    let mut transaction = sqlite.begin_writing(Amount::Any).await.unwrap();
    let columns = types(&[
        ("BOOLEAN", "integer"),
        ("BIGINT", "integer"),
        ("DOUBLE", "real"),
        ("REAL32", "real"),
        ("DECIMAL", "text"),
        ("BYTES", "blob"),
        ("UUID", "text"),
        ("TIME", "integer"),
        ("JSON", "text"),
        ("LIST", "text"),
    ]);
    let table = ["create temp table scratch (", &columns, ") strict"].concat();
    transaction.execute(&table, Actor::Service, &[]).unwrap();
    transaction
}

async fn postgres() -> PgConnection {
    let url = std::env::var("PAWL_TEST_POSTGRES_URL").expect("PAWL_TEST_POSTGRES_URL: run ./scripts/test");
    let mut connection = PgConnection::connect_with(&crate::postgres::options(&url).unwrap())
        .await
        .unwrap();
    let columns = types(&[
        ("DOUBLE", "double precision"),
        ("REAL32", "real"),
        ("DECIMAL", "numeric"),
        ("BYTES", "bytea"),
        ("TIME", "timestamp"),
        ("JSON", "jsonb"),
        ("LIST", "text[]"),
    ]);
    connection
        .execute(AssertSqlSafe(
            ["create temp table scratch (", &columns, ")"].concat(),
        ))
        .await
        .unwrap();
    connection
}

const INSERT: &str = "insert into scratch values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) returning *";

fn through_sqlite(transaction: &mut SqliteTransaction, values: &[Value<'_>]) -> Result<Row> {
    let text = "insert into scratch values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
    assert_eq!(transaction.insert(text, values)?, 1);
    let mut last = None;
    let text = "select * from scratch order by rowid";
    transaction.fetch_each(text, Actor::Service, &[], |row| {
        last = Some(row);
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(last.unwrap())
}

async fn through_postgres(connection: &mut PgConnection, values: &[Value<'_>]) -> Result<Row> {
    let mut arguments = PgArguments::default();
    values
        .iter()
        .try_for_each(|value| value.add_to_postgres(&mut arguments))?;
    Ok(Row::Postgres(
        sqlx::query_with(INSERT, arguments).fetch_one(connection).await?,
    ))
}

/// Rows as many of them are inserted: an array for each column.
async fn through_columns(connection: &mut PgConnection, rows: &[Vec<Value<'_>>]) -> Vec<Row> {
    let insert = Insert {
        table: "scratch",
        columns: &["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"],
        on_existing: OnExisting::Fail,
    };
    let (text, columns) = insert.postgres(rows).next().unwrap();
    let mut arguments = PgArguments::default();
    for column in columns {
        sqlx::Arguments::add(&mut arguments, column).unwrap();
    }
    let text = AssertSqlSafe([&text, " returning *"].concat());
    let rows = sqlx::query_with(text, arguments).fetch_all(connection).await;
    rows.unwrap().into_iter().map(Row::Postgres).collect()
}

/// Everything in a row, as text, so that two engines can be compared byte by byte.
fn printed(row: &Row) -> String {
    fn cell<T: crate::Column>(columns: &mut Columns<'_>, print: impl Fn(T) -> String) -> String {
        columns
            .read::<Option<T>>()
            .unwrap()
            .map_or_else(|| "null".to_owned(), print)
    }
    let mut columns = row.columns();
    [
        cell::<bool>(&mut columns, |truth| truth.to_string()),
        cell::<i64>(&mut columns, |number| number.to_string()),
        cell::<f64>(&mut columns, |number| number.to_string()),
        cell::<f32>(&mut columns, |number| number.to_string()),
        cell::<BigDecimal>(&mut columns, |number| shortest(&number)),
        cell::<String>(&mut columns, |text| text),
        cell::<Vec<u8>>(&mut columns, |bytes| format!("{bytes:?}")),
        cell::<Uuid>(&mut columns, |uuid| uuid.to_string()),
        cell::<OffsetDateTime>(&mut columns, |time| time.to_string()),
        cell::<Json>(&mut columns, |json| json.to_string()),
        cell::<Vec<String>>(&mut columns, |texts| format!("{texts:?}")),
    ]
    .join("|")
}

#[tokio::test]
async fn every_kind_of_value_comes_back_the_same_from_both_engines() {
    let (mut sqlite, mut postgres) = (sqlite().await, postgres().await);
    let json = Json::parse(r#"{"b":1.50,"a":[1e2,"\u00e9\u0001","x"],"aa":{}}"#).unwrap();
    let decimal: BigDecimal = "0.950".parse().unwrap();
    let odd = ["hallucination", "a,\"b\"{}", "", "null", "back\\slash"];
    let texts = odd.map(str::to_owned);
    let full = [
        true.into(),
        i64::MAX.into(),
        0.1.into(),
        Value::Real(f64::from(0.7_f32)),
        (&decimal).into(),
        "héllo\n'quoted'".into(),
        Value::from([0_u8, 255].as_slice()),
        Uuid::from_u128(7).into(),
        datetime!(2024-12-22 10:30:00.123_456_789 +02:00).into(),
        (&json).into(),
        Value::from(texts.as_slice()),
    ];
    let nulls = [const { Value::Null }; 11];
    for values in [&full, &nulls] {
        let from_sqlite = printed(&through_sqlite(&mut sqlite, values).unwrap());
        let from_postgres = printed(&through_postgres(&mut postgres, values).await.unwrap());
        assert_eq!(from_sqlite, from_postgres);
    }
    let rows = [full.to_vec(), nulls.to_vec()];
    let of_columns: Vec<String> = through_columns(&mut postgres, &rows)
        .await
        .iter()
        .map(printed)
        .collect();
    let mut one_by_one = Vec::new();
    for values in &rows {
        one_by_one.push(printed(&through_postgres(&mut postgres, values).await.unwrap()));
    }
    assert_eq!(of_columns, one_by_one);
    let row = printed(&through_sqlite(&mut sqlite, &full).unwrap());
    assert_eq!(
        row,
        "true|9223372036854775807|0.1|0.7|0.95|héllo\n'quoted'|[0, 255]|00000000-0000-0000-0000-000000000007|\
         2024-12-22 8:30:00.123456 +00:00:00|{\"a\":[100,\"é\\u0001\",\"x\"],\"b\":1.50,\"aa\":{}}|\
         [\"hallucination\", \"a,\\\"b\\\"{}\", \"\", \"null\", \"back\\\\slash\"]"
    );
}

#[tokio::test]
async fn what_one_engine_could_not_keep_is_refused_by_both() {
    let (mut sqlite, mut postgres) = (sqlite().await, postgres().await);
    let texts = ["a\0b".to_owned()];
    let mut row = [const { Value::Null }; 11];
    for (place, value) in [
        (5, Value::from("a\0b")),
        (10, Value::from(texts.as_slice())),
        (2, f64::NAN.into()),
        (2, f64::INFINITY.into()),
    ] {
        row[place] = value;
        let is_refusal =
            |error: Option<StoreError>| matches!(error, Some(StoreError::Nul | StoreError::NotFinite));
        assert!(is_refusal(through_sqlite(&mut sqlite, &row).err()));
        assert!(is_refusal(through_postgres(&mut postgres, &row).await.err()));
        row[place] = Value::Null;
    }
}

fn any_json() -> impl Strategy<Value = String> {
    let number = prop_oneof![
        any::<i64>().prop_map(|n| n.to_string()),
        "-?(0|[1-9][0-9]{0,6})(\\.[0-9]{1,6})?([eE][+-]?[0-9]{1,2})?",
    ];
    let string = any::<String>().prop_map(|text| serde_json::to_string(&text.replace('\0', "")).unwrap());
    let leaf = prop_oneof![
        number,
        string.clone(),
        Just("null".to_owned()),
        Just("true".to_owned())
    ];
    leaf.prop_recursive(4, 24, 4, move |inner| {
        let member =
            (string.clone(), inner.clone()).prop_map(|(key, value)| [key.as_str(), " : ", &value].concat());
        prop_oneof![
            prop::collection::vec(inner, 0..4).prop_map(|items| ["[", &items.join(" , "), "]"].concat()),
            prop::collection::vec(member, 0..5).prop_map(|members| ["{ ", &members.join(","), "}"].concat()),
        ]
    })
}

/// `jsonb`'s own text is the oracle: ours is that text without the blanks that it puts behind `:` and `,`.
#[tokio::test]
async fn the_normal_form_of_json_is_that_of_jsonb() {
    let mut postgres = postgres().await;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    for _ in 0..500 {
        let text = any_json().new_tree(&mut runner).unwrap().current();
        let jsonb: String = sqlx::query_scalar("select $1::jsonb::text")
            .bind(&text)
            .fetch_one(&mut postgres)
            .await
            .unwrap();
        let ours = Json::parse(&text).unwrap();
        assert_eq!(ours.as_str(), without_blanks(&jsonb), "of {text}");
    }
}

fn without_blanks(jsonb: &str) -> String {
    let (mut in_string, mut escaped) = (false, false);
    jsonb
        .chars()
        .filter(|character| {
            let keep = in_string || *character != ' ';
            match character {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '"' => in_string = !in_string,
                _ => {}
            }
            keep
        })
        .collect()
}
