//! What intake keeps besides interactions: the use of each day's cap, and the ledger of what was dropped.

use pawl_model::{DropReason, UserId};
use serde_json::json;
use time::{Date, OffsetDateTime};

use crate::statement::{documents, pair};
use crate::{Result, Scope, Statement, StoreError, Value};

const HOLD: Statement = pair!("intake/hold");
const DAYS: Statement = pair!("intake/days");
const SET_DAYS: Statement = pair!("intake/set_days");
const RECORD_DROPS: Statement = pair!("intake/record_drops");

pub(crate) const STATEMENTS: &[Statement] = &[HOLD, DAYS, SET_DAYS, RECORD_DROPS];

/// Until the transaction ends nobody else stores interactions of these tenants; tells those that there are.
///
/// # Errors
/// When the database fails.
pub async fn hold(scope: &mut Scope, users: &[UserId]) -> Result<Vec<UserId>> {
    let users: Vec<String> = users.iter().map(ToString::to_string).collect();
    let rows = scope.fetch(&HOLD, &[Value::from(users.as_slice())]).await?;
    rows.iter().map(|row| row.columns().read()).collect()
}

/// How much of a day's cap is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UsedDay {
    /// The tenant.
    pub user_id: UserId,
    /// The day in the tenant's zone.
    pub day: Date,
    /// Interactions that arrived on it and were stored.
    pub stored: u64,
}

/// How much is used of the caps of these days; days without use are left out.
///
/// # Errors
/// When the database fails.
pub async fn days(scope: &mut Scope, days: &[(UserId, Date)]) -> Result<Vec<UsedDay>> {
    let keys = documents(days.iter().map(|(user, day)| json!([user, day.to_string()])))?;
    let rows = scope.fetch(&DAYS, &[Value::from(&keys)]).await?;
    rows.iter()
        .map(|row| {
            let mut columns = row.columns();
            Ok(UsedDay {
                user_id: columns.read()?,
                day: date(&columns.read::<String>()?)?,
                stored: u64::try_from(columns.read::<i64>()?).unwrap_or(0),
            })
        })
        .collect()
}

/// Writes how much is used of the caps of these days.
///
/// # Errors
/// When the database fails.
pub async fn set_days(scope: &mut Scope, days: &[UsedDay]) -> Result<()> {
    let rows = documents(
        days.iter()
            .map(|used| json!([used.user_id, used.day.to_string(), used.stored])),
    )?;
    scope.execute(&SET_DAYS, &[Value::from(&rows)]).await?;
    Ok(())
}

fn date(text: &str) -> Result<Date> {
    Date::parse(text, &time::format_description::well_known::Iso8601::DATE).map_err(|_| StoreError::Corrupt {
        column: 1,
        expected: "a day",
    })
}

/// Attempts to hand in an interaction that was dropped.
#[derive(Clone, Debug)]
pub struct DroppedAttempts {
    /// The tenant.
    pub user_id: UserId,
    /// The id that the agent gave it, masked.
    pub interaction_id: String,
    /// The day in the tenant's zone.
    pub day: Date,
    /// Why.
    pub reason: DropReason,
    /// How many attempts, at least one.
    pub attempts: u32,
}

/// Counts attempts in the ledger, each interaction, day and reason once; tells which were not in it before.
///
/// # Errors
/// When the database fails.
pub async fn record_drops(
    scope: &mut Scope,
    drops: &[DroppedAttempts],
    at: OffsetDateTime,
) -> Result<Vec<(UserId, DropReason)>> {
    let rows = documents(drops.iter().map(|drop| {
        let day = drop.day.to_string();
        json!([
            drop.user_id,
            drop.interaction_id,
            day,
            drop.reason.as_str(),
            drop.attempts
        ])
    }))?;
    let counted = scope
        .fetch(&RECORD_DROPS, &[Value::from(&rows), at.into()])
        .await?;
    let attempts_of = |user: UserId, id: &str, reason: &str| {
        let of = |drop: &&DroppedAttempts| {
            drop.user_id == user && drop.interaction_id == id && drop.reason.as_str() == reason
        };
        drops.iter().find(of)
    };
    let mut fresh = Vec::new();
    for row in &counted {
        let mut columns = row.columns();
        let (user, id, reason): (UserId, String, String) =
            (columns.read()?, columns.read()?, columns.read()?);
        let attempts: i64 = columns.read()?;
        if let Some(drop) = attempts_of(user, &id, &reason)
            && attempts == i64::from(drop.attempts)
        {
            fresh.push((user, drop.reason));
        }
    }
    Ok(fresh)
}
