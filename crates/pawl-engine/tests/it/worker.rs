//! Workers: who has a job, what becomes of it when they die, and what a worker that was taken for dead can still do.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use pawl_engine::worker::{ScheduleChange, WorkerSettings};
use pawl_engine::{Actor, Clock, Engine};
use pawl_model::{Job, JobId, JobKind, JobState, Json};
use pawl_store::StoreError;
use pawl_store::jobs::{self, Claim, Claimed, NewJob, PutBack};
use pawl_testkit::{TestDatabase, on_both_engines, samples};
use time::OffsetDateTime;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

on_both_engines!(
    jobs_are_taken_up_in_their_order_and_once,
    one_that_waits_stands_for_both,
    who_lost_a_job_can_commit_nothing_for_it,
    what_fails_is_tried_again_later_and_given_up_in_the_end,
    a_job_is_there_with_its_change_or_not_at_all,
    a_worker_mines_when_it_is_told_and_when_it_is_time,
);

/// An engine whose clock stands until it is moved.
struct Rig {
    engine: Engine,
    database: TestDatabase,
    seconds: Arc<AtomicI64>,
}

impl Rig {
    async fn new(database: TestDatabase) -> Self {
        database.add_users(2).await;
        let seconds = Arc::new(AtomicI64::new(0));
        let hand = Arc::clone(&seconds);
        let engine = Engine::new(
            database.store.clone(),
            Clock::new(move || samples::time(hand.load(Ordering::Relaxed))),
        );
        Self {
            engine,
            database,
            seconds,
        }
    }

    fn now(&self) -> OffsetDateTime {
        samples::time(self.seconds.load(Ordering::Relaxed))
    }

    fn pass(&self, seconds: i64) {
        self.seconds.fetch_add(seconds, Ordering::Relaxed);
    }

