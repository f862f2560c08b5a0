//! Executing a planned run: cases are read, asked, judged and stored, all at once and in bounded numbers.
//!
//! A case keeps its place among those under way until its row is committed. So a run that is killed has at most as
//! many cases to do again as were under way, and a slow database slows the asking down instead of filling memory.

use std::sync::Arc;
use std::time::Instant;

use pawl_model::{CaseRecord, EvalResults, Run, RunId, RunStatus, Tally};
use pawl_store::Actor;
use tokio::sync::{Semaphore, mpsc};
use tokio_util::sync::CancellationToken;

use super::ask::{Asking, Executed, ReadTrial};
use super::cache::Cache;
use super::journal::Done;
use super::outputs::RecordedOutputs;
use super::plan::{PlannedRun, Source};
use super::record::{Reply, Trial};
use super::report::RunReport;
use super::suite::{Dataset, Variant};
use crate::{Engine, EngineError};

/// Cases that are read ahead.
const READ_AHEAD: usize = 256;
/// The most rows of one commit.
const ROWS_PER_COMMIT: usize = 1_024;
/// Characters of a run's `error`.
const MAX_ERROR: usize = 2_000;

/// What happens during a run.
#[derive(Clone, Copy, Debug)]
pub enum RunEvent<'a> {
    /// It begins; `stored` of its `rows` rows stand there already.
    Started {
        /// The run.
        run: &'a Run,
        /// Rows that it will have.
        rows: u64,
        /// Rows that stand there already.
        stored: u64,
    },
    /// Rows were stored.
    Stored {
        /// All rows so far.
        tally: &'a Tally,
    },
}

