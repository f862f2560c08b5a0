//! Work for workers: jobs, and the schedules that make some of them.

use time::OffsetDateTime;

use crate::words::words;
use crate::{JobId, Json, ScheduleId, UserId};

words! {
    /// What a job is about.
    JobKind {
        /// Failing interactions become patterns, and these suggestions.
        Mine = "mine",
        /// Suggestions of tests get drafts.
        Draft = "draft",
        /// A prompt is evolved.
        Evolve = "evolve",
        /// A candidate is compared with the live prompt, and becomes live where it passes.
        Promote = "promote",
    }
}

words! {
    /// How far a job is.
    JobState {
        /// It waits for its time and for a worker.
        Queued = "queued",
        /// A worker has it.
        Running = "running",
        /// It is done.
        Finished = "finished",
        /// It failed too often, and waits for a person.
        Dead = "dead",
    }
}

/// A piece of work as it is shown.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    /// Its id.
    pub id: JobId,
    /// Whose rows it is about.
    pub user_id: UserId,
    /// What is to be done; another version may know kinds that this one does not.
    pub kind: String,
    /// How.
    pub payload: Json,
    /// Higher ones go first.
    pub priority: i64,
    /// How far it is.
    pub state: JobState,
    /// How often it was taken up since there was progress.
    pub attempts: i64,
    /// Not before then.
    pub run_at: OffsetDateTime,
    /// Why it failed last.
    pub error: Option<String>,
    /// When it was asked for.
    pub created_at: OffsetDateTime,
    /// When it was finished, or given up.
    pub finished_at: Option<OffsetDateTime>,
}

/// Work that comes again and again.
#[derive(Clone, Debug, PartialEq)]
pub struct Schedule {
    /// Its id.
    pub id: ScheduleId,
    /// Whose it is; everybody's without.
    pub user_id: Option<UserId>,
    /// What it is called.
    pub name: String,
    /// The kind of its jobs.
    pub kind: String,
    /// How they are to be done.
    pub payload: Json,
    /// How far apart they begin.
    pub every_seconds: i64,
    /// Whether it goes on.
    pub enabled: bool,
    /// When the next one begins.
    pub next_at: OffsetDateTime,
}
