//! Promotions that are asked for from outside, and made by a worker: a comparison is many calls of the target.

use pawl_model::{JobId, JobKind, JobState, Json, PromotionVerdict, UserId, VerdictKind};
use pawl_store::jobs::{self, Claimed, NewJob};
use pawl_store::{Actor, prompts};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::verdict::{OnRefusal, Promotion, named};
use crate::evolve::Weights;
use crate::worker::{Ended, Work};
use crate::{Engine, EngineError, Fault};

/// Calls at once.
const WORKERS: usize = 8;
/// Jobs that are looked through for those of a prompt.
const JOBS: u32 = 200;
/// Letters of a reason.
const MAX_REASON: usize = 2_000;

/// A candidate that is to become live.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct NewPromotion {
    /// The prompt.
    pub prompt: String,
    /// The candidate.
    pub candidate_id: String,
    /// Who decides.
    pub by: String,
    /// Why.
    pub reason: String,
    /// Whether a refusal of the gate is final.
    pub on_refusal: OnRefusal,
    /// The name of the target; none: that of the optimisation.
    pub target: Option<String>,
    /// The name of the suite; none: that of the optimisation.
    pub suite: Option<String>,
}

/// A promotion that waits, or is being made.
#[derive(Clone, Debug, Serialize)]
pub struct PromotionUnderWay {
    /// The verdict that it ends with.
    pub verdict_id: String,
    /// The candidate.
    pub candidate_id: String,
    /// Who decides.
    pub by: String,
    /// `queued`, `running`, or `dead` where it was given up.
    pub state: JobState,
}

/// A verdict of a job: the same however often the job is taken up.
fn verdict_of(job: JobId) -> String {
    format!("apv_{}", job.0.simple())
}

impl Engine {
    /// Queues a promotion, and gives the id of the verdict that it ends with.
    ///
    /// # Errors
    /// When there is no such candidate or prompt, a name stands for nothing, nobody or no reason is named, the same waits
    /// already, or the database fails.
    pub async fn queue_promotion(&self, user: UserId, new: &NewPromotion) -> Result<String, EngineError> {
        named(&new.by, &new.reason)?;
        if new.reason.chars().count() > MAX_REASON {
            return Err(EngineError::Prompt(format!(
                "a reason may have {MAX_REASON} letters"
            )));
        }
        if self.live_prompt(user, &new.prompt).await?.is_none() {
            return Err(EngineError::Prompt(format!(
                "there is no prompt `{}`",
                new.prompt
            )));
        }
        let (names, _) = self.promoted_with(user, new).await?;
        // What can be refused is refused now: reading the suite included.
        self.named_run(user, (&names.0, &names.1)).await?;
        let payload = Json::from_serialize(new).map_err(EngineError::TraceData)?;
        let key = [&*new.prompt, &new.candidate_id].join(" ");
        let job = NewJob {
            id: JobId(self.clock.fresh_id()),
            user_id: user,
            kind: JobKind::Promote,
            payload: &payload,
            dedup_key: Some(&key),
            priority: 0,
            run_at: self.clock.now(),
        };
        let mut scope = self.store.write(Actor::Tenant(user)).await?;
        if !jobs::enqueue(&mut scope, &job).await? {
            return Err(EngineError::PromotionWaits);
        }
        scope.commit().await?;
        Ok(verdict_of(job.id))
    }

