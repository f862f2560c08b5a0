//! The past of a support agent: interactions over weeks, with the shape of days and weeks, and an incident in it.

use std::ops::Range;

use pawl_model::{NewInteraction, Policy, UserId};
use pawl_store::{Actor, policies};
use time::{Duration, OffsetDateTime, Weekday};
use tokio_util::sync::CancellationToken;

use super::agent::{Conditions, INCIDENT_FLAG, INCIDENT_SLOWNESS, SupportAgent};
use super::draw::Draw;
use crate::intake::{Outcome, Terms, Zone};
use crate::{Engine, EngineError};

/// Interactions that are stored together.
const BATCH: usize = 1_000;

/// Streams of draws that are no interaction's: their numbers have 32 bits.
const HOURS: u64 = 1 << 32;
const INCIDENT: u64 = 2 << 32;
const MOMENTS: u64 = 3 << 32;

/// How busy each hour of a day is.
const OF_DAY: [f64; 24] = [
    1.2, 0.8, 0.6, 0.5, 0.6, 1.0, 2.0, 4.0, 7.0, 9.5, 10.5, 10.0, 8.5, 9.0, 9.5, 9.0, 8.0, 7.0, 6.5, 6.0,
    5.0, 4.0, 2.8, 1.8,
];

/// An incident begins in one of these hours of a working day.
const OFFICE_HOURS: Range<u8> = 9..17;

/// A history to be made up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HistoryPlan {
    /// Whose it is.
    pub user: UserId,
    /// How many interactions.
    pub rows: u32,
    /// Over how many days of 24 hours, up to the beginning of the tenant's hour at its end.
    pub days: u16,
    /// Its end; now, unless it is before.
    pub until: Option<OffsetDateTime>,
    /// Decides everything but the times.
    pub random_seed: u64,
}

/// A stretch in which things went wrong.
#[derive(Clone, Debug, PartialEq)]
pub struct Incident {
    /// When, in the tenant's time zone.
    pub hours: Range<OffsetDateTime>,
    /// How many interactions it has.
    pub interactions: u32,
    /// What was noticed of most of them.
    pub flag: &'static str,
    /// How many times as long as usual they took.
    pub slowness: f64,
}

/// A history that was stored.
#[derive(Clone, Debug, PartialEq)]
pub struct History {
    /// The tenant's policy.
    pub policy: Policy,
    /// From when until when, in the tenant's time zone.
    pub span: Range<OffsetDateTime>,
    /// What was planted in it.
    pub incident: Incident,
    /// How many interactions are new.
    pub created: u32,
    /// How many were there already.
    pub duplicates: u32,
    /// How many stay as they were, since others are stored under their ids.
    pub conflicts: u32,
    /// Whether all of it was stored; not when it was stopped.
    pub is_whole: bool,
}

impl Engine {
    /// Makes up a history and stores it: masked and added up as the tenant's policy has it, but neither sampled nor
    /// counted in the cap. `stored` is told how many are stored so far. When `stop` is cancelled it ends early.
    ///
    /// # Errors
    /// [`EngineError::UnknownUser`] when there is no such tenant; when the database fails.
    pub async fn write_history(
        &self,
        plan: HistoryPlan,
        stop: &CancellationToken,
        stored: &(dyn Fn(u32) + Sync),
    ) -> Result<History, EngineError> {
        let policy = self.policy_of(plan.user).await?;
        let zone = Zone::named_or_utc(&policy.timezone);
        let now = self.clock.now();
        let end = plan.until.map_or(now, |until| until.min(now));
        let mut past = Past::new(plan, &zone, end);
        let mut history = History {
            policy,
            span: past.span(),
            incident: past.incident(),
            created: 0,
            duplicates: 0,
            conflicts: 0,
            is_whole: true,
        };
        loop {
            let batch: Vec<NewInteraction> = past.by_ref().take(BATCH).collect();
            if batch.is_empty() {
                break;
            }
            if stop.is_cancelled() {
                history.is_whole = false;
                break;
            }
            for outcome in self.ingest(batch, Terms::History).await? {
                match outcome {
                    Outcome::Created { .. } => history.created += 1,
                    Outcome::Duplicate { .. } => history.duplicates += 1,
                    Outcome::Conflict { .. } => history.conflicts += 1,
                    // History is neither sampled nor capped, so the tenant has been deleted meanwhile.
                    _ => return Err(EngineError::unknown_user(plan.user)),
                }
            }
            stored(history.created + history.duplicates + history.conflicts);
        }
        Ok(history)
    }

    async fn policy_of(&self, user: UserId) -> Result<Policy, EngineError> {
        let mut scope = self.store.read(Actor::Service).await?;
        let policy = policies::list(&mut scope, &[user]).await?.pop();
        policy.ok_or_else(|| EngineError::unknown_user(user))
    }
}

/// An hour of the tenant's.
struct Hour {
    starts: OffsetDateTime,
    ends: OffsetDateTime,
    interactions: u32,
    conditions: Conditions,
}

/// Gives the interactions of a history in the order of their times.
struct Past {
    agent: SupportAgent,
    hours: Vec<Hour>,
    moments: Draw,
    /// The hour that is being gone through, and how many interactions it has given.
    hour: usize,
    given: u32,
    number: u32,
}

