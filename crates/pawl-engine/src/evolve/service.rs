//! Optimisations that are started from outside, and made by a worker.
//!
//! Who starts one names things that whoever runs the server has named: no caller says what is run, which host is asked, or
//! which file is read.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use pawl_evolve::{Cancel, Finish, Limits, Settings};
use pawl_model::{
    FLAT_CHARGE, JobId, JobKind, Json, Optimization, OptimizationStatus, PromptComponent, UserId,
};
use pawl_providers::ModelSpec;
use pawl_store::jobs::{Claimed, NewJob};
use pawl_store::{Actor, evolution, jobs};
use serde_json::{Value, json};

use super::named::Named;
use super::{Earlier, EvolveRequest, PlannedEvolution, Quote, Session, Weights};
use crate::run::{CacheMode, Labels, RunRequest, SuiteChoice};
use crate::worker::{Ended, MAX_ATTEMPTS, Work};
use crate::{Engine, EngineError};

/// Calls of the target that one optimisation may ask for.
pub const MOST_METRIC_CALLS: u64 = 10_000;
/// Steps that may be under way at once.
pub const MOST_LOOK_AHEAD: usize = 16;
/// Calls at once.
const WORKERS: NonZeroUsize = NonZeroUsize::new(8).expect("8 is not 0");
/// How long a target may take for a case.
const TIMEOUT: Duration = Duration::from_secs(60);
/// How often a worker looks whether somebody wants it to stop.
const PAUSE: Duration = Duration::from_secs(1);
/// Jobs of it wait for those that are done quickly.
const PRIORITY: i32 = -1;
/// What the payload of a job calls its optimisation.
const RUN: &str = "run";
/// Why an optimisation ended that somebody stopped.
const STOPPED: &str = "it was stopped";

/// An optimisation that is asked for.
#[derive(Clone, Debug)]
pub struct NewOptimization {
    /// Whose.
    pub user_id: UserId,
    /// The prompt, whose live version it begins with.
    pub prompt: String,
    /// The name of the target; where there is but one it need not be named.
    pub target: Option<String>,
    /// `approved`, or a file of the folder of suites.
    pub suite: String,
    /// The model that proposes texts; none: the default.
    pub reflector: Option<ModelSpec>,
    /// What choices by chance are a function of.
    pub seed: u64,
    /// Steps that are under way at once.
    pub look_ahead: usize,
    /// Calls of the target.
    pub metric_calls: u64,
    /// Billionths of a US dollar.
    pub usd_nanos: Option<u64>,
    /// How much each kind of check counts; empty where the suite's own weights decide.
    pub weights: Weights,
    /// Whether scores of earlier runs are taken over.
    pub earlier: Earlier,
}

/// The words by which an optimisation was begun; its row holds them.
struct Words {
    user: UserId,
    prompt: String,
    seed: Vec<PromptComponent>,
    target: String,
    suite: String,
    reflector: ModelSpec,
    settings: Settings,
    weights: Weights,
    earlier: Earlier,
}

pub(super) fn refused(message: impl Into<String>) -> EngineError {
    EngineError::Evolution(message.into())
}

impl Engine {
    /// With what may be named from outside.
    #[must_use]
    pub fn with_named(mut self, named: Named) -> Self {
        self.named = Arc::new(named);
        self
    }

    /// What may be named from outside.
    #[must_use]
    pub fn named(&self) -> &Named {
        &self.named
    }

    /// What is run, of names.
    pub(crate) async fn named_run(
        &self,
        user: UserId,
        (target, suite): (&str, &str),
    ) -> Result<RunRequest, EngineError> {
        let suite = match suite {
            SuiteChoice::APPROVED => {
                let tests = self.approved_tests(Actor::Tenant(user)).await?;
                if tests.is_empty() {
                    return Err(refused("no test is approved yet"));
                }
                SuiteChoice::Approved(Arc::from(tests))
            }
            name => SuiteChoice::File(self.named.suite(name)?),
        };
        Ok(RunRequest {
            suite,
            checks: None,
            target: self.named.target(target)?,
            trials: 1,
            concurrency: Some(WORKERS),
            timeout: TIMEOUT,
            judge: None,
            embedder: None,
            models: self.named.models()?.clone(),
            cache: CacheMode::Off,
            labels: Labels::default(),
            resume: None,
        })
    }

