//! Time and fresh ids, as they are given to the engine.

use std::sync::Arc;

use time::OffsetDateTime;
use uuid::{NoContext, Timestamp, Uuid};

/// Where the engine takes the time from.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> OffsetDateTime + Send + Sync>);

impl Clock {
    /// The clock that this function reads.
    pub fn new(now: impl Fn() -> OffsetDateTime + Send + Sync + 'static) -> Self {
        Self(Arc::new(now))
    }

    /// The time, to the microsecond, which is what both databases keep.
    #[must_use]
    pub fn now(&self) -> OffsetDateTime {
        let now = (self.0)();
        now.replace_nanosecond(now.microsecond() * 1_000).unwrap_or(now)
    }

    /// A fresh UUIDv7: it starts with the time, so that ids of later rows sort behind.
    #[must_use]
    pub fn fresh_id(&self) -> Uuid {
        let now = self.now();
        let seconds = u64::try_from(now.unix_timestamp()).unwrap_or(0);
        Uuid::new_v7(Timestamp::from_unix(NoContext, seconds, now.nanosecond()))
    }
}
