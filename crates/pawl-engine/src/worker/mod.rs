//! The worker: takes up jobs, and does what follows behind the commits of others.
//!
//! Who works on a job holds a lease on it and gives signs of life. All that is done for the job is done in transactions
//! which the lease is part of (`Work::begin`): a worker that is killed leaves whole parts or nothing, and one that was
//! merely slow, so that another has taken its job up, can commit no more.

mod queue;

use std::time::Duration;

use pawl_model::JobKind;
use pawl_store::jobs::{self, Claim, Claimed, Lease, PutBack};
use pawl_store::{Actor, JobNews, Scope, StoreError, schedules};
use time::OffsetDateTime;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

pub use self::queue::{QueueCounts, ScheduleChange};
use crate::{Engine, EngineError};

/// Attempts without progress after which a job is given up.
pub(crate) const MAX_ATTEMPTS: u32 = 5;
/// Workers that may die over a job, one after the other, before it is given up.
const MAX_DEATHS: u32 = 10;
/// The longest wait before another attempt.
const MAX_BACKOFF: Duration = Duration::from_secs(600);
/// How often there is looked for jobs that nobody told of: retries, schedules, other processes.
const PAUSE: Duration = Duration::from_secs(1);
/// How often there is looked for what is to be forgotten.
const HOUSEKEEPING: Duration = Duration::from_secs(3_600);
/// How long jobs are kept once they are finished, and once they are given up.
const KEEP_FINISHED: time::Duration = time::Duration::days(7);
const KEEP_DEAD: time::Duration = time::Duration::days(90);

/// How a worker works.
#[derive(Clone, Copy, Debug)]
pub struct WorkerSettings {
    /// Jobs at once.
    pub concurrency: usize,
    /// How long after its last sign of life a worker is taken for dead. Servers' clocks have to agree better than that.
    pub lease: Duration,
    /// Told what went wrong; it is tried again.
    pub failed: fn(&EngineError),
}

/// Something that is worked on: for a job, or because a person asked for it.
#[derive(Clone, Debug)]
pub(crate) struct Work {
    lease: Option<Lease>,
    stop: CancellationToken,
}

/// How work on a job ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// It is all done.
    Finished,
    /// There was no time for all of it.
    Stopped,
}

impl Work {
    /// Work that a person waits for.
    pub(crate) const fn by_hand(stop: CancellationToken) -> Self {
        Self { lease: None, stop }
    }

    /// Whether the rest is for later.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.is_cancelled()
    }

    /// Waits until the rest is for later.
    pub(crate) async fn stopped(&self) {
        self.stop.cancelled().await;
    }

    /// The job that it is for.
    pub(crate) fn lease(&self) -> Option<Lease> {
        self.lease
    }

    /// Opens a transaction for a part of the work, which can be committed only by whoever holds the job.
    pub(crate) async fn begin(&self, engine: &Engine) -> Result<Scope, EngineError> {
        let mut scope = engine.store.write(Actor::Service).await?;
        if let Some(lease) = self.lease {
            jobs::progress(&mut scope, lease).await?;
        }
        Ok(scope)
    }

    /// Commits the last part: with it the job is done.
    pub(crate) async fn finish(&self, mut scope: Scope, now: OffsetDateTime) -> Result<(), EngineError> {
        if let Some(lease) = self.lease {
            jobs::finish(&mut scope, lease, now).await?;
        }
        Ok(scope.commit().await?)
    }
}

impl Engine {
    /// Works until `stop` is cancelled: on jobs, and behind the commits of others. What is under way is then brought to
    /// the end of its part and given back.
    pub async fn run_worker(&self, settings: WorkerSettings, stop: &CancellationToken) {
        tokio::join!(
            self.keep_up(stop, settings.failed),
            self.work_on_jobs(settings, stop)
        );
    }

    async fn work_on_jobs(&self, settings: WorkerSettings, stop: &CancellationToken) {
        let mut under_way = JoinSet::new();
        let mut news = None;
        let mut cleaned: Option<OffsetDateTime> = None;
        while !stop.is_cancelled() {
            let pass = async {
                let now = self.clock.now();
                if cleaned.is_none_or(|at| now - at > HOUSEKEEPING) {
                    self.forget_jobs(now).await?;
                    cleaned = Some(now);
                }
                if news.is_none() {
                    news = Some(self.store.job_news().await?);
                }
                self.follow_schedules().await?;
                while under_way.len() < settings.concurrency {
                    let Some(job) = self.claim(settings.lease).await? else {
                        break;
                    };
                    let (engine, stop) = (self.clone(), stop.clone());
                    under_way.spawn(async move { engine.see_to(job, settings, stop).await });
                }
                Ok::<_, EngineError>(())
            };
            if let Err(error) = pass.await {
                (settings.failed)(&error);
            }
            tokio::select! {
                () = stop.cancelled() => {}
                Some(_) = under_way.join_next() => {}
                told = told(&mut news) => {
                    if let Err(error) = told {
                        news = None;
                        (settings.failed)(&error.into());
                        tokio::time::sleep(PAUSE).await;
                    }
                }
                () = tokio::time::sleep(PAUSE) => {}
            }
        }
        while under_way.join_next().await.is_some() {}
    }

