//! Numbers in plain decimal notation.

use super::Json;

/// Writes sign, digits and exponent as PostgreSQL's `numeric` prints them: no exponent, as many places as the text
/// had, no minus before zero. `None` when that takes too many digits.
pub(super) fn write_plain(
    out: &mut String,
    negative: bool,
    whole: &str,
    fraction: &str,
    exponent: i64,
) -> Option<()> {
    let limit = i64::try_from(Json::MAX_DIGITS).ok()?;
    let whole_len = i64::try_from(whole.len()).ok()?;
    let fraction_len = i64::try_from(fraction.len()).ok()?;
    if exponent.abs() > 4 * limit {
        return None;
    }
    let point = whole_len + exponent;
    let places = (fraction_len - exponent).max(0);
    if point.max(1) + places > limit {
        return None;
    }
    if negative && whole.bytes().chain(fraction.bytes()).any(|digit| digit != b'0') {
        out.push('-');
    }
    let digit_at = |position: i64| {
        let (digits, position) = match position - whole_len {
            behind @ 0.. => (fraction, behind),
            _ => (whole, position),
        };
        usize::try_from(position)
            .ok()
            .and_then(|position| digits.as_bytes().get(position))
            .map_or('0', |digit| char::from(*digit))
    };
    let whole_start = out.len();
    let first = (0..point)
        .find(|position| digit_at(*position) != '0')
        .unwrap_or(point);
    for position in first..point {
        out.push(digit_at(position));
    }
    if out.len() == whole_start {
        out.push('0');
    }
    if places > 0 {
        out.push('.');
        for position in point..point + places {
            out.push(digit_at(position));
        }
    }
    Some(())
}

/// A document in normal form with the largest float in place of every number that is larger.
pub(super) fn within_floats(document: &str) -> String {
    let mut out = String::with_capacity(document.len());
    let mut rest = document;
    while let Some(first) = rest.chars().next() {
        let end = match first {
            '"' => string_end(rest),
            '0'..='9' => rest.find([',', ']', '}']).unwrap_or(rest.len()),
            other => other.len_utf8(),
        };
        let (part, after) = rest.split_at(end);
        if first.is_ascii_digit() && part.parse() == Ok(f64::INFINITY) {
            out.push_str("1.7976931348623157e308");
        } else {
            out.push_str(part);
        }
        rest = after;
    }
    out
}

/// Where the string ends that a text begins with.
fn string_end(text: &str) -> usize {
    let mut escaped = false;
    let inside = text.bytes().skip(1).take_while(|byte| {
        let closing = *byte == b'"' && !escaped;
        escaped = *byte == b'\\' && !escaped;
        !closing
    });
    (inside.count() + 2).min(text.len())
}