    /// The names by which an optimisation is tried again, where its target and its suite have some: those that it has, and
    /// those that are given.
    pub(crate) fn names_of(
        &self,
        run: &Optimization,
        (target, suite): (Option<&str>, Option<&str>),
    ) -> Result<(String, String), EngineError> {
        let config = run.config.to_value();
        let is_named = config["named"] == Value::Bool(true);
        let was = |member: &str| config[member].as_str().unwrap_or_default();
        let target = match (target, is_named) {
            (Some(name), _) => name.to_owned(),
            (None, true) => was("target").to_owned(),
            (None, false) => match self.named.name_of(was("target")) {
                Some(name) => name.to_owned(),
                None => {
                    return Err(refused(
                        "its optimisation had a target that this server has no name for: name one",
                    ));
                }
            },
        };
        let suite = match (suite, was("suite")) {
            (Some(name), _) => name.to_owned(),
            (None, name) if is_named || name == SuiteChoice::APPROVED => name.to_owned(),
            (None, shown) => self.named.suite_name(shown).ok_or_else(|| {
                refused(
                    "its optimisation had a suite that is not in this server's folder of suites: name one",
                )
            })?,
        };
        if !is_named && !config["checks"].is_null() {
            return Err(refused(
                "its optimisation had further checks: `pawl promote` compares with them",
            ));
        }
        Ok((self.named.target_name(Some(&target))?, suite))
    }

    /// What an optimisation ran that was started from outside; none of one that was not.
    ///
    /// # Errors
    /// When its names stand for nothing any more, or the database fails.
    pub async fn as_begun(
        &self,
        user: UserId,
        run: &Optimization,
    ) -> Result<Option<RunRequest>, EngineError> {
        if run.config.to_value()["named"] != Value::Bool(true) {
            return Ok(None);
        }
        let (target, suite) = self.names_of(run, (None, None))?;
        self.named_run(user, (&target, &suite)).await.map(Some)
    }

    /// What an optimisation may take; nothing is begun.
    ///
    /// # Errors
    /// When it would be refused.
    pub async fn quote_optimization(&self, new: &NewOptimization) -> Result<Quote, EngineError> {
        let words = self.words(new).await?;
        Ok(self.planned(&words).await?.quote())
    }

    /// Begins an optimisation: its row and the job of it, with what it may take.
    ///
    /// # Errors
    /// When a name stands for nothing, the limits buy nothing, or the database fails.
    pub async fn begin_optimization(
        &self,
        new: &NewOptimization,
    ) -> Result<(Optimization, Quote), EngineError> {
        let words = self.words(new).await?;
        let planned = self.planned(&words).await?;
        let run = Optimization {
            status: OptimizationStatus::Pending,
            config: words.config()?,
            ..planned.run(self)?
        };
        let payload = Json::from_serialize(&json!({ RUN: run.id })).map_err(EngineError::TraceData)?;
        let job = NewJob {
            id: JobId(self.clock.fresh_id()),
            user_id: new.user_id,
            kind: JobKind::Evolve,
            payload: &payload,
            dedup_key: Some(&run.id),
            priority: PRIORITY,
            run_at: self.clock.now(),
        };
        let mut scope = self.store.write(Actor::Service).await?;
        evolution::insert_run(&mut scope, new.user_id, &run).await?;
        jobs::enqueue(&mut scope, &job).await?;
        scope.commit().await?;
        Ok((run, planned.quote()))
    }