    async fn enqueue(&self, number: u128, change: impl FnOnce(&mut NewJob<'_>)) -> bool {
        let payload = Json::parse("{}").unwrap();
        let mut job = NewJob {
            id: JobId(Uuid::from_u128(number)),
            user_id: samples::user(1).id,
            kind: JobKind::Mine,
            payload: &payload,
            dedup_key: None,
            priority: 0,
            run_at: self.now(),
        };
        change(&mut job);
        let mut scope = self.database.store.write(Actor::Service).await.unwrap();
        let queued = jobs::enqueue(&mut scope, &job).await.unwrap();
        scope.commit().await.unwrap();
        queued
    }

    async fn claim(&self) -> Option<Claimed> {
        let mut scope = self.database.store.write(Actor::Service).await.unwrap();
        let claim = Claim {
            token: Uuid::new_v4(),
            now: self.now(),
            until: self.now() + time::Duration::seconds(15),
        };
        let claimed = jobs::claim(&mut scope, claim).await.unwrap();
        scope.commit().await.unwrap();
        claimed
    }

    async fn put_back(&self, job: &Claimed, max_attempts: u32) -> Option<JobState> {
        let mut scope = self.database.store.write(Actor::Service).await.unwrap();
        let back = PutBack {
            now: self.now(),
            run_at: self.now() + time::Duration::seconds(10),
            error: Some("it broke"),
            max_attempts,
        };
        let state = jobs::put_back(&mut scope, job.lease, back).await.unwrap();
        scope.commit().await.unwrap();
        state
    }

    async fn finish(&self, job: &Claimed) -> Result<(), StoreError> {
        let mut scope = self.database.store.write(Actor::Service).await?;
        jobs::finish(&mut scope, job.lease, self.now()).await?;
        scope.commit().await
    }

    async fn jobs(&self) -> Vec<Job> {
        self.engine.jobs(Actor::Service, None, 100).await.unwrap()
    }
}

async fn jobs_are_taken_up_in_their_order_and_once(database: TestDatabase) {
    let rig = Rig::new(database).await;
    rig.enqueue(1, |_| {}).await;
    rig.enqueue(2, |job| job.run_at += time::Duration::hours(1)).await;
    rig.enqueue(3, |job| job.priority = 5).await;
    rig.pass(1);
    rig.enqueue(4, |_| {}).await;
    let mut order = Vec::new();
    while let Some(job) = rig.claim().await {
        order.push(job.lease.job.0.as_u128());
    }
    assert_eq!(order, [3, 1, 4]);
    // Many ask at once, and each job is somebody's.
    for number in 10..30 {
        rig.enqueue(number, |_| {}).await;
    }
    let asked = futures::future::join_all((0..30).map(|_| rig.claim())).await;
    let mut had: Vec<u128> = asked
        .iter()
        .flatten()
        .map(|job| job.lease.job.0.as_u128())
        .collect();
    had.sort_unstable();
    // On PostgreSQL one that asks while another transaction holds a row passes over it.
    while let Some(job) = rig.claim().await {
        had.push(job.lease.job.0.as_u128());
    }
    had.sort_unstable();
    assert_eq!(had, (10..30).collect::<Vec<_>>());
}

async fn one_that_waits_stands_for_both(database: TestDatabase) {
    let rig = Rig::new(database).await;
    assert!(rig.enqueue(1, |job| job.dedup_key = Some("a")).await);
    assert!(!rig.enqueue(2, |job| job.dedup_key = Some("a")).await);
    assert!(rig.enqueue(3, |job| job.dedup_key = Some("b")).await);
    let other = samples::user(2).id;
    assert!(
        rig.enqueue(4, |job| {
            job.dedup_key = Some("a");
            job.user_id = other;
        })
        .await
    );
    // One that runs may have missed what the next one is for.
    let job = rig.claim().await.unwrap();
    assert_eq!(job.lease.job.0.as_u128(), 1);
    assert!(rig.enqueue(5, |job| job.dedup_key = Some("a")).await);
    // And when it fails, the one that waits does its work.
    assert_eq!(rig.put_back(&job, 5).await, Some(JobState::Finished));
    let own = rig.engine.jobs(Actor::Tenant(other), None, 100).await.unwrap();
    assert_eq!(own.len(), 1, "tenants see their own jobs");
}

async fn who_lost_a_job_can_commit_nothing_for_it(database: TestDatabase) {
    let rig = Rig::new(database).await;
    rig.enqueue(1, |_| {}).await;
    let slow = rig.claim().await.unwrap();
    assert_eq!(slow.attempt, 1);
    rig.pass(14);
    assert!(rig.claim().await.is_none(), "it is still held");
    rig.pass(2);
    let next = rig.claim().await.unwrap();
    assert_eq!((next.lease.job, next.attempt), (slow.lease.job, 2));
    let mut scope = rig.database.store.write(Actor::Service).await.unwrap();
    let progress = jobs::progress(&mut scope, slow.lease).await;
    assert!(matches!(progress, Err(StoreError::LostLease)), "{progress:?}");
    drop(scope);
    assert!(matches!(rig.finish(&slow).await, Err(StoreError::LostLease)));
    assert_eq!(rig.put_back(&slow, 1).await, None);
    rig.finish(&next).await.unwrap();
    assert_eq!(rig.jobs().await[0].state, JobState::Finished);
    assert!(matches!(rig.finish(&next).await, Err(StoreError::LostLease)));
}

async fn what_fails_is_tried_again_later_and_given_up_in_the_end(database: TestDatabase) {
    let rig = Rig::new(database).await;
    rig.enqueue(1, |_| {}).await;
    for attempt in 1..=2 {
        let job = rig.claim().await.unwrap();
        assert_eq!(job.attempt, attempt);
        assert_eq!(rig.put_back(&job, 3).await, Some(JobState::Queued));
        assert!(rig.claim().await.is_none(), "not at once");
        rig.pass(11);
    }
    let job = rig.claim().await.unwrap();
    // Progress makes up for what failed before.
    let mut scope = rig.database.store.write(Actor::Service).await.unwrap();
    jobs::progress(&mut scope, job.lease).await.unwrap();
    scope.commit().await.unwrap();
    assert_eq!(rig.put_back(&job, 3).await, Some(JobState::Queued));
    rig.pass(11);
    for last in [Some(JobState::Queued), Some(JobState::Dead)] {
        let job = rig.claim().await.unwrap();
        assert_eq!(rig.put_back(&job, 3).await, last);
        rig.pass(11);
    }
    assert!(rig.claim().await.is_none());
    let dead = rig.jobs().await.swap_remove(0);
    assert_eq!(
        (dead.state, dead.error.as_deref(), dead.finished_at.is_some()),
        (JobState::Dead, Some("it broke"), true)
    );
    assert_eq!(rig.engine.job_counts().await.unwrap().dead, 1);
    assert!(rig.engine.revive_job(dead.id).await.unwrap());
    assert!(!rig.engine.revive_job(dead.id).await.unwrap());
    assert_eq!(rig.claim().await.unwrap().attempt, 1);

    // One that costs each worker its life is given up as well.
    let mut scope = rig.database.store.write(Actor::Service).await.unwrap();
    rig.pass(20);
    assert_eq!(jobs::bury(&mut scope, rig.now(), 2, "all died").await.unwrap(), 0);
    assert_eq!(jobs::bury(&mut scope, rig.now(), 1, "all died").await.unwrap(), 1);
    scope.commit().await.unwrap();
    assert_eq!(rig.jobs().await[0].error.as_deref(), Some("all died"));
}

async fn a_job_is_there_with_its_change_or_not_at_all(database: TestDatabase) {
    let rig = Rig::new(database).await;
    let payload = Json::parse("{}").unwrap();
    let job = NewJob {
        id: JobId(Uuid::from_u128(1)),
        user_id: samples::user(1).id,
        kind: JobKind::Mine,
        payload: &payload,
        dedup_key: None,
        priority: 0,
        run_at: rig.now(),
    };
    let mut scope = rig
        .database
        .store
        .write(Actor::Tenant(samples::user(1).id))
        .await
        .unwrap();
    jobs::enqueue(&mut scope, &job).await.unwrap();
    drop(scope);
    assert!(rig.jobs().await.is_empty());
    let mut scope = rig
        .database
        .store
        .write(Actor::Tenant(samples::user(2).id))
        .await
        .unwrap();
    let foreign = jobs::enqueue(&mut scope, &job).await;
    assert!(matches!(foreign, Err(StoreError::ForeignRow)), "{foreign:?}");
}

/// Waits until a query gives a number, which it does in a moment or never.
async fn becomes(rig: &Rig, query: &'static str, number: i64) {
    for _ in 0..600 {
        if rig.database.number(query).await == number {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("{query} never gave {number}: {:#?}", rig.jobs().await);
}

async fn a_worker_mines_when_it_is_told_and_when_it_is_time(database: TestDatabase) {
    let rig = Rig::new(database).await;
    assert!(
        rig.engine
            .change_schedule(
                "mine",
                ScheduleChange {
                    enabled: Some(false),
                    ..Default::default()
                }
            )
            .await
            .unwrap()
    );
    assert!(
        !rig.engine
            .change_schedule("mime", ScheduleChange::default())
            .await
            .unwrap()
    );
    let mut failing = crate::intake::interaction("a");
    failing.flags = vec!["hallucination".to_owned()];
    rig.engine
        .ingest(vec![failing.clone()], pawl_engine::intake::Terms::Whole)
        .await
        .unwrap();
    let stop = CancellationToken::new();
    let settings = WorkerSettings {
        concurrency: 2,
        lease: Duration::from_secs(15),
        failed: |error| panic!("{error}"),
    };
    let worker = tokio::spawn({
        let (engine, stop) = (rig.engine.clone(), stop.clone());
        async move { engine.run_worker(settings, &stop).await }
    });
    assert!(rig.engine.queue_mining(samples::user(1).id).await.unwrap());
    becomes(&rig, "select count(*) from failure_patterns", 1).await;
    becomes(&rig, "select count(*) from jobs where state = 'finished'", 1).await;
    assert_eq!(
        rig.database
            .number("select count(*) from mining_runs where job_id is not null and finished_at is not null")
            .await,
        1
    );

    failing.interaction_id = "b".to_owned();
    rig.engine
        .ingest(vec![failing], pawl_engine::intake::Terms::Whole)
        .await
        .unwrap();
    let change = ScheduleChange {
        enabled: Some(true),
        every_seconds: Some(60),
    };
    assert!(rig.engine.change_schedule("mine", change).await.unwrap());
    rig.pass(61);
    becomes(&rig, "select count(*) from failure_patterns", 2).await;
    stop.cancel();
    worker.await.unwrap();
    let by = async |query| rig.database.number(query).await;
    assert_eq!(
        by("select count(*) from mining_runs where triggered_by = 'manual'").await,
        1
    );
    assert_eq!(
        by("select count(*) from mining_runs where triggered_by = 'scheduled'").await,
        1
    );
    assert_eq!(rig.database.number("select count(*) from jobs").await, 2);
    let schedules = rig.engine.schedules().await.unwrap();
    let mining = schedules.iter().find(|schedule| schedule.name == "mine").unwrap();
    assert_eq!(mining.next_at, rig.now() + time::Duration::minutes(1));
}
