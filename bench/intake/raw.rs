//! The same rows by plain inserts: committed one by one, in groups, and copied. No policy, no rollups, no answers.
//!
//!     raw DATABASE INTERACTIONS SECONDS
//!
//! The database is one of the product's, and the interactions are lines of JSON. Prints rows a second as JSON.

#![allow(clippy::print_stdout, reason = "this is a program")]

use std::error::Error;
use std::time::{Duration, Instant};

use rusqlite::{ToSql, TransactionBehavior, params_from_iter};
use serde_json::{Map, Value};
use sqlx::types::BigDecimal;
use sqlx::{Connection as _, PgConnection, Postgres, QueryBuilder};
use time::PrimitiveDateTime;
use uuid::{NoContext, Timestamp, Uuid};

/// Rows of one statement, as the product has it; more of them gain nothing.
const ROWS_PER_STATEMENT: usize = 64;
/// Rows of one commit: a single one, what 16 and 64 clients with one each come to, an array, and eight clients with arrays.
const GROUPS: [usize; 5] = [1, 16, 64, 100, 800];
/// Those that are copied.
const COPIED: usize = 800;

const INSERT: &str = "insert into evaluations (id, interaction_id, user_id, prompt, response, score, latency_ms, flags, \
     pii_tokens_redacted, created_at, received_at, sample_weight, content_hash) ";
const COPY: &str = "copy evaluations (id, interaction_id, user_id, prompt, response, score, latency_ms, flags, \
     pii_tokens_redacted, created_at, received_at, sample_weight, content_hash) from stdin";

/// A row, but for its ids.
struct Interaction {
    user_id: Uuid,
    prompt: String,
    response: String,
    score: Option<String>,
    latency_ms: i32,
    flags: Vec<String>,
}

impl Interaction {
    fn read(line: &str) -> Result<Self, Box<dyn Error>> {
        let fields: Map<String, Value> = serde_json::from_str(line)?;
        let text = |name: &str| fields[name].as_str().ok_or("a field is no text");
        let flags = fields["flags"].as_array().ok_or("flags are no array")?;
        Ok(Self {
            user_id: text("user_id")?.parse()?,
            prompt: text("prompt")?.to_owned(),
            response: text("response")?.to_owned(),
            score: fields["score"].as_f64().map(|score| score.to_string()),
            latency_ms: i32::try_from(fields["latency_ms"].as_i64().unwrap_or(0))?,
            flags: flags
                .iter()
                .filter_map(Value::as_str)
                .map(str::to_owned)
                .collect(),
        })
    }
}

/// Where rows go.
enum Database {
    Sqlite(rusqlite::Connection),
    Postgres(PgConnection),
}

/// How rows get there.
#[derive(Clone, Copy)]
enum Way {
    Insert,
    Copy,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let usage = "usage: raw DATABASE INTERACTIONS SECONDS";
    let [database, file, seconds]: [String; 3] = std::env::args()
        .skip(1)
        .collect::<Vec<_>>()
        .try_into()
        .map_err(|_| usage)?;
    let lines = std::fs::read_to_string(file)?;
    let interactions: Vec<Interaction> = lines.lines().map(Interaction::read).collect::<Result<_, _>>()?;
    let duration = Duration::from_secs_f64(seconds.parse()?);
    let mut raw = Raw {
        database: open(&database).await?,
        interactions,
        stored: 0,
    };
    let mut rates = Map::new();
    for group in GROUPS {
        let rate = raw.rate(Way::Insert, group, duration).await?;
        rates.insert(format!("inserted_{group}"), rate.into());
    }
    if let Database::Postgres(_) = raw.database {
        let rate = raw.rate(Way::Copy, COPIED, duration).await?;
        rates.insert(format!("copied_{COPIED}"), rate.into());
    }
    println!("{}", Value::Object(rates));
    Ok(())
}

async fn open(database: &str) -> Result<Database, Box<dyn Error>> {
    let Some(path) = database.strip_prefix("sqlite:") else {
        return Ok(Database::Postgres(PgConnection::connect(database).await?));
    };
    let connection = rusqlite::Connection::open(path)?;
    // As the product has them.
    connection.pragma_update(None, "synchronous", "full")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "cache_size", -16_384)?;
    connection.pragma_update(None, "wal_autocheckpoint", 4_096)?;
    connection.pragma_update(None, "temp_store", "memory")?;
    // A statement for each number of rows.
    connection.set_prepared_statement_cache_capacity(256);
    Ok(Database::Sqlite(connection))
}

/// Rows on their way.
struct Raw {
    database: Database,
    interactions: Vec<Interaction>,
    stored: usize,
}

