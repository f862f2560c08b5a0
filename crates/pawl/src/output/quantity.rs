//! How numbers are written for people.

use std::time::Duration;

/// A count, with commas between thousands: `1,000,000`.
pub(super) fn count(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A count with its noun: `1 case`, `2 cases`.
pub(crate) fn counted(n: u64, noun: &str) -> String {
    format!("{} {noun}{}", count(n), if n == 1 { "" } else { "s" })
}

/// A rate in percent. What is not all is never rounded to 100, and what is not nothing never to 0.
pub(crate) fn percent(rate: f64) -> String {
    match rate * 100.0 {
        percent if percent > 0.0 && percent < 0.05 => "< 0.1 %".to_owned(),
        percent if (99.95..100.0).contains(&percent) => "> 99.9 %".to_owned(),
        percent => format!("{percent:.1} %"),
    }
}

/// A rate with its interval and coverage: `82.0 % (69–90) · 48 of 50`.
pub(super) fn covered_rate(rate: f64, (lower, upper): (f64, f64), (judged, total): (u64, u64)) -> String {
    // Of very many cases whole numbers would show no interval.
    let places = usize::from(upper - lower < 0.02);
    format!(
        "{} ({:.places$}–{:.places$}) · {} of {}",
        percent(rate),
        lower * 100.0,
        upper * 100.0,
        count(judged),
        count(total)
    )
}

/// A difference, with its sign and so many decimals: `+0.5`, `−4.0`, `0.0`.
pub(super) fn signed(difference: f64, places: usize) -> String {
    let digits = format!("{:.places$}", difference.abs());
    let zero = digits.chars().all(|digit| matches!(digit, '0' | '.'));
    match difference {
        _ if zero => digits,
        negative if negative < 0.0 => format!("−{digits}"),
        _ => format!("+{digits}"),
    }
}

/// A p-value: `0.012`, `< 0.001`.
pub(super) fn p_value(p: f64) -> String {
    if p < 0.001 {
        "< 0.001".to_owned()
    } else {
        format!("{p:.3}")
    }
}

/// A p-value in a sentence: `p = 0.012`, `p < 0.001`.
pub(super) fn p_statement(p: f64) -> String {
    let value = p_value(p);
    if value.starts_with('<') {
        format!("p {value}")
    } else {
        format!("p = {value}")
    }
}

/// US dollars, to the hundredth of a cent.
pub(super) fn dollars(usd: f64) -> String {
    if usd > 0.0 && usd < 0.000_05 {
        "< $0.0001".to_owned()
    } else {
        format!("${usd:.4}")
    }
}

/// A duration in the two units that matter: `340 ms`, `1.2 s`, `2 min 5 s`, `1 h 2 min`.
pub(super) fn duration(took: Duration) -> String {
    let seconds = took.as_secs();
    match took.as_millis() {
        millis @ 0..1_000 => format!("{millis} ms"),
        1_000..59_950 => format!("{:.1} s", took.as_secs_f64()),
        59_950..3_600_000 => format!("{} min {} s", seconds.max(60) / 60, seconds.max(60) % 60),
        _ => format!("{} h {} min", seconds / 3_600, seconds % 3_600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_have_commas() {
        let counts = [0, 999, 1_000, 12_345, 1_000_000].map(count);
        assert_eq!(counts, ["0", "999", "1,000", "12,345", "1,000,000"]);
        assert_eq!([counted(1, "case"), counted(2, "case")], ["1 case", "2 cases"]);
    }

    #[test]
    fn a_rate_is_never_rounded_to_all_or_nothing() {
        let rates = [0.0, 0.000_1, 0.82, 0.999_4, 0.999_9, 1.0].map(percent);
        assert_eq!(
            rates,
            ["0.0 %", "< 0.1 %", "82.0 %", "99.9 %", "> 99.9 %", "100.0 %"]
        );
    }

    #[test]
    fn a_rate_has_its_interval_and_coverage() {
        assert_eq!(
            covered_rate(0.82, (0.692, 0.902), (48, 50)),
            "82.0 % (69–90) · 48 of 50"
        );
        assert_eq!(
            covered_rate(0.82, (0.8192, 0.8208), (1_000_000, 1_000_000)),
            "82.0 % (81.9–82.1) · 1,000,000 of 1,000,000"
        );
    }

    #[test]
    fn a_difference_has_a_sign_unless_it_is_nothing() {
        assert_eq!(
            [-0.04, 0.04, -0.000_1, 0.0].map(|n| signed(n, 2)),
            ["−0.04", "+0.04", "0.00", "0.00"]
        );
        assert_eq!([0.03125, 1e-9].map(p_value), ["0.031", "< 0.001"]);
        assert_eq!([0.03125, 1e-9].map(p_statement), ["p = 0.031", "p < 0.001"]);
    }

    #[test]
    fn small_costs_are_not_nothing() {
        assert_eq!(
            [0.0, 0.000_01, 0.0123, 12.5].map(dollars),
            ["$0.0000", "< $0.0001", "$0.0123", "$12.5000"]
        );
    }

    #[test]
    fn durations_have_two_units() {
        let texts =
            [0, 999, 1_234, 59_949, 59_999, 125_000, 3_720_000].map(|ms| duration(Duration::from_millis(ms)));
        assert_eq!(
            texts,
            [
                "0 ms",
                "999 ms",
                "1.2 s",
                "59.9 s",
                "1 min 0 s",
                "2 min 5 s",
                "1 h 2 min"
            ]
        );
    }
}
