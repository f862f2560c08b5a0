//! Evolving prompts: a suite's cases are the examples, its checks the score, a target runs the candidates, and a model
//! proposes texts. Everything is journaled before it is relied on, so that a run that was killed goes on as if it had not
//! been.

mod examples;
mod journal;
mod list;
mod memory;
mod named;
mod plan;
mod progress;
mod quote;
mod reflecting;
mod service;
mod standings;
mod trying;
mod words;

use std::time::{Duration, Instant};

use pawl_evolve::{Control, EvolveError, Finish, Report, Run};
use pawl_model::{Optimization, OptimizationStatus, PromptCandidate, UserId};
pub use pawl_store::evolution::ExampleScore;
use pawl_store::{Actor, evolution};

pub use self::examples::Part;
use self::journal::DatabaseJournal;
pub(crate) use self::journal::{example_id, id_of, with_run};
use self::list::MAX_CANDIDATES;
pub use self::memory::Earlier;
pub use self::named::{Named, goes_on};
pub use self::plan::{EvolveRequest, PlannedEvolution};
pub use self::progress::{OptimizationDetail, Point, Progress, Pulse};
pub use self::quote::Quote;
pub use self::service::NewOptimization;
pub use self::trying::Weights;
pub(crate) use self::trying::{Attempt, Trying};
pub use self::words::{MOST_LOOK_AHEAD, MOST_METRIC_CALLS};
use crate::worker::Work;
use crate::{Engine, EngineError};
pub use pawl_evolve::{Cancel, Commit, Event, Forecast, Limits, Outcome, Settings, Spend, View};
use tokio_util::sync::CancellationToken;

/// What a search is made within.
struct Session<'a> {
    work: &'a Work,
    cancel: &'a Cancel,
    observer: &'a (dyn Fn(&Optimization, &Event<'_>) + Sync),
}

/// What came of it.
#[derive(Debug)]
pub struct EvolveReport {
    /// The run as it stands.
    pub run: Optimization,
    /// The search's own report.
    pub report: Report,
    /// The best candidate.
    pub best: Option<PromptCandidate>,
}