impl Raw {
    /// Rows a second, so many of them in a commit.
    async fn rate(&mut self, way: Way, group: usize, duration: Duration) -> Result<f64, Box<dyn Error>> {
        let start = Instant::now();
        let before = self.stored;
        while start.elapsed() < duration {
            let rows: Vec<(usize, &Interaction)> = (self.stored..self.stored + group)
                .map(|number| (number, &self.interactions[number % self.interactions.len()]))
                .collect();
            match (&mut self.database, way) {
                (Database::Sqlite(connection), _) => insert_into_sqlite(connection, &rows)?,
                (Database::Postgres(connection), Way::Insert) => {
                    insert_into_postgres(connection, &rows).await?;
                }
                (Database::Postgres(connection), Way::Copy) => copy_into_postgres(connection, &rows).await?,
            }
            self.stored += group;
        }
        Ok((self.stored - before) as f64 / start.elapsed().as_secs_f64())
    }
}

/// Ids that ascend, as those of the product do.
fn id(number: usize) -> Uuid {
    let number = number as u64;
    Uuid::new_v7(Timestamp::from_unix(
        NoContext,
        1_800_000_000 + number / 1_000,
        (number % 1_000) as u32 * 1_000_000,
    ))
}

/// Times that ascend, as of what happens now.
fn created_at(number: usize) -> PrimitiveDateTime {
    let begin = time::macros::datetime!(2027-01-15 8:00);
    begin + time::Duration::microseconds(100 * number as i64)
}

fn interaction_id(number: usize) -> String {
    format!("raw-{number}")
}

fn content_hash(number: usize) -> [u8; 16] {
    (number as u128).to_be_bytes()
}

fn insert_into_sqlite(
    connection: &mut rusqlite::Connection,
    rows: &[(usize, &Interaction)],
) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    for rows in rows.chunks(ROWS_PER_STATEMENT) {
        let places = vec!["(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"; rows.len()].join(", ");
        let text = [INSERT, "values ", &places].concat();
        let values = rows.iter().flat_map(|(number, row)| {
            let micros = (created_at(*number).assume_utc().unix_timestamp_nanos() / 1_000) as i64;
            let values: [Box<dyn ToSql + '_>; 13] = [
                Box::new(id(*number).to_string()),
                Box::new(interaction_id(*number)),
                Box::new(row.user_id.to_string()),
                Box::new(&row.prompt),
                Box::new(&row.response),
                Box::new(&row.score),
                Box::new(row.latency_ms),
                Box::new(Value::from(row.flags.as_slice()).to_string()),
                Box::new(0),
                Box::new(micros),
                Box::new(micros),
                Box::new(1.0),
                Box::new(content_hash(*number)),
            ];
            values
        });
        transaction
            .prepare_cached(&text)?
            .execute(params_from_iter(values))?;
    }
    transaction.commit()
}

async fn insert_into_postgres(
    connection: &mut PgConnection,
    rows: &[(usize, &Interaction)],
) -> Result<(), Box<dyn Error>> {
    let mut transaction = connection.begin().await?;
    for rows in rows.chunks(ROWS_PER_STATEMENT) {
        let mut insert = QueryBuilder::<Postgres>::new(INSERT);
        let scores: Vec<Option<BigDecimal>> = rows
            .iter()
            .map(|(_, row)| row.score.as_ref().map(|score| score.parse()).transpose())
            .collect::<Result<_, _>>()?;
        insert.push_values(rows.iter().zip(scores), |mut values, ((number, row), score)| {
            values
                .push_bind(id(*number))
                .push_bind(interaction_id(*number))
                .push_bind(row.user_id)
                .push_bind(&row.prompt)
                .push_bind(&row.response)
                .push_bind(score)
                .push_bind(row.latency_ms)
                .push_bind(&row.flags)
                .push_bind(0)
                .push_bind(created_at(*number))
                .push_bind(created_at(*number))
                .push_bind(1.0)
                .push_bind(content_hash(*number).to_vec());
        });
        insert.build().execute(&mut *transaction).await?;
    }
    Ok(transaction.commit().await?)
}

async fn copy_into_postgres(
    connection: &mut PgConnection,
    rows: &[(usize, &Interaction)],
) -> Result<(), Box<dyn Error>> {
    let mut text = String::new();
    for (number, row) in rows {
        let fields = [
            id(*number).to_string(),
            interaction_id(*number),
            row.user_id.to_string(),
            // Words and spaces alone: nothing in them has a meaning to COPY.
            row.prompt.clone(),
            row.response.clone(),
            row.score.clone().unwrap_or_else(|| "\\N".to_owned()),
            row.latency_ms.to_string(),
            ["{", &row.flags.join(","), "}"].concat(),
            "0".to_owned(),
            created_at(*number).to_string(),
            created_at(*number).to_string(),
            "1".to_owned(),
            format!("\\\\x{:032x}", u128::from_be_bytes(content_hash(*number))),
        ];
        text.push_str(&fields.join("\t"));
        text.push('\n');
    }
    let mut copy = connection.copy_in_raw(COPY).await?;
    copy.send(text.as_bytes()).await?;
    copy.finish().await?;
    Ok(())
}
