//! When to try again: what the server said, and chance.

use std::time::Duration;

use reqwest::header::{DATE, HeaderMap, HeaderName, RETRY_AFTER};

/// How often a request is sent again.
pub(crate) const MAX_RETRIES: u32 = 3;

const FIRST_BACKOFF: Duration = Duration::from_millis(500);

/// Longer than any case may take.
const LONGEST: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// Milliseconds, where a model provider knows better than whole seconds.
const RETRY_AFTER_MS: HeaderName = HeaderName::from_static("retry-after-ms");

/// The wait that `Retry-After` asks for (RFC 9110, section 10.2.3): seconds, or a date, which is compared with the
/// server's own `Date`, so that a clock that is wrong on either side does no harm. `retry-after-ms` goes before it.
pub(crate) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: HeaderName| headers.get(name)?.to_str().ok().map(str::trim);
    let milliseconds = text(RETRY_AFTER_MS).and_then(|asked| asked.parse().ok());
    if let Some(milliseconds) = milliseconds {
        return Some(Duration::from_millis(milliseconds).min(LONGEST));
    }
    let asked = text(RETRY_AFTER)?;
    let wait = if let Ok(seconds) = asked.parse() {
        Duration::from_secs(seconds)
    } else {
        let until = httpdate::parse_http_date(asked).ok()?;
        let now = httpdate::parse_http_date(text(DATE)?).ok()?;
        until.duration_since(now).unwrap_or_default()
    };
    Some(wait.min(LONGEST))
}

/// A wait of random length before retry number `retry`, counted from 0, so that callers that failed together do not
/// return together ("full jitter": M. Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015).
pub(crate) fn jitter(retry: u32) -> Duration {
    FIRST_BACKOFF
        .saturating_mul(2_u32.saturating_pow(retry))
        .mul_f64(fastrand::f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(HeaderName, &str)]) -> HeaderMap {
        pairs
            .iter()
            .map(|(name, value)| (name.clone(), value.parse().unwrap()))
            .collect()
    }

    #[test]
    fn seconds_and_dates_are_read() {
        let date = (DATE, "Sun, 06 Nov 1994 08:49:37 GMT");
        for (asked, seconds) in [
            ("0", Some(0)),
            (" 120 ", Some(120)),
            ("Sun, 06 Nov 1994 08:49:47 GMT", Some(10)),
            ("Sunday, 06-Nov-94 08:50:37 GMT", Some(60)),
            ("Sun, 06 Nov 1994 08:00:00 GMT", Some(0)),
            ("18446744073709551615", Some(LONGEST.as_secs())),
            ("-1", None),
            ("soon", None),
        ] {
            let read = retry_after(&headers(&[date.clone(), (RETRY_AFTER, asked)]));
            assert_eq!(read, seconds.map(Duration::from_secs), "{asked}");
        }
        assert_eq!(
            retry_after(&headers(&[(RETRY_AFTER, "Sun, 06 Nov 1994 08:49:47 GMT")])),
            None
        );
        assert_eq!(retry_after(&headers(&[])), None);
    }

    #[test]
    fn milliseconds_go_first() {
        let seconds = (RETRY_AFTER, "2");
        for (asked, milliseconds) in [("150", 150), ("soon", 2_000)] {
            let read = retry_after(&headers(&[seconds.clone(), (RETRY_AFTER_MS, asked)]));
            assert_eq!(read, Some(Duration::from_millis(milliseconds)), "{asked}");
        }
    }

    #[test]
    fn jitter_stays_under_a_bound_that_doubles() {
        for retry in 0..MAX_RETRIES {
            let bound = FIRST_BACKOFF * 2_u32.pow(retry);
            let longest = (0..1_000).map(|_| jitter(retry)).max().unwrap();
            assert!(
                longest <= bound && longest > bound / 2,
                "{longest:?} of {bound:?}"
            );
        }
    }
}