    /// Stops an optimisation: what is under way is brought to its end, and no step is begun after it. Says whether there
    /// was anything to stop.
    ///
    /// # Errors
    /// When there is no such optimisation, or the database fails.
    pub async fn cancel_optimization(&self, actor: Actor, id: &str) -> Result<bool, EngineError> {
        if self.optimization(actor, id).await?.is_none() {
            return Err(EngineError::UnknownOptimization { id: id.to_owned() });
        }
        let mut scope = self.store.write(Actor::Service).await?;
        let stopped = evolution::cancel(&mut scope, id, STOPPED).await?;
        scope.commit().await?;
        Ok(stopped)
    }

    /// Makes an optimisation for a job, from wherever the last worker left it.
    pub(crate) async fn evolve_for_job(&self, job: &Claimed, work: &Work) -> Result<Ended, EngineError> {
        let payload = job.payload.to_value();
        let id = payload[RUN].as_str().unwrap_or_default();
        let mut scope = work.begin(self).await?;
        let is_to_be_made = evolution::take_up(&mut scope, id).await?;
        let run = evolution::run(&mut scope, id).await?;
        let Some(run) = run.filter(|_| is_to_be_made) else {
            work.finish(scope, self.clock.now()).await?;
            return Ok(Ended::Finished);
        };
        scope.commit().await?;
        let planned = async {
            let words = Words::of(job.user_id, &run)?;
            self.planned(&words).await
        };
        let planned = match planned.await {
            Ok(planned) => planned,
            Err(error @ EngineError::Store(_)) => return Err(error),
            Err(error) => {
                self.give_up(run, &error, work).await?;
                return Ok(Ended::Finished);
            }
        };
        let cancel = Cancel::new();
        let session = Session {
            work,
            cancel: &cancel,
            observer: &|_, _| {},
        };
        let report = tokio::select! {
            report = self.search(&planned, run.clone(), session) => report,
            error = self.watch((job.user_id, id), work, &cancel) => return Err(error),
        };
        match report {
            Ok(report) if work.is_stopped() && report.report.finish == Finish::Cancelled => {
                Ok(Ended::Stopped)
            }
            // What it was is in its row.
            Ok(_) | Err(EngineError::Evolution(_)) => Ok(Ended::Finished),
            Err(error) if job.attempt >= MAX_ATTEMPTS => {
                self.give_up(run, &error, work).await?;
                Err(error)
            }
            Err(error) => Err(error),
        }
    }

    /// Stops a search when somebody wants it, or the worker is to stop. It ends by an error alone.
    async fn watch(&self, (user, id): (UserId, &str), work: &Work, cancel: &Cancel) -> EngineError {
        loop {
            tokio::select! {
                () = tokio::time::sleep(PAUSE) => {}
                () = work.stopped(), if !cancel.is_cancelled() => cancel.cancel(),
            }
            let pulse = match self.optimization_pulse(Actor::Tenant(user), id).await {
                Ok(pulse) => pulse,
                Err(error) => return error,
            };
            if pulse.is_none_or(|pulse| pulse.status != OptimizationStatus::Running) {
                cancel.cancel();
            }
        }
    }

    /// Writes that an optimisation cannot be made.
    async fn give_up(
        &self,
        mut run: Optimization,
        error: &EngineError,
        work: &Work,
    ) -> Result<(), EngineError> {
        run.status = OptimizationStatus::Failed;
        run.error = Some(error.to_string());
        let mut scope = work.begin(self).await?;
        evolution::set_status(&mut scope, &run).await?;
        work.finish(scope, self.clock.now()).await
    }