    /// The next job, if there is one.
    async fn claim(&self, lease: Duration) -> Result<Option<Claimed>, EngineError> {
        let now = self.clock.now();
        let mut scope = self.store.read(Actor::Service).await?;
        if !jobs::is_due(&mut scope, now).await? {
            return Ok(None);
        }
        drop(scope);
        let mut scope = self.store.write(Actor::Service).await?;
        jobs::bury(
            &mut scope,
            now,
            MAX_DEATHS,
            "its workers died one after the other",
        )
        .await?;
        let claim = Claim {
            token: Uuid::new_v4(),
            now,
            until: now + lease,
        };
        let claimed = jobs::claim(&mut scope, claim).await?;
        scope.commit().await?;
        Ok(claimed)
    }

    /// Works on a job, with signs of life, and says what came of it.
    async fn see_to(&self, job: Claimed, settings: WorkerSettings, stop: CancellationToken) {
        let work = Work {
            lease: Some(job.lease),
            stop,
        };
        let lost = self.keep_alive(job.lease, settings);
        let outcome = tokio::select! {
            outcome = self.run_job(&job, &work) => outcome,
            () = lost => Err(StoreError::LostLease.into()),
        };
        let back = match &outcome {
            // Another worker has it, who will say what becomes of it.
            Ok(Ended::Finished) | Err(EngineError::Store(StoreError::LostLease)) => return,
            Ok(Ended::Stopped) => self.give_back(&job, None).await,
            Err(error) => {
                (settings.failed)(error);
                self.give_back(&job, Some(error)).await
            }
        };
        // It is taken up again when its lease is over.
        if let Err(error) = back {
            (settings.failed)(&error);
        }
    }

    async fn run_job(&self, job: &Claimed, work: &Work) -> Result<Ended, EngineError> {
        match job.kind {
            JobKind::Mine => self.mine_for_job(job, work).await,
            JobKind::Draft => self.draft_for_job(job, work).await,
            JobKind::Evolve => self.evolve_for_job(job, work).await,
            JobKind::Promote => self.promote_for_job(job, work).await,
        }
    }

    /// Gives signs of life; ends when the job is no longer held.
    async fn keep_alive(&self, lease: Lease, settings: WorkerSettings) {
        loop {
            tokio::time::sleep(settings.lease / 3).await;
            let renew = async {
                let mut scope = self.store.write(Actor::Service).await?;
                let held = jobs::renew(&mut scope, lease, self.clock.now() + settings.lease).await?;
                scope.commit().await?;
                Ok::<_, EngineError>(held)
            };
            match renew.await {
                Ok(true) => {}
                Ok(false) => return,
                Err(error) => (settings.failed)(&error),
            }
        }
    }

    async fn give_back(&self, job: &Claimed, error: Option<&EngineError>) -> Result<(), EngineError> {
        let now = self.clock.now();
        let message = error.map(ToString::to_string);
        let (run_at, max_attempts) = match error {
            Some(_) => (now + backoff(job.attempt), MAX_ATTEMPTS),
            None => (now, u32::MAX),
        };
        let mut scope = self.store.write(Actor::Service).await?;
        let back = PutBack {
            now,
            run_at,
            error: message.as_deref(),
            max_attempts,
        };
        jobs::put_back(&mut scope, job.lease, back).await?;
        Ok(scope.commit().await?)
    }

    /// Queues jobs of schedules whose time has come.
    async fn follow_schedules(&self) -> Result<(), EngineError> {
        let now = self.clock.now();
        let mut scope = self.store.read(Actor::Service).await?;
        if !schedules::is_due(&mut scope, now).await? {
            return Ok(());
        }
        drop(scope);
        let mut scope = self.store.write(Actor::Service).await?;
        for schedule in schedules::due(&mut scope, now).await? {
            // What was missed while nobody worked is done once.
            let next_at = now + time::Duration::seconds(schedule.every_seconds);
            schedules::run(&mut scope, schedule.id, now, next_at).await?;
        }
        Ok(scope.commit().await?)
    }

    async fn forget_jobs(&self, now: OffsetDateTime) -> Result<(), EngineError> {
        let mut scope = self.store.write(Actor::Service).await?;
        jobs::prune(&mut scope, now - KEEP_FINISHED, now - KEEP_DEAD).await?;
        Ok(scope.commit().await?)
    }
}

async fn told(news: &mut Option<JobNews>) -> Result<(), StoreError> {
    match news {
        Some(news) => news.next().await,
        None => std::future::pending().await,
    }
}

/// Twice as long after each attempt, from two seconds on.
fn backoff(attempt: u32) -> Duration {
    Duration::from_secs(1_u64 << attempt.min(16)).min(MAX_BACKOFF)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_ten_minutes() {
        let seconds = [1, 2, 5, 9, 10, u32::MAX].map(|attempt| backoff(attempt).as_secs());
        assert_eq!(seconds, [2, 4, 32, 512, 600, 600]);
    }
}
