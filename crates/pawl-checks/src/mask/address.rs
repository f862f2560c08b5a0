//! IPv4 and IPv6 addresses.

use std::net::{Ipv4Addr, Ipv6Addr};
use std::ops::Range;

use super::Kind;
use super::anchor::Detector;
use super::cue::Cue;
use super::stretch::{Anchor, Stretch, Verdict, is_word};

/// For addresses without a digit before their `::`; all others begin at a digit or in the word around it.
pub(super) const DETECTOR: Detector = Detector {
    literals: || vec!["::"],
    verify,
};

/// `0000:0000:0000:0000:0000:ffff:255.255.255.255`.
const LONGEST: usize = 45;

fn verify(stretch: Stretch<'_>, anchor: Anchor) -> Verdict {
    match find_v6(stretch, anchor.start) {
        Some(range) if range.end > anchor.start => Verdict::found(range, Kind::Ip),
        _ => anchor.nothing(),
    }
}

/// Whether an address may be around the digits that stand from one place to another.
pub(super) fn may_be_at(stretch: Stretch<'_>, at: usize, digits_end: usize) -> bool {
    const LONGEST_GROUP: usize = 4;
    if stretch.byte(digits_end) == Some(b'.') && digits_end - at < LONGEST_GROUP {
        return true;
    }
    let group = stretch.run_start(at, LONGEST_GROUP, |byte| byte.is_ascii_hexdigit());
    let rest = &stretch.text.as_bytes()[at..];
    let end = rest
        .iter()
        .take(LONGEST_GROUP + 1)
        .position(|byte| !byte.is_ascii_hexdigit());
    stretch.byte_before(group) == Some(b':') || end.is_some_and(|end| rest[end] == b':')
}

/// The address around a digit or colon.
pub(super) fn find(stretch: Stretch<'_>, at: usize) -> Option<Range<usize>> {
    find_v6(stretch, at).or_else(|| find_v4(stretch, at))
}

fn find_v6(stretch: Stretch<'_>, at: usize) -> Option<Range<usize>> {
    let belongs = |byte: u8| byte.is_ascii_hexdigit() || byte == b':' || byte == b'.';
    let start = stretch.run_start(at, LONGEST, belongs);
    let near = &stretch.text.as_bytes()[at..stretch.text.len().min(at + LONGEST + 1)];
    let end = at + near.iter().position(|byte| !belongs(*byte)).unwrap_or(near.len());
    let token = stretch.text[start..end].trim_end_matches('.');
    let token = match token.strip_suffix(':') {
        Some(shorter) if !shorter.ends_with(':') => shorter,
        _ => token,
    };
    let end = start + token.len();
    let is_part = stretch.follows_word(start) || stretch.is_word_at(end);
    if is_part || token.len() > LONGEST || token.bytes().filter(|byte| *byte == b':').count() < 2 {
        return None;
    }
    let address: Ipv6Addr = token.parse().ok()?;
    (is_written_as_address(token) && !address.is_loopback()).then_some(start..end)
}

/// Not `a::b`, which is a path, and not eight pairs of digits, which are a hardware address.
fn is_written_as_address(token: &str) -> bool {
    let groups = || token.split(':').filter(|group| !group.is_empty());
    let has_decimal = token.bytes().any(|byte| byte.is_ascii_digit());
    let is_hardware = token.split(':').all(|group| group.len() == 2);
    (groups().count() >= 3 || groups().any(|group| group.len() >= 4)) && has_decimal && !is_hardware
}

fn find_v4(stretch: Stretch<'_>, at: usize) -> Option<Range<usize>> {
    let near = &stretch.text.as_bytes()[at..stretch.text.len().min(at + 17)];
    let belongs = |byte: u8| byte.is_ascii_digit() || byte == b'.';
    let length = near.iter().position(|byte| !belongs(*byte)).unwrap_or(near.len());
    let token = stretch.text[at..at + length].trim_end_matches('.');
    let end = at + token.len();
    let address: Ipv4Addr = token.parse().ok()?;
    let names_somebody = !(address.is_loopback() || matches!(address.octets()[0], 0 | 255));
    (names_somebody && !continues(stretch, end) && !is_version(stretch, at, end)).then_some(at..end)
}

fn continues(stretch: Stretch<'_>, end: usize) -> bool {
    match stretch.byte(end) {
        // An address with a suffix is a version; a range goes on with another address.
        Some(b'-' | b'+') => stretch
            .byte(end + 1)
            .is_some_and(|byte| byte.is_ascii_alphabetic()),
        Some(b'.') => stretch.is_word_at(end + 1),
        Some(byte) => is_word(byte),
        None => false,
    }
}

fn is_version(stretch: Stretch<'_>, start: usize, end: usize) -> bool {
    let bytes = &stretch.text.as_bytes()[..start];
    let marks = match bytes {
        // `name/1.2.3.4`, `name-1.2.3.4`, 1.2.3.4 within longer numbers.
        [.., before, b'/' | b'-'] => before.is_ascii_alphabetic() || *before == b'_',
        [.., before, b'.' | b','] => before.is_ascii_digit(),
        // `>=1.2.3.4`, `==1.2.3.4`, `~> 1.2.3.4`.
        [.., b'=' | b'>' | b'<' | b'~' | b'^' | b'!', b'='] | [.., b'~' | b'^' | b'#'] => true,
        [.., b'~', b'>', b' '] | [.., b'=' | b'>' | b'<', b'=', b' '] => true,
        [.., before] => is_word(*before),
        [] => false,
    };
    marks || Cue::before(stretch, start) == Some(Cue::Version) || is_release(stretch.rest(end))
}

/// Whether the text goes on with " release".
fn is_release(rest: &str) -> bool {
    rest.get(..8)
        .is_some_and(|word| word.eq_ignore_ascii_case(" release"))
}
