//! Optimisations that are there, their candidates, and what those were tried on.

use pawl_model::{Optimization, PromptCandidate, PromptEvaluation};
use pawl_store::Actor;
use pawl_store::evolution::{self, ExampleScore};

use crate::{Engine, EngineError};

/// Candidates that are read at once.
pub(super) const MAX_CANDIDATES: u32 = 10_000;

/// Rows of a candidate that are read at once.
const MAX_EVALUATIONS: u32 = 100_000;

impl Engine {
    /// An optimisation, where the actor sees it.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn optimization(&self, actor: Actor, id: &str) -> Result<Option<Optimization>, EngineError> {
        let mut scope = self.store.read(actor).await?;
        Ok(evolution::run(&mut scope, id).await?)
    }

    /// Optimisations that the actor sees, the newest first.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn optimizations(&self, actor: Actor, limit: u32) -> Result<Vec<Optimization>, EngineError> {
        let mut scope = self.store.read(actor).await?;
        Ok(evolution::runs(&mut scope, limit).await?)
    }

    /// Candidates of an optimisation, in the order of the steps that made them, those that were refused among them.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn prompt_candidates(
        &self,
        actor: Actor,
        run_id: &str,
    ) -> Result<Vec<PromptCandidate>, EngineError> {
        let mut scope = self.store.read(actor).await?;
        Ok(evolution::candidates(&mut scope, run_id, MAX_CANDIDATES).await?)
    }

    /// Every score of an optimisation.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn optimization_scores(
        &self,
        actor: Actor,
        run_id: &str,
    ) -> Result<Vec<ExampleScore>, EngineError> {
        let mut scope = self.store.read(actor).await?;
        Ok(evolution::scores(&mut scope, run_id).await?)
    }

    /// What a candidate was tried on.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn prompt_evaluations(
        &self,
        actor: Actor,
        candidate_id: &str,
    ) -> Result<Vec<PromptEvaluation>, EngineError> {
        let mut scope = self.store.read(actor).await?;
        Ok(evolution::evaluations(&mut scope, candidate_id, MAX_EVALUATIONS).await?)
    }

    /// A candidate, where the actor sees it.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn prompt_candidate(
        &self,
        actor: Actor,
        id: &str,
    ) -> Result<Option<PromptCandidate>, EngineError> {
        let mut scope = self.store.read(actor).await?;
        Ok(evolution::candidate(&mut scope, id).await?)
    }
}
