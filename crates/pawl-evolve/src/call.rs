//! Calls: made once, counted, remembered.

use std::sync::{Arc, Mutex, PoisonError};

use futures::future::join_all;
use tokio::sync::Semaphore;

use crate::candidate::{Candidate, CandidateDigest};
use crate::control::Control;
use crate::evaluate::{Evaluate, Trial};
use crate::event::{AnswerSource, Event};
use crate::example::{Split, Task};
use crate::journal::{Answer, Call, Journal, Purpose, Subject};
use crate::ledger::Finish;
use crate::reflect::{Reflect, Reflection, Reply};
use crate::rollout::{Cost, Failure, FailureKind, Rollout, Spend};
use crate::run::Run;
use crate::settings::{Rules, Settings};
use crate::tried::Tried;

/// Why calls cannot go on.
#[derive(Debug)]
pub(crate) enum Halt<J> {
    /// The journal failed.
    Journal(J),
    /// The seed cannot even be tried once.
    Preflight(Failure),
    /// The journal has another answer to what a committed step asked.
    OtherRun { step: u64 },
    /// The run ends.
    Finish(Finish),
}

/// Makes calls, as many at once as there are workers.
pub(crate) struct Caller<'a, E, R, J> {
    pub(crate) task: &'a Task,
    pub(crate) settings: &'a Settings,
    pub(crate) evaluate: &'a E,
    pub(crate) reflect: &'a R,
    pub(crate) journal: &'a J,
    pub(crate) control: Control<'a>,
    pub(crate) tried: Tried,
    workers: Semaphore,
    /// Steps that the journal had when the run began.
    committed: u64,
    /// What was spent on calls that had failed before this session.
    lost: Mutex<Spend>,
}

/// A candidate, to be tried on examples.
#[derive(Debug)]
pub(crate) struct Batch<'a> {
    pub(crate) purpose: Purpose,
    pub(crate) candidate: &'a Candidate,
    pub(crate) digest: &'a CandidateDigest,
    pub(crate) split: Split,
    /// Places of the examples, each with how often the pair was tried before.
    pub(crate) examples: &'a [(usize, u32)],
}

/// What a step has taken so far.
#[derive(Debug)]
pub(crate) struct Tally {
    pub(crate) step: u64,
    pub(crate) spend: Spend,
    /// Failed calls that may still be made again.
    pub(crate) retries: usize,
    pub(crate) last_failure: Option<Failure>,
}

impl Tally {
    pub(crate) fn new(step: u64, retries: usize) -> Self {
        Self {
            step,
            spend: Spend::default(),
            retries,
            last_failure: None,
        }
    }
}

impl<'a, E: Evaluate, R: Reflect, J: Journal> Caller<'a, E, R, J> {
    pub(crate) fn new(run: &Run<'a, E, R, J>, committed: u64) -> Self {
        Self {
            task: run.task,
            settings: run.settings,
            evaluate: run.evaluate,
            reflect: run.reflect,
            journal: run.journal,
            control: run.control,
            tried: Tried::new(run.settings.rules),
            workers: Semaphore::new(run.control.workers.max(1)),
            committed,
            lost: Mutex::default(),
        }
    }

