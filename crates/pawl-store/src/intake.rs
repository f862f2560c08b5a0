//! What intake keeps besides interactions: the use of each day's cap, and the ledger of what was dropped.

use pawl_model::{DropReason, Policy, UserId};
use serde_json::json;
use time::{Date, OffsetDateTime, UtcOffset};

use crate::query::Dialect;
use crate::statement::{documents, pair};
use crate::{Result, Scope, Statement, StoreError, Value, policies};

const HOLD: Statement = pair!("intake/hold");
const ALLOWANCES: Statement = pair!("intake/allowances");
const SET_DAYS: Statement = pair!("intake/set_days");
const RECORD_DROPS: Statement = pair!("intake/record_drops");

pub(crate) const STATEMENTS: &[Statement] = &[HOLD, ALLOWANCES, SET_DAYS, RECORD_DROPS];

/// Until the transaction ends nobody else stores interactions of these tenants.
///
/// # Errors
/// When the database fails.
pub async fn hold(scope: &mut Scope, users: &[UserId]) -> Result<()> {
    // SQLite has one writer at a time already.
    if scope.dialect() == Dialect::Postgres {
        let users: Vec<String> = users.iter().map(ToString::to_string).collect();
        scope.fetch(&HOLD, &[Value::from(users.as_slice())]).await?;
    }
    Ok(())
}

/// What a tenant may store.
#[derive(Clone, Debug)]
pub struct Allowance {
    /// Its policy, the default one where it has none.
    pub policy: Policy,
    /// What of it is used on the days around a moment, whatever its zone.
    days: Vec<(Date, u64)>,
}

impl Allowance {
    /// Interactions that arrived on a day of the tenant's and were stored.
    #[must_use]
    pub fn used(&self, day: Date) -> u64 {
        let of_day = self.days.iter().find(|(known, _)| *known == day);
        of_day.map_or(0, |(_, stored)| *stored)
    }
}

/// What these users may store at a moment; users that there are not are left out.
///
/// # Errors
/// When the database fails.
pub async fn allowances(scope: &mut Scope, users: &[UserId], at: OffsetDateTime) -> Result<Vec<Allowance>> {
    let users: Vec<String> = users.iter().map(ToString::to_string).collect();
    let today = at.to_offset(UtcOffset::UTC).date();
    let [from, until] = [today.previous_day(), today.next_day()].map(|day| day.unwrap_or(today).to_string());
    let values = [users.as_slice().into(), from.into(), until.into()];
    let mut allowances: Vec<Allowance> = Vec::new();
    for row in scope.fetch(&ALLOWANCES, &values).await? {
        let mut columns = row.columns();
        let (day, stored): (Option<String>, Option<i64>) = (columns.read()?, columns.read()?);
        let policy = policies::read(columns)?;
        if allowances
            .last()
            .is_none_or(|last| last.policy.user_id != policy.user_id)
        {
            let days = Vec::new();
            allowances.push(Allowance { policy, days });
        }
        if let (Some(last), Some(day), Some(stored)) = (allowances.last_mut(), day, stored) {
            last.days.push((date(&day)?, u64::try_from(stored).unwrap_or(0)));
        }
    }
    Ok(allowances)
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
        column: 0,
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
