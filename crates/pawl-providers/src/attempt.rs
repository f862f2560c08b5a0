//! Asking an endpoint until it answers: attempts at one request, within its time.

mod limiter;
pub(crate) mod retry;

use std::fmt;
use std::time::Duration;

use tokio::time::{Instant, sleep_until, timeout_at};

pub(crate) use limiter::Limiter;
use retry::{MAX_RETRIES, jitter};

/// How one attempt failed.
pub(crate) struct Failed<E> {
    pub(crate) error: E,
    /// `None` where another attempt would fail as well.
    pub(crate) again: Option<Again>,
}

/// Another attempt may succeed.
#[derive(Clone, Copy)]
pub(crate) struct Again {
    /// How long the endpoint asks to wait.
    pub(crate) wait: Option<Duration>,
    pub(crate) sign: Sign,
}

/// What a failure says of the endpoint.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sign {
    /// It has too much to do.
    Overload,
    /// Something broke.
    Fault,
}

/// What came of the attempt that succeeded.
pub(crate) struct Answered<T> {
    pub(crate) answer: T,
    /// The time of that attempt alone.
    pub(crate) latency: Duration,
    pub(crate) retries: u32,
}

/// Why there is no answer.
pub(crate) struct GaveUp<E> {
    pub(crate) cause: Cause<E>,
    pub(crate) retries: u32,
}

pub(crate) enum Cause<E> {
    /// Another attempt would have failed as well.
    Refused(E),
    /// Another attempt might have succeeded.
    Exhausted(E, Exhaustion),
    /// The time ended in the middle of an attempt.
    TimedOut,
    /// There was no attempt: the endpoint has asked others to wait, for so much longer.
    Paused(Duration),
}

/// Why there was no other attempt.
#[derive(Clone, Copy)]
pub(crate) enum Exhaustion {
    Retries,
    Time { asked: Option<Duration> },
}

impl fmt::Display for Exhaustion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Retries => write!(f, "{MAX_RETRIES} retries are used up"),
            Self::Time { asked } => {
                if let Some(wait) = asked {
                    write!(f, "asks to wait {} s, and ", wait.as_secs())?;
                }
                f.write_str("the time for the case is over before a retry")
            }
        }
    }
}

impl<E> Failed<E> {
    pub(crate) const fn for_good(error: E) -> Self {
        Self { error, again: None }
    }
}

/// Sends a request, again where that may help, as the limiter allows. The timeout counts from the moment it is first
/// sent; waiting for the first turn is not inside it, but nobody waits for an endpoint that has asked for a longer pause
/// than that. Dropping the future ends the attempt under way.
pub(crate) async fn attempt<T, E, F>(
    limiter: &Limiter,
    timeout: Duration,
    send: impl Fn() -> F,
) -> Result<Answered<T>, GaveUp<E>>
where
    F: Future<Output = Result<T, Failed<E>>>,
{
    let mut retries = 0;
    let mut permit = limiter.enter(timeout).await.map_err(|pause| GaveUp {
        cause: Cause::Paused(pause),
        retries,
    })?;
    let deadline = Instant::now() + timeout;
    loop {
        let gave_up = |cause| GaveUp { cause, retries };
        let sent = Instant::now();
        let result = timeout_at(deadline, send()).await;
        let Failed { error, again } = match result {
            Ok(Ok(answer)) => {
                permit.succeeded();
                let latency = sent.elapsed();
                return Ok(Answered {
                    answer,
                    latency,
                    retries,
                });
            }
            Ok(Err(failed)) => failed,
            Err(_) => return Err(gave_up(Cause::TimedOut)),
        };
        let Some(Again { wait, sign }) = again else {
            return Err(gave_up(Cause::Refused(error)));
        };
        match sign {
            Sign::Overload => permit.throttled(wait),
            Sign::Fault => drop(permit),
        }
        if retries == MAX_RETRIES {
            return Err(gave_up(Cause::Exhausted(error, Exhaustion::Retries)));
        }
        let again = Instant::now() + wait.unwrap_or_default() + jitter(retries);
        if again >= deadline {
            return Err(gave_up(Cause::Exhausted(error, Exhaustion::Time { asked: wait })));
        }
        sleep_until(again).await;
        let left = deadline.saturating_duration_since(Instant::now());
        permit = match timeout_at(deadline, limiter.enter(left)).await {
            Ok(Ok(permit)) => permit,
            Ok(Err(_)) | Err(_) => {
                return Err(gave_up(Cause::Exhausted(error, Exhaustion::Time { asked: None })));
            }
        };
        retries += 1;
    }
}
