//! What a draft is made of and tried on.

use pawl_model::{FailurePattern, Policy, UserId};
use pawl_store::drafts::{self, Replayed};
use pawl_store::{Actor, Scope, policies};

use super::proof;
use super::text::Tidy;
use crate::intake::TenantMasker;
use crate::review::approved::ApprovedTest;
use crate::{Engine, EngineError};

/// Patterns and traces that a draft names.
const MAX_SOURCES: u32 = 100;
/// Incidents that a draft is tried on.
const MAX_INCIDENTS: u32 = 50;
/// Healthy interactions among which those that are most like it are looked for.
const MAX_HEALTHY: u32 = 2_000;

/// What a suggestion is made of.
#[derive(Clone, Debug)]
pub struct Evidence {
    /// Those that are surest first.
    pub patterns: Vec<FailurePattern>,
    /// What went wrong, the latest first.
    pub incidents: Vec<Replayed>,
}

/// What a draft is made of and tried on.
pub(crate) struct Material {
    pub(super) evidence: Evidence,
    /// What went well, the latest first.
    pub(super) healthy: Vec<Replayed>,
    /// As the tenant's policy has it.
    pub(crate) masker: TenantMasker,
}

impl Engine {
    /// The patterns of a suggestion, a hundred at most, and fifty of the interactions behind them, as the tenant's policy
    /// lets them be seen.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn evidence(&self, user: UserId, suggestion_id: &str) -> Result<Evidence, EngineError> {
        let mut evidence = self.whole_evidence(user, suggestion_id).await?;
        let mut scope = self.store.read(Actor::Tenant(user)).await?;
        let policy = policies::list(&mut scope, &[user]).await?.pop();
        if let Some(policy) = policy.filter(|policy| policy.obfuscate_pii) {
            let masker = self.maskers().of(&policy);
            for incident in &mut evidence.incidents {
                incident.prompt = masker.mask(&incident.prompt).text.into_owned();
                incident.response = masker.mask(&incident.response).text.into_owned();
            }
        }
        Ok(evidence)
    }

    /// What the draft of a suggestion is made of and tried on.
    pub(crate) async fn draft_material(
        &self,
        user: UserId,
        suggestion_id: &str,
    ) -> Result<Material, EngineError> {
        let mut evidence = self.whole_evidence(user, suggestion_id).await?;
        let mut scope = self.store.read(Actor::Service).await?;
        let policy = policies::list(&mut scope, &[user]).await?.pop();
        let policy = policy.ok_or_else(|| EngineError::unknown_user(user))?;
        let masker = self.maskers().of(&policy);
        let patterns = evidence.patterns.into_iter();
        evidence.patterns = patterns.map(|pattern| Tidy(&masker).pattern(pattern)).collect();
        Ok(Material {
            evidence,
            healthy: healthy(&mut scope, &policy).await?,
            masker,
        })
    }

    /// Tests on healthy interactions like those that the approved tests are about, so many of each at most.
    pub(crate) async fn controls(
        &self,
        user: UserId,
        tests: &[ApprovedTest],
        most: usize,
    ) -> Result<Vec<ApprovedTest>, EngineError> {
        let mut scope = self.store.read(Actor::Service).await?;
        let Some(policy) = policies::list(&mut scope, &[user]).await?.pop() else {
            return Ok(Vec::new());
        };
        let healthy = healthy(&mut scope, &policy).await?;
        let of = |test: &ApprovedTest| {
            let suggestion = test.suggestion.clone();
            let drafts = proof::controls(&test.draft, &healthy, most).into_iter();
            drafts.map(move |draft| ApprovedTest {
                suggestion: suggestion.clone(),
                draft,
            })
        };
        Ok(tests.iter().flat_map(of).collect())
    }

    async fn whole_evidence(&self, user: UserId, suggestion_id: &str) -> Result<Evidence, EngineError> {
        let kept = self.suggestions_of(Actor::Tenant(user)).await?;
        let patterns = kept.patterns(suggestion_id, MAX_SOURCES).await?;
        let mut scope = self.store.read(Actor::Tenant(user)).await?;
        let incidents = drafts::incidents(&mut scope, user, suggestion_id, MAX_INCIDENTS).await?;
        Ok(Evidence { patterns, incidents })
    }
}

/// What went well, the latest first.
async fn healthy(scope: &mut Scope, policy: &Policy) -> Result<Vec<Replayed>, EngineError> {
    let well = f64::from(policy.success_threshold_pct) / 100.0;
    let judged = (well, policy.failure_flags.as_slice());
    Ok(drafts::healthy(scope, policy.user_id, judged, MAX_HEALTHY).await?)
}
