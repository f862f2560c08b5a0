//! Group commit: whatever waits to be stored is stored in one transaction, and nobody is answered before it is durable.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot};

use super::group::Context;
use super::outcome::{Batch, IntakeError, Outcome};

/// Requests that may wait.
const MAX_WAITING: usize = 4_096;
/// What they may hold together, in KiB.
const MAX_WAITING_KIB: u32 = 128 * 1024;
/// Interactions of one transaction, unless a single request brings more.
const MAX_GROUP: usize = 2_000;
/// How much of a transaction's time those who were just answered are waited for.
const PATIENCE: u32 = 4;
/// The longest that they are.
const MAX_PATIENCE: Duration = Duration::from_millis(5);

type Answer = Result<Vec<Outcome>, IntakeError>;

struct Request {
    batch: Batch,
    answer: oneshot::Sender<Answer>,
    _room: OwnedSemaphorePermit,
}

/// Hands what is to be stored to the one task that does.
pub(crate) struct Writer {
    requests: mpsc::Sender<Request>,
    room: Arc<Semaphore>,
}

impl Writer {
    /// Starts the task; it ends with the last of its handles.
    pub(crate) fn start(context: Context) -> Self {
        let (requests, waiting) = mpsc::channel(MAX_WAITING);
        tokio::spawn(write_all(context, waiting));
        Self {
            requests,
            room: Arc::new(Semaphore::new(MAX_WAITING_KIB as usize)),
        }
    }

    /// Stores a batch of so many bytes.
    pub(crate) async fn store(&self, batch: Batch, bytes: usize) -> Answer {
        let kib = u32::try_from(bytes / 1024)
            .unwrap_or(u32::MAX)
            .clamp(1, MAX_WAITING_KIB);
        let room = Arc::clone(&self.room)
            .try_acquire_many_owned(kib)
            .map_err(|_| IntakeError::Busy)?;
        let (answer, answered) = oneshot::channel();
        let request = Request {
            batch,
            answer,
            _room: room,
        };
        self.requests.try_send(request).map_err(|_| IntakeError::Busy)?;
        // The task lives as long as this handle; it could only have panicked.
        answered.await.unwrap_or(Err(IntakeError::Busy))
    }
}

async fn write_all(context: Context, mut waiting: mpsc::Receiver<Request>) {
    let mut expected = 1;
    let mut patience = Duration::ZERO;
    while let Some(first) = waiting.recv().await {
        let group = gather(first, &mut waiting, expected, patience).await;
        let started = Instant::now();
        let count = group.len();
        write(&context, group).await;
        patience = (started.elapsed() / PATIENCE).min(MAX_PATIENCE);
        // Whoever was answered now and has more comes back at once.
        expected = count + waiting.len();
    }
}

/// Who waits now. Clients that hand in one after the other come back a moment after they were answered: waiting for
/// them a little makes one transaction of what would be two that are half full.
async fn gather(
    first: Request,
    waiting: &mut mpsc::Receiver<Request>,
    expected: usize,
    patience: Duration,
) -> Vec<Request> {
    let mut items = first.batch.items.len();
    let mut group = vec![first];
    let deadline = tokio::time::Instant::now() + patience;
    while items < MAX_GROUP {
        let next = match waiting.try_recv() {
            Ok(next) => next,
            Err(_) if group.len() >= expected => break,
            Err(_) => match tokio::time::timeout_at(deadline, waiting.recv()).await {
                Ok(Some(next)) => next,
                _ => break,
            },
        };
        items += next.batch.items.len();
        group.push(next);
    }
    group
}

async fn write(context: &Context, group: Vec<Request>) {
    let batches: Vec<&Batch> = group.iter().map(|request| &request.batch).collect();
    match context.store(&batches).await {
        Ok(outcomes) => {
            for (request, outcomes) in group.into_iter().zip(outcomes) {
                // Who went away finds out by handing it in again.
                let _ = request.answer.send(Ok(outcomes));
            }
        }
        // One request must not fail the others.
        Err(error) if group.len() > 1 && !error.is_unavailability() => {
            for request in group {
                let alone = context.store(&[&request.batch]).await;
                let _ = request.answer.send(
                    alone
                        .map(|mut outcomes| outcomes.pop().unwrap_or_default())
                        .map_err(failed),
                );
            }
        }
        Err(error) => {
            let error = failed(error);
            for request in group {
                let _ = request.answer.send(Err(error.clone()));
            }
        }
    }
}

fn failed(error: crate::EngineError) -> IntakeError {
    IntakeError::Failed(Arc::new(error))
}
