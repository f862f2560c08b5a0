//! Asking the target case by case, and judging what it says.

use std::sync::Arc;

use pawl_model::{CaseRecord, EvalResults, TargetFailure, TargetFailureKind, TargetRequest};
use pawl_providers::Target;
use pawl_store::response_cache::CachedResponse;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::cache::{Cache, KeptReply, Lookup, digest_request};
use super::judge::{About, Judgement, Judges};
use super::record::{Answer, Reply, Trial};
use super::suite::ContentDigest;
use crate::{Clock, EngineError};

/// A trial that is to be asked or, with an answer, to be judged.
pub(crate) type ReadTrial = Result<(Trial, Option<Answer>), EngineError>;

/// A row that waits to be stored, and the place among those under way that it keeps until then.
pub(crate) struct Executed {
    pub(crate) record: CaseRecord,
    pub(crate) results: EvalResults,
    pub(crate) kept: Vec<CachedResponse>,
    pub(crate) place: OwnedSemaphorePermit,
}

/// Asks the target, so many at once, and judges what it says.
#[derive(Clone)]
pub(crate) struct Asking {
    pub(crate) target: Option<Arc<Target>>,
    pub(crate) judges: Arc<Judges>,
    pub(crate) cache: Cache,
    pub(crate) basis: Option<ContentDigest>,
    pub(crate) places: Arc<Semaphore>,
    pub(crate) clock: Clock,
    pub(crate) executed: mpsc::Sender<Executed>,
}

impl Asking {
    pub(crate) async fn ask_all(
        self,
        mut trials: mpsc::Receiver<ReadTrial>,
        stop: &CancellationToken,
    ) -> Result<(), EngineError> {
        let mut under_way = JoinSet::new();
        loop {
            let next = tokio::select! {
                biased;
                () = stop.cancelled() => break,
                place = Arc::clone(&self.places).acquire_owned() => tokio::select! {
                    biased;
                    () = stop.cancelled() => break,
                    trial = trials.recv() => trial.zip(place.ok()),
                },
            };
            let Some((trial, place)) = next else { break };
            match trial? {
                (trial, Some(answer)) if trial.needs_judges() => {
                    under_way.spawn(self.clone().finish(trial, answer, (Vec::new(), place)));
                }
                (trial, Some(answer)) => self.clone().finish(trial, answer, (Vec::new(), place)).await,
                (trial, None) => drop(under_way.spawn(self.clone().ask(trial, place))),
            }
            while under_way.try_join_next().is_some() {}
        }
        if stop.is_cancelled() {
            under_way.abort_all();
        }
        while under_way.join_next().await.is_some() {}
        Ok(())
    }

    async fn ask(self, trial: Trial, place: OwnedSemaphorePermit) {
        let Some(target) = &self.target else { return };
        let request = trial.request();
        let (answer, kept) = match self.known(&request).await {
            Ok(Lookup::Hit(KeptReply { output, latency_ms })) => {
                let reply = Reply {
                    output,
                    latency_ms,
                    is_cached: true,
                };
                (Ok(reply), None)
            }
            Ok(Lookup::Ask(key)) => {
                let answer = call(target, &request).await;
                let kept = answer.as_ref().ok().and_then(|reply| {
                    key.with(&KeptReply {
                        output: reply.output.clone(),
                        latency_ms: reply.latency_ms,
                    })
                });
                (answer, kept)
            }
            Ok(Lookup::Off) => (call(target, &request).await, None),
            Ok(Lookup::Missing) => (Err(unanswered("it is not in the response cache")), None),
            Err(_) => (Err(unanswered("the response cache cannot be read")), None),
        };
        self.finish(trial, answer, (kept.into_iter().collect(), place))
            .await;
    }

    /// What the target answered to this before.
    async fn known(&self, request: &TargetRequest) -> Result<Lookup<KeptReply>, EngineError> {
        let Some(basis) = &self.basis else {
            return Ok(Lookup::Off);
        };
        let basis = || {
            let mut digest = basis.clone();
            digest_request(&mut digest, request);
            digest
        };
        self.cache.look_up(basis).await
    }

    /// Judges an answer and hands it on, with what is to be kept of it.
    async fn finish(
        self,
        trial: Trial,
        answer: Answer,
        (mut kept, place): (Vec<CachedResponse>, OwnedSemaphorePermit),
    ) {
        let mut judgement = match &answer {
            Ok(reply) => {
                let about = About {
                    case: &trial.case,
                    trial: trial.number,
                    output: &reply.output,
                };
                self.judges.judge(about, &self.cache).await
            }
            Err(_) => Judgement::default(),
        };
        kept.append(&mut judgement.kept);
        let (record, results) = trial.record(answer, &judgement, self.clock.now());
        // Nobody stores any more: the run could not go on.
        let _ = self
            .executed
            .send(Executed {
                record,
                results,
                kept,
                place,
            })
            .await;
    }
}

async fn call(target: &Target, request: &TargetRequest) -> Answer {
    let reply = target.call(request).await?;
    Ok(Reply {
        output: reply.output,
        latency_ms: Some(u64::try_from(reply.latency.as_millis()).unwrap_or(u64::MAX)),
        is_cached: false,
    })
}

fn unanswered(why: &str) -> TargetFailure {
    TargetFailure::new(TargetFailureKind::Broken, why)
}
