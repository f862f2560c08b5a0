//! Rollups: what each local hour of a tenant came to, and which hours are stale.

use pawl_model::{DropReason, InteractionId, Json, Score, UserId};
use serde_json::json;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::insert::{Insert, OnExisting};
use crate::statement::{documents, pair, shared};
use crate::{Result, Scope, Statement, StoreError, Value};

const GET: Statement = pair!("rollups/get");
const RANGE: Statement = shared!("rollups/range");
const FORGET: Statement = shared!("rollups/forget");
const STALE: Statement = shared!("rollups/stale");
const FRESH: Statement = shared!("rollups/fresh");
const STALE_TENANTS: Statement = shared!("rollups/stale_tenants");
const ROWS: Statement = shared!("rollups/rows");
const DROPS: Statement = pair!("rollups/drops");

pub(crate) const STATEMENTS: &[Statement] = &[GET, RANGE, FORGET, STALE, FRESH, STALE_TENANTS, ROWS, DROPS];

const PUT: Insert = Insert {
    table: "interaction_rollups",
    columns: &["user_id", "hour", "data"],
    on_existing: OnExisting::Replace {
        key: &["user_id", "hour"],
        columns: &["data"],
    },
};

/// What an hour of a tenant came to.
#[derive(Clone, Debug, PartialEq)]
pub struct RolledHour {
    /// The tenant.
    pub user_id: UserId,
    /// When the hour begins.
    pub hour: OffsetDateTime,
    /// What it came to.
    pub data: Json,
}

/// What these hours came to; those of which nothing is known are left out.
///
/// # Errors
/// When the database fails.
pub async fn get(scope: &mut Scope, hours: &[(UserId, OffsetDateTime)]) -> Result<Vec<RolledHour>> {
    let keys = documents(
        hours
            .iter()
            .map(|(user, hour)| json!([user, hour.unix_timestamp()])),
    )?;
    let rows = scope.fetch(&GET, &[Value::from(&keys)]).await?;
    rows.iter()
        .map(|row| {
            let mut columns = row.columns();
            Ok(RolledHour {
                user_id: columns.read()?,
                hour: columns.read()?,
                data: columns.read()?,
            })
        })
        .collect()
}

/// Writes what hours came to.
///
/// # Errors
/// When the database fails.
pub async fn put(scope: &mut Scope, hours: &[RolledHour]) -> Result<()> {
    let rows: Vec<Vec<Value<'_>>> = hours
        .iter()
        .map(|hour| vec![hour.user_id.into(), hour.hour.into(), (&hour.data).into()])
        .collect();
    scope.insert(&PUT, &rows).await?;
    Ok(())
}

/// A stretch of a tenant's time.
#[derive(Clone, Copy, Debug)]
pub struct Stretch {
    /// The tenant.
    pub user_id: UserId,
    /// From this instant on.
    pub from: OffsetDateTime,
    /// Up to, and without, this one.
    pub until: OffsetDateTime,
}

impl Stretch {
    fn values(&self) -> [Value<'static>; 3] {
        let [from, until] = [self.from, self.until].map(Value::Timestamp);
        [self.user_id.into(), from, until]
    }
}

/// What the hours that begin in a stretch came to, in their order.
///
/// # Errors
/// When the database fails.
pub async fn range(scope: &mut Scope, stretch: &Stretch) -> Result<Vec<(OffsetDateTime, Json)>> {
    let rows = scope.fetch(&RANGE, &stretch.values()).await?;
    rows.iter()
        .map(|row| {
            let mut columns = row.columns();
            Ok((columns.read()?, columns.read()?))
        })
        .collect()
}

/// Forgets what the hours that begin in a stretch came to.
///
/// # Errors
/// When the database fails.
pub async fn forget(scope: &mut Scope, stretch: &Stretch) -> Result<()> {
    scope.execute(&FORGET, &stretch.values()).await?;
    Ok(())
}

