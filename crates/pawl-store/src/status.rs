//! How the database is: for readiness checks and for whoever looks after it.

use crate::statement::pair;
use crate::{Actor, Result, Statement, Store, StoreError, users};

const STATUS: Statement = pair!("schema/status");

/// How the database is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatabaseStatus {
    /// `SQLite` or `PostgreSQL`.
    pub kind: &'static str,
    /// The engine's own version.
    pub version: String,
    /// Version of the schema.
    pub schema: i64,
    /// Bytes that it takes.
    pub size: i64,
    /// The role that we connect as; none on SQLite.
    pub role: Option<String>,
    /// Tables that this role reads past row level security; none on SQLite, and none where all is well.
    pub unprotected: Option<String>,
}

impl Store {
    /// Reads a little, to see whether the database answers.
    ///
    /// # Errors
    /// When it does not.
    pub async fn ping(&self) -> Result<()> {
        let mut scope = self.read(Actor::Service).await?;
        users::list(&mut scope, 1).await.map(drop)
    }

    /// How the database is.
    ///
    /// # Errors
    /// When it does not answer.
    pub async fn status(&self) -> Result<DatabaseStatus> {
        let mut scope = self.read(Actor::Service).await?;
        let row = scope.fetch_one(&STATUS, &[]).await?.ok_or(StoreError::Corrupt {
            column: 0,
            expected: "a version",
        })?;
        let mut columns = row.columns();
        Ok(DatabaseStatus {
            kind: match self {
                Self::Sqlite(_) => "SQLite",
                Self::Postgres(_) => "PostgreSQL",
            },
            version: columns.read()?,
            schema: columns.read()?,
            size: columns.read()?,
            role: columns.read()?,
            unprotected: columns.read()?,
        })
    }
}
