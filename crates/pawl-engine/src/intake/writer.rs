//! Group commit: whatever waits to be stored is stored in one transaction, and nobody is answered before it is durable.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use tokio::runtime::{Builder, Handle, Runtime};
use tokio::sync::oneshot;

use super::group::Context;
use super::outcome::{Batch, IntakeError, Outcome};

/// Requests that may wait.
const MAX_WAITING: usize = 4_096;
/// What those that wait or are being stored may hold together, unless it is a single one.
const MAX_BYTES: usize = 128 * 1024 * 1024;
/// Interactions of one transaction, unless a single request brings more.
const MAX_GROUP: usize = 2_000;
/// How much of a transaction's time those who were just answered are waited for, as one part of so many.
const PATIENCE: u32 = 4;
/// All of a transaction's time that is as short: most of it is the commit, which they share then.
const SHORT: Duration = Duration::from_micros(750);
/// The longest that they are.
const MAX_PATIENCE: Duration = Duration::from_millis(5);

/// What was stored so far, however that went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IntakeCounts {
    /// Groups of requests whose interactions were stored together.
    pub groups: u64,
    /// Requests in them.
    pub requests: u64,
}

type Answer = Result<Vec<Outcome>, IntakeError>;

struct Request {
    batch: Batch,
    bytes: usize,
    answer: oneshot::Sender<Answer>,
}

/// Hands what is to be stored to the one thread that does.
pub(crate) struct Writer {
    queue: Arc<Queue>,
}

impl Writer {
    /// Starts the thread; it ends with this handle, once it has stored what waits. Among the tasks of the runtime it
    /// would be behind others each time that it goes on, and so would what tells it of the database's answers.
    pub(crate) fn start(context: Context) -> Self {
        let queue = Arc::new(Queue::new());
        let (of_thread, answering) = (Arc::clone(&queue), Handle::current());
        let work = move || {
            // Whatever ends it, nobody waits for it any more.
            let of_thread = Closing(of_thread);
            if let Ok(own) = Builder::new_current_thread().enable_all().build() {
                let _entered = own.enter();
                let store = context.store.apart();
                let context = Context { store, ..context };
                write_all(&context, &of_thread.0, &own, &answering);
            }
        };
        if thread::Builder::new()
            .name("intake".to_owned())
            .spawn(work)
            .is_err()
        {
            queue.close();
        }
        Self { queue }
    }

    /// Stores a batch of so many bytes.
    pub(crate) async fn store(&self, batch: Batch, bytes: usize) -> Answer {
        let (answer, answered) = oneshot::channel();
        self.queue.add(Request { batch, bytes, answer })?;
        // The thread lives as long as this handle; it could only have panicked.
        answered.await.unwrap_or(Err(IntakeError::Busy))
    }

    pub(crate) fn counts(&self) -> IntakeCounts {
        self.queue.state().counts
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.queue.close();
    }
}

struct Closing(Arc<Queue>);

impl Drop for Closing {
    fn drop(&mut self) {
        self.0.close();
        self.0.state().waiting.clear();
    }
}

/// Who waits. The thread is woken when there are enough of them, not for each.
struct Queue {
    state: Mutex<State>,
    suffices: Condvar,
}

struct State {
    waiting: VecDeque<Request>,
    /// Interactions that wait.
    items: usize,
    /// What those that wait or are being stored hold.
    bytes: usize,
    /// Requests for which the thread wakes.
    wanted: usize,
    counts: IntakeCounts,
    is_open: bool,
}

impl State {
    fn suffices(&self) -> bool {
        self.waiting.len() >= self.wanted || self.items >= MAX_GROUP || !self.is_open
    }
}