impl Engine {
    /// Evolves a prompt until a limit is reached or `cancel` is made, and says what came of it.
    ///
    /// # Errors
    /// When the limits buy nothing, the seed cannot be tried once, or the database fails.
    pub async fn evolve(
        &self,
        planned: PlannedEvolution,
        cancel: &Cancel,
        observer: &(dyn Fn(&Optimization, &Event<'_>) + Sync),
    ) -> Result<EvolveReport, EngineError> {
        let user = planned.request.user_id;
        let run = match &planned.request.resume {
            None => {
                let run = planned.run(self)?;
                let mut scope = self.store.write(Actor::Service).await?;
                evolution::insert_run(&mut scope, user, &run).await?;
                scope.commit().await?;
                run
            }
            Some(id) => self.resumed(&planned, user, id).await?,
        };
        let session = Session {
            work: &Work::by_hand(CancellationToken::new()),
            cancel,
            observer,
        };
        self.search(&planned, run, session).await
    }

    /// Searches, from wherever the journal is, and writes what came of it.
    async fn search(
        &self,
        planned: &PlannedEvolution,
        mut run: Optimization,
        session: Session<'_>,
    ) -> Result<EvolveReport, EngineError> {
        let Session {
            work,
            cancel,
            observer,
        } = session;
        let user = planned.request.user_id;
        let began = Instant::now();
        let before = Duration::from_millis(u64::try_from(run.elapsed_ms).unwrap_or(0));
        let journal = DatabaseJournal::new(self, (user, &run.id), (&planned.trying, work));
        let evaluate = planned.remembering(self);
        let outcome = Run {
            task: &planned.task,
            settings: &planned.request.settings,
            evaluate: &evaluate,
            reflect: &planned.reflecting,
            journal: &journal,
            control: Control {
                workers: planned.request.workers,
                clock: &|| before + began.elapsed(),
                observer: &|event| observer(&run, event),
                cancel,
            },
        }
        .evolve()
        .await;
        let elapsed = i64::try_from((before + began.elapsed()).as_millis()).unwrap_or(i64::MAX);
        let best_id = |report: &Report| journal.candidate_id(&report.best().digest);
        let best_id = outcome.as_ref().ok().map(best_id);
        drop(journal);
        run.elapsed_ms = elapsed;
        let report = match outcome {
            Ok(report) => report,
            // A job is taken up again where the database did not answer.
            Err(EvolveError::Journal(error)) if work.lease().is_some() => return Err(error),
            Err(error) => {
                self.give_up(run, error.to_string(), work).await?;
                return Err(match error {
                    EvolveError::Journal(error) => error,
                    other => EngineError::Evolution(other.to_string()),
                });
            }
        };
        // The worker has to stop, and not the search.
        if report.finish == Finish::Cancelled && work.is_stopped() {
            let best = None;
            return Ok(EvolveReport { run, report, best });
        }
        run.status = match &report.finish {
            Finish::Cancelled | Finish::Paused(_) => OptimizationStatus::Cancelled,
            _ => OptimizationStatus::Completed,
        };
        run.best_score = report.best().mean;
        run.best_candidate_id = best_id;
        run.iterations = i64::try_from(report.counts.steps).unwrap_or(i64::MAX);
        run.finish = Some(finish(&report.finish));
        run.completed_at = (run.status == OptimizationStatus::Completed).then(|| self.clock.now());
        let candidates = self.standings(user, &run.id).await?;
        self.put_end(&run, (&candidates, work)).await?;
        let best = match &run.best_candidate_id {
            Some(id) => self.prompt_candidate(Actor::Tenant(user), id).await?,
            None => None,
        };
        Ok(EvolveReport { run, report, best })
    }

    async fn resumed(
        &self,
        planned: &PlannedEvolution,
        user: UserId,
        id: &str,
    ) -> Result<Optimization, EngineError> {
        let run = self.optimization(Actor::Tenant(user), id).await?;
        let mut run = run.ok_or_else(|| EngineError::UnknownOptimization { id: id.to_owned() })?;
        let again = planned.run(self)?;
        if again.dimension_weights != run.dimension_weights {
            return Err(EngineError::Evolution(format!(
                "{id} was begun with other weights: {}",
                run.dimension_weights.as_str()
            )));
        }
        let (was, is) = (run.config.to_value(), again.config.to_value());
        // Limits may be raised, and workers added; anything else would make another search of it.
        for member in ["target", "suite", "reflector", "seed"] {
            if was[member] != is[member] {
                return Err(EngineError::Evolution(format!(
                    "{id} was begun with another {member}: {} and not {}",
                    was[member], is[member]
                )));
            }
        }
        run.status = OptimizationStatus::Running;
        (run.finish, run.error, run.completed_at) = (None, None, None);
        self.put_optimization(&run).await?;
        Ok(run)
    }

    async fn put_optimization(&self, run: &Optimization) -> Result<(), EngineError> {
        let mut scope = self.store.write(Actor::Service).await?;
        evolution::set_status(&mut scope, run).await?;
        Ok(scope.commit().await?)
    }

    /// How good each candidate is, from its rows.
    async fn standings(&self, user: UserId, run_id: &str) -> Result<Vec<PromptCandidate>, EngineError> {
        let mut scope = self.store.read(Actor::Tenant(user)).await?;
        let mut candidates = evolution::candidates(&mut scope, run_id, MAX_CANDIDATES).await?;
        let scores = evolution::scores(&mut scope, run_id).await?;
        standings::put(&mut candidates, &scores);
        candidates.retain(|candidate| candidate.avg_score.is_some());
        Ok(candidates)
    }

    /// Writes that an optimisation cannot be made, and why.
    async fn give_up(&self, mut run: Optimization, why: String, work: &Work) -> Result<(), EngineError> {
        run.status = OptimizationStatus::Failed;
        run.error = Some(why);
        self.put_end(&run, (&[], work)).await
    }

    /// Writes how a run ended, and how good its candidates are.
    async fn put_end(
        &self,
        run: &Optimization,
        (candidates, work): (&[PromptCandidate], &Work),
    ) -> Result<(), EngineError> {
        let mut scope = work.begin(self).await?;
        for candidate in candidates {
            evolution::set_standing(&mut scope, candidate).await?;
        }
        evolution::set_status(&mut scope, run).await?;
        work.finish(scope, self.clock.now()).await
    }
}

/// Why a search ended, in a sentence.
#[must_use]
pub fn finish(finish: &Finish) -> String {
    match finish {
        Finish::MetricCalls => "what is left of the metric calls buys no further step".to_owned(),
        Finish::Reflections => "no further reflection is allowed".to_owned(),
        Finish::Tokens => "what is left of the tokens buys no further step".to_owned(),
        Finish::Dollars => "what is left of the dollars buys no further step".to_owned(),
        Finish::Time => "time is up".to_owned(),
        Finish::Score => "a candidate is as good as was asked for".to_owned(),
        Finish::Perfect => "a candidate is perfect: there is nothing left to learn".to_owned(),
        Finish::Candidates => "there are as many candidates as were asked for".to_owned(),
        Finish::Idle => "no step of many in a row brought a new candidate".to_owned(),
        Finish::Failures(why) => format!("steps in a row came to nothing: {why}"),
        Finish::Paused(failure) => format!("paused, since more calls failed than not: {failure}"),
        Finish::Cancelled => "it was stopped".to_owned(),
    }
}
