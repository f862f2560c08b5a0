//! Storing what several requests handed in, in one transaction: each item is decided in its order, under its tenant's
//! policy of this moment.

mod accounts;
mod appraisal;
mod repetition;
mod tenant;
mod traces;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use pawl_checks::rollup::{Observation, Rollup};
use pawl_checks::sampling::{Decision, Signals, decide};
use pawl_model::{DropReason, Interaction, InteractionId, Json, NewInteraction, UserId};
use pawl_store::interactions::{Known, NewRow};
use pawl_store::{Actor, Scope, Store, intake, interactions};
use time::OffsetDateTime;

use self::repetition::{again, known_before};
use self::tenant::Tenant;
use super::content::ContentHash;
use super::masking::{Maskers, Redactions, redactions};
use super::online::OnlineChecks;
use super::outcome::{Batch, Item, Outcome, Terms};
use super::signals;
use crate::{Clock, EngineError};

/// What storing needs.
#[derive(Clone)]
pub(crate) struct Context {
    pub(crate) store: Store,
    pub(crate) clock: Clock,
    pub(crate) maskers: Arc<Maskers>,
    pub(crate) online_checks: Arc<OnlineChecks>,
}

impl Context {
    /// Stores what is to be stored of these batches: an outcome for each of their items, durable once they are told.
    pub(crate) async fn store(&self, batches: &[&Batch]) -> Result<Vec<Vec<Outcome>>, EngineError> {
        // Nearly always everything is new and has room, and then there is nothing to look up.
        let mut scope = self.store.write_some(Actor::Service).await?;
        let mut group = self.begin(&mut scope, tenants_of(batches)).await?;
        let outcomes = group.take_all(&mut scope, batches).await?;
        if group.drops.is_empty() && interactions::insert_new(&mut scope, &group.rows).await? {
            group.write_beside(&mut scope).await?;
            scope.commit().await?;
            return Ok(outcomes);
        }
        scope.roll_back().await?;
        let mut scope = self.store.write_some(Actor::Service).await?;
        let outcomes = self.store_in(&mut scope, batches).await?;
        scope.commit().await?;
        Ok(outcomes)
    }

    /// As [`Context::store`], within a transaction of the service.
    pub(crate) async fn store_in(
        &self,
        scope: &mut Scope,
        batches: &[&Batch],
    ) -> Result<Vec<Vec<Outcome>>, EngineError> {
        let mut group = self.begin(scope, tenants_of(batches)).await?;
        group.look_up(scope, batches).await?;
        let outcomes = group.take_all(scope, batches).await?;
        interactions::insert(scope, &group.rows).await?;
        group.write_beside(scope).await?;
        Ok(outcomes)
    }

    /// Begins to store for these tenants: until the transaction ends nobody else does.
    async fn begin<'b>(&self, scope: &mut Scope, users: BTreeSet<UserId>) -> Result<Group<'b>, EngineError> {
        let users: Vec<UserId> = users.into_iter().collect();
        intake::hold(scope, &users).await?;
        let now = self.clock.now();
        let allowances = intake::allowances(scope, &users, now).await?.into_iter();
        let tenants = allowances.map(|allowance| (allowance.policy.user_id, self.tenant(allowance, now)));
        let tenants: HashMap<UserId, Tenant> = tenants.collect();
        Ok(Group {
            clock: self.clock.clone(),
            now,
            tenants,
            stored: HashMap::new(),
            fresh: HashMap::new(),
            rows: Vec::new(),
            drops: BTreeMap::new(),
            hours: BTreeMap::new(),
        })
    }
}

fn tenants_of(batches: &[&Batch]) -> BTreeSet<UserId> {
    let items = batches.iter().flat_map(|batch| &batch.items);
    items.map(|item| item.interaction.user_id).collect()
}

fn key(item: &Item) -> (UserId, &str) {
    (item.interaction.user_id, &item.interaction.interaction_id)
}

