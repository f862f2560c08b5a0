//! The table descriptions against the schema of both databases, and every type of column through the query builder.

mod types;

use std::collections::BTreeSet;

use pawl_model::table::{Column, ColumnCheck, ColumnDefault, ColumnType, TABLES, Table};
use pawl_testkit::{Engine, TestDatabase};
use sqlx::{AssertSqlSafe, Connection as _, PgConnection, SqliteConnection};

/// Name, type, whether null is refused, default.
type Described = (String, String, bool, Option<String>);

fn described(table: &Table, print: impl Fn(&Column) -> (String, Option<String>)) -> Vec<Described> {
    let columns = table.columns.iter().map(|column| {
        let (kind, default) = print(column);
        (column.name.to_owned(), kind, !column.nullable, default)
    });
    columns.collect()
}

fn on_postgres(column: &Column) -> (String, Option<String>) {
    let default = column.default.map(|default| match default {
        ColumnDefault::FreshId => "gen_random_uuid()".to_owned(),
        ColumnDefault::Now => "now()".to_owned(),
        ColumnDefault::Int(number) => number.to_string(),
        ColumnDefault::Bool(truth) => truth.to_string(),
        ColumnDefault::Text(text) => ["'", text, "'::text"].concat(),
        ColumnDefault::EmptyObject => "'{}'::jsonb".to_owned(),
        ColumnDefault::EmptyArray => "'[]'::jsonb".to_owned(),
        ColumnDefault::Double(number) => number.to_string(),
        ColumnDefault::Texts(texts) => format!("'{{{}}}'::text[]", texts.join(",")),
        ColumnDefault::RandomId(prefix) => format!("generate_random_id('{prefix}'::text)"),
        ColumnDefault::FreshText => "replace((gen_random_uuid())::text, '-'::text, ''::text)".to_owned(),
    });
    (column.kind.name().to_owned(), default)
}

fn on_sqlite(column: &Column) -> (String, Option<String>) {
    let kind = match column.kind {
        ColumnType::Int
        | ColumnType::BigInt
        | ColumnType::Bool
        | ColumnType::TimestampTz
        | ColumnType::Timestamp => "INTEGER",
        ColumnType::Real | ColumnType::Double => "REAL",
        _ => "TEXT",
    };
    let default = column.default.map(|default| match default {
        // Made by an expression, which is compared by what it makes: see `schema.rs`.
        ColumnDefault::FreshId => "an id".to_owned(),
        ColumnDefault::Now => "the time".to_owned(),
        ColumnDefault::Int(number) => number.to_string(),
        ColumnDefault::Bool(truth) => u8::from(truth).to_string(),
        ColumnDefault::Text(text) => ["'", text, "'"].concat(),
        ColumnDefault::EmptyObject => "'{}'".to_owned(),
        ColumnDefault::EmptyArray => "'[]'".to_owned(),
        ColumnDefault::Double(number) => number.to_string(),
        ColumnDefault::Texts(texts) => format!("'{}'", serde_json::json!(texts)),
        ColumnDefault::FreshText | ColumnDefault::RandomId(_) => "an id".to_owned(),
    });
    (kind.to_owned(), default)
}

