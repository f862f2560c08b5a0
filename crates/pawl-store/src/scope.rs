//! The one door to tenants' rows: who is asking, and a transaction.

use std::ops::ControlFlow;
use std::sync::Arc;

use futures::TryStreamExt as _;
use pawl_model::UserId;
use sqlx::{Arguments as _, AssertSqlSafe, SqlSafeStr as _, SqlStr};
use tokio::sync::Notify;
use uuid::Uuid;

use crate::insert::Insert;
use crate::lineage::Touched;
use crate::postgres::PostgresTransaction;
use crate::query::Dialect;
use crate::sqlite::SqliteTransaction;
use crate::{Result, Row, Statement, StoreError, Value, lineage, users};

/// How many values a built statement may hold beside the tenant: what SQLite takes, which is less than PostgreSQL.
const MAX_VALUES: usize = 32_765;

/// Who is asking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Actor {
    /// A tenant: sees and writes rows of their own.
    Tenant(UserId),
    /// Service keys, the intake writer, the worker, and the command line before there is a user: all rows.
    Service,
    /// Somebody who has shown no more than the public key: no rows.
    Anonymous,
}

impl Actor {
    /// The tenant whose rows are meant; none for the service, which means all. Nobody has the nil id, under which
    /// the anonymous look.
    #[must_use]
    pub const fn tenant(self) -> Option<UserId> {
        match self {
            Self::Tenant(user) => Some(user),
            Self::Anonymous => Some(UserId(Uuid::nil())),
            Self::Service => None,
        }
    }

    /// The claims that row level security reads.
    pub(crate) fn claims(self) -> String {
        match self {
            Self::Tenant(user) => serde_json::json!({"role": "authenticated", "sub": user}),
            Self::Service => serde_json::json!({"role": "service_role"}),
            Self::Anonymous => serde_json::json!({"role": "anon"}),
        }
        .to_string()
    }
}

pub(crate) enum Transaction {
    Sqlite(SqliteTransaction),
    Postgres(PostgresTransaction),
}

/// An actor and an open transaction; dropped without [`Scope::commit`], nothing of it happened.
pub struct Scope {
    actor: Actor,
    transaction: Transaction,
    /// Who waits for jobs in this process, and whether they are told of this transaction.
    waiting: Arc<Notify>,
    has_jobs: bool,
    /// Rows with a place in the lineage that were written.
    pub(crate) touched: Touched,
}

impl Scope {
    pub(crate) const fn new(actor: Actor, transaction: Transaction, waiting: Arc<Notify>) -> Self {
        Self {
            actor,
            transaction,
            waiting,
            has_jobs: false,
            touched: Touched::new(),
        }
    }

    /// Who is asking.
    #[must_use]
    pub const fn actor(&self) -> Actor {
        self.actor
    }

    /// Makes it durable, with an entry in the lineage for each row of it that has a place there.
    ///
    /// # Errors
    /// When the database could not; nothing of the transaction happened then.
    pub async fn commit(mut self) -> Result<()> {
        lineage::settle(&mut self).await?;
        match self.transaction {
            Transaction::Sqlite(transaction) => transaction.commit()?,
            Transaction::Postgres(transaction) => transaction.commit().await?,
        }
        if self.has_jobs {
            self.waiting.notify_one();
        }
        Ok(())
    }

    /// Undoes it as dropping it does, and waits for that. A connection that is kept apart is there for the next one then.
    ///
    /// # Errors
    /// When the database cannot be reached; nothing of the transaction happened then either.
    pub async fn roll_back(self) -> Result<()> {
        match self.transaction {
            Transaction::Sqlite(transaction) => drop(transaction),
            Transaction::Postgres(transaction) => transaction.roll_back().await?,
        }
        Ok(())
    }

    /// Whoever waits for jobs is told once this is committed.
    pub(crate) const fn announce_jobs(&mut self) {
        self.has_jobs = true;
    }

