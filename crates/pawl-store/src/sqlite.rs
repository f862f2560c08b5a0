//! The embedded database.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use sqlx::SqlitePool;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use tokio::sync::Notify;

use crate::{Result, StoreError, migrate};

/// How long to wait for another process that holds the file.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
const READERS: u32 = 4;

/// A SQLite file: one connection writes, others read beside it (WAL).
#[derive(Clone)]
pub struct Sqlite {
    path: PathBuf,
    writer: SqlitePool,
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
        let writer = SqlitePoolOptions::new()
            .max_connections(1)
            .acquire_timeout(BUSY_TIMEOUT * 6)
            .idle_timeout(None)
            .max_lifetime(None)
            .connect_with(options.clone())
            .await
            .map_err(|error| unreadable(error.into()))?;
        let readers = SqlitePoolOptions::new()
            .max_connections(READERS)
            .connect_lazy_with(options.read_only(true));
        migrate::sqlite(&writer).await.map_err(|error| match error {
            StoreError::Query(source) => unreadable(source.into()),
            other => other,
        })?;
        Ok(Self {
            path: path.to_owned(),
            writer,
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

    pub(crate) async fn begin_writing(&self) -> Result<sqlx::Transaction<'static, sqlx::Sqlite>> {
        Ok(self.writer.begin_with("begin immediate").await?)
    }

    pub(crate) async fn begin_reading(&self) -> Result<sqlx::Transaction<'static, sqlx::Sqlite>> {
        Ok(self.readers.begin().await?)
    }

    pub(crate) async fn close(&self) {
        self.readers.close().await;
        self.writer.close().await;
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