/// What a transaction has come to so far.
struct Group<'b> {
    clock: Clock,
    now: OffsetDateTime,
    tenants: HashMap<UserId, Tenant>,
    /// Interactions that were there before.
    stored: HashMap<(UserId, String), Known>,
    /// Those of this transaction.
    fresh: HashMap<(UserId, &'b str), (InteractionId, &'b Item)>,
    rows: Vec<NewRow>,
    drops: BTreeMap<(UserId, String, DropReason), u32>,
    hours: BTreeMap<(UserId, OffsetDateTime), Rollup>,
}

/// An interaction as it is to be stored.
struct Prepared {
    id: InteractionId,
    /// Masked, where the policy says so.
    interaction: NewInteraction,
    redactions: Option<Redactions>,
    hash: ContentHash,
    weight: f64,
    /// Whether a tool call or a span is an error.
    has_error: bool,
}

/// What is to become of an item.
enum Fate {
    Store { weight: f64 },
    Drop(DropReason),
    Told(Outcome),
}

impl<'b> Group<'b> {
    /// Finds out which of the items are there already.
    async fn look_up(&mut self, scope: &mut Scope, batches: &[&'b Batch]) -> Result<(), EngineError> {
        let items = batches.iter().flat_map(|batch| &batch.items);
        let keys: Vec<(UserId, &str)> = items.map(key).collect();
        let known = interactions::known(scope, &keys).await?.into_iter();
        self.stored = known
            .map(|known| ((known.user_id, known.interaction_id.clone()), known))
            .collect();
        Ok(())
    }

    async fn take_all(
        &mut self,
        scope: &mut Scope,
        batches: &[&'b Batch],
    ) -> Result<Vec<Vec<Outcome>>, EngineError> {
        let mut outcomes = Vec::with_capacity(batches.len());
        for batch in batches {
            outcomes.push(self.take(scope, batch).await?);
        }
        Ok(outcomes)
    }

    async fn take(&mut self, scope: &mut Scope, batch: &'b Batch) -> Result<Vec<Outcome>, EngineError> {
        let full = match batch.terms {
            Terms::Whole => self.full(scope, batch).await?,
            _ => HashSet::new(),
        };
        let mut outcomes = Vec::with_capacity(batch.items.len());
        for item in &batch.items {
            let outcome = match self.fate(scope, item, batch.terms).await? {
                Fate::Told(outcome) => outcome,
                Fate::Store { .. } if full.contains(&item.interaction.user_id) => {
                    self.drop(item, DropReason::OverCap)
                }
                Fate::Store { .. } if !full.is_empty() => Outcome::Withheld,
                Fate::Store { weight } => self.add(item, weight, batch.terms)?,
                Fate::Drop(reason) => self.drop(item, reason),
            };
            outcomes.push(outcome);
        }
        Ok(outcomes)
    }

    /// The tenants for which a batch has more than they have room for.
    async fn full(&self, scope: &mut Scope, batch: &'b Batch) -> Result<HashSet<UserId>, EngineError> {
        let mut new: HashMap<UserId, HashSet<&str>> = HashMap::new();
        for item in &batch.items {
            if let Fate::Store { .. } = self.fate(scope, item, batch.terms).await? {
                let (user, id) = key(item);
                new.entry(user).or_default().insert(id);
            }
        }
        let lacks_room = |(user, ids): &(&UserId, &HashSet<&str>)| {
            let tenant = self.tenants.get(*user);
            tenant.is_some_and(|tenant| !tenant.has_room(ids.len() as u64))
        };
        Ok(new.iter().filter(lacks_room).map(|(user, _)| *user).collect())
    }

    async fn fate(&self, scope: &mut Scope, item: &'b Item, terms: Terms) -> Result<Fate, EngineError> {
        let (user, id) = key(item);
        let Some(tenant) = self.tenants.get(&user) else {
            return Ok(Fate::Told(Outcome::UnknownTenant));
        };
        if let Some((row, first)) = self.fresh.get(&(user, id)) {
            return Ok(Fate::Told(again(*row, first, item)));
        }
        if let Some(known) = self.stored.get(&(user, id.to_owned())) {
            return Ok(Fate::Told(known_before(scope, tenant, known, item).await?));
        }
        let interaction = &item.interaction;
        let weight = match terms {
            Terms::ApplyPolicy => {
                let signals = Signals {
                    score: interaction.score.as_ref(),
                    flags: &interaction.flags,
                    error_span: signals::has_error(interaction),
                };
                match decide(&tenant.policy, id, &signals) {
                    Decision::Keep { weight } => weight,
                    Decision::SampledOut => return Ok(Fate::Drop(DropReason::SampledOut)),
                }
            }
            Terms::Sampled | Terms::Whole | Terms::History => interaction.sample_weight.unwrap_or(1.0),
        };
        if matches!(terms, Terms::Sampled | Terms::ApplyPolicy) && !tenant.has_room(1) {
            return Ok(Fate::Drop(DropReason::OverCap));
        }
        Ok(Fate::Store { weight })
    }

    fn drop(&mut self, item: &Item, reason: DropReason) -> Outcome {
        let (user, id) = key(item);
        let Some(tenant) = self.tenants.get(&user) else {
            return Outcome::UnknownTenant;
        };
        let id = tenant.masker.mask(id).text.into_owned();
        *self.drops.entry((user, id, reason)).or_default() += 1;
        match reason {
            DropReason::SampledOut => Outcome::SampledOut,
            DropReason::OverCap => Outcome::OverCap {
                next_day: tenant.zone.next_midnight(self.now),
            },
        }
    }

    fn add(&mut self, item: &'b Item, weight: f64, terms: Terms) -> Result<Outcome, EngineError> {
        let (user, _) = key(item);
        let Some(tenant) = self.tenants.get_mut(&user) else {
            return Ok(Outcome::UnknownTenant);
        };
        if terms != Terms::History {
            tenant.used += 1;
            tenant.used_more = true;
        }
        let (masked, counts) = tenant.masked(&item.interaction);
        let id = item.id.unwrap_or_else(|| InteractionId(self.clock.fresh_id()));
        self.store(Prepared {
            id,
            has_error: signals::has_error(&item.interaction),
            redactions: counts.as_ref().map(redactions),
            interaction: masked,
            hash: item.hash,
            weight,
        })?;
        self.fresh.insert(key(item), (id, item));
        Ok(Outcome::Created { id })
    }

    /// Has a row written, and counts it in what its hour came to.
    fn store(&mut self, prepared: Prepared) -> Result<(), EngineError> {
        let interaction = &prepared.interaction;
        let user = interaction.user_id;
        let Some(tenant) = self.tenants.get(&user) else {
            return Ok(());
        };
        let created_at = interaction.created_at.unwrap_or(self.now);
        let kinds = prepared.redactions.iter().flatten();
        let kinds: Vec<(&str, u32)> = kinds.map(|(kind, count)| (kind.as_str(), *count)).collect();
        self.hours
            .entry((user, tenant.zone.hour_start(created_at)))
            .or_default()
            .add(&Observation {
                score: interaction.score.as_ref(),
                weight: prepared.weight,
                latency_ms: interaction.latency_ms,
                flags: &interaction.flags,
                redacted: u32::try_from(interaction.pii_tokens_redacted).unwrap_or(0),
                redactions: &kinds,
            })
            .map_err(EngineError::Rollup)?;
        let row = self.row(prepared);
        self.rows.push(row);
        Ok(())
    }

    fn row(&self, prepared: Prepared) -> NewRow {
        let interaction = prepared.interaction;
        let redactions = prepared.redactions.as_ref();
        NewRow {
            interaction: Interaction {
                id: prepared.id,
                interaction_id: interaction.interaction_id,
                user_id: interaction.user_id,
                prompt: interaction.prompt,
                response: interaction.response,
                score: interaction.score,
                latency_ms: interaction.latency_ms,
                flags: interaction.flags,
                pii_tokens_redacted: interaction.pii_tokens_redacted,
                created_at: interaction.created_at.unwrap_or(self.now),
                received_at: self.now,
                sample_weight: prepared.weight,
                trace: interaction.tool_calls,
                redactions: redactions.and_then(|redactions| Json::from_serialize(redactions).ok()),
            },
            content_hash: Some(prepared.hash),
            spans: interaction.spans,
            has_error: prepared.has_error,
        }
    }
}
