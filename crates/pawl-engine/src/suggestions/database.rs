//! Suggestions as rows of our database.

use pawl_model::{EvalTestError, EvalTestRun, FailurePattern, Json, SourceTrace, Suggestion, UserId};
use pawl_store::drafts::{self, ContentChange, Decision};
use pawl_store::suggestions::{self, Filter};
use pawl_store::{Actor, StoreError};
use serde_json::{Value, json};
use time::OffsetDateTime;

use super::DraftChange;
use crate::worker::Work;
use crate::{Engine, EngineError};

/// The rows that an actor sees. Whatever is written is a tenant's.
pub(crate) struct Rows {
    pub(super) engine: Engine,
    pub(super) actor: Actor,
}

impl Rows {
    pub(super) async fn list(&self, filter: &Filter, limit: u32) -> Result<Vec<Suggestion>, EngineError> {
        let mut scope = self.engine.store.read(self.actor).await?;
        Ok(suggestions::list(&mut scope, filter, limit).await?)
    }

    pub(super) async fn queue(
        &self,
        filter: &Filter,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Vec<Suggestion>, EngineError> {
        let mut scope = self.engine.store.read(self.actor).await?;
        Ok(suggestions::queue(&mut scope, filter, after, limit).await?)
    }

    pub(super) async fn get(&self, id: &str) -> Result<Option<Suggestion>, EngineError> {
        let mut scope = self.engine.store.read(self.actor).await?;
        Ok(suggestions::get(&mut scope, id).await?)
    }

    pub(super) async fn get_with_sources(
        &self,
        id: &str,
        limit: u32,
    ) -> Result<Option<(Suggestion, Vec<SourceTrace>)>, EngineError> {
        let mut scope = self.engine.store.read(self.actor).await?;
        let Some(suggestion) = suggestions::get(&mut scope, id).await? else {
            return Ok(None);
        };
        let sources = suggestions::sources(&mut scope, id, limit).await?;
        Ok(Some((suggestion, sources)))
    }

    pub(super) async fn patterns(&self, id: &str, limit: u32) -> Result<Vec<FailurePattern>, EngineError> {
        let mut scope = self.engine.store.read(self.actor).await?;
        Ok(drafts::patterns(&mut scope, self.tenant()?, id, limit).await?)
    }

    pub(super) async fn undrafted(&self, limit: u32) -> Result<Vec<String>, EngineError> {
        let Some(user) = self.actor.tenant() else {
            return Ok(Vec::new());
        };
        let mut scope = self.engine.store.read(self.actor).await?;
        Ok(drafts::undrafted(&mut scope, user, limit).await?)
    }

    pub(super) async fn put_draft(&self, work: &Work, change: DraftChange<'_>) -> Result<bool, EngineError> {
        let suggestion = change.suggestion;
        let mut content = suggestion.suggestion_content.to_value();
        if !content.is_object() {
            content = json!({});
        }
        let stored = |content: &Value| Json::from_serialize(content).map_err(EngineError::TraceData);
        content["eval_test"] = json!(change.draft);
        let with_draft = stored(&content)?;
        content["eval_test_proof"] = json!(change.card);
        let with_proof = stored(&content)?;
        let mut scope = work.begin(&self.engine).await?;
        let draft = ContentChange {
            user_id: self.tenant()?,
            suggestion_id: &suggestion.suggestion_id,
            content: &with_draft,
            was: (&suggestion.suggestion_content, &suggestion.version_history),
            version_history: change.history.unwrap_or(&suggestion.version_history),
            at: change.draft.updated_at,
        };
        if !drafts::put_content(&mut scope, &draft).await? {
            return Ok(false);
        }
        let proof = ContentChange {
            content: &with_proof,
            was: (&with_draft, draft.version_history),
            ..draft
        };
        drafts::put_content(&mut scope, &proof).await?;
        scope.commit().await?;
        Ok(true)
    }

    pub(super) async fn decide(&self, decision: &Decision<'_>) -> Result<bool, EngineError> {
        let mut scope = self.engine.store.write(Actor::Service).await?;
        let is_decided = drafts::decide(&mut scope, decision).await?;
        scope.commit().await?;
        Ok(is_decided)
    }

    pub(super) async fn end_run(
        &self,
        work: &Work,
        told: Option<(&EvalTestRun, &[EvalTestError])>,
        at: OffsetDateTime,
    ) -> Result<(), EngineError> {
        let mut scope = work.begin(&self.engine).await?;
        if let Some((run, errors)) = told {
            drafts::insert_run(&mut scope, self.tenant()?, run, errors).await?;
        }
        super::end(work, scope, at).await
    }

    pub(super) async fn runs(&self, limit: u32) -> Result<Vec<EvalTestRun>, EngineError> {
        let mut scope = self.engine.store.read(self.actor).await?;
        Ok(drafts::runs(&mut scope, limit).await?)
    }

    pub(super) async fn errors(&self, run_id: &str, limit: u32) -> Result<Vec<EvalTestError>, EngineError> {
        let mut scope = self.engine.store.read(self.actor).await?;
        Ok(drafts::errors(&mut scope, run_id, limit).await?)
    }

    fn tenant(&self) -> Result<UserId, StoreError> {
        self.actor.tenant().ok_or(StoreError::ForeignRow)
    }
}
