//! Mining: failing interactions become failure patterns, one each, and patterns that are alike become suggestions.
//!
//! A part of a run is read, made into patterns outside any transaction, and then put into groups and written in one, in
//! which nobody else groups patterns of the tenant. What was mined already has a pattern: that is all that a run
//! which is taken up again needs to know.

mod extract;
mod grouping;
mod groups;
mod models;
mod observe;
mod rules;
mod run;
pub mod suggestions;

use pawl_model::{
    FailureType, InteractionId, Json, MiningCounts, Severity, SuggestionStatus, SuggestionType, TriggeredBy,
    UserId,
};
use pawl_store::jobs::Claimed;
use pawl_store::mining::{self, Candidate, Failing};
use pawl_store::{Actor, policies};
use serde::Serialize;
use time::OffsetDateTime;
use time::macros::format_description;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

pub use self::models::MiningModels;
use self::run::Run;
use crate::worker::{Ended, Work};
use crate::{Engine, EngineError};

/// Interactions that are mined in one transaction.
const PART: u32 = 500;
/// As many where a model is asked about each: what is paid for should not be lost.
const PART_BY_MODEL: u32 = 40;
/// How far back a scheduled run looks: longer than workers should ever be away.
const SCHEDULED: time::Duration = time::Duration::days(3);
/// The member of a job's payload that says who set it going.
pub(crate) const TRIGGERED_BY: &str = "triggered_by";

/// What is to be mined.
#[derive(Clone, Copy, Debug)]
pub struct MineRequest {
    /// Whose interactions.
    pub user_id: UserId,
    /// Those that happened since then.
    pub since: OffsetDateTime,
    /// What set it going.
    pub triggered_by: TriggeredBy,
    /// Whether anything is written.
    pub mode: Mode,
}

/// Whether anything is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Patterns and suggestions are stored.
    Store,
    /// Nothing is: it is only told what would be.
    DryRun,
}

/// What came of a run.
#[derive(Clone, Debug, Serialize)]
pub struct MineReport {
    /// The run; none of a dry one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    /// Whether it was brought to its end.
    pub is_complete: bool,
    /// What makes patterns: `rules`, or a model.
    pub extracted_by: String,
    /// What models cost, in US dollars.
    pub cost_usd: f64,
    /// Whether $0.10 were charged for each call, since the model has no price that is known.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_charged_flat: bool,
    /// How much.
    #[serde(flatten)]
    pub counts: MiningCounts,
    /// Suggestions that patterns were added to, those with most first, at most a hundred.
    pub suggestions: Vec<ReportedSuggestion>,
}

/// A suggestion that patterns were added to.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReportedSuggestion {
    /// Its id.
    pub suggestion_id: String,
    /// In a few words.
    pub title: String,
    /// What is suggested.
    #[serde(rename = "type")]
    pub suggestion_type: SuggestionType,
    /// The kind of failure.
    pub failure_type: FailureType,
    /// How bad it is.
    pub severity: Severity,
    /// What people decided.
    pub status: SuggestionStatus,
    /// Whether this run made it.
    pub is_new: bool,
    /// The rejected suggestion that it is a recurrence of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recurrence_of: Option<String>,
    /// Patterns that this run added.
    pub added: u64,
    /// Patterns that it has now.
    pub recurrence_count: u64,
}

impl Engine {
    /// Mines what is failing and has no pattern yet, and reports. `progress` is told what came of it so far. Where
    /// `stop` is cancelled what is under way is brought to its end, and the report says that it is not complete.
    ///
    /// # Errors
    /// When there is no such user, or the database fails; what was committed by then stays.
    pub async fn mine(
        &self,
        request: MineRequest,
        stop: &CancellationToken,
        progress: impl FnMut(&MiningCounts),
    ) -> Result<MineReport, EngineError> {
        let work = Work::by_hand(stop.clone());
        self.mine_in_parts(request, &work, progress).await
    }

    /// Mines for a job, which its last transaction finishes.
    pub(crate) async fn mine_for_job(&self, job: &Claimed, work: &Work) -> Result<Ended, EngineError> {
        let request = MineRequest {
            user_id: job.user_id,
            since: self.clock.now() - SCHEDULED,
            triggered_by: triggered_by(&job.payload),
            mode: Mode::Store,
        };
        let report = self.mine_in_parts(request, work, |_| {}).await?;
        Ok(match report.is_complete {
            true => Ended::Finished,
            false => Ended::Stopped,
        })
    }

    async fn mine_in_parts(
        &self,
        request: MineRequest,
        work: &Work,
        mut progress: impl FnMut(&MiningCounts),
    ) -> Result<MineReport, EngineError> {
        let mut scope = self.store.read(Actor::Service).await?;
        let policy = policies::list(&mut scope, &[request.user_id]).await?.pop();
        drop(scope);
        let policy = policy.ok_or_else(|| EngineError::unknown_user(request.user_id))?;
        let mut run = Run::begin(self, request, policy, work).await?;
        run.read_groups(self, work).await?;
        let mut after = (request.since, InteractionId(Uuid::nil()));
        let mut is_complete = false;
        while !work.is_stopped() {
            let page = self.candidates(&run, after).await?;
            let Some(last) = page.last() else {
                is_complete = true;
                break;
            };
            after = (last.created_at, last.id);
            let patterns = run.patterns(self, page).await?;
            run.add(self, patterns, work).await?;
            progress(&run.counts);
        }
        run.end(self, work, is_complete).await
    }

    async fn candidates(
        &self,
        run: &Run,
        after: (OffsetDateTime, InteractionId),
    ) -> Result<Vec<Candidate>, EngineError> {
        let mut scope = self.store.read(Actor::Service).await?;
        let failing = Failing {
            user_id: run.request.user_id,
            since: run.request.since,
            after,
            below: run.policy.failure_score,
            flags: &run.policy.failure_flags,
            limit: match self.mining.extractor {
                Some(_) => PART_BY_MODEL,
                None => PART,
            },
        };
        Ok(mining::candidates(&mut scope, failing).await?)
    }
}

/// Who set a job going, as its payload says: a schedule's says nothing.
pub(crate) fn triggered_by(payload: &Json) -> TriggeredBy {
    let word = &payload.to_value()[TRIGGERED_BY];
    word.as_str()
        .and_then(TriggeredBy::parse)
        .unwrap_or(TriggeredBy::Scheduled)
}

/// `run_`, date and time in UTC, and eight random digits.
pub(crate) fn run_id(now: OffsetDateTime) -> String {
    let format = format_description!("run_[year][month][day]_[hour][minute][second]_");
    let mut id = now
        .to_offset(time::UtcOffset::UTC)
        .format(format)
        .unwrap_or_default();
    id.push_str(&Uuid::new_v4().simple().to_string()[..8]);
    id
}
