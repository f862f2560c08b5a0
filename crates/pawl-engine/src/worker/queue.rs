//! The queue as people see it.

use pawl_model::{Job, JobId, JobKind, JobState, Json, Schedule, TriggeredBy, UserId};
use pawl_store::jobs::{self, NewJob};
use pawl_store::schedules::{self, Change};
use pawl_store::{Actor, Scope};

use crate::mine::TRIGGERED_BY;
use crate::{Engine, EngineError};

/// How many jobs there are of each state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueCounts {
    /// Those that wait.
    pub queued: u64,
    /// Those that somebody has.
    pub running: u64,
    /// Those that were finished in the last days.
    pub finished: u64,
    /// Those that were given up.
    pub dead: u64,
}

/// What is to be changed of a schedule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ScheduleChange {
    /// Whether it goes on.
    pub enabled: Option<bool>,
    /// How many seconds apart its jobs begin.
    pub every_seconds: Option<i64>,
}

impl Engine {
    /// Queues a job in the transaction of the change that calls for it; one of its kind that waits already stands for
    /// both. Says whether it was queued.
    pub(crate) async fn enqueue(
        &self,
        scope: &mut Scope,
        user_id: UserId,
        kind: JobKind,
        payload: &Json,
    ) -> Result<bool, EngineError> {
        let job = NewJob {
            id: JobId(self.clock.fresh_id()),
            user_id,
            kind,
            payload,
            dedup_key: Some(kind.as_str()),
            priority: 0,
            run_at: self.clock.now(),
        };
        Ok(jobs::enqueue(scope, &job).await?)
    }

    /// Queues the mining of a tenant's interactions of the last days; says whether it did, since one that waits already
    /// stands for it.
    ///
    /// # Errors
    /// When there is no such user, or the database fails.
    pub async fn queue_mining(&self, user: UserId) -> Result<bool, EngineError> {
        let payload = serde_json::json!({ TRIGGERED_BY: TriggeredBy::Manual });
        let payload = Json::from_serialize(&payload).map_err(EngineError::TraceData)?;
        let mut scope = self.store.write(Actor::Tenant(user)).await?;
        let queued = self.enqueue(&mut scope, user, JobKind::Mine, &payload).await?;
        scope.commit().await?;
        Ok(queued)
    }

    /// Jobs that the actor sees, the newest first.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn jobs(
        &self,
        actor: Actor,
        state: Option<JobState>,
        limit: u32,
    ) -> Result<Vec<Job>, EngineError> {
        let mut scope = self.store.read(actor).await?;
        Ok(jobs::list(&mut scope, state, limit).await?)
    }

    /// How many jobs there are of each state, everybody's.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn job_counts(&self) -> Result<QueueCounts, EngineError> {
        let mut scope = self.store.read(Actor::Service).await?;
        let mut counts = QueueCounts::default();
        for (state, count) in jobs::count(&mut scope).await? {
            *match state {
                JobState::Queued => &mut counts.queued,
                JobState::Running => &mut counts.running,
                JobState::Finished => &mut counts.finished,
                JobState::Dead => &mut counts.dead,
            } = count;
        }
        Ok(counts)
    }

    /// Queues a job again that was given up; says whether there is such a one.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn revive_job(&self, id: JobId) -> Result<bool, EngineError> {
        let mut scope = self.store.write(Actor::Service).await?;
        let revived = jobs::revive(&mut scope, id, self.clock.now()).await?;
        scope.commit().await?;
        Ok(revived)
    }

    /// All schedules.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn schedules(&self) -> Result<Vec<Schedule>, EngineError> {
        let mut scope = self.store.read(Actor::Service).await?;
        Ok(schedules::list(&mut scope).await?)
    }

    /// Changes a schedule; says whether there is one of that name.
    ///
    /// # Errors
    /// When the interval is none that it takes (10 seconds to a year), or the database fails.
    pub async fn change_schedule(&self, name: &str, change: ScheduleChange) -> Result<bool, EngineError> {
        let mut scope = self.store.write(Actor::Service).await?;
        let seconds = change.every_seconds.unwrap_or(i64::from(u32::MAX));
        let change = Change {
            name,
            enabled: change.enabled,
            every_seconds: change.every_seconds,
            next_at: self.clock.now() + time::Duration::seconds(seconds),
        };
        let changed = schedules::change(&mut scope, change).await?;
        scope.commit().await?;
        Ok(changed)
    }
}
