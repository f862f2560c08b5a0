//! A connection that is kept apart from the pool, for whoever has one transaction after the other: nobody asks after each
//! whether it is still there.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{AssertSqlSafe, Connection as _, Executor as _};

use super::{ACQUIRE_TIMEOUT, TRUSTED};

/// Who has it finds rows by their keys, of tables that grow: plans are made once, and look for nothing in all rows.
const SETTINGS: [(&str, &str); 4] = [
    ("plan_cache_mode", "force_generic_plan"),
    ("enable_seqscan", "off"),
    ("enable_hashjoin", "off"),
    ("enable_mergejoin", "off"),
];

/// Where it is between two transactions.
pub(super) struct Kept {
    options: PgConnectOptions,
    idle: Mutex<Option<Idle>>,
}

struct Idle {
    connection: PgConnection,
    since: Instant,
}

/// A transaction by it. Dropped before its end it takes the connection along, and another is opened for the next.
pub(crate) struct KeptTransaction {
    pub(super) connection: PgConnection,
    home: Arc<Kept>,
}

impl Kept {
    pub(super) fn new(options: PgConnectOptions) -> Self {
        Self {
            options: options.options(SETTINGS),
            idle: Mutex::new(None),
        }
    }

    pub(super) async fn begin(self: Arc<Self>, begin: String) -> sqlx::Result<KeptTransaction> {
        let connection = tokio::time::timeout(ACQUIRE_TIMEOUT, self.connection()).await;
        let mut connection = connection.unwrap_or(Err(sqlx::Error::PoolTimedOut))?;
        connection.execute(AssertSqlSafe(begin)).await?;
        Ok(KeptTransaction {
            connection,
            home: self,
        })
    }

    async fn connection(&self) -> sqlx::Result<PgConnection> {
        if let Some(mut idle) = self.replace(None)
            && (idle.since.elapsed() <= TRUSTED || idle.connection.ping().await.is_ok())
        {
            return Ok(idle.connection);
        }
        PgConnection::connect_with(&self.options).await
    }

    fn replace(&self, idle: Option<Idle>) -> Option<Idle> {
        // Nothing panics in between.
        let mut place = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut *place, idle)
    }
}

impl KeptTransaction {
    pub(super) async fn end(mut self, by: &'static str) -> sqlx::Result<()> {
        self.connection.execute(by).await?;
        let since = Instant::now();
        let connection = self.connection;
        self.home.replace(Some(Idle { connection, since }));
        Ok(())
    }
}
