//! The embedded database.

use std::cell::Cell;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::{CachedStatement, Connection, OpenFlags};
use sqlx::Connection as _;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection, SqliteJournalMode};
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

use crate::row::SqliteRow;
use crate::{Actor, Result, Row, StoreError, Value, migrate};

/// How long to wait for another process that holds the file.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// And for those of this one who hold a connection.
const HELD_TIMEOUT: Duration = Duration::from_secs(30);
const READERS: u32 = 4;
/// Statements of a connection that are kept prepared.
const PREPARED: usize = 128;
/// Pages of the log from which on it is copied into the file: pages that are written again and again are copied less
/// often than by SQLite's own 1,000.
const LONG: i32 = 4_096;
/// From which on that is not left to others any more.
const TOO_LONG: i32 = 4 * LONG;

thread_local! {
    /// Pages of the log, as this thread's last commit left it.
    static LOGGED: Cell<i32> = const { Cell::new(0) };
}

/// How much a statement of a transaction may change.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Amount {
    /// All that there is.
    Any,
    /// No more than fits into memory.
    Bounded,
}

/// A SQLite file: one connection writes, others read beside it (WAL).
///
/// Statements are run where they are asked for: a transaction has many short ones, and to hand each of them to another
/// thread takes longer than most of them do.
#[derive(Clone)]
pub struct Sqlite {
    path: PathBuf,
    writer: Arc<Connections>,
    readers: Arc<Connections>,
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
            .busy_timeout(BUSY_TIMEOUT)
            .page_size(8_192);
        let started = Instant::now();
        let first = loop {
            match migrated(&options).await {
                // Of several that make a new file at once, SQLite has some fail where they should wait.
                Err(StoreError::Query(source)) if is_busy(&*source) && started.elapsed() < BUSY_TIMEOUT => {
                    tokio::time::sleep(Duration::from_millis(10)).await;
                }
                Err(StoreError::Query(source)) => return Err(unreadable(source)),
                opened => break opened?,
            }
        };
        let connections = |count, flags| {
            Arc::new(Connections {
                path: path.to_owned(),
                flags: flags | OpenFlags::SQLITE_OPEN_NO_MUTEX,
                count,
                idle: Mutex::default(),
                permits: Arc::new(Semaphore::new(count as usize)),
                copying: AtomicU8::new(NOT_COPYING),
            })
        };
        let writer = connections(1, OpenFlags::SQLITE_OPEN_READ_WRITE);
        drop(writer.take().await.map_err(|error| unreadable(error.into()))?);
        first.close().await?;
        Ok(Self {
            path: path.to_owned(),
            writer,
            readers: connections(READERS, OpenFlags::SQLITE_OPEN_READ_ONLY),
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

    pub(crate) async fn begin_writing(&self, amount: Amount) -> Result<SqliteTransaction> {
        // Where SQLite keeps what a statement changes as it was, until it is through.
        let begin = match amount {
            Amount::Any => "pragma temp_store = default; begin immediate",
            Amount::Bounded => "pragma temp_store = memory; begin immediate",
        };
        self.writer.take().await?.begin(begin)
    }

    pub(crate) async fn begin_reading(&self) -> Result<SqliteTransaction> {
        self.readers.take().await?.begin("begin")
    }

    pub(crate) async fn close(&self) {
        self.readers.close().await;
        self.writer.close().await;
    }
}

/// A connection to the file, whose schema is up to date.
async fn migrated(options: &SqliteConnectOptions) -> Result<SqliteConnection> {
    let connected = SqliteConnection::connect_with(options).await;
    let mut connection = connected.map_err(|error| StoreError::Query(error.into()))?;
    migrate::sqlite(&mut connection).await?;
    Ok(connection)
}

fn is_busy(source: &(dyn std::error::Error + Send + Sync + 'static)) -> bool {
    let error = source.downcast_ref::<sqlx::Error>();
    let code = error.and_then(|error| error.as_database_error()?.code());
    code.is_some_and(|code| code == "5")
}

/// Connections to one file that are opened as they are needed, and kept.
struct Connections {
    path: PathBuf,
    flags: OpenFlags,
    count: u32,
    idle: Mutex<Vec<Connection>>,
    permits: Arc<Semaphore>,
    /// How far the log is copied into the file.
    copying: AtomicU8,
}

const NOT_COPYING: u8 = 0;
const COPYING: u8 = 1;
const COPIED: u8 = 2;

impl Connections {
    fn idle(&self) -> MutexGuard<'_, Vec<Connection>> {
        // Nothing panics in between.
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn take(self: &Arc<Self>) -> Result<Held> {
        let permit = tokio::time::timeout(HELD_TIMEOUT, Arc::clone(&self.permits).acquire_owned());
        let permit = permit.await.map_err(|_| sqlx::Error::PoolTimedOut)?;
        let permit = permit.map_err(|_| sqlx::Error::PoolClosed)?;
        let idle = self.idle().pop();
        let connection = idle.map_or_else(|| blocking(|| self.open()), Ok)?;
        Ok(Held {
            connection: Some(connection),
            of: Arc::clone(self),
            _permit: permit,
        })
    }

    fn open(&self) -> rusqlite::Result<Connection> {
        let connection = Connection::open_with_flags(&self.path, self.flags)?;
        connection.busy_timeout(BUSY_TIMEOUT)?;
        connection.pragma_update(None, "synchronous", "full")?;
        connection.pragma_update(None, "foreign_keys", true)?;
        connection.pragma_update(None, "cache_size", -16_384)?;
        connection.wal_hook(Some(|_, pages| {
            LOGGED.set(pages);
            Ok(())
        }));
        connection.set_prepared_statement_cache_capacity(PREPARED);
        Ok(connection)
    }

    /// Has a log that is long copied into the file. Nothing is stored while the one that writes does it: so another does
    /// most of it beside, and this one what was added meanwhile, after which the log begins anew.
    fn copy_log(self: &Arc<Self>, writer: &Connection, pages: i32) {
        let copying = self.copying.load(Ordering::Acquire);
        if pages < LONG {
            if copying == COPIED {
                self.copying.store(NOT_COPYING, Ordering::Release);
            }
        } else if copying == COPIED || pages >= TOO_LONG {
            // Where it fails, the next commit tries again.
            let _ = checkpoint(writer);
            self.copying.store(NOT_COPYING, Ordering::Release);
        } else if copying == NOT_COPYING {
            self.copying.store(COPYING, Ordering::Release);
            let connections = Arc::clone(self);
            let work = move || {
                let _ = connections.open().and_then(|beside| checkpoint(&beside));
                connections.copying.store(COPIED, Ordering::Release);
            };
            // Without a thread, the one that writes does all of it once the log is too long.
            let _ = thread::Builder::new().name("checkpoint".to_owned()).spawn(work);
        }
    }

    /// Waits for those that are held.
    async fn close(&self) {
        let all = self.permits.acquire_many(self.count).await;
        self.permits.close();
        drop(all);
        self.idle().clear();
    }
}

/// A connection that is given back when it is dropped.
struct Held {
    /// Until then.
    connection: Option<Connection>,
    of: Arc<Connections>,
    _permit: OwnedSemaphorePermit,
}

impl Held {
    fn begin(self, how: &str) -> Result<SqliteTransaction> {
        let mut transaction = SqliteTransaction {
            connection: self,
            is_open: false,
        };
        blocking(|| transaction.connection.get()?.execute_batch(how))?;
        transaction.is_open = true;
        Ok(transaction)
    }

    fn get(&self) -> rusqlite::Result<&Connection> {
        self.connection.as_ref().ok_or(rusqlite::Error::InvalidQuery)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.of.idle().extend(self.connection.take());
    }
}

/// A transaction; dropped without [`SqliteTransaction::commit`], nothing of it happened.
pub(crate) struct SqliteTransaction {
    connection: Held,
    is_open: bool,
}

impl SqliteTransaction {
    pub(crate) fn commit(mut self) -> Result<()> {
        blocking(|| {
            let connection = self.connection.get()?;
            LOGGED.set(0);
            connection.prepare_cached("commit")?.raw_execute()?;
            self.is_open = false;
            self.connection.of.copy_log(connection, LOGGED.get());
            Ok(())
        })
    }

    /// Runs a statement with the tenant as `$1` and the values from `$2` on; says how many rows it touched.
    pub(crate) fn execute(&mut self, text: &str, actor: Actor, values: &[Value<'_>]) -> Result<u64> {
        self.fetch_each(text, actor, values, |_| Ok(ControlFlow::Continue(())))?;
        Ok(self.connection.get()?.changes())
    }

    /// The same; hands over its rows until that is enough.
    pub(crate) fn fetch_each(
        &mut self,
        text: &str,
        actor: Actor,
        values: &[Value<'_>],
        take: impl FnMut(Row) -> Result<ControlFlow<()>>,
    ) -> Result<()> {
        values.iter().try_for_each(Value::check)?;
        let tenant = Value::from(actor.tenant());
        blocking(|| {
            let mut statement = self.connection.get()?.prepare_cached(text)?;
            bind(&mut statement, &tenant, values)?;
            hand_over(statement, take)
        })
    }

    /// Runs a statement whose places have no names, with these values in their order.
    pub(crate) fn insert<'v>(
        &mut self,
        text: &str,
        values: impl IntoIterator<Item = &'v Value<'v>>,
    ) -> Result<u64> {
        blocking(|| {
            let mut statement = self.connection.get()?.prepare_cached(text)?;
            for (place, value) in (1..).zip(values) {
                value.check()?;
                statement.raw_bind_parameter(place, value.in_sqlite())?;
            }
            Ok(statement.raw_execute()? as u64)
        })
    }
}

impl Drop for SqliteTransaction {
    fn drop(&mut self) {
        if self.is_open {
            // Where it cannot be undone, the next one is told when it begins.
            let _ = blocking(|| self.connection.get()?.execute_batch("rollback"));
        }
    }
}

/// Runs on this thread what may take a while; a runtime that has others goes on with its tasks on those.
fn blocking<T>(work: impl FnOnce() -> T) -> T {
    match Handle::try_current().map(|runtime| runtime.runtime_flavor()) {
        Ok(RuntimeFlavor::MultiThread) => tokio::task::block_in_place(work),
        _ => work(),
    }
}

/// Copies as much of the log into the file as nobody needs any more.
fn checkpoint(connection: &Connection) -> rusqlite::Result<()> {
    connection.query_row("pragma wal_checkpoint(passive)", [], |_| Ok(()))
}

/// Binds the tenant as the first value, and these as those that follow.
fn bind(
    statement: &mut CachedStatement<'_>,
    tenant: &Value<'_>,
    values: &[Value<'_>],
) -> rusqlite::Result<()> {
    for place in 1..=statement.parameter_count() {
        // `$2` is a name to SQLite, whatever its place; `?2` and `?` have the numbers of theirs.
        let named = statement
            .parameter_name(place)
            .and_then(|name| name.strip_prefix('$')?.parse().ok());
        let number: usize = named.unwrap_or(place);
        let value = if number == 1 {
            Some(tenant)
        } else {
            values.get(number.wrapping_sub(2))
        };
        let value = value.ok_or(rusqlite::Error::InvalidParameterCount(values.len() + 1, number))?;
        statement.raw_bind_parameter(place, value.in_sqlite())?;
    }
    Ok(())
}

fn hand_over(
    mut statement: CachedStatement<'_>,
    mut take: impl FnMut(Row) -> Result<ControlFlow<()>>,
) -> Result<()> {
    let columns = statement.column_count();
    let mut rows = statement.raw_query();
    while let Some(row) = rows.next()? {
        let values = (0..columns).map(|column| row.get(column));
        let row = Row::Sqlite(SqliteRow(values.collect::<rusqlite::Result<_>>()?));
        if take(row)?.is_break() {
            break;
        }
    }
    Ok(())
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

#[cfg(test)]
#[path = "sqlite_tests.rs"]
mod tests;
