//! What is written beside a draft: its proof, and what stood there before.

use pawl_model::{Budget, Cap, Cost, EditSource, EvalTestDraft, Json, ProofCard, Suggestion, Usd};
use serde_json::Value;
use time::OffsetDateTime;

use super::ground::Material;
use super::history::{self, Entry};
use super::proof::{self, Ground};
use super::write::{self, PER_SUGGESTION};
use crate::{Engine, EngineError};

impl Engine {
    /// Tries a draft as far as no judge is needed.
    pub(crate) async fn proven_without_judge(&self, draft: &EvalTestDraft, material: &Material) -> ProofCard {
        let ground = Ground {
            incidents: &material.evidence.incidents,
            healthy: &material.healthy,
            judge: None,
        };
        proof::prove(draft, &ground, self.clock.now().max(draft.updated_at)).await
    }

    /// Tries a draft, with what is left of the budget of its suggestion for a judge.
    pub(crate) async fn proven(
        &self,
        draft: &EvalTestDraft,
        material: &Material,
        (budget, spent): (&Budget, Usd),
    ) -> ProofCard {
        // All of it is set aside before the first question, so that the run's budget is never passed.
        let left = Usd::from_nanos(PER_SUGGESTION.nanos().saturating_sub(spent.nanos()));
        if let Some(model) = &self.mining.extractor
            && let Ok(reserved) = budget.reserve(Cost::Known(left))
        {
            let own = Budget::new(Cap::User(left));
            let ground = Ground {
                incidents: &material.evidence.incidents,
                healthy: &material.healthy,
                judge: Some((model, &own)),
            };
            let card = proof::prove(draft, &ground, self.clock.now().max(draft.updated_at));
            let card = tokio::time::timeout(write::TIMEOUT, card).await;
            reserved.settle(Cost::Known(own.spent()));
            if let Ok(card) = card {
                return card;
            }
        }
        self.proven_without_judge(draft, material).await
    }
}

/// What is added to the history, where a person's words are overwritten; none where there is no room for them.
pub(super) fn overwritten(
    suggestion: &Suggestion,
    existing: &Value,
    at: OffsetDateTime,
) -> Result<Option<Option<Json>>, EngineError> {
    if existing.is_null() || existing["edit_source"] == EditSource::Generated.as_str() {
        return Ok(Some(None));
    }
    let entry = Entry {
        new_status: suggestion.status,
        actor: "generation",
        at,
        notes: Some("a draft that a person had edited was overwritten by force"),
        previous_draft: Some(existing),
    };
    Ok(history::with(suggestion, &entry)?.map(Some))
}
