//! Mining: failing interactions become failure patterns, one each, and patterns that are alike become suggestions.
//!
//! A part of a run is read, made into patterns outside any transaction, and then put into groups and written in one, in
//! which nobody else groups patterns of the tenant. What was mined already has a pattern: that is all that a run
//! which is taken up again needs to know.

mod extract;
mod groups;
mod models;
mod observe;
mod rules;
pub mod suggestions;

use std::collections::{BTreeMap, HashSet};

use pawl_model::{
    Budget, ExtractionError, FailurePattern, FailureType, InteractionId, Json, MiningCounts, Policy,
    Severity, SuggestionStatus, SuggestionType, TriggeredBy, Usd, UserId,
};
use pawl_store::jobs::Claimed;
use pawl_store::mining::{self, Candidate, Failing, GroupedPattern, NewRun, RunPart};
use pawl_store::suggestions::{self as suggestions_stored, Stamp};
use pawl_store::{Actor, policies};
use serde::Serialize;
use time::OffsetDateTime;
use time::macros::format_description;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use self::extract::Extractor;
use self::groups::{Groups, Placing};
pub use self::models::MiningModels;
use self::rules::Failed;
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
/// Suggestions that a report names.
const MAX_REPORTED: usize = 100;

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
        let policy = policy.ok_or_else(|| EngineError::UnknownUser {
            named: request.user_id.to_string(),
        })?;
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

/// Patterns on their way into groups.
struct Ungrouped {
    patterns: Vec<FailurePattern>,
    /// Whom each happened to.
    user_hashes: Vec<Option<String>>,
    /// One for each.
    vectors: Vec<Vec<f32>>,
    errors: Vec<ExtractionError>,
}

/// A run that is under way.
struct Run {
    request: MineRequest,
    policy: Policy,
    /// Its id; empty of a dry one.
    id: String,
    budget: Budget,
    /// What it had cost when it was taken up.
    spent_before: mining::Cost,
    /// What makes vectors.
    embedded_by: String,
    is_charged_flat: bool,
    counts: MiningCounts,
    groups: Groups,
    /// When each suggestion was changed last, as far as is known here.
    seen: Option<Stamp>,
    /// Patterns that were added to each suggestion, and whether it was made here.
    added: BTreeMap<String, (u64, bool)>,
}

impl Run {
    async fn begin(
        engine: &Engine,
        request: MineRequest,
        policy: Policy,
        work: &Work,
    ) -> Result<Self, EngineError> {
        let models = &engine.mining;
        let is_charged_flat = models.has_no_price()?;
        let embedded_by = models.embedded_by();
        let (id, spent_before) = match request.mode {
            Mode::DryRun => (String::new(), mining::Cost::default()),
            Mode::Store => {
                let now = engine.clock.now();
                let mut scope = work.begin(engine).await?;
                let run = NewRun {
                    user_id: request.user_id,
                    run_id: &run_id(now),
                    job_id: work.lease().map(|lease| lease.job),
                    triggered_by: request.triggered_by,
                    extracted_by: &models.extracted_by(),
                    embedded_by: &embedded_by,
                    since: request.since,
                    started_at: now,
                };
                let started = mining::start(&mut scope, &run).await?;
                scope.commit().await?;
                started
            }
        };
        // A job that is taken up again has no more to spend than it had.
        let spent = Usd::parse(&spent_before.to_string()).unwrap_or(Usd::ZERO);
        Ok(Self {
            request,
            policy,
            id,
            budget: models.budget(spent),
            spent_before,
            embedded_by,
            is_charged_flat,
            counts: MiningCounts::default(),
            groups: Groups::default(),
            seen: None,
            added: BTreeMap::new(),
        })
    }

    /// The patterns of a page. What the model makes nothing of, rules do.
    async fn patterns(&self, engine: &Engine, page: Vec<Candidate>) -> Result<Ungrouped, EngineError> {
        let masker = engine.maskers().of(&self.policy);
        let now = engine.clock.now();
        let failed: Vec<Failed> = page
            .into_iter()
            .map(|candidate| Failed::new(candidate, &masker))
            .collect();
        let (patterns, errors) = match &engine.mining.extractor {
            None => (
                failed.iter().map(|failed| failed.pattern(now)).collect(),
                Vec::new(),
            ),
            Some(model) => {
                let extractor = Extractor {
                    model,
                    budget: &self.budget,
                    masker: &masker,
                };
                extractor.extract_all(&failed, now).await
            }
        };
        let vectors = engine.mining.vectors(&patterns, &failed, &self.budget).await?;
        Ok(Ungrouped {
            patterns,
            user_hashes: failed
                .into_iter()
                .map(|failed| failed.candidate.user_hash)
                .collect(),
            vectors,
            errors,
        })
    }

