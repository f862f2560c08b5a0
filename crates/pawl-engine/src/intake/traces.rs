//! Traces are received: whole exports, of which what fits is stored.

use pawl_model::UserId;

use crate::trace::{Export, SpanProblem};
use crate::{Engine, EngineError};

impl Engine {
    /// Stores the spans of an export, each in the trace that it belongs to, and what they make together as interactions.
    /// Tells how many spans are not stored, and why the first of them is not; the others are durable then.
    ///
    /// # Errors
    /// When nothing of it is stored, and it may be handed in again.
    pub async fn store_traces(
        &self,
        user: UserId,
        mut export: Export,
    ) -> Result<Option<(u64, SpanProblem)>, EngineError> {
        let hasher = self.content_hasher().await?;
        self.intake_context()
            .store_traces(user, hasher, &mut export)
            .await?;
        Ok(export.rejected())
    }
}
