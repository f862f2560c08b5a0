//! The queue of jobs. Who has a job has a lease on it, and whatever is done for the job happens in transactions that
//! the lease still held in: a worker that was taken for dead can commit nothing more.

use pawl_model::{Job, JobId, JobKind, JobState, Json, UserId};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::statement::{pair, shared};
use crate::{Result, Scope, Statement, StoreError, Value};

const INSERT: Statement = pair!("jobs/insert");
const IS_DUE: Statement = shared!("jobs/is_due");
const CLAIM: Statement = pair!("jobs/claim");
const RENEW: Statement = shared!("jobs/renew");
const PROGRESS: Statement = shared!("jobs/progress");
const FINISH: Statement = shared!("jobs/finish");
const PUT_BACK: Statement = shared!("jobs/put_back");
const BURY: Statement = shared!("jobs/bury");
const REVIVE: Statement = shared!("jobs/revive");
const PRUNE: Statement = shared!("jobs/prune");
const LIST: Statement = pair!("jobs/list");
const COUNT: Statement = shared!("jobs/count");

pub(crate) const STATEMENTS: &[Statement] = &[
    INSERT, IS_DUE, CLAIM, RENEW, PROGRESS, FINISH, PUT_BACK, BURY, REVIVE, PRUNE, LIST, COUNT,
];

/// A job that is asked for.
#[derive(Clone, Debug)]
pub struct NewJob<'a> {
    /// Its id.
    pub id: JobId,
    /// Whose rows it is about.
    pub user_id: UserId,
    /// What is to be done.
    pub kind: JobKind,
    /// How.
    pub payload: &'a Json,
    /// Of two jobs of a kind with the same key one waits.
    pub dedup_key: Option<&'a str>,
    /// Higher ones go first.
    pub priority: i32,
    /// Not before then.
    pub run_at: OffsetDateTime,
}

/// Puts a job in the queue, when and if the transaction commits. Says whether it did: one that waits already may stand
/// for it.
///
/// # Errors
/// When the tenant is somebody else, or the database fails.
pub async fn enqueue(scope: &mut Scope, job: &NewJob<'_>) -> Result<bool> {
    let user = scope.owner(Some(job.user_id)).await?;
    let values = [
        user.into(),
        job.id.into(),
        job.kind.as_str().into(),
        job.payload.into(),
        job.dedup_key.into(),
        job.priority.into(),
        job.run_at.into(),
    ];
    let inserted = scope.execute(&INSERT, &values).await? > 0;
    scope.announce_jobs();
    Ok(inserted)
}

/// A worker's hold on a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lease {
    /// The job.
    pub job: JobId,
    /// What tells this hold from others.
    pub token: Uuid,
}

/// A job that was taken up.
#[derive(Clone, Debug)]
pub struct Claimed {
    /// The hold on it.
    pub lease: Lease,
    /// Whose rows it is about.
    pub user_id: UserId,
    /// What is to be done.
    pub kind: JobKind,
    /// How.
    pub payload: Json,
    /// Which attempt this is since there was progress, from 1.
    pub attempt: u32,
}

/// How a job is taken up.
#[derive(Clone, Copy, Debug)]
pub struct Claim {
    /// What tells this hold from others.
    pub token: Uuid,
    /// Now.
    pub now: OffsetDateTime,
    /// When others may take it up where there is no sign of life.
    pub until: OffsetDateTime,
}

/// Whether there is something to take up.
///
/// # Errors
/// When the database fails.
pub async fn is_due(scope: &mut Scope, now: OffsetDateTime) -> Result<bool> {
    Ok(scope.fetch_one(&IS_DUE, &[now.into()]).await?.is_some())
}

/// Takes up the most urgent job that is due, as the service.
///
/// # Errors
/// When the database fails.
pub async fn claim(scope: &mut Scope, claim: Claim) -> Result<Option<Claimed>> {
    scope.require_service()?;
    let kinds: Vec<String> = JobKind::ALL.iter().map(|kind| kind.as_str().to_owned()).collect();
    let values = [
        claim.token.into(),
        claim.now.into(),
        claim.until.into(),
        Value::from(kinds.as_slice()),
    ];
    let Some(row) = scope.fetch_one(&CLAIM, &values).await? else {
        return Ok(None);
    };
    let mut columns = row.columns();
    let job = columns.read()?;
    Ok(Some(Claimed {
        lease: Lease {
            job,
            token: claim.token,
        },
        user_id: columns.read()?,
        kind: JobKind::parse(&columns.read::<String>()?).ok_or(StoreError::Corrupt {
            column: 2,
            expected: "a kind of jobs",
        })?,
        payload: columns.read()?,
        attempt: u32::try_from(columns.read::<i64>()?).unwrap_or(u32::MAX),
    }))
}