impl Queue {
    fn new() -> Self {
        Self {
            state: Mutex::new(State {
                waiting: VecDeque::new(),
                items: 0,
                bytes: 0,
                wanted: 1,
                counts: IntakeCounts::default(),
                is_open: true,
            }),
            suffices: Condvar::new(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing panics in between.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, request: Request) -> Result<(), IntakeError> {
        let mut state = self.state();
        let bytes = state.bytes + request.bytes;
        let is_too_much = state.bytes > 0 && bytes > MAX_BYTES;
        if !state.is_open || is_too_much || state.waiting.len() >= MAX_WAITING {
            return Err(IntakeError::Busy);
        }
        let sufficed = state.suffices();
        state.bytes = bytes;
        state.items += request.batch.items.len();
        state.waiting.push_back(request);
        let suffices = state.suffices();
        drop(state);
        if suffices && !sufficed {
            self.suffices.notify_one();
        }
        Ok(())
    }

    /// Waits for the first, and then a little for as many as are expected; none where it is closed and nobody waits.
    fn take(&self, expected: usize, patience: Duration) -> Option<Vec<Request>> {
        let mut state = self.state();
        state.wanted = 1;
        state = self
            .suffices
            .wait_while(state, |state| !state.suffices())
            .unwrap_or_else(PoisonError::into_inner);
        state.wanted = expected.max(1);
        (state, _) = self
            .suffices
            .wait_timeout_while(state, patience, |state| !state.suffices())
            .unwrap_or_else(PoisonError::into_inner);
        let mut items = 0;
        let mut group = Vec::with_capacity(state.waiting.len());
        while items < MAX_GROUP
            && let Some(request) = state.waiting.pop_front()
        {
            items += request.batch.items.len();
            group.push(request);
        }
        state.items -= items;
        // While these are stored nobody is waited for.
        state.wanted = usize::MAX;
        Some(group).filter(|group| !group.is_empty())
    }

    /// That so many requests of so many bytes were stored together; says how many wait.
    fn stored(&self, count: usize, bytes: usize) -> usize {
        let mut state = self.state();
        state.bytes -= bytes;
        state.counts.groups += 1;
        state.counts.requests += count as u64;
        state.waiting.len()
    }

    fn close(&self) {
        self.state().is_open = false;
        self.suffices.notify_one();
    }
}

fn write_all(context: &Context, queue: &Queue, own: &Runtime, answering: &Handle) {
    let mut expected = 1;
    let mut patience = Duration::ZERO;
    // Clients that hand in one after the other come back a moment after they were answered: waiting for them a little
    // makes one transaction of what would be two that are half full.
    while let Some(group) = queue.take(expected, patience) {
        let started = Instant::now();
        let (count, bytes) = (group.len(), group.iter().map(|request| request.bytes).sum());
        let answers = own.block_on(write(context, &group));
        let took = started.elapsed();
        patience = (took / PATIENCE).clamp(took.min(SHORT), MAX_PATIENCE);
        // Whoever was answered now and has more comes back at once.
        expected = count + queue.stored(count, bytes);
        // Told by the runtime of those who wait, whose threads it would else wake for each of them.
        answering.spawn(async move {
            for (request, answer) in group.into_iter().zip(answers) {
                // Who went away finds out by handing it in again.
                let _ = request.answer.send(answer);
            }
        });
    }
}

async fn write(context: &Context, group: &[Request]) -> Vec<Answer> {
    let batches: Vec<&Batch> = group.iter().map(|request| &request.batch).collect();
    match context.store(&batches).await {
        Ok(outcomes) => outcomes.into_iter().map(Ok).collect(),
        // One request must not fail the others.
        Err(error) if group.len() > 1 && !error.is_unavailability() => {
            let mut answers = Vec::with_capacity(group.len());
            for batch in batches {
                let alone = context.store(&[batch]).await;
                let alone = alone.map(|mut outcomes| outcomes.pop().unwrap_or_default());
                answers.push(alone.map_err(failed));
            }
            answers
        }
        Err(error) => vec![Err(failed(error)); group.len()],
    }
}

fn failed(error: crate::EngineError) -> IntakeError {
    IntakeError::Failed(Arc::new(error))
}
