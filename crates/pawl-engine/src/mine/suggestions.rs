//! Suggestions as they are read: a page at a time, one with what stands behind it, and that of an interaction.

use pawl_model::{ExtractionError, FailurePattern, InteractionId, MiningRun, SourceTrace, Suggestion};
pub use pawl_store::suggestions::Filter;
use pawl_store::{Actor, mining};
use serde::Serialize;
use time::OffsetDateTime;

use crate::{Engine, EngineError};

/// Errors that are told of a run.
const MAX_ERRORS: u32 = 1_000;
/// Traces that are told of a suggestion.
const MAX_SOURCES: u32 = 100;

/// A page of suggestions, the newest first.
#[derive(Clone, Debug)]
pub struct SuggestionPage {
    /// What is on it.
    pub items: Vec<Suggestion>,
    /// Where the next page goes on; none on the last one.
    pub next: Option<(OffsetDateTime, String)>,
}

/// A suggestion with what stands behind it.
#[derive(Clone, Debug, Serialize)]
pub struct SuggestionDetail {
    /// The suggestion.
    #[serde(flatten)]
    pub suggestion: Suggestion,
    /// The first of its traces, then the newest, at most a hundred.
    pub source_traces: Vec<SourceTrace>,
}

/// A run of mining with what the model could not make a pattern of.
#[derive(Clone, Debug, Serialize)]
pub struct MiningRunDetail {
    /// The run.
    #[serde(flatten)]
    pub run: MiningRun,
    /// At most a thousand.
    pub errors: Vec<ExtractionError>,
}

/// What mining made of an interaction.
#[derive(Clone, Debug)]
pub struct Mined {
    /// Its pattern.
    pub pattern: FailurePattern,
    /// The suggestion that it is part of.
    pub suggestion: Suggestion,
}

impl Engine {
    /// Suggestions that the actor sees, the newest first.
    ///
    /// # Errors
    /// When the database or the store of suggestions fails.
    pub async fn suggestions(
        &self,
        actor: Actor,
        filter: &Filter,
        limit: u32,
    ) -> Result<SuggestionPage, EngineError> {
        let kept = self.suggestions_of(actor).await?;
        let mut items = kept.list(filter, limit + 1).await?;
        let next = (items.len() > limit as usize).then(|| {
            items.truncate(limit as usize);
            items
                .last()
                .map(|last| (last.created_at, last.suggestion_id.clone()))
        });
        Ok(SuggestionPage {
            items,
            next: next.flatten(),
        })
    }

    /// A suggestion with what stands behind it; none where there is none that the actor sees.
    ///
    /// # Errors
    /// When the database or the store of suggestions fails.
    pub async fn suggestion(&self, actor: Actor, id: &str) -> Result<Option<SuggestionDetail>, EngineError> {
        let kept = self.suggestions_of(actor).await?;
        let found = kept.get_with_sources(id, MAX_SOURCES).await?;
        Ok(found.map(|(suggestion, source_traces)| SuggestionDetail {
            suggestion,
            source_traces,
        }))
    }

    /// Patterns that the actor sees, with the suggestions that they are part of, in the order of their ids, behind one.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn patterns(
        &self,
        actor: Actor,
        after: &str,
        limit: u32,
    ) -> Result<Vec<(FailurePattern, String)>, EngineError> {
        let mut scope = self.store.read(actor).await?;
        Ok(mining::list_patterns(&mut scope, after, limit).await?)
    }

    /// What mining made of an interaction, where it did.
    ///
    /// # Errors
    /// When the database or the store of suggestions fails.
    pub async fn mined(&self, actor: Actor, id: InteractionId) -> Result<Option<Mined>, EngineError> {
        let mut scope = self.store.read(actor).await?;
        let Some((pattern, suggestion_id)) = mining::pattern_of(&mut scope, id).await? else {
            return Ok(None);
        };
        drop(scope);
        let suggestion = self.suggestions_of(actor).await?.get(&suggestion_id).await?;
        Ok(suggestion.map(|suggestion| Mined { pattern, suggestion }))
    }

    /// Runs of mining that the actor sees, the newest first.
    ///
    /// # Errors
    /// When the database or the store of suggestions fails.
    pub async fn mining_runs(&self, actor: Actor, limit: u32) -> Result<Vec<MiningRun>, EngineError> {
        let mut scope = self.store.read(actor).await?;
        Ok(mining::runs(&mut scope, None, limit).await?)
    }

    /// A run of mining with what the model could not make a pattern of; none where there is none that the actor sees.
    ///
    /// # Errors
    /// When the database or the store of suggestions fails.
    pub async fn mining_run(
        &self,
        actor: Actor,
        run_id: &str,
    ) -> Result<Option<MiningRunDetail>, EngineError> {
        let mut scope = self.store.read(actor).await?;
        let Some(run) = mining::runs(&mut scope, Some(run_id), 1).await?.pop() else {
            return Ok(None);
        };
        let errors = mining::errors(&mut scope, run_id, MAX_ERRORS).await?;
        Ok(Some(MiningRunDetail { run, errors }))
    }
}
