//! Secrets of the instance, kept with its data so that whoever opens the database has the same ones: on SQLite in a
//! file beside the database that its owner alone can read, on PostgreSQL in a row that only the service sees.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

use secrecy::{ExposeSecret as _, SecretString};
use serde_json::json;
use sqlx::Row as _;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::postgres::Postgres;
use crate::sqlite::{Amount, Sqlite};
use crate::{Actor, Result, Store, StoreError};

const FILE: &str = "secrets.json";
const GET: &str = include_str!("../queries/schema/secrets.postgres.sql");
const KEEP: &str = include_str!("../queries/schema/keep_secrets.postgres.sql");

/// Secrets of the instance.
#[derive(Clone, Debug)]
pub struct Secrets {
    /// Signs tokens and keys.
    pub jwt: SecretString,
    /// What programs show that hand in interactions.
    pub ingestion: SecretString,
    /// When they were made.
    pub created_at: OffsetDateTime,
}

/// The secrets that are kept; where there are none yet, the fresh ones are, and of several that come with fresh
/// ones at the same time all are given those of one.
///
/// # Errors
/// [`StoreError::Secrets`] when the file cannot be used; otherwise when the database fails.
pub async fn keep(store: &Store, fresh: Secrets) -> Result<Secrets> {
    match store {
        Store::Sqlite(sqlite) => keep_in_file(sqlite, fresh).await,
        Store::Postgres(postgres) => keep_in_row(postgres, fresh).await,
    }
}

async fn keep_in_file(sqlite: &Sqlite, fresh: Secrets) -> Result<Secrets> {
    let path = sqlite.path().with_file_name(FILE);
    let failed = |source| StoreError::Secrets {
        path: path.clone(),
        source,
    };
    if let Some(kept) = read(&path).map_err(failed)? {
        return Ok(kept);
    }
    // One process at a time gets further than this: the database's write lock is taken.
    let lock = sqlite.begin_writing(Amount::Any).await?;
    let secrets = match read(&path).map_err(failed)? {
        Some(kept) => kept,
        None => {
            write(&path, &fresh).map_err(failed)?;
            fresh
        }
    };
    drop(lock);
    Ok(secrets)
}

fn read(path: &Path) -> io::Result<Option<Secrets>> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    parse(&text)
        .map(Some)
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "it does not hold our secrets"))
}

fn parse(text: &str) -> Option<Secrets> {
    let document: serde_json::Value = serde_json::from_str(text).ok()?;
    let field = |name: &str| document.get(name)?.as_str();
    Some(Secrets {
        jwt: field("jwt_secret")?.into(),
        ingestion: field("ingestion_secret")?.into(),
        created_at: OffsetDateTime::parse(field("created_at")?, &Rfc3339).ok()?,
    })
}

/// Under another name until it is complete: a reader finds all of it or none.
fn write(path: &Path, secrets: &Secrets) -> io::Result<()> {
    let document = json!({
        "jwt_secret": secrets.jwt.expose_secret(),
        "ingestion_secret": secrets.ingestion.expose_secret(),
        "created_at": secrets.created_at.format(&Rfc3339).map_err(io::Error::other)?,
    });
    let draft = path.with_extension("json.new");
    let mut file = private_file(&draft)?;
    writeln!(file, "{document:#}")?;
    file.sync_all()?;
    fs::rename(&draft, path)
}

fn private_file(path: &Path) -> io::Result<File> {
    // What a killed process left may be readable by others.
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

async fn keep_in_row(postgres: &Postgres, fresh: Secrets) -> Result<Secrets> {
    let mut transaction = postgres.begin(Actor::Service).await?;
    let row = match sqlx::query(GET).fetch_optional(transaction.connection()).await? {
        Some(row) => row,
        None => {
            sqlx::query(KEEP)
                .bind(fresh.jwt.expose_secret())
                .bind(fresh.ingestion.expose_secret())
                .bind(fresh.created_at)
                .execute(transaction.connection())
                .await?;
            sqlx::query(GET).fetch_one(transaction.connection()).await?
        }
    };
    let secrets = Secrets {
        jwt: row.try_get::<String, _>("jwt_secret")?.into(),
        ingestion: row.try_get::<String, _>("ingestion_secret")?.into(),
        created_at: row.try_get("created_at")?,
    };
    transaction.commit().await?;
    Ok(secrets)
}
