//! Rates and means as people read them: with the interval that they plausibly lie in, and what they are of.

use pawl_checks::stats::Interval;

use super::number::count;

/// An interval that is narrower, in percentage points, is shown with a decimal.
const NARROW: f64 = 10.0;

/// A share, as `82.0 %`.
pub(crate) fn percent(share: f64) -> String {
    format!("{:.1}\u{a0}%", share * 100.0)
}

/// The interval of a share, as `(74–88)`.
pub(crate) fn percent_interval(interval: Interval) -> String {
    let [lower, upper] = [interval.lower, interval.upper].map(|share| share * 100.0);
    if upper - lower < NARROW {
        format!("({lower:.1}–{upper:.1})")
    } else {
        format!("({lower:.0}–{upper:.0})")
    }
}

/// A share with its interval and what it is of, as `82.0 % (74–88) · 41 of 50`.
pub(crate) fn rate(share: f64, interval: Interval, (part, whole): (u64, u64)) -> String {
    [
        &percent(share),
        " ",
        &percent_interval(interval),
        " · ",
        &of(part, whole),
    ]
    .concat()
}

/// A part of a whole, as `41 of 50`.
pub(crate) fn of(part: u64, whole: u64) -> String {
    [&count(part), " of ", &count(whole)].concat()
}

/// A score, as `0.824`.
pub(crate) fn score(value: f64) -> String {
    format!("{value:.3}")
}

/// The interval of a score, as `(0.819–0.829)`.
pub(crate) fn score_interval(interval: Interval) -> String {
    format!("({:.3}–{:.3})", interval.lower, interval.upper)
}

/// How two shares differ, in percentage points: `+1.2 points`.
pub(crate) fn points(difference: f64) -> String {
    signed(difference * 100.0, 1) + " points"
}

/// A difference with its sign; none where it rounds to nothing: `±0.0`.
pub(crate) fn signed(difference: f64, decimals: usize) -> String {
    let digits = format!("{:.decimals$}", difference.abs());
    let is_nothing = digits.bytes().all(|byte| matches!(byte, b'0' | b'.'));
    let sign = match difference {
        _ if is_nothing => "±",
        _ if difference < 0.0 => "−",
        _ => "+",
    };
    [sign, &digits].concat()
}

#[cfg(test)]
mod tests {
    use pawl_checks::stats::{Probability, wilson};

    use super::*;

    #[test]
    fn a_rate_says_what_it_is_of() {
        let shown = |passed, total: u64| {
            let interval = wilson(passed, total, Probability::P95);
            rate(passed as f64 / total as f64, interval, (passed, total))
        };
        assert_eq!(shown(41, 50), "82.0\u{a0}% (69–90) · 41 of 50");
        assert_eq!(
            shown(16_400, 20_000),
            "82.0\u{a0}% (81.5–82.5) · 16\u{202f}400 of 20\u{202f}000"
        );
    }

    #[test]
    fn differences_have_a_sign_unless_there_is_none() {
        for (difference, shown) in [
            (0.012, "+1.2 points"),
            (-0.2, "−20.0 points"),
            (-0.0004, "±0.0 points"),
        ] {
            assert_eq!(points(difference), shown);
        }
        assert_eq!(signed(0.0125, 3), "+0.013");
    }
}
