//! How often somebody may try: by address, so that one client cannot try many passwords, and by account, so that many
//! clients cannot try the passwords of one. The numbers by address are those of Supabase Auth.

use std::convert::Infallible;
use std::hash::Hash;
use std::num::NonZeroU32;
use std::time::Duration;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use governor::clock::{Clock as _, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota};

use super::client_address::ClientAddress;
use crate::AppState;

/// Keys of one limit that are remembered at once.
const MOST_KEYS: usize = 20_000;

/// The limits of this process.
pub(crate) struct Limits {
    sign_up: Limit<ClientAddress>,
    log_in: Limit<ClientAddress>,
    account: Limit<String>,
    refresh: Limit<ClientAddress>,
}

impl Limits {
    pub(crate) fn new() -> Self {
        Self {
            sign_up: Limit::new(THIRTY, Duration::from_secs(10)),
            log_in: Limit::new(THIRTY, Duration::from_secs(10)),
            account: Limit::new(TEN, Duration::from_secs(30)),
            refresh: Limit::new(HUNDRED_AND_FIFTY, Duration::from_secs(2)),
        }
    }
}

/// Too many attempts in a short time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooMany {
    /// Seconds to wait.
    pub(crate) retry_after: u64,
}

/// Somebody who tries, and what is left to them.
pub(crate) struct Attempt {
    address: ClientAddress,
    state: AppState,
}

impl Attempt {
    pub(crate) fn sign_up(&self) -> Result<(), TooMany> {
        self.state.limits.sign_up.check(&self.address)
    }

    pub(crate) fn log_in(&self, email: &str) -> Result<(), TooMany> {
        self.state.limits.log_in.check(&self.address)?;
        self.state.limits.account.check(&email.trim().to_lowercase())
    }

    pub(super) fn refresh(&self) -> Result<(), TooMany> {
        self.state.limits.refresh.check(&self.address)
    }
}

impl FromRequestParts<AppState> for Attempt {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, Infallible> {
        Ok(Self {
            address: ClientAddress::of_request(parts, state),
            state: state.clone(),
        })
    }
}

const TEN: NonZeroU32 = NonZeroU32::new(10).unwrap();
const THIRTY: NonZeroU32 = NonZeroU32::new(30).unwrap();
const HUNDRED_AND_FIFTY: NonZeroU32 = NonZeroU32::new(150).unwrap();

/// So many at once, and one more after each period.
struct Limit<K: Hash + Eq + Clone> {
    limiter: DefaultKeyedRateLimiter<K>,
    period: Duration,
}

impl<K: Hash + Eq + Clone> Limit<K> {
    fn new(at_once: NonZeroU32, period: Duration) -> Self {
        let quota = Quota::with_period(period).unwrap_or(Quota::per_second(NonZeroU32::MIN));
        Self {
            limiter: DefaultKeyedRateLimiter::keyed(quota.allow_burst(at_once)),
            period,
        }
    }

    fn check(&self, key: &K) -> Result<(), TooMany> {
        if self.limiter.len() >= MOST_KEYS {
            // Those who have not tried for a while are as good as new.
            self.limiter.retain_recent();
            if self.limiter.len() >= MOST_KEYS {
                return Err(TooMany {
                    retry_after: self.period.as_secs(),
                });
            }
        }
        self.limiter.check_key(key).map_err(|refused| {
            let wait = refused.wait_time_from(DefaultClock::default().now());
            TooMany {
                retry_after: wait.as_secs() + 1,
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_key_has_its_own_count() {
        let limit = Limit::new(TEN, Duration::from_secs(3_600));
        for _ in 0..10 {
            assert!(limit.check(&"ann").is_ok());
        }
        for _ in 0..3 {
            let refused = limit.check(&"ann").unwrap_err();
            assert!((1..=3_601).contains(&refused.retry_after));
        }
        assert!(limit.check(&"bob").is_ok());
    }

    #[test]
    fn memory_is_bounded() {
        let limit = Limit::new(TEN, Duration::from_secs(3_600));
        for key in 0..MOST_KEYS {
            assert!(limit.check(&key).is_ok());
        }
        assert!(limit.check(&MOST_KEYS).is_err());
        assert_eq!(limit.limiter.len(), MOST_KEYS);
    }
}