/// Gives a sign of life; says whether the job is still held.
///
/// # Errors
/// When the database fails.
pub async fn renew(scope: &mut Scope, lease: Lease, until: OffsetDateTime) -> Result<bool> {
    let values = [lease.job.into(), lease.token.into(), until.into()];
    Ok(scope.execute(&RENEW, &values).await? > 0)
}

/// Says that this transaction does a part of the job. Where the job is no longer held the transaction is not to be
/// committed.
///
/// # Errors
/// [`StoreError::LostLease`] then; or when the database fails.
pub async fn progress(scope: &mut Scope, lease: Lease) -> Result<()> {
    held(
        scope
            .execute(&PROGRESS, &[lease.job.into(), lease.token.into()])
            .await?,
    )
}

/// Says that with this transaction the job is done.
///
/// # Errors
/// As [`progress`].
pub async fn finish(scope: &mut Scope, lease: Lease, now: OffsetDateTime) -> Result<()> {
    held(
        scope
            .execute(&FINISH, &[lease.job.into(), lease.token.into(), now.into()])
            .await?,
    )
}

const fn held(rows: u64) -> Result<()> {
    match rows {
        0 => Err(StoreError::LostLease),
        _ => Ok(()),
    }
}

/// Why a job goes back into the queue.
#[derive(Clone, Copy, Debug)]
pub struct PutBack<'a> {
    /// Now.
    pub now: OffsetDateTime,
    /// When it is tried again.
    pub run_at: OffsetDateTime,
    /// What went wrong.
    pub error: Option<&'a str>,
    /// After how many attempts it is given up.
    pub max_attempts: u32,
}

/// Gives a job back; as dead where it was tried often enough. None where it was not held any more.
///
/// # Errors
/// When the database fails.
pub async fn put_back(scope: &mut Scope, lease: Lease, back: PutBack<'_>) -> Result<Option<JobState>> {
    let values = [
        lease.job.into(),
        lease.token.into(),
        back.run_at.into(),
        back.error.into(),
        i64::from(back.max_attempts).into(),
        back.now.into(),
    ];
    let row = scope.fetch_one(&PUT_BACK, &values).await?;
    row.map(|row| row.columns().read()).transpose()
}

/// Gives up jobs whose workers died one after the other, so many of them; says how many jobs.
///
/// # Errors
/// When the database fails.
pub async fn bury(scope: &mut Scope, now: OffsetDateTime, max_attempts: u32, error: &str) -> Result<u64> {
    let values = [now.into(), i64::from(max_attempts).into(), error.into()];
    scope.execute(&BURY, &values).await
}

/// Queues a dead job again; says whether there is such a one.
///
/// # Errors
/// When the database fails.
pub async fn revive(scope: &mut Scope, id: JobId, now: OffsetDateTime) -> Result<bool> {
    let revived = scope.execute(&REVIVE, &[id.into(), now.into()]).await? > 0;
    scope.announce_jobs();
    Ok(revived)
}

/// Forgets jobs that were finished before one time, and those that were given up before another.
///
/// # Errors
/// When the database fails.
pub async fn prune(scope: &mut Scope, finished: OffsetDateTime, dead: OffsetDateTime) -> Result<u64> {
    scope.execute(&PRUNE, &[finished.into(), dead.into()]).await
}

/// Jobs, the newest first, at most `limit`; of one state where that is asked.
///
/// # Errors
/// When the database fails.
pub async fn list(scope: &mut Scope, state: Option<JobState>, limit: u32) -> Result<Vec<Job>> {
    let values = [state.map(JobState::as_str).into(), i64::from(limit).into()];
    let rows = scope.fetch(&LIST, &values).await?;
    rows.iter()
        .map(|row| {
            let mut columns = row.columns();
            Ok(Job {
                id: columns.read()?,
                user_id: columns.read()?,
                kind: columns.read()?,
                payload: columns.read()?,
                priority: columns.read()?,
                state: columns.read()?,
                attempts: columns.read()?,
                run_at: columns.read()?,
                error: columns.read()?,
                created_at: columns.read()?,
                finished_at: columns.read()?,
            })
        })
        .collect()
}

/// How many jobs there are of each state that some have.
///
/// # Errors
/// When the database fails.
pub async fn count(scope: &mut Scope) -> Result<Vec<(JobState, u64)>> {
    let rows = scope.fetch(&COUNT, &[]).await?;
    rows.iter()
        .map(|row| {
            let mut columns = row.columns();
            let state = columns.read()?;
            Ok((state, u64::try_from(columns.read::<i64>()?).unwrap_or(0)))
        })
        .collect()
}
