//! The embedded database.

use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use sqlx::sqlite::{
    SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous,
};
use sqlx::{Connection as _, Database, SqlSafeStr as _, SqlitePool};
// What `sqlx` opens transactions with, of connections that are in no pool and outlive a borrow.
use sqlx_core::transaction::TransactionManager as _;
use tokio::sync::{Mutex, Notify, OwnedMappedMutexGuard, OwnedMutexGuard};

use crate::{Result, StoreError, migrate};

/// How long to wait for another process that holds the file.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// And for those of this one who write.
const WRITER_TIMEOUT: Duration = Duration::from_secs(30);
const READERS: u32 = 4;

/// A SQLite file: one connection writes, others read beside it (WAL).
#[derive(Clone)]
pub struct Sqlite {
    path: PathBuf,
    /// Not in a pool, which would look after it between two transactions, while the next one waits. Gone when closed.
    writer: Arc<Mutex<Option<SqliteConnection>>>,
    readers: SqlitePool,
    waiting: Arc<Notify>,
}

impl Sqlite {
    pub(crate) async fn open(path: &Path) -> Result<Self> {
        let unreadable = |source: Box<dyn std::error::Error + Send + Sync>| StoreError::Unreadable {
            path: path.to_owned(),
            source,
        };
        create_private_file(path).map_err(|error| unreadable(error.into()))?;
        let options = SqliteConnectOptions::new()
            .filename(path)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Full)
            .foreign_keys(true)
            .busy_timeout(BUSY_TIMEOUT)
            .page_size(8_192)
            .pragma("cache_size", "-16384")
            // Pages that are written again and again are copied into the file less often.
            .pragma("wal_autocheckpoint", "4096");
        let mut writer = SqliteConnection::connect_with(&options)
            .await
            .map_err(|error| unreadable(error.into()))?;
        let readers = SqlitePoolOptions::new()
            .max_connections(READERS)
            .test_before_acquire(false)
            .connect_lazy_with(options.read_only(true));
        migrate::sqlite(&mut writer).await.map_err(|error| match error {
            StoreError::Query(source) => unreadable(source.into()),
            other => other,
        })?;
        Ok(Self {
            path: path.to_owned(),
            writer: Arc::new(Mutex::new(Some(writer))),
            readers,
            waiting: Arc::default(),
        })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Who waits for jobs.
    pub(crate) fn waiting(&self) -> Arc<Notify> {
        Arc::clone(&self.waiting)
    }

    pub(crate) async fn begin_writing(&self) -> Result<Writing> {
        let writer = tokio::time::timeout(WRITER_TIMEOUT, Arc::clone(&self.writer).lock_owned());
        let writer = writer.await.map_err(|_| sqlx::Error::PoolTimedOut)?;
        let connection = OwnedMutexGuard::try_map(writer, Option::as_mut);
        let mut writing = Writing {
            connection: connection.map_err(|_| sqlx::Error::PoolClosed)?,
            // As soon as it is asked for: it may begin though nobody waits for it any more.
            is_open: true,
        };
        Manager::begin(&mut writing.connection, Some("begin immediate".into_sql_str())).await?;
        Ok(writing)
    }

    pub(crate) async fn begin_reading(&self) -> Result<sqlx::Transaction<'static, sqlx::Sqlite>> {
        Ok(self.readers.begin().await?)
    }

    pub(crate) async fn close(&self) {
        self.readers.close().await;
        if let Some(writer) = self.writer.lock().await.take() {
            // The file is whole all the same.
            let _ = writer.close().await;
        }
    }
}

type Manager = <sqlx::Sqlite as Database>::TransactionManager;

/// A transaction that may write; dropped without [`Writing::commit`], nothing of it happened.
pub(crate) struct Writing {
    connection: OwnedMappedMutexGuard<Option<SqliteConnection>, SqliteConnection>,
    is_open: bool,
}

impl Writing {
    pub(crate) async fn commit(mut self) -> Result<()> {
        Manager::commit(&mut self.connection).await?;
        self.is_open = false;
        Ok(())
    }
}

impl Deref for Writing {
    type Target = SqliteConnection;

    fn deref(&self) -> &SqliteConnection {
        &self.connection
    }
}

impl DerefMut for Writing {
    fn deref_mut(&mut self) -> &mut SqliteConnection {
        &mut self.connection
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        if self.is_open {
            // Before whatever the next one asks of the connection.
            Manager::start_rollback(&mut self.connection);
        }
    }
}

/// Makes the file, and the folder it is in, for its owner alone: it holds prompts and answers of production.
fn create_private_file(path: &Path) -> std::io::Result<()> {
    if path.exists() {
        return Ok(());
    }
    if let Some(folder) = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty() && !folder.exists())
    {
        let mut builder = std::fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(folder)?;
    }
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map(drop)
}
