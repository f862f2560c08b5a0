//! Scores that earlier runs stored: the same candidate on the same example by the same target is not asked again.

use pawl_evolve::{CandidateDigest, Cost, Evaluate, Failure, FailureKind, Rollout, Trial};
use pawl_model::UserId;
use pawl_store::{Actor, evolution};

use super::journal::rollout;
use super::trying::Trying;
use crate::Engine;

/// Whether scores of earlier runs are taken over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Earlier {
    /// They are.
    #[default]
    Reuse,
    /// Everything is asked anew: for a target that has changed behind its name.
    Ignore,
}

/// Tries what was not tried before.
pub(crate) struct Remembering<'a> {
    pub(crate) engine: &'a Engine,
    pub(crate) user: UserId,
    pub(crate) trying: &'a Trying,
    pub(crate) earlier: Earlier,
    /// What a call takes at most, where that matters.
    pub(crate) at_most: Option<Cost>,
}

impl Remembering<'_> {
    async fn remembered(
        &self,
        candidate: &CandidateDigest,
        of: (&str, u32),
    ) -> Result<Option<Rollout>, Failure> {
        if self.earlier == Earlier::Ignore {
            return Ok(None);
        }
        let Some(key) = self.trying.reuse_key(candidate, of) else {
            return Ok(None);
        };
        let found = async {
            let mut scope = self.engine.store.read(Actor::Tenant(self.user)).await?;
            evolution::reusable(&mut scope, &key).await
        };
        let found = found
            .await
            .map_err(|_| Failure::new(FailureKind::Infra, "the database could not be read"))?;
        Ok(found.map(|scored| Rollout {
            reused: true,
            ..rollout(scored)
        }))
    }
}

impl Evaluate for Remembering<'_> {
    fn at_most(&self) -> Option<Cost> {
        self.at_most
    }

    async fn evaluate(&self, trial: Trial<'_>) -> Result<Rollout, Failure> {
        let digest = trial.candidate.digest();
        let example = trial.example.id.as_str();
        if let Some(found) = self.remembered(&digest, (example, trial.repetition)).await? {
            return Ok(found);
        }
        let number = u16::try_from(trial.repetition).unwrap_or(u16::MAX - 1) + 1;
        let attempt = self.trying.attempt(trial.candidate, (example, number)).await?;
        Ok(attempt.rollout)
    }
}
