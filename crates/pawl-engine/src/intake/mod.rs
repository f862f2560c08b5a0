//! Intake: production interactions under their tenants' policies.

mod content;
pub(crate) mod group;
mod hour;
pub mod list;
pub(crate) mod masking;
mod neighbours;
mod online;
pub(crate) mod outcome;
pub mod overview;
pub(crate) mod policy;
mod receive;
pub mod received;
pub mod record;
pub(crate) mod signals;
mod traces;
mod upkeep;
mod writer;
mod zone;

use std::sync::{Arc, OnceLock};

use pawl_model::{NewInteraction, Policy, UserId};
use pawl_store::{Actor, Scope, intake, policies};
use time::OffsetDateTime;
use tokio::sync::OnceCell;
use uuid::Uuid;

use self::content::ContentHasher;
use self::group::Context;
use self::masking::Maskers;
pub(crate) use self::masking::TenantMasker;
pub use self::neighbours::{List, Neighbours};
use self::online::OnlineChecks;
use self::outcome::{Batch, Item};
pub use self::outcome::{IntakeError, Outcome, Terms};
pub use self::policy::problems as policy_problems;
pub use self::receive::Receipt;
pub use self::writer::IntakeCounts;
use self::writer::Writer;
pub use self::zone::Zone;
use crate::{Engine, EngineError};

/// What intake needs beside store and clock; shared by the clones of an engine.
#[derive(Clone, Default)]
pub(crate) struct Intake(Arc<Shared>);

#[derive(Default)]
struct Shared {
    maskers: Arc<Maskers>,
    online_checks: Arc<OnlineChecks>,
    hasher: OnceCell<ContentHasher>,
    writer: OnceLock<Writer>,
}

/// A tenant's policy, and what is left of today's cap.
#[derive(Clone, Debug)]
pub struct PolicyToday {
    /// The policy.
    pub policy: Policy,
    /// How many more interactions may be stored today.
    pub remaining: u64,
    /// When the tenant's next day begins.
    pub next_day: OffsetDateTime,
}

impl Engine {
    /// Stores interactions under their tenants' policies: an outcome for each, in their order, told once it is durable.
    ///
    /// # Errors
    /// When nothing came of it, and it may be handed in again.
    pub async fn ingest(
        &self,
        interactions: Vec<NewInteraction>,
        terms: Terms,
    ) -> Result<Vec<Outcome>, IntakeError> {
        let hasher = self
            .content_hasher()
            .await
            .map_err(|error| IntakeError::Failed(Arc::new(error)))?;
        let items: Vec<Item> = interactions
            .into_iter()
            .map(|interaction| Item {
                id: None,
                hash: hasher.hash(&interaction),
                interaction,
            })
            .collect();
        let bytes = items.iter().map(|item| size(&item.interaction)).sum();
        let writer = self
            .intake
            .0
            .writer
            .get_or_init(|| Writer::start(self.intake_context()));
        writer.store(Batch { items, terms }, bytes).await
    }

    /// What this process has stored so far.
    #[must_use]
    pub fn intake_counts(&self) -> IntakeCounts {
        self.intake.0.writer.get().map(Writer::counts).unwrap_or_default()
    }

    /// The policy of a tenant, and what is left of today's cap; none where there is no such tenant.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn policy_today(&self, user: UserId) -> Result<Option<PolicyToday>, EngineError> {
        let now = self.clock.now();
        let mut scope = self.store.read(Actor::Service).await?;
        let Some(allowance) = intake::allowances(&mut scope, &[user], now).await?.pop() else {
            return Ok(None);
        };
        let zone = Zone::named_or_utc(&allowance.policy.timezone);
        let used = allowance.used(zone.day(now));
        Ok(Some(PolicyToday {
            remaining: u64::from(allowance.policy.max_eval_per_day).saturating_sub(used),
            next_day: zone.next_midnight(now),
            policy: allowance.policy,
        }))
    }

    /// Writes a policy; it is in force for whatever is stored from now on. Without a salt it keeps the one that it has.
    ///
    /// # Errors
    /// [`EngineError::Policy`] when it cannot be gone by; when it is somebody else's, or the database fails.
    pub async fn set_policy(&self, actor: Actor, policy: Policy) -> Result<(), EngineError> {
        policy::check(&policy)?;
        let mut scope = self.store.write(actor).await?;
        let known = policies::list(&mut scope, &[policy.user_id]).await?.pop();
        self.put_policy(scope, policy, known).await
    }

    /// Writes a policy in place of the one that has its version, as [`Engine::set_policy`] does: of two people who
    /// change it at once, the second is told of the first.
    ///
    /// # Errors
    /// [`EngineError::OutdatedPolicy`] where it has another version by now; else as [`Engine::set_policy`].
    pub async fn replace_policy(&self, policy: Policy) -> Result<(), EngineError> {
        policy::check(&policy)?;
        let mut scope = self.store.write(Actor::Service).await?;
        intake::hold(&mut scope, &[policy.user_id]).await?;
        let known = policies::list(&mut scope, &[policy.user_id]).await?.pop();
        if known.as_ref().map(|known| known.version) != Some(policy.version) {
            return Err(EngineError::OutdatedPolicy);
        }
        self.put_policy(scope, policy, known).await
    }

    /// Sets what scores a tenant's arriving traces, or that nothing does; the rest of the policy stays.
    ///
    /// # Errors
    /// [`EngineError::Policy`] when the checks cannot be made, with the place of what is wrong; when the database fails.
    pub async fn set_online_checks(&self, user: UserId, checks: Option<String>) -> Result<(), EngineError> {
        let mut scope = self.store.write(Actor::Service).await?;
        intake::hold(&mut scope, &[user]).await?;
        let known = policies::list(&mut scope, &[user]).await?.pop();
        let policy = Policy {
            online_checks: checks,
            ..known.clone().unwrap_or_else(|| Policy::default_of(user))
        };
        policy::check(&policy)?;
        self.put_policy(scope, policy, known).await
    }

    async fn put_policy(
        &self,
        mut scope: Scope,
        mut policy: Policy,
        known: Option<Policy>,
    ) -> Result<(), EngineError> {
        if policy.sample_salt.is_empty() {
            policy.sample_salt = known
                .map(|known| known.sample_salt)
                .filter(|salt| !salt.is_empty())
                .unwrap_or_else(|| Uuid::new_v4().simple().to_string());
        }
        policies::put(&mut scope, &policy, self.clock.fresh_id(), self.clock.now()).await?;
        scope.commit().await?;
        Ok(())
    }

    pub(crate) fn maskers(&self) -> &Maskers {
        &self.intake.0.maskers
    }

    pub(crate) fn intake_context(&self) -> Context {
        Context {
            store: self.store.clone(),
            clock: self.clock.clone(),
            maskers: Arc::clone(&self.intake.0.maskers),
            online_checks: Arc::clone(&self.intake.0.online_checks),
        }
    }

    pub(crate) async fn content_hasher(&self) -> Result<&ContentHasher, EngineError> {
        let make = || async {
            let key = self.derived_key("content of interactions").await?;
            Ok::<_, EngineError>(ContentHasher::new(&key))
        };
        self.intake.0.hasher.get_or_try_init(make).await
    }
}

/// About what an interaction takes in memory.
fn size(interaction: &NewInteraction) -> usize {
    let documents = [&interaction.tool_calls, &interaction.spans];
    let documents: usize = documents
        .into_iter()
        .flatten()
        .map(|json| json.as_str().len())
        .sum();
    let flags: usize = interaction.flags.iter().map(String::len).sum();
    256 + interaction.prompt.len() + interaction.response.len() + flags + documents
}