    /// Reads the suggestions. Those that another model made vectors for get new ones, so that patterns can be compared
    /// with them.
    async fn read_groups(&mut self, engine: &Engine, work: &Work) -> Result<(), EngineError> {
        let user = self.request.user_id;
        let mut scope = engine.store.read(Actor::Service).await?;
        self.seen = Some(suggestions_stored::stamp(&mut scope, user).await?);
        self.groups = Groups::read(suggestions_stored::groups(&mut scope, user).await?);
        drop(scope);
        let (places, suggested) = self.groups.made_by_others(&self.embedded_by);
        if places.is_empty() {
            return Ok(());
        }
        let vectors = engine.mining.vectors_again(&suggested, &self.budget).await?;
        self.groups.embed_again(&places, vectors, &self.embedded_by);
        if self.request.mode == Mode::Store {
            let mut scope = work.begin(engine).await?;
            mining::hold(&mut scope, user).await?;
            suggestions_stored::put(&mut scope, user, &self.groups.take_changed()).await?;
            scope.commit().await?;
            // Whatever was changed meanwhile is read again.
            self.seen = None;
        }
        Ok(())
    }

    /// Puts patterns into groups and writes both.
    async fn add(&mut self, engine: &Engine, ungrouped: Ungrouped, work: &Work) -> Result<(), EngineError> {
        let Ungrouped {
            patterns,
            user_hashes,
            vectors,
            errors,
        } = ungrouped;
        let user = self.request.user_id;
        let mut scope = match self.request.mode {
            Mode::Store => work.begin(engine).await?,
            Mode::DryRun => engine.store.read(Actor::Service).await?,
        };
        if self.request.mode == Mode::Store {
            mining::hold(&mut scope, user).await?;
        }
        let ids: Vec<InteractionId> = patterns.iter().map(|one| one.evaluation_id).collect();
        let known: HashSet<InteractionId> =
            mining::mined(&mut scope, user, &ids).await?.into_iter().collect();
        let stamp = suggestions_stored::stamp(&mut scope, user).await?;
        // A dry run's groups are nowhere else.
        if self.request.mode == Mode::Store && self.seen != Some(stamp) {
            self.groups = Groups::read(suggestions_stored::groups(&mut scope, user).await?);
        }
        let now = engine.clock.now();
        let mut counts = MiningCounts {
            picked_up: patterns.len() as u64,
            errors: errors.len() as u64,
            ..MiningCounts::default()
        };
        let mut grouped = Vec::with_capacity(patterns.len());
        for ((pattern, user_hash), vector) in patterns.into_iter().zip(user_hashes).zip(&vectors) {
            if known.contains(&pattern.evaluation_id) {
                counts.skipped += 1;
                continue;
            }
            let placed = self.groups.place(&Placing {
                user,
                pattern: &pattern,
                vector,
                embedded_by: &self.embedded_by,
                run_id: &self.id,
                now,
            });
            counts.patterns += 1;
            match placed.similarity {
                Some(_) => counts.joined += 1,
                None => counts.suggestions += 1,
            }
            let added = self.added.entry(placed.suggestion_id.clone()).or_default();
            added.0 += 1;
            added.1 |= placed.similarity.is_none();
            grouped.push(GroupedPattern {
                pattern,
                user_hash,
                suggestion_id: placed.suggestion_id,
                similarity_score: placed.similarity,
            });
        }
        if self.request.mode == Mode::Store {
            suggestions_stored::put(&mut scope, user, &self.groups.take_changed()).await?;
            mining::insert_patterns(&mut scope, user, &grouped).await?;
            let part = RunPart {
                user_id: user,
                run_id: &self.id,
                counts,
                cost_usd: &self.cost_usd(),
                errors: &errors,
            };
            mining::add(&mut scope, &part).await?;
            self.seen = Some(suggestions_stored::stamp(&mut scope, user).await?);
            scope.commit().await?;
        }
        self.counts.add(&counts);
        Ok(())
    }

    /// What the run has cost by now, in US dollars.
    fn cost_usd(&self) -> mining::Cost {
        let spent: mining::Cost = self.budget.spent().to_string().parse().unwrap_or_default();
        &self.spent_before + spent
    }

    async fn end(self, engine: &Engine, work: &Work, is_complete: bool) -> Result<MineReport, EngineError> {
        if self.request.mode == Mode::Store && is_complete {
            let now = engine.clock.now();
            let mut scope = work.begin(engine).await?;
            mining::finish(&mut scope, self.request.user_id, &self.id, now).await?;
            work.finish(scope, now).await?;
        }
        let mut suggestions: Vec<ReportedSuggestion> = self
            .groups
            .all()
            .iter()
            .filter_map(|group| {
                let (added, is_new) = *self.added.get(&group.suggestion_id)?;
                Some(ReportedSuggestion {
                    suggestion_id: group.suggestion_id.clone(),
                    title: group.pattern.title.clone(),
                    suggestion_type: SuggestionType::for_failure(group.pattern.failure_type),
                    failure_type: group.pattern.failure_type,
                    severity: group.severity,
                    status: group.status,
                    is_new,
                    recurrence_of: group.recurrence_of.clone(),
                    added,
                    recurrence_count: group.patterns,
                })
            })
            .collect();
        suggestions.sort_by_key(|suggestion| std::cmp::Reverse(suggestion.added));
        suggestions.truncate(MAX_REPORTED);
        let cost_usd = self.cost_usd().to_string().parse().unwrap_or_default();
        Ok(MineReport {
            run_id: Some(self.id).filter(|id| !id.is_empty()),
            is_complete,
            extracted_by: engine.mining.extracted_by(),
            cost_usd,
            is_charged_flat: self.is_charged_flat,
            counts: self.counts,
            suggestions,
        })
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
