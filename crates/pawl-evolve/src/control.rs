//! How a run is watched and stopped.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::event::Event;

/// What does not change what a run finds: how many calls are made at once, the clock, who watches, who stops it.
#[derive(Clone, Copy)]
pub struct Control<'a> {
    /// Calls that are made at once, at most.
    pub workers: usize,
    /// How long the run has taken, sessions before this one included.
    pub clock: &'a (dyn Fn() -> Duration + Sync),
    /// Is told what happens, in order.
    pub observer: &'a (dyn Fn(&Event<'_>) + Sync),
    /// Ends it.
    pub cancel: &'a Cancel,
}

impl Control<'_> {
    /// One that nobody watches or stops, for which no time passes.
    #[must_use]
    pub fn with_workers(workers: usize) -> Self {
        static NEVER: Cancel = Cancel::never();
        Self {
            workers,
            clock: &|| Duration::ZERO,
            observer: &|_| (),
            cancel: &NEVER,
        }
    }
}

impl fmt::Debug for Control<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { workers, cancel, .. } = self;
        f.debug_struct("Control")
            .field("workers", workers)
            .field("cancel", cancel)
            .finish_non_exhaustive()
    }
}

/// A request to stop: no call is begun after it, those under way are waited for. Clones are one request.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Option<Arc<AtomicBool>>);

impl Cancel {
    /// One that can be made.
    #[must_use]
    pub fn new() -> Self {
        Self(Some(Arc::default()))
    }

    const fn never() -> Self {
        Self(None)
    }

    /// Makes it.
    pub fn cancel(&self) {
        if let Some(flag) = &self.0 {
            flag.store(true, Ordering::Relaxed);
        }
    }

    /// Whether it was made.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed))
    }
}
