//! What is evolved, and how: an optimisation that is ready to begin.

use pawl_evolve::{Candidate, Cost, Forecast, Settings, Task};
use pawl_model::{Json, Optimization, OptimizationStatus, PromptComponent, Usd, UserId};
use pawl_providers::ChatModel;
use serde_json::json;

use super::examples::Examples;
use super::journal::id_of;
use super::memory::{Earlier, Remembering};
use super::reflecting::Reflecting;
use super::trying::{Trying, Weights};
use crate::run::RunRequest;
use crate::{Engine, EngineError};

/// What is to be evolved, and how.
pub struct EvolveRequest {
    /// Whose.
    pub user_id: UserId,
    /// The prompt's name.
    pub name: String,
    /// Its texts as they are.
    pub seed: Vec<PromptComponent>,
    /// The suite and the target, as a run has them.
    pub run: RunRequest,
    /// The model that proposes texts.
    pub reflector: ChatModel,
    /// How the search is done.
    pub settings: Settings,
    /// How much each kind of check counts; empty where the suite's own weights decide.
    pub weights: Weights,
    /// Whether scores of earlier runs are taken over.
    pub earlier: Earlier,
    /// What one call of the target takes at most, its judges included, where dollars are limited.
    pub call_at_most: Usd,
    /// Calls that are made at once.
    pub workers: usize,
    /// The optimisation to go on with.
    pub resume: Option<String>,
}

/// An optimisation that is ready to begin: everything that can be refused was.
pub struct PlannedEvolution {
    pub(super) request: EvolveRequest,
    pub(super) task: Task,
    pub(super) trying: Trying,
    pub(super) reflecting: Reflecting,
    /// Cases that the search never sees.
    pub hold_out: usize,
    target: String,
}

impl PlannedEvolution {
    /// Reads the suite, splits its cases, and makes the target.
    ///
    /// # Errors
    /// Naming the first thing that is wrong, with its place; when there are too few cases.
    pub fn plan(engine: &Engine, request: EvolveRequest) -> Result<Self, EngineError> {
        let suite = request.run.suite.load(request.run.checks.as_deref())?;
        let (trying, target) =
            Trying::over(engine, request.user_id, &request.run, (&suite, &request.weights))?;
        let examples = Examples::split(&trying.cases)?;
        let texts = request
            .seed
            .iter()
            .map(|one| (one.name.clone(), one.text.clone()));
        let seed = Candidate::new(texts).map_err(|error| EngineError::Evolution(error.to_string()))?;
        let task = Task::new(seed, examples.train, examples.validation)
            .map_err(|error| EngineError::Evolution(error.to_string()))?;
        Ok(Self {
            hold_out: examples.hold_out.len(),
            trying,
            reflecting: Reflecting {
                model: request.reflector.clone(),
                is_limited: request.settings.limits.usd_nanos.is_some(),
            },
            target,
            task,
            request,
        })
    }

    /// What the limits buy.
    #[must_use]
    pub fn forecast(&self) -> Forecast {
        let cost = pawl_evolve::Reflect::at_most(&self.reflecting).unwrap_or_default();
        let call = self.call_at_most().unwrap_or_default();
        Forecast::new(&self.task, &self.request.settings, call, cost)
    }

    /// Who tries candidates in it.
    pub(super) fn remembering<'a>(&'a self, engine: &'a Engine) -> Remembering<'a> {
        Remembering {
            engine,
            user: self.request.user_id,
            trying: &self.trying,
            earlier: self.request.earlier,
            at_most: self.call_at_most(),
        }
    }

    /// What a call of the target takes at most; it matters where dollars are limited alone.
    fn call_at_most(&self) -> Option<Cost> {
        self.request.settings.limits.usd_nanos.map(|_| Cost {
            tokens: 0,
            usd_nanos: self.request.call_at_most.nanos(),
        })
    }

    /// Cases that are learnt from, and compared on.
    #[must_use]
    pub fn examples(&self) -> (usize, usize) {
        let count = |split| self.task.examples(split).len();
        (
            count(pawl_evolve::Split::Train),
            count(pawl_evolve::Split::Validation),
        )
    }

    pub(super) fn run(&self, engine: &Engine) -> Result<Optimization, EngineError> {
        let config = json!({
            "settings": self.request.settings, "target": self.target, "suite": self.request.run.suite.shown(),
            "checks": self.request.run.checks,
            "reflector": self.reflecting.model.spec().to_string(), "workers": self.request.workers,
            "seed": self.request.seed,
        });
        let now = engine.clock.now();
        let unique = engine.clock.fresh_id().to_string();
        Ok(Optimization {
            id: id_of("aor", &[&unique]),
            name: self.request.name.clone(),
            status: OptimizationStatus::Running,
            config: Json::from_serialize(&config).map_err(EngineError::TraceData)?,
            best_score: None,
            best_candidate_id: None,
            iterations: 0,
            dimension_weights: Json::from_serialize(&self.request.weights).map_err(EngineError::TraceData)?,
            finish: None,
            error: None,
            elapsed_ms: 0,
            created_at: now,
            completed_at: None,
        })
    }
}
