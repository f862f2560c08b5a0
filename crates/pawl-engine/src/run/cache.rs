//! The response cache: what targets and judges answered before, used again where a run asks for it.
//!
//! Only successes are kept. An answer is found by a hash of its tenant and of everything that it depends on, the trial
//! included, so that repetitions stay repetitions.

use pawl_model::{TargetOutput, TargetRequest, UserId};
use pawl_store::response_cache::{self, CachedResponse};
use pawl_store::{Actor, Scope, Store};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use super::suite::ContentDigest;
use crate::{Engine, EngineError};

/// How long an answer is used.
const LIFETIME: Duration = Duration::days(14);
/// The longest answer that is kept, in bytes.
const MAX_VALUE: usize = 1024 * 1024;

/// Whether a run uses what was answered before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CacheMode {
    /// Everything is asked anew, and nothing is kept.
    #[default]
    Off,
    /// What was answered before is used, what was not is asked and kept.
    Use,
    /// What was not answered before is an error; nothing is asked.
    Only,
}

impl CacheMode {
    /// As it is written on the command line.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Use => "use",
            Self::Only => "only",
        }
    }
}

/// The cache as one run uses it.
#[derive(Clone)]
pub(crate) struct Cache {
    mode: CacheMode,
    pub(crate) actor: Actor,
    store: Store,
    owner: Option<UserId>,
    since: OffsetDateTime,
}

/// What is in the cache under a key.
pub(crate) enum Lookup<T> {
    /// An answer.
    Hit(T),
    /// None, but it may be asked for, and kept.
    Ask(Key),
    /// None, and it must not be asked for.
    Missing,
    /// The cache is not used.
    Off,
}

/// What an answer is found by.
#[derive(Clone, Copy)]
pub(crate) struct Key(Uuid);

/// An answer of a target, as it is kept.
#[derive(Serialize, Deserialize)]
pub(crate) struct KeptReply {
    pub(crate) output: TargetOutput,
    pub(crate) latency_ms: Option<u64>,
}

impl Engine {
    /// The cache for a run of this owner.
    pub(crate) fn cache(&self, mode: CacheMode, actor: Actor, owner: Option<UserId>) -> Cache {
        Cache {
            mode,
            actor,
            store: self.store.clone(),
            owner,
            since: self.clock.now() - LIFETIME,
        }
    }
}

impl Cache {
    /// Forgets what is too old to be used.
    pub(crate) async fn prune(&self) -> Result<(), EngineError> {
        if self.mode == CacheMode::Use {
            let mut scope = self.store.write(self.actor).await?;
            response_cache::prune(&mut scope, self.since).await?;
            scope.commit().await?;
        }
        Ok(())
    }

    /// Looks an answer up by what it depends on.
    pub(crate) async fn look_up<T: DeserializeOwned>(
        &self,
        basis: impl FnOnce() -> ContentDigest,
    ) -> Result<Lookup<T>, EngineError> {
        if self.mode == CacheMode::Off {
            return Ok(Lookup::Off);
        }
        let key = self.key(basis());
        let mut scope = self.store.read(self.actor).await?;
        let found = response_cache::get(&mut scope, key.0, self.since).await?;
        // What an earlier version kept in another form was not answered before.
        let found = found.and_then(|value| serde_json::from_str(&value).ok());
        Ok(match (found, self.mode) {
            (Some(value), _) => Lookup::Hit(value),
            (None, CacheMode::Only) => Lookup::Missing,
            (None, _) => Lookup::Ask(key),
        })
    }

    fn key(&self, mut digest: ContentDigest) -> Key {
        digest.maybe_text(self.owner.map(|owner| owner.to_string()).as_deref());
        let [id @ .., _, _, _, _, _, _, _, _, _, _, _, _, _, _, _, _] = digest.finish();
        Key(Uuid::from_bytes(id))
    }

    /// Keeps answers in a transaction that is under way.
    pub(crate) async fn keep(
        &self,
        scope: &mut Scope,
        answers: &[CachedResponse],
        now: OffsetDateTime,
    ) -> Result<(), EngineError> {
        Ok(response_cache::insert(scope, self.owner, answers, now).await?)
    }
}

impl Key {
    /// The answer as it is kept; none that is too long.
    pub(crate) fn with(self, answer: &impl Serialize) -> Option<CachedResponse> {
        let value = serde_json::to_string(answer).ok()?;
        (value.len() <= MAX_VALUE).then_some(CachedResponse { id: self.0, value })
    }
}

/// What the answer of a target depends on beside the target.
pub(crate) fn digest_request(digest: &mut ContentDigest, request: &TargetRequest) {
    digest.text(&request.id);
    digest.value(&request.input);
    digest.value(&request.vars);
    digest.count(usize::from(request.trial));
    match &request.prompt {
        Some(prompt) => digest.object(prompt),
        None => digest.maybe_text(None),
    }
}