/// The first `limit` hours of UTC of a tenant that are stale; 1970 stands for all.
///
/// # Errors
/// When the database fails.
pub async fn stale(scope: &mut Scope, user: UserId, limit: u32) -> Result<Vec<OffsetDateTime>> {
    let rows = scope
        .fetch(&STALE, &[user.into(), i64::from(limit).into()])
        .await?;
    rows.iter().map(|row| row.columns().read()).collect()
}

/// An hour of UTC is stale no more.
///
/// # Errors
/// When the database fails.
pub async fn fresh(scope: &mut Scope, user: UserId, hour: OffsetDateTime) -> Result<()> {
    scope
        .execute(&FRESH, &[user.into(), Value::Timestamp(hour)])
        .await?;
    Ok(())
}

/// The first `limit` tenants with stale hours.
///
/// # Errors
/// When the database fails.
pub async fn stale_tenants(scope: &mut Scope, limit: u32) -> Result<Vec<UserId>> {
    let rows = scope.fetch(&STALE_TENANTS, &[i64::from(limit).into()]).await?;
    rows.iter().map(|row| row.columns().read()).collect()
}

/// What a rollup needs of an interaction.
#[derive(Clone, Debug)]
pub struct RolledRow {
    /// The score.
    pub score: Option<Score>,
    /// For how many interactions it stands.
    pub weight: f64,
    /// How long it took.
    pub latency_ms: Option<i32>,
    /// Its flags.
    pub flags: Vec<String>,
    /// Pieces of personal data that were masked.
    pub redacted: i32,
    /// The same by kind, as far as it was we who masked them.
    pub redactions: Option<Json>,
    /// When it happened.
    pub created_at: OffsetDateTime,
    /// The row.
    pub id: InteractionId,
}

/// At most `limit` interactions of a stretch, in the order of their time, behind the one that is given.
///
/// # Errors
/// When the database fails.
pub async fn rows(
    scope: &mut Scope,
    stretch: &Stretch,
    after: Option<&RolledRow>,
    limit: u32,
) -> Result<Vec<RolledRow>> {
    let (at, id) = after.map_or((stretch.from, InteractionId(Uuid::nil())), |row| {
        (row.created_at, row.id)
    });
    let [at, until] = [at, stretch.until].map(Value::Timestamp);
    let values = [
        stretch.user_id.into(),
        at,
        until,
        id.into(),
        i64::from(limit).into(),
    ];
    let rows = scope.fetch(&ROWS, &values).await?;
    rows.iter()
        .map(|row| {
            let mut columns = row.columns();
            Ok(RolledRow {
                score: columns.read()?,
                weight: columns.read()?,
                latency_ms: columns.read()?,
                flags: columns.read()?,
                redacted: columns.read()?,
                redactions: columns.read()?,
                created_at: columns.read()?,
                id: columns.read()?,
            })
        })
        .collect()
}

/// Interactions that were dropped within a quarter of an hour.
#[derive(Clone, Copy, Debug)]
pub struct Drops {
    /// Why.
    pub reason: DropReason,
    /// When the quarter began.
    pub quarter: OffsetDateTime,
    /// How many.
    pub count: u64,
}

/// What was dropped in a stretch, as the ledger has it.
///
/// # Errors
/// When the database fails.
pub async fn drops(scope: &mut Scope, stretch: &Stretch) -> Result<Vec<Drops>> {
    let rows = scope.fetch(&DROPS, &stretch.values()).await?;
    rows.iter()
        .map(|row| {
            let mut columns = row.columns();
            let reason: String = columns.read()?;
            Ok(Drops {
                reason: DropReason::parse(&reason).ok_or(StoreError::Corrupt {
                    column: 0,
                    expected: "a reason",
                })?,
                quarter: columns.read()?,
                count: u64::try_from(columns.read::<i64>()?).unwrap_or(0),
            })
        })
        .collect()
}