    /// What was lost since it was asked last.
    pub(crate) fn take_lost(&self) -> Spend {
        std::mem::take(&mut self.lost.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Tries a candidate on examples, and again where that failed and the step may. In the order of the examples; `None`
    /// where there is no score.
    pub(crate) async fn rollouts(
        &self,
        batch: &Batch<'_>,
        tally: &mut Tally,
    ) -> Result<Vec<Option<Arc<Rollout>>>, Halt<J::Error>> {
        let mut results: Vec<Option<Arc<Rollout>>> = vec![None; batch.examples.len()];
        let mut asked: Vec<usize> = (0..batch.examples.len()).collect();
        let mut attempt = 0;
        while !asked.is_empty() {
            let calls = asked
                .iter()
                .map(|place| self.rollout(batch, *place, tally.step, attempt));
            let answers = join_all(calls).await;
            let mut failed = Vec::new();
            for (place, answer) in asked.into_iter().zip(answers) {
                let answer = answer?;
                let spend = Spend::metric_call(answer.cost());
                match answer {
                    Answer::Rollout(rollout) => {
                        if !rollout.reused {
                            tally.spend += spend;
                        }
                        results[place] = Some(Arc::new(rollout));
                    }
                    Answer::Failure(failure) => {
                        tally.spend += spend;
                        tally.last_failure = Some(failure);
                        failed.push(place);
                    }
                    Answer::Reply(_) => {}
                }
            }
            failed.truncate(tally.retries);
            tally.retries -= failed.len();
            asked = failed;
            attempt += 1;
        }
        let missing = results.iter().filter(|result| result.is_none()).count();
        match &tally.last_failure {
            Some(failure) if results.len() >= SYSTEMIC && 2 * missing > results.len() => {
                Err(Halt::Finish(Finish::Paused(failure.clone())))
            }
            _ => Ok(results),
        }
    }

    async fn rollout(
        &self,
        batch: &Batch<'_>,
        place: usize,
        step: u64,
        attempt: u32,
    ) -> Result<Answer, Halt<J::Error>> {
        let (example, repetition) = batch.examples[place];
        let example = &self.task.examples(batch.split)[example];
        let subject = Subject::Rollout {
            purpose: batch.purpose,
            candidate: batch.digest.clone(),
            split: batch.split,
            example: example.id.clone(),
            repetition,
        };
        let call = Call {
            step,
            subject,
            attempt,
        };
        let trial = Trial {
            candidate: batch.candidate,
            example,
            split: batch.split,
            repetition,
        };
        let at_most = self.evaluate.at_most().unwrap_or_default();
        let made = async {
            match self.evaluate.evaluate(trial).await {
                Ok(rollout) if !rollout.is_finite() => {
                    let mut failure = Failure::new(FailureKind::Judge, "a score is not a finite number");
                    failure.cost = rollout.cost;
                    Answer::Failure(failure)
                }
                Ok(rollout) => Answer::Rollout(self.rounded(rollout)),
                Err(failure) => Answer::Failure(failure),
            }
        };
        self.answer(call, at_most, made).await
    }

    /// Asks for a text.
    pub(crate) async fn reply(
        &self,
        reflection: Reflection<'_>,
        digest: &CandidateDigest,
        step: u64,
    ) -> Result<Result<Reply, Failure>, Halt<J::Error>> {
        let subject = Subject::Reflection {
            candidate: digest.clone(),
            component: reflection.component.to_owned(),
        };
        let call = Call {
            step,
            subject,
            attempt: reflection.attempt,
        };
        let at_most = self.reflect.at_most().unwrap_or_default();
        let made = async {
            match self.reflect.reflect(reflection).await {
                Ok(reply) => Answer::Reply(reply),
                Err(failure) => Answer::Failure(failure),
            }
        };
        Ok(match self.answer(call, at_most, made).await? {
            Answer::Reply(reply) => Ok(reply),
            Answer::Failure(failure) => Err(failure),
            Answer::Rollout(_) => Err(Failure::new(
                FailureKind::Parse,
                "the journal has no reply to a reflection",
            )),
        })
    }

    /// The journal's answer, or that of a call that is made now.
    async fn answer(
        &self,
        call: Call,
        at_most: Cost,
        made: impl Future<Output = Answer>,
    ) -> Result<Answer, Halt<J::Error>> {
        let told = |answer: &Answer, source| {
            let call = &call;
            (self.control.observer)(&Event::Answered { call, answer, source });
        };
        match self.journal.recall(&call).await.map_err(Halt::Journal)? {
            // What failed last may work by now; what it took is gone.
            Some(Answer::Failure(failure))
                if call.step >= self.committed && !self.was_retried(&call).await? =>
            {
                let spend = match call.subject {
                    Subject::Rollout { .. } => Spend::metric_call(failure.cost),
                    Subject::Reflection { .. } => Spend::reflection(failure.cost),
                };
                *self.lost.lock().unwrap_or_else(PoisonError::into_inner) += spend;
            }
            Some(answer) => {
                // A journal may be text, which gives numbers back but for their last bits.
                let answer = match answer {
                    Answer::Rollout(rollout) => Answer::Rollout(self.rounded(rollout)),
                    other => other,
                };
                told(&answer, AnswerSource::Journal);
                return Ok(answer);
            }
            // All that a committed step asked first has an answer.
            None if call.step < self.committed && call.attempt == 0 => {
                return Err(Halt::OtherRun { step: call.step });
            }
            None => {}
        }
        // The semaphore is never closed.
        let _worker = self.workers.acquire().await;
        if let Some(finish) = self.stopped() {
            return Err(Halt::Finish(finish));
        }
        self.journal.begin(&call, at_most).await.map_err(Halt::Journal)?;
        let answer = made.await;
        self.journal.finish(&call, &answer).await.map_err(Halt::Journal)?;
        told(&answer, AnswerSource::Call);
        Ok(answer)
    }

    fn rounded(&self, rollout: Rollout) -> Rollout {
        match self.settings.rules {
            Rules::Strict => rollout.rounded(),
            Rules::Reference => rollout,
        }
    }

    /// Whether the journal has an answer to the next attempt of a call.
    async fn was_retried(&self, call: &Call) -> Result<bool, Halt<J::Error>> {
        let next = Call {
            attempt: call.attempt + 1,
            ..call.clone()
        };
        let answer = self.journal.recall(&next).await.map_err(Halt::Journal)?;
        Ok(answer.is_some())
    }

    /// Why no call may be begun, if so.
    pub(crate) fn stopped(&self) -> Option<Finish> {
        if self.control.cancel.is_cancelled() {
            return Some(Finish::Cancelled);
        }
        let limit = self.settings.limits.time?;
        ((self.control.clock)() >= limit).then_some(Finish::Time)
    }
}

/// From how many calls on it says something that more than half of them failed.
const SYSTEMIC: usize = 3;