#[tokio::test]
async fn descriptions_are_those_of_postgres() {
    let database = TestDatabase::new(Engine::Postgres).await;
    let mut connection = PgConnection::connect(&database.url()).await.unwrap();
    for table in TABLES {
        let columns: Vec<Described> = sqlx::query_as(
            "select column_name::text,
                case data_type when 'ARRAY' then substr(udt_name, 2) || '[]' when 'character varying' then 'text' else data_type end, is_nullable = 'NO', column_default::text
             from information_schema.columns
             where table_schema = 'public' and table_name = $1 and column_name not in ('content_hash', 'has_error', 'online_checks')
             order by ordinal_position",
        )
        .bind(table.name)
        .fetch_all(&mut connection)
        .await
        .unwrap();
        assert_eq!(columns, described(table, on_postgres), "{}", table.name);
        let constraints: Vec<(String, String)> = sqlx::query_as(
            "select conname::text, pg_get_constraintdef(oid) from pg_constraint where conrelid = $1::regclass",
        )
        .bind(table.name)
        .fetch_all(&mut connection)
        .await
        .unwrap();
        let has = |name: &str, rule: &str| {
            let found = constraints
                .iter()
                .any(|(known, text)| known == name && text.starts_with(rule));
            assert!(found, "{name} {rule} is not among {constraints:?}");
        };
        has(
            &table.primary_key_constraint(),
            &format!("PRIMARY KEY ({})", table.primary_key.join(", ")),
        );
        for key in table.foreign_keys {
            let rule = format!("FOREIGN KEY ({}) REFERENCES {}(id)", key.column, key.references);
            has(&table.foreign_key_constraint(key.column), &rule);
        }
        // Versions and verdicts belong to whom their prompt belongs to.
        match table.name {
            "prompt_versions" | "promotion_verdicts" => has(
                &format!("{}_user_id_name_fkey", table.name),
                "FOREIGN KEY (user_id, name) REFERENCES prompts(user_id, name) ON DELETE CASCADE",
            ),
            _ => has(
                &table.foreign_key_constraint(table.tenant),
                &format!("FOREIGN KEY ({}) REFERENCES auth.users(id)", table.tenant),
            ),
        }
        let unique = constraints.iter().filter(|(_, text)| text.starts_with("UNIQUE"));
        let unique: BTreeSet<&str> = unique.map(|(_, text)| text.as_str()).collect();
        let expected: Vec<String> = table
            .unique_keys
            .iter()
            .map(|columns| format!("UNIQUE ({})", columns.join(", ")))
            .collect();
        assert_eq!(unique, expected.iter().map(String::as_str).collect());
        let checks = constraints
            .iter()
            .filter(|(_, text)| text.starts_with("CHECK"))
            .count();
        assert_eq!(
            checks,
            table
                .columns
                .iter()
                .filter(|column| column.check.is_some() && !is_limited_by_type(column))
                .count()
        );
        for column in table.columns {
            let Some(check) = &column.check else { continue };
            if is_limited_by_type(column) {
                continue;
            }
            has(&table.check_constraint(column.name), "CHECK");
            let rule = &constraints
                .iter()
                .find(|(name, _)| *name == table.check_constraint(column.name))
                .unwrap()
                .1;
            let words: Vec<String> = match check {
                ColumnCheck::OneOf(texts) => texts.iter().map(|text| format!("'{text}'::text")).collect(),
                ColumnCheck::Between(low, high) => vec![format!(">= ({low})"), format!("<= ({high})")],
                ColumnCheck::AtLeast(low) => vec![format!(">= {low}")],
                ColumnCheck::Above(low) => vec![format!("> ({low})")],
                ColumnCheck::Letters(most) => vec![format!("<= {most}")],
            };
            for word in words {
                assert!(
                    rule.replace(['(', ')'], "")
                        .contains(&word.replace(['(', ')'], "")),
                    "{word} in {rule}"
                );
            }
        }
    }
}

#[tokio::test]
async fn descriptions_are_those_of_sqlite() {
    let database = TestDatabase::new(Engine::Sqlite).await;
    let mut connection = SqliteConnection::connect(&database.url()).await.unwrap();
    for table in TABLES {
        let columns: Vec<(String, String, bool, Option<String>)> = sqlx::query_as(
            "select name, upper(type), \"notnull\", case
                when dflt_value like '%randomblob%' then 'an id'
                when dflt_value like '%unixepoch%' then 'the time' else dflt_value end
             from pragma_table_info($1) where name not in ('number', 'content_hash', 'has_error', 'online_checks') order by cid",
        )
        .bind(table.name)
        .fetch_all(&mut connection)
        .await
        .unwrap();
        assert_eq!(columns, described(table, on_sqlite), "{}", table.name);
        let references: BTreeSet<(String, String)> = sqlx::query_as(
            "select \"from\", \"table\" from pragma_foreign_key_list($1) group by id having count(*) = 1",
        )
        .bind(table.name)
        .fetch_all(&mut connection)
        .await
        .unwrap()
        .into_iter()
        .collect();
        let mut expected: BTreeSet<(String, String)> = table
            .foreign_keys
            .iter()
            .map(|key| (key.column.to_owned(), key.references.to_owned()))
            .collect();
        if !matches!(table.name, "prompt_versions" | "promotion_verdicts") {
            expected.insert((table.tenant.to_owned(), "auth_users".to_owned()));
        }
        assert_eq!(references, expected);
    }
}

/// Whether it is a `varchar` with a length, which says what a check says of the others.
fn is_limited_by_type(column: &Column) -> bool {
    column.name == "example_id"
}

/// Nothing that tenants own is forgotten: a new table of theirs is exposed, or this says why not.
#[tokio::test]
async fn every_table_of_tenants_is_described() {
    let database = TestDatabase::new(Engine::Sqlite).await;
    let mut connection = SqliteConnection::connect(&database.url()).await.unwrap();
    let tables: Vec<String> = sqlx::query_scalar(AssertSqlSafe(
        "select t.name from sqlite_schema t, pragma_table_info(t.name) c
         where t.type = 'table' and (t.name like 'sb\\_%' escape '\\' or t.name like 'evaluation%' or t.name like 'promp%'
            or t.name like 'promot%') and t.name not in ('prompt_calls', 'prompt_steps') and c.name = 'user_id' order by 1",
    ))
    .fetch_all(&mut connection)
    .await
    .unwrap();
    let mut described: Vec<&str> = TABLES.iter().map(|table| table.name).collect();
    described.sort_unstable();
    assert_eq!(tables, described);
}