    async fn words(&self, new: &NewOptimization) -> Result<Words, EngineError> {
        let live = self.live_prompt(new.user_id, &new.prompt).await?;
        let live = live.ok_or_else(|| refused(format!("there is no prompt `{}`", new.prompt)))?;
        let reflector = new.reflector.clone().or_else(|| self.named.default_reflector());
        let words = Words {
            user: new.user_id,
            prompt: live.name,
            seed: live.components,
            target: self.named.target_name(new.target.as_deref())?,
            suite: new.suite.clone(),
            reflector: reflector
                .ok_or_else(|| refused("no model proposes texts: name one, or set the key of a provider"))?,
            settings: Settings {
                seed: new.seed,
                look_ahead: new.look_ahead,
                limits: Limits {
                    usd_nanos: new.usd_nanos,
                    ..Limits::metric_calls(new.metric_calls)
                },
                ..Settings::default()
            },
            weights: new.weights.clone(),
            earlier: new.earlier,
        };
        check(&words.settings)?;
        Ok(words)
    }

    async fn planned(&self, words: &Words) -> Result<PlannedEvolution, EngineError> {
        let run = self.named_run(words.user, (&words.target, &words.suite)).await?;
        let reflector = run
            .models
            .chat(&words.reflector)
            .map_err(|error| refused(error.to_string()))?;
        let request = EvolveRequest {
            user_id: words.user,
            name: words.prompt.clone(),
            seed: words.seed.clone(),
            run,
            reflector,
            settings: words.settings.clone(),
            weights: words.weights.clone(),
            earlier: words.earlier,
            call_at_most: FLAT_CHARGE,
            workers: WORKERS.get(),
            resume: None,
        };
        let engine = self.clone();
        // A suite is read whole.
        let planned = tokio::task::spawn_blocking(move || PlannedEvolution::plan(&engine, request)).await;
        let planned = planned
            .map_err(EngineError::Worker)?
            .map_err(|error| self.named.told(error))?;
        planned.check(self)?;
        Ok(planned)
    }
}

/// Refuses what one caller may not have.
fn check(settings: &Settings) -> Result<(), EngineError> {
    let calls = settings.limits.metric_calls;
    if !calls.is_some_and(|calls| (1..=MOST_METRIC_CALLS).contains(&calls)) {
        return Err(refused(format!(
            "an optimisation may have 1 to {MOST_METRIC_CALLS} calls of the target"
        )));
    }
    match (1..=MOST_LOOK_AHEAD).contains(&settings.look_ahead) {
        true => Ok(()),
        false => Err(refused(format!("the look-ahead is 1 to {MOST_LOOK_AHEAD}"))),
    }
}

impl Words {
    /// As the row holds them: names, and not what they stand for.
    fn config(&self) -> Result<Json, EngineError> {
        let config = json!({
            "named": true, "settings": self.settings, "target": self.target, "suite": self.suite, "checks": null,
            "reflector": self.reflector.to_string(), "workers": WORKERS, "seed": self.seed,
            "fresh": self.earlier == Earlier::Ignore,
        });
        Json::from_serialize(&config).map_err(EngineError::TraceData)
    }

    fn of(user: UserId, run: &Optimization) -> Result<Self, EngineError> {
        let config = run.config.to_value();
        let unreadable = || refused("what it was asked to do cannot be read");
        let text = |member: &str| config[member].as_str().map(str::to_owned).ok_or_else(unreadable);
        let words = Self {
            user,
            prompt: run.name.clone(),
            seed: serde_json::from_value(config["seed"].clone()).map_err(|_| unreadable())?,
            target: text("target")?,
            suite: text("suite")?,
            reflector: text("reflector")?.parse().map_err(|_| unreadable())?,
            settings: serde_json::from_value(config["settings"].clone()).map_err(|_| unreadable())?,
            weights: serde_json::from_value(run.dimension_weights.to_value()).map_err(|_| unreadable())?,
            earlier: match config["fresh"] == Value::Bool(true) {
                true => Earlier::Ignore,
                false => Earlier::Reuse,
            },
        };
        // Rows may be changed by whose they are.
        check(&words.settings)?;
        Ok(words)
    }
}
