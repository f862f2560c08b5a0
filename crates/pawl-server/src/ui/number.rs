//! Numbers as people read them: grouped by thousands, and rates with their interval and what they are of.

/// A count, with a thin space between thousands: `20 000`.
pub(crate) fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3 * 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push('\u{202f}');
        }
        grouped.push(digit);
    }
    grouped
}

/// So many of something: `1 second`, `30 seconds`.
pub(crate) fn counted(number: u64, one: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    [&count(number), " ", one, plural].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_grouped() {
        for (number, shown) in [
            (0, "0"),
            (999, "999"),
            (1_000, "1\u{202f}000"),
            (1_234_567, "1\u{202f}234\u{202f}567"),
        ] {
            assert_eq!(count(number), shown);
        }
        assert_eq!(
            (counted(1, "row"), counted(2, "row")),
            ("1 row".into(), "2 rows".into())
        );
    }
}
