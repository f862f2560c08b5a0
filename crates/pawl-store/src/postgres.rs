//! A PostgreSQL server: row level security decides, under the claims of each transaction.

mod kept;

use std::sync::Arc;
use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgConnection, PgPoolOptions};
use sqlx::{AssertSqlSafe, Connection as _, PgPool, Row as _};
use tokio::sync::Notify;

use self::kept::{Kept, KeptTransaction};
use crate::{Actor, JobNews, Location, Result, StoreError, migrate};

const CONNECTIONS: u32 = 16;
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(10);
/// How long ago a connection may have been of use for nobody to ask whether it is still there.
const TRUSTED: Duration = Duration::from_secs(1);

const ROLE: &str = include_str!("../queries/schema/role.postgres.sql");

/// Connections under a role that row level security holds for.
#[derive(Clone)]
pub struct Postgres {
    pool: PgPool,
    /// The one by which transactions go where it is apart from the pool.
    kept: Option<Arc<Kept>>,
    waiting: Arc<Notify>,
}

impl Postgres {
    pub(crate) async fn open(url: &str) -> Result<Self> {
        let options = options(url)?;
        // Outside the pool, which would try again and again where nobody answers.
        let mut connection = PgConnection::connect_with(&options)
            .await
            .map_err(StoreError::Unreachable)?;
        migrate::check_postgres(&mut connection).await?;
        refuse_unsafe_role(&mut connection).await?;
        connection.close().await?;
        let pool = PgPoolOptions::new()
            .max_connections(CONNECTIONS)
            .acquire_timeout(ACQUIRE_TIMEOUT)
            .test_before_acquire(false)
            .before_acquire(|connection, idle| Box::pin(is_alive(connection, idle.idle_for)))
            .connect_lazy_with(options);
        Ok(Self {
            pool,
            kept: None,
            waiting: Arc::default(),
        })
    }

    /// The same by a connection of its own, which is opened in whichever runtime first asks for it.
    pub(crate) fn apart(&self) -> Self {
        let kept = Kept::new((*self.pool.connect_options()).clone());
        Self {
            kept: Some(Arc::new(kept)),
            ..self.clone()
        }
    }

    /// The only place where claims are set: for this transaction, so that a pooled connection carries none over.
    pub(crate) async fn begin(&self, actor: Actor) -> Result<PostgresTransaction> {
        // In one message; of the claims, quotation marks are all that could end the text that they are.
        let claims = actor.claims().replace('\'', "''");
        let begin = [
            "begin; select set_config('request.jwt.claims', '",
            &claims,
            "', true)",
        ]
        .concat();
        match &self.kept {
            None => Ok(PostgresTransaction::Pooled(
                self.pool.begin_with(AssertSqlSafe(begin)).await?,
            )),
            Some(_) if self.pool.is_closed() => Err(sqlx::Error::PoolClosed.into()),
            Some(kept) => Ok(PostgresTransaction::Kept(Arc::clone(kept).begin(begin).await?)),
        }
    }

    /// Who waits for jobs in this process.
    pub(crate) fn waiting(&self) -> Arc<Notify> {
        Arc::clone(&self.waiting)
    }

    pub(crate) async fn job_news(&self) -> Result<JobNews> {
        JobNews::everywhere(self.waiting(), &self.pool).await
    }

    pub(crate) async fn close(&self) {
        self.pool.close().await;
    }
}

/// An open transaction; dropped without being committed, nothing of it happened.
pub(crate) enum PostgresTransaction {
    Pooled(sqlx::Transaction<'static, sqlx::Postgres>),
    Kept(KeptTransaction),
}

impl PostgresTransaction {
    pub(crate) fn connection(&mut self) -> &mut PgConnection {
        match self {
            Self::Pooled(transaction) => transaction,
            Self::Kept(transaction) => &mut transaction.connection,
        }
    }

    pub(crate) async fn commit(self) -> sqlx::Result<()> {
        match self {
            Self::Pooled(transaction) => transaction.commit().await,
            Self::Kept(transaction) => transaction.end("commit").await,
        }
    }

    pub(crate) async fn roll_back(self) -> sqlx::Result<()> {
        match self {
            Self::Pooled(transaction) => transaction.rollback().await,
            Self::Kept(transaction) => transaction.end("rollback").await,
        }
    }
}

/// Options of every session, whoever opens it: times are UTC.
pub(crate) fn options(url: &str) -> Result<PgConnectOptions> {
    let options: PgConnectOptions = url.parse().map_err(|_| StoreError::Url {
        given: Location::Postgres(url.to_owned()).to_string(),
    })?;
    Ok(options.options([("TimeZone", "UTC")]).application_name("pawl"))
}

/// Whether a connection of the pool is still there. Asking takes as long as a statement: one that was of use a moment ago
/// is not asked.
async fn is_alive(connection: &mut PgConnection, idle_for: Duration) -> sqlx::Result<bool> {
    if idle_for > TRUSTED {
        connection.ping().await?;
    }
    Ok(true)
}

async fn refuse_unsafe_role(connection: &mut PgConnection) -> Result<()> {
    let row = sqlx::query(ROLE).fetch_one(connection).await?;
    let role: String = row.try_get("role")?;
    let alter = |clause: &str| ["alter role ", &quoted(&role), " ", clause].concat();
    let refusal = if row.try_get("is_superuser")? {
        Some(("is a superuser", alter("nosuperuser nobypassrls")))
    } else if row.try_get("bypasses_rls")? {
        Some(("has BYPASSRLS", alter("nobypassrls")))
    } else if row.try_get("is_owner")? {
        Some((
            "owns the tables",
            "create role pawl_app login nosuperuser nobypassrls".to_owned(),
        ))
    } else {
        None
    };
    match refusal {
        Some((reason, fix)) => Err(StoreError::Role { role, reason, fix }),
        None => Ok(()),
    }
}

/// An SQL identifier, for showing.
fn quoted(identifier: &str) -> String {
    ["\"", &identifier.replace('"', "\"\""), "\""].concat()
}