    /// Promotions of a prompt that wait, are being made, or were given up.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn promotions_under_way(
        &self,
        user: UserId,
        prompt: &str,
    ) -> Result<Vec<PromotionUnderWay>, EngineError> {
        let mut found = Vec::new();
        for state in [JobState::Running, JobState::Queued, JobState::Dead] {
            for job in self.jobs(Actor::Tenant(user), Some(state), JOBS).await? {
                if job.kind != JobKind::Promote.as_str() {
                    continue;
                }
                let asked: Option<NewPromotion> = serde_json::from_str(job.payload.as_str()).ok();
                if let Some(asked) = asked.filter(|asked| asked.prompt == prompt) {
                    found.push(PromotionUnderWay {
                        verdict_id: verdict_of(job.id),
                        candidate_id: asked.candidate_id,
                        by: asked.by,
                        state,
                    });
                }
            }
        }
        Ok(found)
    }

    /// Makes a promotion for a job. Nothing is written before its verdict, so that one that is taken up again compares anew.
    pub(crate) async fn promote_for_job(&self, job: &Claimed, work: &Work) -> Result<Ended, EngineError> {
        let new: NewPromotion =
            serde_json::from_str(job.payload.as_str()).map_err(EngineError::JournalData)?;
        let id = verdict_of(job.lease.job);
        let made = tokio::select! {
            made = self.promote_named(job.user_id, &new, (&id, work)) => made,
            () = work.stopped() => return Ok(Ended::Stopped),
        };
        match made {
            Ok(_) => Ok(Ended::Finished),
            Err(error) if error.fault() == Fault::Usage => {
                self.put_uncompared(job.user_id, &new, (&id, &error), work)
                    .await?;
                Ok(Ended::Finished)
            }
            Err(error) => Err(error),
        }
    }

    async fn promote_named(
        &self,
        user: UserId,
        new: &NewPromotion,
        (verdict_id, work): (&str, &Work),
    ) -> Result<PromotionVerdict, EngineError> {
        let ((target, suite), weights) = self.promoted_with(user, new).await?;
        let promotion = Promotion {
            user_id: user,
            candidate_id: &new.candidate_id,
            name: &new.prompt,
            by: &new.by,
            reason: &new.reason,
            on_refusal: new.on_refusal,
            run: self.named_run(user, (&target, &suite)).await?,
            weights,
            workers: WORKERS,
        };
        let result = self
            .promote_within(promotion, (verdict_id.to_owned(), work))
            .await;
        result.map_err(|error| self.named.told(error))
    }

    /// The names of target and suite, and the weights of the optimisation.
    async fn promoted_with(
        &self,
        user: UserId,
        new: &NewPromotion,
    ) -> Result<((String, String), Weights), EngineError> {
        let actor = Actor::Tenant(user);
        let unknown = || EngineError::Prompt(format!("there is no candidate {}", new.candidate_id));
        let candidate = self.prompt_candidate(actor, &new.candidate_id).await?;
        let candidate = candidate.ok_or_else(unknown)?;
        let run = self.optimization(actor, &candidate.run_id).await?;
        let given = (new.target.as_deref(), new.suite.as_deref());
        let run = run.ok_or_else(unknown)?;
        let weights =
            serde_json::from_str(run.dimension_weights.as_str()).map_err(EngineError::JournalData)?;
        Ok((self.names_of(&run, given)?, weights))
    }

    /// Writes that a candidate could not even be compared: a refusal like others.
    async fn put_uncompared(
        &self,
        user: UserId,
        new: &NewPromotion,
        (id, error): (&str, &EngineError),
        work: &Work,
    ) -> Result<(), EngineError> {
        let at = self.clock.now();
        let objections = json!({ "objections": [format!("it could not be compared: {error}")] });
        let mut scope = work.begin(self).await?;
        // A prompt that is gone has no verdicts.
        if let Some(live) = prompts::hold(&mut scope, user, &new.prompt).await? {
            let verdict = PromotionVerdict {
                id: id.to_owned(),
                name: new.prompt.clone(),
                kind: VerdictKind::Refused,
                from_version: Some(live),
                to_version: None,
                candidate_id: Some(new.candidate_id.clone()),
                decided_by: new.by.clone(),
                reason: new.reason.clone(),
                findings: Json::from_serialize(&objections).map_err(EngineError::TraceData)?,
                created_at: at,
            };
            prompts::insert_verdict(&mut scope, user, &verdict).await?;
        }
        work.finish(scope, at).await
    }
}
