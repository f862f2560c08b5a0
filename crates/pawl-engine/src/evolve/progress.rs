//! How far an optimisation is, from its journal: while it is under way nothing else says it.

use pawl_evolve::{Commit, Cost, DECISION, Limits, Outcome, Settings, Spend, Standing};
use pawl_model::{Optimization, PromptCandidate, PromptEvaluation};
pub use pawl_store::evolution::Pulse;
use pawl_store::{Actor, evolution};
use serde::Serialize;

use super::journal::id_of;
use super::{ExampleScore, MAX_CANDIDATES, standings};
use crate::{Engine, EngineError};

/// Steps that are read at once.
const MAX_STEPS: u32 = 100_000;

/// How far an optimisation is.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Progress {
    /// Steps that are decided.
    pub steps: usize,
    /// The mean of the best candidate, on what the search has seen.
    pub best_score: Option<f64>,
    /// The best candidate.
    pub best_candidate_id: Option<String>,
    /// What decided steps took.
    pub spent: Spend,
    /// What calls without an answer may have taken, those under way among them.
    pub lost: Spend,
    /// What it may take.
    pub limits: Limits,
    /// Candidates that got into the pool, in their order.
    pub points: Vec<Point>,
}

/// A candidate that got into the pool.
#[derive(Clone, Debug, Serialize)]
pub struct Point {
    /// The step.
    pub step: u64,
    /// Calls of the target by then.
    pub metric_calls: u64,
    /// The candidate.
    pub candidate_id: String,
    /// Its mean then.
    pub score: Option<f64>,
    /// The best mean by then.
    pub best: Option<f64>,
}

/// An optimisation with all its candidates.
#[derive(Clone, Debug)]
pub struct OptimizationDetail {
    /// The run, with its best candidate as of now.
    pub run: Optimization,
    /// Its candidates, in the order of their steps.
    pub candidates: Vec<PromptCandidate>,
    /// Every score.
    pub scores: Vec<ExampleScore>,
    /// How far it is.
    pub progress: Progress,
}

impl Progress {
    fn of(run: &Optimization, commits: &[Commit], lost: Spend) -> Self {
        let settings = &run.config.to_value()["settings"];
        let settings: Option<Settings> = serde_json::from_value(settings.clone()).ok();
        let mut progress = Self {
            lost,
            limits: settings.map_or_else(Limits::default, |settings| settings.limits),
            ..Self::default()
        };
        for commit in commits {
            progress.add(&run.id, commit);
        }
        progress
    }

    fn add(&mut self, run: &str, commit: &Commit) {
        self.steps += usize::from(commit.step != DECISION);
        self.spent += commit.spend;
        let (Outcome::Seeded(standing) | Outcome::Accepted { standing, .. }) = &commit.outcome else {
            return;
        };
        let Standing { candidate, mean, .. } = standing;
        let candidate_id = id_of("apc", &[run, candidate.as_str()]);
        if mean.is_some_and(|mean| self.best_score.is_none_or(|best| mean > best)) {
            self.best_score = *mean;
            self.best_candidate_id = Some(candidate_id.clone());
        }
        self.points.push(Point {
            step: commit.step,
            metric_calls: self.spent.metric_calls,
            candidate_id,
            score: *mean,
            best: self.best_score,
        });
    }
}

impl Engine {
    /// An optimisation and how far it is, where the actor sees it.
    ///
    /// # Errors
    /// When the database fails, or the journal cannot be read.
    pub async fn optimization_progress(
        &self,
        actor: Actor,
        id: &str,
    ) -> Result<Option<(Optimization, Progress)>, EngineError> {
        let mut scope = self.store.read(actor).await?;
        let Some(mut run) = evolution::run(&mut scope, id).await? else {
            return Ok(None);
        };
        let (lost, _) = evolution::opened(&mut scope, id, i64::MAX).await?;
        let commits = evolution::steps(&mut scope, id, MAX_STEPS).await?;
        drop(scope);
        let commits: Result<Vec<Commit>, _> = commits
            .iter()
            .map(|(_, decision)| serde_json::from_str(decision.as_str()).map_err(EngineError::JournalData))
            .collect();
        let unsigned = |number: i64| u64::try_from(number).unwrap_or(0);
        let lost = Spend {
            metric_calls: unsigned(lost.metric_calls),
            reflections: unsigned(lost.reflections),
            cost: Cost {
                tokens: unsigned(lost.tokens),
                usd_nanos: unsigned(lost.usd_nanos),
            },
        };
        let progress = Progress::of(&run, &commits?, lost);
        if run.best_candidate_id.is_none() {
            run.best_score = progress.best_score;
            run.best_candidate_id.clone_from(&progress.best_candidate_id);
            run.iterations = i64::try_from(progress.steps).unwrap_or(i64::MAX);
        }
        Ok(Some((run, progress)))
    }

    /// An optimisation with all its candidates, where the actor sees it.
    ///
    /// # Errors
    /// As [`Engine::optimization_progress`].
    pub async fn optimization_detail(
        &self,
        actor: Actor,
        id: &str,
    ) -> Result<Option<OptimizationDetail>, EngineError> {
        let Some((run, progress)) = self.optimization_progress(actor, id).await? else {
            return Ok(None);
        };
        let mut scope = self.store.read(actor).await?;
        let mut candidates = evolution::candidates(&mut scope, id, MAX_CANDIDATES).await?;
        let scores = evolution::scores(&mut scope, id).await?;
        drop(scope);
        if run.completed_at.is_none() {
            standings::put(&mut candidates, &scores);
        }
        Ok(Some(OptimizationDetail {
            run,
            candidates,
            scores,
            progress,
        }))
    }

    /// How far an optimisation is, in few words, where the actor sees it.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn optimization_pulse(&self, actor: Actor, id: &str) -> Result<Option<Pulse>, EngineError> {
        let mut scope = self.store.read(actor).await?;
        Ok(evolution::pulse(&mut scope, id).await?)
    }

    /// What a candidate did worst, the worst first.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn worst_evaluations(
        &self,
        actor: Actor,
        candidate_id: &str,
        limit: u32,
    ) -> Result<Vec<PromptEvaluation>, EngineError> {
        let mut scope = self.store.read(actor).await?;
        Ok(evolution::worst(&mut scope, candidate_id, limit).await?)
    }

    /// What the parent of a candidate did on the examples that the candidate was made from, the worst first: the feedback
    /// that led to it.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn evaluations_behind(
        &self,
        actor: Actor,
        candidate: &PromptCandidate,
        limit: u32,
    ) -> Result<Vec<PromptEvaluation>, EngineError> {
        let Some(parent) = candidate.parents.first() else {
            return Ok(Vec::new());
        };
        let mut scope = self.store.read(actor).await?;
        Ok(evolution::led_to(&mut scope, (parent, &candidate.id), limit).await?)
    }
}
