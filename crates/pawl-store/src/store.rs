//! The store: one of two engines.

use crate::scope::Transaction;
use crate::sqlite::Amount;
use crate::{Actor, JobNews, Location, Result, Scope, postgres, sqlite};

/// An open database.
#[derive(Clone)]
pub enum Store {
    /// The embedded one: one writing connection, several reading ones.
    Sqlite(sqlite::Sqlite),
    /// A server.
    Postgres(postgres::Postgres),
}

impl Store {
    /// Opens the database. A SQLite file is created and migrated as needed; PostgreSQL is checked and refused when
    /// its schema is old or our role sees past row level security.
    ///
    /// # Errors
    /// When it cannot be opened, reached or used safely: see [`crate::StoreError`].
    pub async fn open(location: &Location) -> Result<Self> {
        match location {
            Location::Sqlite(path) => sqlite::Sqlite::open(path).await.map(Self::Sqlite),
            Location::Postgres(url) => postgres::Postgres::open(url).await.map(Self::Postgres),
        }
    }

    /// The same database for a thread with a runtime of its own, which has one transaction at a time. PostgreSQL's answers
    /// wake that thread and no other, since its connection is opened in that runtime.
    #[must_use]
    pub fn apart(&self) -> Self {
        match self {
            Self::Sqlite(sqlite) => Self::Sqlite(sqlite.clone()),
            Self::Postgres(postgres) => Self::Postgres(postgres.apart()),
        }
    }

    /// Opens a transaction that only reads; it sees one state of the database.
    ///
    /// # Errors
    /// When the database cannot be reached.
    pub async fn read(&self, actor: Actor) -> Result<Scope> {
        let transaction = match self {
            Self::Sqlite(sqlite) => Transaction::Sqlite(sqlite.begin_reading().await?),
            Self::Postgres(postgres) => Transaction::Postgres(postgres.begin(actor).await?),
        };
        Ok(self.scope(actor, transaction))
    }

    /// Opens a transaction that may write. SQLite has one at a time; further ones wait for it.
    ///
    /// # Errors
    /// When the database cannot be reached, or another process keeps it locked for over five seconds.
    pub async fn write(&self, actor: Actor) -> Result<Scope> {
        self.begin_writing(actor, Amount::Any).await
    }

    /// The same for a transaction whose statements add or change so many rows at most that they fit into memory:
    /// SQLite makes no file for those of each statement then.
    ///
    /// # Errors
    /// As [`Store::write`].
    pub async fn write_some(&self, actor: Actor) -> Result<Scope> {
        self.begin_writing(actor, Amount::Bounded).await
    }

    async fn begin_writing(&self, actor: Actor, amount: Amount) -> Result<Scope> {
        let transaction = match self {
            Self::Sqlite(sqlite) => Transaction::Sqlite(sqlite.begin_writing(amount).await?),
            Self::Postgres(postgres) => Transaction::Postgres(postgres.begin(actor).await?),
        };
        Ok(self.scope(actor, transaction))
    }

    /// Word of new jobs from now on.
    ///
    /// # Errors
    /// When the database cannot be reached.
    pub async fn job_news(&self) -> Result<JobNews> {
        match self {
            Self::Sqlite(sqlite) => Ok(JobNews::here(sqlite.waiting())),
            Self::Postgres(postgres) => postgres.job_news().await,
        }
    }

    fn scope(&self, actor: Actor, transaction: Transaction) -> Scope {
        let waiting = match self {
            Self::Sqlite(sqlite) => sqlite.waiting(),
            Self::Postgres(postgres) => postgres.waiting(),
        };
        Scope::new(actor, transaction, waiting)
    }

    /// Closes all connections; SQLite's log is written back into its file.
    pub async fn close(&self) {
        match self {
            Self::Sqlite(sqlite) => sqlite.close().await,
            Self::Postgres(postgres) => postgres.close().await,
        }
    }
}
