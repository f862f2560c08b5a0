//! How long something took, as people read it.

/// Milliseconds, to three digits or whole seconds: `812 ms`, `2.41 s`, `3 min 20 s`, `2 h 5 min`.
pub(crate) fn milliseconds(length: f64) -> String {
    let seconds = (length / 1_000.0).round() as u64;
    match length {
        _ if length < 999.5 => format!("{length:.0}\u{a0}ms"),
        _ if length < 9_995.0 => format!("{:.2}\u{a0}s", length / 1_000.0),
        _ if length < 59_950.0 => format!("{:.1}\u{a0}s", length / 1_000.0),
        _ if seconds < 3_600 => format!("{}\u{a0}min {}\u{a0}s", seconds / 60, seconds % 60),
        _ => format!("{}\u{a0}h {}\u{a0}min", seconds / 3_600, seconds % 3_600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_have_three_digits() {
        for (length, shown) in [
            (0.0, "0 ms"),
            (811.7, "812 ms"),
            (999.7, "1.00 s"),
            (2_412.0, "2.41 s"),
            (31_249.0, "31.2 s"),
            (59_960.0, "1 min 0 s"),
            (200_400.0, "3 min 20 s"),
            (7_500_000.0, "2 h 5 min"),
        ] {
            assert_eq!(milliseconds(length).replace('\u{a0}', " "), shown);
        }
    }
}
