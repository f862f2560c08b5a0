//! How many requests may be under way to one endpoint, and when: additive increase, multiplicative decrease (AIMD;
//! Chiu and Jain 1989, "Analysis of the increase and decrease algorithms for congestion avoidance", section 3).

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

/// The longest that an endpoint can make everyone wait.
pub(crate) const MAX_PAUSE: Duration = Duration::from_secs(5 * 60);

/// Shared by all calls to one endpoint.
pub(crate) struct Limiter {
    most: f64,
    state: Mutex<State>,
    changed: Notify,
}

struct State {
    /// How many permits there may be; its whole part counts. From 1 to `most`.
    limit: f64,
    in_flight: usize,
    /// Nobody enters before this.
    paused_until: Option<Instant>,
    /// How often the limit was decreased.
    decreases: u64,
}

/// The right to send one request. Dropping it gives it back and says nothing about the endpoint.
pub(crate) struct Permit<'a> {
    limiter: &'a Limiter,
    decreases: u64,
}

enum Turn {
    Now { decreases: u64 },
    At(Instant),
    AfterChange,
}

impl Limiter {
    pub(crate) fn new(most: usize) -> Self {
        let most = most.max(1) as f64;
        Self {
            most,
            state: Mutex::new(State {
                limit: most,
                in_flight: 0,
                paused_until: None,
                decreases: 0,
            }),
            changed: Notify::new(),
        }
    }

    /// Waits for a turn, unless the endpoint has asked everyone to wait for longer than `patience`: then the rest of that
    /// wait is the answer. Waiting for others to leave takes as long as it takes.
    pub(crate) async fn enter(&self, patience: Duration) -> Result<Permit<'_>, Duration> {
        loop {
            // Created before the look at the state, so that no change in between is missed.
            let changed = self.changed.notified();
            let turn = self.state().turn();
            match turn {
                Turn::Now { decreases } => {
                    return Ok(Permit {
                        limiter: self,
                        decreases,
                    });
                }
                Turn::At(time) => {
                    let pause = time.saturating_duration_since(Instant::now());
                    if pause > patience {
                        return Err(pause);
                    }
                    sleep_until(time).await;
                }
                Turn::AfterChange => changed.await,
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn turn(&mut self) -> Turn {
        if let Some(until) = self.paused_until {
            if until > Instant::now() {
                return Turn::At(until);
            }
            self.paused_until = None;
        }
        let limit = self.limit as usize;
        if self.in_flight >= limit {
            return Turn::AfterChange;
        }
        self.in_flight += 1;
        Turn::Now {
            decreases: self.decreases,
        }
    }
}

impl Permit<'_> {
    /// The endpoint answered: one more request per round of answers.
    pub(crate) fn succeeded(self) {
        let mut state = self.limiter.state();
        state.limit = (state.limit + 1.0 / state.limit).min(self.limiter.most);
    }

    /// The endpoint has too much to do: half the requests, and a pause for everyone if it asked for one. Requests that
    /// were under way together count as one sign.
    pub(crate) fn throttled(self, pause: Option<Duration>) {
        let mut state = self.limiter.state();
        if state.decreases == self.decreases {
            state.limit = (state.limit / 2.0).max(1.0);
            state.decreases += 1;
        }
        let until = pause.map(|pause| Instant::now() + pause.min(MAX_PAUSE));
        state.paused_until = state.paused_until.max(until);
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        self.limiter.state().in_flight -= 1;
        self.limiter.changed.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    const LONG: Duration = Duration::from_secs(60 * 60);

    /// How many may enter now; they leave again, with nothing learnt.
    fn room(limiter: &Limiter) -> usize {
        let permits: Vec<_> = std::iter::from_fn(|| limiter.enter(LONG).now_or_never()).collect();
        permits.len()
    }

    fn enter(limiter: &Limiter) -> Permit<'_> {
        limiter.enter(LONG).now_or_never().unwrap().unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn no_more_than_the_limit_enter() {
        let limiter = Limiter::new(3);
        assert_eq!(room(&limiter), 3);
        let permits = [enter(&limiter), enter(&limiter), enter(&limiter)];
        assert_eq!(room(&limiter), 0);
        let (_waited, ()) = tokio::join!(limiter.enter(LONG), async { drop(permits) });
        assert_eq!(room(&limiter), 2);
    }

    #[tokio::test(start_paused = true)]
    async fn throttling_halves_once_per_round_and_success_recovers_by_one() {
        let limiter = Limiter::new(8);
        let round: Vec<_> = (0..8).map(|_| enter(&limiter)).collect();
        for permit in round {
            permit.throttled(None);
        }
        assert_eq!(room(&limiter), 4);
        for _ in 0..5 {
            enter(&limiter).succeeded();
        }
        assert_eq!(room(&limiter), 5);
        for _ in 0..10 {
            enter(&limiter).throttled(None);
        }
        assert_eq!(room(&limiter), 1);
        for _ in 0..1_000 {
            enter(&limiter).succeeded();
        }
        assert_eq!(room(&limiter), 8);
    }

    #[tokio::test(start_paused = true)]
    async fn a_pause_holds_everyone_and_the_longest_counts() {
        let limiter = Limiter::new(8);
        let (first, second) = (enter(&limiter), enter(&limiter));
        let begin = Instant::now();
        first.throttled(Some(Duration::from_secs(30)));
        second.throttled(Some(Duration::from_secs(10)));
        assert_eq!(room(&limiter), 0);
        let (_a, _b) = tokio::join!(limiter.enter(LONG), limiter.enter(LONG));
        assert!(begin.elapsed() >= Duration::from_secs(30));
        assert!(begin.elapsed() < Duration::from_secs(31));
    }

    #[tokio::test(start_paused = true)]
    async fn nobody_waits_for_a_pause_that_is_longer_than_they_can() {
        let limiter = Limiter::new(8);
        enter(&limiter).throttled(Some(Duration::from_secs(30)));
        let begin = Instant::now();
        let refused = limiter.enter(Duration::from_secs(29)).await;
        assert_eq!(refused.err(), Some(Duration::from_secs(30)));
        assert_eq!(begin.elapsed(), Duration::ZERO);
        assert!(limiter.enter(Duration::from_secs(30)).await.is_ok());
        assert!(begin.elapsed() >= Duration::from_secs(30));
    }

    #[tokio::test(start_paused = true)]
    async fn a_pause_that_grows_while_waiting_is_kept() {
        let limiter = Limiter::new(8);
        let (first, second) = (enter(&limiter), enter(&limiter));
        let begin = Instant::now();
        first.throttled(Some(Duration::from_secs(10)));
        let late = async {
            tokio::time::sleep(Duration::from_secs(5)).await;
            second.throttled(Some(Duration::from_secs(60 * 60 * 24)));
        };
        let (_entered, ()) = tokio::join!(limiter.enter(LONG), late);
        assert!(begin.elapsed() >= Duration::from_secs(5) + MAX_PAUSE);
        assert!(begin.elapsed() < Duration::from_secs(6) + MAX_PAUSE);
    }
}