impl Past {
    fn new(plan: HistoryPlan, zone: &Zone, end: OffsetDateTime) -> Self {
        let ends = zone.local(zone.hour_start(end));
        let mut hours = hours(plan, zone, ends);
        plant_incident(&mut hours, plan.random_seed);
        let HistoryPlan {
            rows,
            days,
            random_seed,
            ..
        } = plan;
        let (day, hour) = (ends.date(), ends.hour());
        Self {
            agent: SupportAgent {
                user_id: plan.user,
                random_seed: plan.random_seed,
                session: format!("history-{random_seed}-{rows}-{days}-{day}-{hour:02}"),
            },
            hours,
            moments: Draw::new(plan.random_seed, MOMENTS),
            hour: 0,
            given: 0,
            number: 0,
        }
    }

    fn span(&self) -> Range<OffsetDateTime> {
        let first = self.hours.first().map(|hour| hour.starts);
        let last = self.hours.last().map(|hour| hour.ends);
        first.unwrap_or(OffsetDateTime::UNIX_EPOCH)..last.unwrap_or(OffsetDateTime::UNIX_EPOCH)
    }

    fn incident(&self) -> Incident {
        let hours = || {
            self.hours
                .iter()
                .filter(|hour| hour.conditions == Conditions::Incident)
        };
        let starts = hours().next().map(|hour| hour.starts);
        let ends = hours().next_back().map(|hour| hour.ends);
        Incident {
            hours: starts.unwrap_or(OffsetDateTime::UNIX_EPOCH)..ends.unwrap_or(OffsetDateTime::UNIX_EPOCH),
            interactions: hours().map(|hour| hour.interactions).sum(),
            flag: INCIDENT_FLAG,
            slowness: INCIDENT_SLOWNESS,
        }
    }
}

impl Iterator for Past {
    type Item = NewInteraction;

    fn next(&mut self) -> Option<NewInteraction> {
        while self.given == self.hours.get(self.hour)?.interactions {
            self.hour += 1;
            self.given = 0;
        }
        let hour = self.hours.get(self.hour)?;
        // Each in a stretch of its own, so that they are in order.
        let place = (f64::from(self.given) + self.moments.unit()) / f64::from(hour.interactions);
        let length = (hour.ends - hour.starts).whole_microseconds() as f64;
        let at = hour.starts + Duration::microseconds((place * length) as i64);
        let interaction = NewInteraction {
            created_at: Some(at.to_offset(time::UtcOffset::UTC)),
            ..self.agent.interaction(self.number, hour.conditions)
        };
        self.given += 1;
        self.number += 1;
        Some(interaction)
    }
}

/// The hours up to `ends`, with the interactions shared out among them by how busy they are.
fn hours(plan: HistoryPlan, zone: &Zone, ends: OffsetDateTime) -> Vec<Hour> {
    let mut draw = Draw::new(plan.random_seed, HOURS);
    let mut hours = Vec::new();
    let (mut busy, mut total) = (Vec::new(), 0.0);
    let mut starts = zone.hour_start(ends - Duration::days(i64::from(plan.days)));
    while starts < ends {
        let local = zone.local(starts);
        let next = zone.hour_end(starts);
        total += busyness(local) * (next - starts).as_seconds_f64() * draw.log_normal(1.0, 0.15);
        busy.push(total);
        hours.push(Hour {
            starts: local,
            ends: zone.local(next),
            interactions: 0,
            conditions: Conditions::Usual,
        });
        starts = next;
    }
    let mut shared = 0;
    for (hour, so_far) in hours.iter_mut().zip(busy) {
        let until = (f64::from(plan.rows) * (so_far / total)).round() as u32;
        hour.interactions = until - shared;
        shared = until;
    }
    hours
}

fn busyness(local: OffsetDateTime) -> f64 {
    let of_week = match local.weekday() {
        Weekday::Monday => 1.15,
        Weekday::Tuesday => 1.1,
        Weekday::Wednesday => 1.05,
        Weekday::Thursday => 1.0,
        Weekday::Friday => 0.9,
        Weekday::Saturday => 0.5,
        Weekday::Sunday => 0.35,
    };
    of_week * OF_DAY[usize::from(local.hour())]
}

/// Two hours after another in which things go wrong; in office hours where there are any.
fn plant_incident(hours: &mut [Hour], random_seed: u64) {
    let is_office = |hour: &Hour| {
        let is_weekend = matches!(hour.starts.weekday(), Weekday::Saturday | Weekday::Sunday);
        !is_weekend && OFFICE_HOURS.contains(&hour.starts.hour())
    };
    let last = hours.len().saturating_sub(1);
    let office: Vec<usize> = (0..last).filter(|place| is_office(&hours[*place])).collect();
    let mut draw = Draw::new(random_seed, INCIDENT);
    let first = if office.is_empty() {
        draw.below(last.max(1))
    } else {
        *draw.one_of(&office)
    };
    for hour in hours.iter_mut().skip(first).take(2) {
        hour.conditions = Conditions::Incident;
    }
}

#[cfg(test)]
#[path = "history_tests.rs"]
mod tests;
