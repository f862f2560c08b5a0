//! A run that is under way: how it begins, makes patterns, and ends.

use std::collections::BTreeMap;

use pawl_model::{Budget, ExtractionError, FailurePattern, MiningCounts, Policy, SuggestionType, Usd};
use pawl_store::Actor;
use pawl_store::mining::{self, Candidate, NewRun};
use pawl_store::suggestions::Stamp;

use super::extract::Extractor;
use super::groups::Groups;
use super::rules::Failed;
use super::{MineReport, MineRequest, Mode, ReportedSuggestion, run_id};
use crate::suggestions::Suggestions;
use crate::worker::Work;
use crate::{Engine, EngineError};

/// Suggestions that a report names.
const MAX_REPORTED: usize = 100;

/// Patterns on their way into groups.
pub(super) struct Ungrouped {
    pub patterns: Vec<FailurePattern>,
    /// Whom each happened to.
    pub user_hashes: Vec<Option<String>>,
    /// One for each.
    pub vectors: Vec<Vec<f32>>,
    pub errors: Vec<ExtractionError>,
}

/// A run that is under way.
pub(super) struct Run {
    pub request: MineRequest,
    pub policy: Policy,
    /// Its id; empty of a dry one.
    pub id: String,
    pub budget: Budget,
    /// What it had cost when it was taken up.
    spent_before: mining::Cost,
    /// What makes vectors.
    pub embedded_by: String,
    is_charged_flat: bool,
    pub counts: MiningCounts,
    /// Where they are kept.
    pub suggestions: Suggestions,
    pub groups: Groups,
    /// When each suggestion was changed last, as far as is known here.
    pub seen: Option<Stamp>,
    /// Patterns that were added to each suggestion, and whether it was made here.
    pub added: BTreeMap<String, (u64, bool)>,
}

impl Run {
    pub(super) async fn begin(
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
            suggestions: engine.suggestions_of(Actor::Tenant(request.user_id)).await?,
            groups: Groups::default(),
            seen: None,
            added: BTreeMap::new(),
        })
    }

    /// The patterns of a page. What the model makes nothing of, rules do.
    pub(super) async fn patterns(
        &self,
        engine: &Engine,
        page: Vec<Candidate>,
    ) -> Result<Ungrouped, EngineError> {
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

    /// What the run has cost by now, in US dollars.
    pub(super) fn cost_usd(&self) -> mining::Cost {
        let spent: mining::Cost = self.budget.spent().to_string().parse().unwrap_or_default();
        &self.spent_before + spent
    }

    pub(super) async fn end(
        self,
        engine: &Engine,
        work: &Work,
        is_complete: bool,
    ) -> Result<MineReport, EngineError> {
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
