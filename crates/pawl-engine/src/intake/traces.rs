//! Traces come in as whole exports, of which what fits is stored; and interactions go out as traces.

use std::collections::HashMap;

use pawl_model::{InteractionId, UserId};
use pawl_store::{Scope, policies, traces};
use serde_json::Value;

use super::list::{InteractionFilter, InteractionOrder, ListRequest};
use crate::trace::{Export, SpanProblem, StoredTrace, emission};
use crate::{Actor, Engine, EngineError};

/// Interactions whose traces are held at a time.
const AT_ONCE: u32 = 16;

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

    /// An interaction that the actor sees as a document of OTLP in JSON, masked as the policy says; none where there is
    /// none.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn interaction_as_otlp(
        &self,
        actor: Actor,
        id: InteractionId,
    ) -> Result<Option<Value>, EngineError> {
        let detail = self.interaction(actor, id).await?;
        Ok(detail.map(|detail| emission::document(&detail.interaction, detail.trace.as_ref())))
    }

    /// Shows every interaction of a tenant that a filter lets through to `see` as a document of OTLP in JSON, the oldest
    /// first, masked as the policy says.
    ///
    /// # Errors
    /// When the database fails, or `see` does.
    pub async fn each_interaction_as_otlp<E: From<EngineError>>(
        &self,
        actor: Actor,
        user_id: UserId,
        filter: &InteractionFilter,
        mut see: impl FnMut(&Value) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut after = None;
        loop {
            let request = ListRequest {
                user_id,
                filter,
                order: InteractionOrder::Oldest,
                after: after.as_ref(),
                limit: AT_ONCE,
            };
            let page = self.interactions(actor, &request).await?;
            let ids = page
                .items
                .iter()
                .map(|interaction| interaction.interaction_id.as_str());
            let traces = self
                .traces_for_view(actor, user_id, &ids.collect::<Vec<_>>())
                .await?;
            for interaction in &page.items {
                let trace = traces.get(&interaction.interaction_id);
                see(&emission::document(interaction, trace))?;
            }
            after = page.next;
            if after.is_none() {
                return Ok(());
            }
        }
    }

    /// A tenant's traces in the order of their ids, behind one, without what the policy masks by now.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn traces(
        &self,
        actor: Actor,
        user: UserId,
        after: &str,
        limit: u32,
    ) -> Result<Vec<StoredTrace>, EngineError> {
        let mut scope = self.store.read(actor).await?;
        let page = traces::list(&mut scope, after, limit).await?;
        self.as_shown(&mut scope, user, page).await
    }

    /// Traces without what the policy masks by now.
    async fn as_shown(
        &self,
        scope: &mut Scope,
        user: UserId,
        mut traces: Vec<StoredTrace>,
    ) -> Result<Vec<StoredTrace>, EngineError> {
        if let Some(policy) = policies::list(scope, &[user]).await?.pop() {
            for trace in &mut traces {
                self.mask_trace_for_view(&policy, trace)?;
            }
        }
        Ok(traces)
    }

    async fn traces_for_view(
        &self,
        actor: Actor,
        user: UserId,
        ids: &[&str],
    ) -> Result<HashMap<String, StoredTrace>, EngineError> {
        let mut scope = self.store.read(actor).await?;
        let found = traces::get(&mut scope, user, ids).await?;
        let found = self.as_shown(&mut scope, user, found).await?;
        let by_id = found.into_iter().map(|trace| (trace.trace_id.clone(), trace));
        Ok(by_id.collect())
    }
}
