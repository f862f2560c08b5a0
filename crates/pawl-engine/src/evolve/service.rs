//! Optimisations that are started from outside, and made by a worker.
//!
//! Who starts one names things that whoever runs the server has named: no caller says what is run, which host is asked, or
//! which file is read.

use std::time::Duration;

use pawl_evolve::{Cancel, Finish};
use pawl_model::{JobId, JobKind, Json, Optimization, OptimizationStatus, UserId};
use pawl_providers::ModelSpec;
use pawl_store::jobs::{Claimed, NewJob};
use pawl_store::{Actor, Scope, evolution, jobs};
use serde_json::json;

use super::named::{is_named, refused};
use super::words::Words;
use super::{Earlier, Quote, Session, Weights};
use crate::worker::{Ended, MAX_ATTEMPTS, Work};
use crate::{Engine, EngineError};

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

impl Engine {
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
        let mut scope = self.store.write(Actor::Service).await?;
        evolution::insert_run(&mut scope, new.user_id, &run).await?;
        self.enqueue_optimization(&mut scope, new.user_id, &run.id)
            .await?;
        scope.commit().await?;
        Ok((run, planned.quote()))
    }

    async fn enqueue_optimization(
        &self,
        scope: &mut Scope,
        user: UserId,
        id: &str,
    ) -> Result<(), EngineError> {
        let payload = Json::from_serialize(&json!({ RUN: id })).map_err(EngineError::TraceData)?;
        let job = NewJob {
            id: JobId(self.clock.fresh_id()),
            user_id: user,
            kind: JobKind::Evolve,
            payload: &payload,
            dedup_key: Some(id),
            priority: PRIORITY,
            run_at: self.clock.now(),
        };
        jobs::enqueue(scope, &job).await?;
        Ok(())
    }

    /// Goes on with an optimisation that was stopped, or paused since calls failed, from wherever its journal is.
    ///
    /// # Errors
    /// When it was not stopped, is of the command line, its names stand for nothing any more, or the database fails.
    pub async fn resume_optimization(&self, user: UserId, id: &str) -> Result<Optimization, EngineError> {
        let run = self.optimization(Actor::Tenant(user), id).await?;
        let mut run = run.ok_or_else(|| EngineError::UnknownOptimization { id: id.to_owned() })?;
        if !is_named(&run) {
            return Err(refused(format!(
                "it was begun on the command line: `pawl evolve --resume {id}` goes on with it"
            )));
        }
        self.planned(&Words::of(user, &run)?).await?;
        let mut scope = self.store.write(Actor::Service).await?;
        if !evolution::resume(&mut scope, id).await? {
            return Err(refused(match run.status {
                OptimizationStatus::Cancelled => "it is being stopped: try again in a moment".to_owned(),
                status => format!("it is {}: only one that was stopped goes on", status.as_str()),
            }));
        }
        self.enqueue_optimization(&mut scope, user, id).await?;
        scope.commit().await?;
        run.status = OptimizationStatus::Pending;
        (run.finish, run.error, run.completed_at) = (None, None, None);
        Ok(run)
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
                self.give_up(run, error.to_string(), work).await?;
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
                self.give_up(run, error.to_string(), work).await?;
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
}