    /// The owner of a row that this scope writes: a tenant's own; for the service the one named, else the first
    /// user, else none as long as there is no user.
    ///
    /// # Errors
    /// [`StoreError::ForeignRow`] when a tenant names somebody else, and for the anonymous, who own nothing.
    pub async fn owner(&mut self, named: Option<UserId>) -> Result<Option<UserId>> {
        match (self.actor, named) {
            (Actor::Anonymous, _) => Err(StoreError::ForeignRow),
            (Actor::Tenant(user), Some(other)) if user != other => Err(StoreError::ForeignRow),
            (Actor::Tenant(user), _) => Ok(Some(user)),
            (Actor::Service, Some(user)) => Ok(Some(user)),
            (Actor::Service, None) => users::first_or_wait(self).await,
        }
    }

    /// Refuses everybody but the service, for rows that no tenant may touch.
    ///
    /// # Errors
    /// [`StoreError::ForeignRow`] for a tenant and the anonymous.
    pub(crate) fn require_service(&self) -> Result<()> {
        match self.actor {
            Actor::Service => Ok(()),
            Actor::Tenant(_) | Actor::Anonymous => Err(StoreError::ForeignRow),
        }
    }

    /// Runs a statement with the tenant as `$1` and the values from `$2` on; says how many rows it touched.
    pub(crate) async fn execute(&mut self, statement: &Statement, values: &[Value<'_>]) -> Result<u64> {
        Ok(match &mut self.transaction {
            Transaction::Sqlite(transaction) => transaction.execute(statement.sqlite, self.actor, values)?,
            Transaction::Postgres(transaction) => {
                let arguments = postgres_arguments(self.actor, values)?;
                sqlx::query_with(statement.postgres, arguments)
                    .execute(transaction.connection())
                    .await?
                    .rows_affected()
            }
        })
    }

    /// Runs a statement with the tenant as `$1` and the values from `$2` on; gives all its rows.
    pub(crate) async fn fetch(&mut self, statement: &Statement, values: &[Value<'_>]) -> Result<Vec<Row>> {
        match &mut self.transaction {
            Transaction::Sqlite(transaction) => {
                let mut rows = Vec::new();
                let take = |row| {
                    rows.push(row);
                    Ok(ControlFlow::Continue(()))
                };
                transaction.fetch_each(statement.sqlite, self.actor, values, take)?;
                Ok(rows)
            }
            Transaction::Postgres(transaction) => {
                let arguments = postgres_arguments(self.actor, values)?;
                let query = sqlx::query_with(statement.postgres, arguments);
                let rows = query.fetch_all(transaction.connection()).await?;
                Ok(rows.into_iter().map(Row::Postgres).collect())
            }
        }
    }

    /// As [`Scope::fetch`], for what PostgreSQL would find by another index when there were fewer rows: it plans it anew.
    pub(crate) async fn fetch_anew(
        &mut self,
        statement: &Statement,
        values: &[Value<'_>],
    ) -> Result<Vec<Row>> {
        let Transaction::Postgres(transaction) = &mut self.transaction else {
            return self.fetch(statement, values).await;
        };
        let arguments = postgres_arguments(self.actor, values)?;
        let query = sqlx::query_with(statement.postgres, arguments).persistent(false);
        let rows = query.fetch_all(transaction.connection()).await?;
        Ok(rows.into_iter().map(Row::Postgres).collect())
    }

    /// As [`Scope::fetch`], for the one row that there can be.
    pub(crate) async fn fetch_one(
        &mut self,
        statement: &Statement,
        values: &[Value<'_>],
    ) -> Result<Option<Row>> {
        Ok(self.fetch(statement, values).await?.pop())
    }

    /// Whose SQL its transaction speaks.
    pub(crate) const fn dialect(&self) -> Dialect {
        match self.transaction {
            Transaction::Sqlite(_) => Dialect::Sqlite,
            Transaction::Postgres(_) => Dialect::Postgres,
        }
    }

    /// Runs a text of the query builder with the tenant as `$1` and the values from `$2` on; hands over its rows one
    /// by one, until one is refused. More than [`MAX_VALUES`] are.
    pub(crate) async fn fetch_built(
        &mut self,
        text: String,
        values: &[Value<'_>],
        mut take: impl FnMut(&Row) -> Result<()>,
    ) -> Result<()> {
        if values.len() > MAX_VALUES {
            return Err(StoreError::TooManyValues);
        }
        let take = |row: &Row| take(row).map(|()| ControlFlow::Continue(()));
        self.stream(AssertSqlSafe(text).into_sql_str(), values, take)
            .await
    }

    /// As [`Scope::fetch`]; hands over the rows one by one, until that is enough.
    pub(crate) async fn fetch_each(
        &mut self,
        statement: &Statement,
        values: &[Value<'_>],
        take: impl FnMut(&Row) -> Result<ControlFlow<()>>,
    ) -> Result<()> {
        let text = match self.dialect() {
            Dialect::Sqlite => statement.sqlite,
            Dialect::Postgres => statement.postgres,
        };
        self.stream(text.into_sql_str(), values, take).await
    }

    async fn stream(
        &mut self,
        text: SqlStr,
        values: &[Value<'_>],
        mut take: impl FnMut(&Row) -> Result<ControlFlow<()>>,
    ) -> Result<()> {
        match &mut self.transaction {
            Transaction::Sqlite(transaction) => {
                transaction.fetch_each(text.as_str(), self.actor, values, |row| take(&row))
            }
            Transaction::Postgres(transaction) => {
                let arguments = postgres_arguments(self.actor, values)?;
                let rows = sqlx::query_with(text, arguments).fetch(transaction.connection());
                let mut rows = rows.map_ok(Row::Postgres);
                while let Some(row) = rows.try_next().await? {
                    if take(&row)?.is_break() {
                        break;
                    }
                }
                Ok(())
            }
        }
    }

    /// Inserts rows, and says how many are new. Nothing but names of our own and placeholders is in the text.
    pub(crate) async fn insert(&mut self, insert: &Insert, rows: &[Vec<Value<'_>>]) -> Result<u64> {
        let mut touched = 0;
        match &mut self.transaction {
            Transaction::Sqlite(transaction) => {
                for (text, rows) in insert.sqlite(rows) {
                    touched += transaction.insert(&text, rows.iter().flatten())?;
                }
            }
            Transaction::Postgres(transaction) => {
                rows.iter().flatten().try_for_each(Value::check)?;
                let mut statements = insert.postgres(rows).map(|(text, columns)| {
                    let mut arguments = sqlx::postgres::PgArguments::default();
                    for column in columns {
                        let added = arguments.add(column);
                        added.map_err(StoreError::Query)?;
                    }
                    Ok::<_, StoreError>((AssertSqlSafe(text).into_sql_str(), arguments))
                });
                // While the database is busy with one, the next is put together.
                let mut next = statements.next();
                while let Some((text, arguments)) = next.transpose()? {
                    let run = sqlx::query_with(text, arguments).execute(transaction.connection());
                    let (done, following) = futures::join!(run, async { statements.next() });
                    touched += done?.rows_affected();
                    next = following;
                }
            }
        }
        Ok(touched)
    }
}

fn postgres_arguments<'v>(
    actor: Actor,
    values: impl IntoIterator<Item = &'v Value<'v>>,
) -> Result<sqlx::postgres::PgArguments> {
    let mut arguments = sqlx::postgres::PgArguments::default();
    // Typed even when it is null, since `$1 is null` alone tells PostgreSQL no type.
    let tenant = actor.tenant().map(|user| user.0);
    arguments.add(tenant).map_err(StoreError::Query)?;
    for value in values {
        value.add_to_postgres(&mut arguments)?;
    }
    Ok(arguments)
}
