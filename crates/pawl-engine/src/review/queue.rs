//! What waits for a reviewer.

use pawl_model::Suggestion;
use pawl_store::Actor;
use pawl_store::suggestions::Filter;

use crate::{Engine, EngineError};

/// A page of the queue.
#[derive(Clone, Debug)]
pub struct QueuePage {
    /// The worst first, and of those that are as bad the oldest.
    pub items: Vec<Suggestion>,
    /// The suggestion after which the next page goes on; none on the last one.
    pub next: Option<String>,
}

impl Engine {
    /// Suggestions in the order in which they are best looked at.
    ///
    /// # Errors
    /// When the database or the store of suggestions fails.
    pub async fn review_queue(
        &self,
        actor: Actor,
        (filter, after): (&Filter, Option<&str>),
        limit: u32,
    ) -> Result<QueuePage, EngineError> {
        let kept = self.suggestions_of(actor).await?;
        let mut items = kept.queue(filter, after, limit + 1).await?;
        let has_more = items.len() > limit as usize;
        items.truncate(limit as usize);
        let next = items.last().filter(|_| has_more);
        Ok(QueuePage {
            next: next.map(|last| last.suggestion_id.clone()),
            items,
        })
    }
}
