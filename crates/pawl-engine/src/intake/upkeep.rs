//! What follows behind the commits: stale hours are added up again, and words are indexed.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use pawl_checks::rollup::{Observation, Rollup};
use pawl_checks::words::each_word;
use pawl_model::{Json, UserId};
use pawl_store::rollups::{RolledHour, RolledRow, Stretch};
use pawl_store::{Actor, Scope, intake, policies, rollups, search};
use time::OffsetDateTime;
use tokio_util::sync::CancellationToken;

use super::hour::data;
use super::zone::Zone;
use crate::{Engine, EngineError};

/// Rows that are read at a time.
const PAGE: u32 = 5_000;
/// Hours that are added up in memory at a time.
const HOURS: usize = 200;
/// Stale hours, and tenants with some, that are seen to at a time.
const STALE: u32 = 1_000;
/// Interactions whose words are indexed together: enough for their part of the index to stay as it is, few enough to be
/// written in a moment, in which what is to be stored waits on SQLite.
const INDEXED: u32 = 8_192;
/// How long the indexing of words then stands back, in terms of what it took: storing goes first.
const LEISURE: u32 = 2;
/// How far behind it goes ahead all the same: what is stored is found within seconds.
const LATE: time::Duration = time::Duration::seconds(2);
/// How often there is looked for something to do.
const PAUSE: Duration = Duration::from_secs(1);

impl Engine {
    /// Keeps rollups fresh and words indexed until `stop` is cancelled. `failed` is told what went wrong; it is tried
    /// again.
    pub async fn keep_up(&self, stop: &CancellationToken, failed: impl Fn(&EngineError)) {
        loop {
            let pass = async {
                self.index(LEISURE).await?;
                self.freshen_all().await
            };
            if let Err(error) = pass.await {
                failed(&error);
            }
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(PAUSE) => {}
            }
        }
    }

    /// Does all that there is to do now.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn catch_up(&self) -> Result<(), EngineError> {
        self.index(0).await?;
        self.freshen_all().await
    }

    /// Indexes whatever words wait for it, with pauses of so many times what some of them took, unless it is late.
    async fn index(&self, leisure: u32) -> Result<(), EngineError> {
        loop {
            let mut scope = self.store.read(Actor::Service).await?;
            let behind_since = search::behind_since(&mut scope).await?;
            drop(scope);
            let started = Instant::now();
            let Some(behind_since) = behind_since else {
                return Ok(());
            };
            if !self.index_some().await? {
                return Ok(());
            }
            if self.clock.now() - behind_since < LATE {
                tokio::time::sleep(started.elapsed() * leisure).await;
            }
        }
    }

    /// Indexes some of the words that wait for it, if any do and nobody else is at it.
    async fn index_some(&self) -> Result<bool, EngineError> {
        let mut scope = self.store.write(Actor::Service).await?;
        search::claim(&mut scope, INDEXED).await?;
        scope.commit().await?;
        let mut scope = self.store.read(Actor::Service).await?;
        let gathered =
            search::Gathered::read(&mut scope, INDEXED, |text, found| each_word(text, found)).await?;
        drop(scope);
        let Some(gathered) = gathered else {
            return Ok(false);
        };
        let Some(tenants) = self.change_index(|| Ok(gathered.into_change())).await? else {
            return Ok(false);
        };
        for tenant in tenants {
            self.merge_index(tenant).await?;
        }
        Ok(true)
    }

    /// Merges parts of the index until none of a tenant's are to be merged.
    async fn merge_index(&self, tenant: UserId) -> Result<(), EngineError> {
        loop {
            let mut scope = self.store.read(Actor::Service).await?;
            let merge = search::Merge::read(&mut scope, tenant).await?;
            drop(scope);
            let Some(merge) = merge else { return Ok(()) };
            if self.change_index(|| merge.into_change()).await?.is_none() {
                return Ok(());
            }
        }
    }

    /// Finds out, aside, how the index is to be changed, and writes it, so that what is stored meanwhile waits for the
    /// latter alone; none where somebody else is at it.
    async fn change_index(
        &self,
        change: impl FnOnce() -> pawl_store::Result<search::Change> + Send + 'static,
    ) -> Result<Option<BTreeSet<UserId>>, EngineError> {
        let change = tokio::task::spawn_blocking(change).await;
        let change = change.map_err(EngineError::Worker)??;
        let mut scope = self.store.write(Actor::Service).await?;
        let tenants = change.write(&mut scope).await?;
        if tenants.is_some() {
            scope.commit().await?;
        }
        Ok(tenants)
    }

    async fn freshen_all(&self) -> Result<(), EngineError> {
        let mut scope = self.store.read(Actor::Service).await?;
        let tenants = rollups::stale_tenants(&mut scope, STALE).await?;
        drop(scope);
        for tenant in tenants {
            self.freshen(tenant).await?;
        }
        Ok(())
    }

    /// Adds up again whatever hours of a tenant are stale.
    pub(crate) async fn freshen(&self, user: UserId) -> Result<(), EngineError> {
        let mut scope = self.store.read(Actor::Service).await?;
        let is_stale = !rollups::stale(&mut scope, user, 1).await?.is_empty();
        drop(scope);
        if !is_stale {
            return Ok(());
        }
        let mut scope = self.store.write(Actor::Service).await?;
        intake::hold(&mut scope, &[user]).await?;
        let stale = rollups::stale(&mut scope, user, STALE).await?;
        let policy = policies::list(&mut scope, &[user]).await?.pop();
        let zone = Zone::named_or_utc(policy.as_ref().map_or("UTC", |policy| &policy.timezone));
        let all = stale.contains(&OffsetDateTime::UNIX_EPOCH);
        for stretch in stretches(&zone, user, &stale, all) {
            // Without the tenant nothing is left to add up.
            if policy.is_some() {
                add_up(&mut scope, &zone, &stretch).await?;
            }
        }
        for hour in stale {
            rollups::fresh(&mut scope, user, hour).await?;
        }
        scope.commit().await?;
        Ok(())
    }
}