/// Who is told what happens during a run.
type Listener<'a> = &'a (dyn Fn(RunEvent<'_>) + Send + Sync);

impl Engine {
    /// Executes a planned run and finalises it, whatever happens: as `completed` when every case was executed, else as
    /// `failed` with the reason. Cancelling `stop` ends it as it stands.
    ///
    /// # Errors
    /// When the run cannot be started or resumed, or cannot go on.
    pub async fn execute(
        &self,
        actor: Actor,
        planned: PlannedRun,
        stop: &CancellationToken,
        listener: Listener<'_>,
    ) -> Result<RunReport, EngineError> {
        let started = Instant::now();
        let rows = planned.rows();
        let (mut report, done) = match planned.resume {
            None => self.start(actor, &planned).await?,
            Some(id) => self.resume(actor, &planned, id).await?,
        };
        listener(RunEvent::Started {
            run: &report.run,
            rows,
            stored: report.resumed,
        });
        let target = match &planned.source {
            Source::Target(target) => Some(Arc::clone(target)),
            Source::Recorded(_) => None,
        };
        let outcome = self
            .work(
                actor,
                planned,
                done,
                Work {
                    stop,
                    listener,
                    report: &mut report,
                },
            )
            .await;
        if let Some(target) = target.and_then(Arc::into_inner) {
            target.close().await;
        }
        let error = match &outcome {
            Err(error) => Some(shown(error)),
            Ok(()) if report.tally.total() < rows => Some(format!(
                "interrupted with {} of {rows} rows stored; go on by --resume {}",
                report.tally.total(),
                report.run.id
            )),
            Ok(()) => None,
        };
        let tally = report.tally;
        let finished = self.finish_run(actor, &mut report.run, tally, error).await;
        outcome?;
        finished?;
        report.took = started.elapsed();
        Ok(report)
    }

    async fn start(&self, actor: Actor, planned: &PlannedRun) -> Result<(RunReport, Done), EngineError> {
        let run = planned.describe(RunId(self.clock.fresh_id()), &self.clock);
        self.begin_run(actor, &run).await?;
        let run = self.run(actor, run.id).await?;
        Ok((RunReport::new(run), Done::nothing(planned.trials)))
    }

    async fn resume(
        &self,
        actor: Actor,
        planned: &PlannedRun,
        id: RunId,
    ) -> Result<(RunReport, Done), EngineError> {
        let run = self.run(actor, id).await?;
        planned.refuse_if_different(&run, &self.clock)?;
        let mut report = RunReport::new(run);
        let done = self
            .read_journal(actor, id, planned.trials, |case| {
                report.add(case, &EvalResults::read(&case.eval_results.to_value()));
            })
            .await?;
        report.resumed = report.tally.total();
        if report.resumed >= planned.rows() && report.run.status == RunStatus::Completed {
            let status = report.run.status.to_string();
            return Err(EngineError::NothingToResume {
                id,
                status,
                rows: report.resumed,
            });
        }
        self.reopen_run(actor, id).await?;
        (report.run.status, report.run.error, report.run.completed_at) = (RunStatus::Running, None, None);
        Ok((report, done))
    }

    /// Everything between the first and the last row.
    async fn work(
        &self,
        actor: Actor,
        planned: PlannedRun,
        done: Done,
        work: Work<'_>,
    ) -> Result<(), EngineError> {
        let (trials_sender, trials) = mpsc::channel(READ_AHEAD);
        let (executed_sender, executed) = mpsc::channel(planned.concurrency.min(ROWS_PER_COMMIT));
        let (target, recorded) = match planned.source {
            Source::Target(target) => (Some(target), None),
            Source::Recorded(outputs) => (None, Some(outputs)),
        };
        let owner = work.report.run.user_id;
        let cache = self.cache(planned.cache, actor, owner);
        cache.prune().await?;
        let reading = Reading {
            dataset: planned.dataset,
            variant: planned.variant,
            trials: planned.trials,
            done,
            recorded,
            run: work.report.run.id,
            owner: work.report.run.user_id,
        };
        let reader = tokio::task::spawn_blocking(move || reading.send_all(&trials_sender));
        let asking = Asking {
            target,
            judges: planned.judges,
            cache: cache.clone(),
            basis: planned.basis,
            places: Arc::new(Semaphore::new(planned.concurrency)),
            clock: self.clock.clone(),
            executed: executed_sender,
        };
        let asked = asking.ask_all(trials, work.stop);
        let stored = self.store_all(&cache, executed, &work.listener, work.report);
        tokio::try_join!(asked, stored)?;
        reader.await.map_err(EngineError::Worker)
    }

    async fn store_all(
        &self,
        cache: &Cache,
        mut executed: mpsc::Receiver<Executed>,
        listener: &Listener<'_>,
        report: &mut RunReport,
    ) -> Result<(), EngineError> {
        let mut batch = Vec::with_capacity(ROWS_PER_COMMIT);
        while executed.recv_many(&mut batch, ROWS_PER_COMMIT).await > 0 {
            let mut kept = Vec::new();
            let (records, rest): (Vec<CaseRecord>, Vec<_>) = batch
                .drain(..)
                .map(|executed: Executed| {
                    kept.extend(executed.kept);
                    (executed.record, (executed.results, executed.place))
                })
                .unzip();
            self.store_cases(cache, &records, &kept).await?;
            for (record, (results, _place)) in records.iter().zip(rest) {
                report.add(record, &results);
            }
            listener(RunEvent::Stored { tally: &report.tally });
        }
        Ok(())
    }
}

struct Work<'a> {
    stop: &'a CancellationToken,
    listener: Listener<'a>,
    report: &'a mut RunReport,
}

/// Reads the cases that are still to do, on a thread of its own.
struct Reading {
    dataset: Dataset,
    variant: Variant,
    trials: u16,
    done: Done,
    recorded: Option<Box<RecordedOutputs>>,
    run: RunId,
    owner: Option<pawl_model::UserId>,
}

impl Reading {
    fn send_all(mut self, sender: &mpsc::Sender<ReadTrial>) {
        for case in self.dataset.cases(&self.variant) {
            match case {
                Ok(case) => {
                    let copies = std::iter::repeat_n(case, usize::from(self.trials));
                    for (number, case) in (1..=self.trials).zip(copies) {
                        if self.done.contains(case.ordinal, number) {
                            continue;
                        }
                        let trial = Trial {
                            run: self.run,
                            owner: self.owner,
                            case,
                            number,
                        };
                        // Nobody takes any more: the run was stopped.
                        if sender.blocking_send(self.with_answer(trial)).is_err() {
                            return;
                        }
                    }
                }
                Err(error) => {
                    let _ = sender.blocking_send(Err(error.into()));
                    return;
                }
            }
        }
    }

    fn with_answer(&mut self, trial: Trial) -> ReadTrial {
        let Some(recorded) = &mut self.recorded else {
            return Ok((trial, None));
        };
        let answer = recorded.take(&trial.case.id, trial.number)?;
        let answer = answer.map(|recorded| Reply {
            output: recorded.output,
            latency_ms: recorded.latency_ms,
            is_cached: false,
        });
        Ok((trial, Some(answer)))
    }
}

/// What stands in the run's row: not the causes, which may quote a database or a provider.
fn shown(error: &EngineError) -> String {
    error
        .to_string()
        .replace('\0', "\u{fffd}")
        .chars()
        .take(MAX_ERROR)
        .collect()
}
