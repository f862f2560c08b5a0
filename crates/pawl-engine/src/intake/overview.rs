//! What a tenant's interactions came to: in a stretch of days, in the days before it, and over time.

use std::collections::BTreeMap;

use pawl_checks::rollup::Rollup;
use pawl_model::{Policy, UserId};
use pawl_store::rollups::Stretch;
use pawl_store::{Actor, Scope, intake, policies, rollups};
use time::{Date, OffsetDateTime};

use super::hour::rollup;
use super::zone::Zone;
use crate::{Engine, EngineError};

/// Days of the tenant, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Days {
    /// The first.
    pub first: Date,
    /// The last.
    pub last: Date,
}

/// How long the pieces of a series are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Local hours.
    Hour,
    /// Local days, of 23 to 25 hours.
    Day,
}

/// A piece of a series.
#[derive(Clone, Debug)]
pub struct Piece {
    /// When it begins.
    pub starts: OffsetDateTime,
    /// What it came to; none where nothing happened.
    pub rollup: Option<Rollup>,
}

/// What a tenant's interactions came to.
#[derive(Clone, Debug)]
pub struct Overview {
    /// The tenant's policy of this moment.
    pub policy: Policy,
    /// The days.
    pub days: Days,
    /// When they begin.
    pub from: OffsetDateTime,
    /// When they are over.
    pub until: OffsetDateTime,
    /// What they came to.
    pub total: Rollup,
    /// What as many days before them came to.
    pub before: Rollup,
    /// The same over time, without a gap: where nothing happened a piece has nothing.
    pub series: Vec<Piece>,
}

/// What arrived on the tenant's present day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Today {
    /// How many interactions were stored.
    pub stored: u64,
    /// How many the policy lets a day have.
    pub cap: u32,
}

impl Days {
    /// The most days of one overview.
    pub const MOST: i64 = 400;

    /// How many they are; 0 or less where the last is before the first.
    #[must_use]
    pub const fn count(self) -> i64 {
        self.last.to_julian_day() as i64 - self.first.to_julian_day() as i64 + 1
    }

    /// As many days right before them; none before the first day there is.
    #[must_use]
    pub fn before(self) -> Option<Self> {
        Some(Self {
            first: self.first.checked_sub(time::Duration::days(self.count()))?,
            last: self.first.previous_day()?,
        })
    }
}

impl Engine {
    /// What arrived on a tenant's present day, cheaply enough to be asked again and again.
    ///
    /// # Errors
    /// [`EngineError::UnknownUser`] for a tenant that the actor does not see; when the database fails.
    pub async fn today(&self, actor: Actor, user: UserId) -> Result<Today, EngineError> {
        let mut scope = self.store.read(actor).await?;
        let now = self.clock.now();
        let allowance = intake::allowances(&mut scope, &[user], now).await?.pop();
        let allowance = allowance.ok_or_else(|| EngineError::unknown_user(user))?;
        Ok(Today {
            stored: allowance.used(Zone::named_or_utc(&allowance.policy.timezone).day(now)),
            cap: allowance.policy.max_eval_per_day,
        })
    }

    /// What a tenant's interactions of these days came to.
    ///
    /// # Errors
    /// [`EngineError::Days`] when they are not 1 to 400 days; [`EngineError::UnknownUser`] for a tenant that the actor
    /// does not see; when the database fails.
    pub async fn overview(
        &self,
        actor: Actor,
        user: UserId,
        days: Days,
        step: Step,
    ) -> Result<Overview, EngineError> {
        let before = days.before().filter(|_| (1..=Days::MOST).contains(&days.count()));
        let before = before.ok_or(EngineError::Days { most: Days::MOST })?;
        let mut scope = self.store.read(actor).await?;
        policy(&mut scope, user).await?;
        drop(scope);
        self.freshen(user).await?;
        let mut scope = self.store.read(actor).await?;
        let policy = policy(&mut scope, user).await?;
        let zone = Zone::named_or_utc(&policy.timezone);
        let stretch = stretch(&zone, user, days);
        let hours = hours(&mut scope, &stretch).await?;
        let earlier = self::hours(&mut scope, &self::stretch(&zone, user, before)).await?;
        Ok(Overview {
            days,
            from: stretch.from,
            until: stretch.until,
            total: merged(hours.values()),
            before: merged(earlier.values()),
            series: series(&zone, &stretch, step, hours),
            policy,
        })
    }
}

async fn policy(scope: &mut Scope, user: UserId) -> Result<Policy, EngineError> {
    let policy = policies::list(scope, &[user]).await?.pop();
    policy.ok_or_else(|| EngineError::unknown_user(user))
}

fn stretch(zone: &Zone, user_id: UserId, days: Days) -> Stretch {
    Stretch {
        user_id,
        from: zone.day_start(days.first),
        until: zone.next_midnight(zone.day_start(days.last)),
    }
}

async fn hours(
    scope: &mut Scope,
    stretch: &Stretch,
) -> Result<BTreeMap<OffsetDateTime, Rollup>, EngineError> {
    rollups::range(scope, stretch)
        .await?
        .iter()
        .map(|(hour, data)| Ok((*hour, rollup(data)?)))
        .collect()
}

fn merged<'r>(rollups: impl Iterator<Item = &'r Rollup>) -> Rollup {
    let mut total = Rollup::default();
    rollups.for_each(|rollup| total.merge(rollup));
    total
}

fn series(
    zone: &Zone,
    stretch: &Stretch,
    step: Step,
    mut hours: BTreeMap<OffsetDateTime, Rollup>,
) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut starts = stretch.from;
    while starts < stretch.until {
        let ends = match step {
            Step::Hour => zone.hour_end(starts),
            Step::Day => zone.next_midnight(starts),
        };
        let later = hours.split_off(&ends);
        let these = std::mem::replace(&mut hours, later);
        pieces.push(Piece {
            starts,
            rollup: (!these.is_empty()).then(|| merged(these.values())),
        });
        starts = ends;
    }
    pieces
}