/// The local hours that stale hours of UTC touch, those that follow each other together; or all time.
fn stretches(zone: &Zone, user_id: UserId, stale: &[OffsetDateTime], all: bool) -> Vec<Stretch> {
    if all {
        let until =
            OffsetDateTime::from_unix_timestamp(253_402_300_799).unwrap_or(OffsetDateTime::UNIX_EPOCH);
        return vec![Stretch {
            user_id,
            from: OffsetDateTime::UNIX_EPOCH,
            until,
        }];
    }
    let mut stretches: Vec<Stretch> = Vec::new();
    for hour in stale {
        let from = zone.hour_start(*hour);
        let last = *hour + time::Duration::HOUR - time::Duration::MICROSECOND;
        let until = zone.hour_end(last);
        match stretches.last_mut() {
            Some(before) if before.until >= from => before.until = before.until.max(until),
            _ => stretches.push(Stretch { user_id, from, until }),
        }
    }
    stretches
}

/// Adds up a stretch of whole local hours from the rows themselves.
async fn add_up(scope: &mut Scope, zone: &Zone, stretch: &Stretch) -> Result<(), EngineError> {
    rollups::forget(scope, stretch).await?;
    let mut hours: BTreeMap<OffsetDateTime, Rollup> = BTreeMap::new();
    for drops in rollups::drops(scope, stretch).await? {
        let hour = hours.entry(zone.hour_start(drops.quarter)).or_default();
        hour.add_drops(drops.reason, drops.count);
    }
    let mut after: Option<RolledRow> = None;
    loop {
        let page = rollups::rows(scope, stretch, after.as_ref(), PAGE).await?;
        for row in &page {
            add_row(hours.entry(zone.hour_start(row.created_at)).or_default(), row)?;
        }
        let Some(last) = page.last() else { break };
        // Rows come in the order of their time: hours before that of the last one are complete.
        if hours.len() > HOURS {
            let rest = hours.split_off(&zone.hour_start(last.created_at));
            put(scope, stretch.user_id, std::mem::replace(&mut hours, rest)).await?;
        }
        after = page.into_iter().next_back();
    }
    put(scope, stretch.user_id, hours).await
}

async fn put(
    scope: &mut Scope,
    user_id: UserId,
    hours: BTreeMap<OffsetDateTime, Rollup>,
) -> Result<(), EngineError> {
    let hours: Vec<RolledHour> = hours
        .into_iter()
        .map(|(hour, rollup)| {
            Ok(RolledHour {
                user_id,
                hour,
                data: data(&rollup)?,
            })
        })
        .collect::<Result<_, EngineError>>()?;
    rollups::put(scope, &hours).await?;
    Ok(())
}

/// Adds a row as it is stored. A weight that rollups do not take was written behind our back: it counts as one.
fn add_row(hour: &mut Rollup, row: &RolledRow) -> Result<(), EngineError> {
    let redactions = row.redactions.as_ref().map(Json::to_value);
    let kinds: Vec<(&str, u32)> = redactions
        .as_ref()
        .and_then(serde_json::Value::as_object)
        .into_iter()
        .flatten()
        .filter_map(|(kind, count)| Some((kind.as_str(), u32::try_from(count.as_u64()?).ok()?)))
        .collect();
    let observation = Observation {
        score: row.score.as_ref(),
        weight: row.weight,
        latency_ms: row.latency_ms,
        flags: &row.flags,
        redacted: u32::try_from(row.redacted).unwrap_or(0),
        redactions: &kinds,
    };
    hour.add(&observation)
        .or_else(|_| {
            hour.add(&Observation {
                weight: 1.0,
                ..observation
            })
        })
        .map_err(EngineError::Rollup)
}
