//! E-mail addresses, and passwords in the addresses of services (`scheme://user:password@host`).

use super::Kind;
use super::anchor::Detector;
use super::stretch::{Anchor, Stretch, Verdict};

pub(super) const DETECTOR: Detector = Detector {
    literals: || vec!["@"],
    verify,
};

/// RFC 5321, section 4.5.3.1.
const MAX_LOCAL: usize = 64;
const MAX_DOMAIN: usize = 255;
/// How much of an address of a service may stand before its `@`, in bytes.
const MAX_USER_INFO: usize = 256;

/// What stands after a dot and is no top-level domain, but the end of a file's name.
const FILE_ENDINGS: [&str; 16] = [
    "png", "jpg", "jpeg", "gif", "svg", "webp", "bmp", "ico", "css", "js", "ts", "tsx", "jsx", "json",
    "html", "pdf",
];

fn verify(stretch: Stretch<'_>, anchor: Anchor) -> Verdict {
    let at = anchor.start;
    if let Some(start) = password_start(stretch, at) {
        return Verdict::found(start..at, Kind::Password);
    }
    let found = local_start(stretch, at).zip(domain_end(stretch, at + 1));
    match found {
        Some((start, end)) if !is_remote(stretch, start, at, end) => Verdict::found(start..end, Kind::Email),
        _ => anchor.nothing(),
    }
}

/// Where the password begins in `scheme://user:password@`.
fn password_start(stretch: Stretch<'_>, at: usize) -> Option<usize> {
    let belongs =
        |byte: u8| !byte.is_ascii_whitespace() && !matches!(byte, b'/' | b'"' | b'\'' | b'<' | b'>' | b'@');
    let start = stretch.run_start(at, MAX_USER_INFO, belongs);
    let scheme = stretch.text.as_bytes()[..start].strip_suffix(b"://")?;
    if !scheme.last()?.is_ascii_alphanumeric() {
        return None;
    }
    let colon = stretch.text.as_bytes()[start..at]
        .iter()
        .position(|byte| *byte == b':')?;
    let password = start + colon + 1;
    let is_variable = matches!(stretch.byte(password), Some(b'$' | b'{' | b'*' | b'<' | b'%'));
    (password < at && !is_variable).then_some(password)
}

/// Where the part before the `@` begins.
fn local_start(stretch: Stretch<'_>, at: usize) -> Option<usize> {
    let is_ascii_local = |byte: u8| is_atom(byte) || byte == b'.';
    let last = stretch.char_before(at)?;
    let mut start = at;
    let belongs = |c: char| {
        if last.is_ascii() || is_latin(last) {
            c.is_ascii() && is_ascii_local(c as u8) || is_latin(c)
        } else {
            c.is_alphanumeric() || c.is_ascii() && is_ascii_local(c as u8)
        }
    };
    while start > stretch.floor
        && let Some(c) = stretch.char_before(start)
        && belongs(c)
    {
        start -= c.len_utf8();
        if at - start > MAX_LOCAL {
            return None;
        }
    }
    // The letter of an escape such as `\n` is none of the address, and a dot or quote at its start is the sentence's.
    if stretch.byte_before(start) == Some(b'\\') && matches!(stretch.byte(start), Some(b'n' | b'r' | b't')) {
        start += 1;
    }
    start = stretch.run_end(start, |byte| matches!(byte, b'.' | b'\'' | b'-'));
    (start < at
        && stretch.byte_before(at) != Some(b'.')
        && last.is_alphanumeric() | matches!(last, '_' | '-' | '+'))
    .then_some(start)
}

/// Where the domain ends: labels with dots between them, the last of letters.
fn domain_end(stretch: Stretch<'_>, from: usize) -> Option<usize> {
    let mut end = None;
    let mut label = from;
    for number in 0.. {
        let stop = label_end(stretch, label);
        let text = stretch.text[label..stop].trim_end_matches('-');
        let stop = label + text.len();
        if text.is_empty() || text.starts_with('-') || stop - from > MAX_DOMAIN {
            break;
        }
        // Numbers with a dot between are a version: `package@18.2.0-beta.rc`.
        let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if number == 1
            && is_number(&stretch.text[from..label - 1])
            && text.starts_with(|c: char| c.is_ascii_digit())
        {
            return None;
        }
        // `icon@2x.png`.
        if number == 0 && matches!(text.as_bytes(), [b'0'..=b'9', b'x']) {
            return None;
        }
        if number > 0 && is_top_level(text) {
            end = Some(stop);
        }
        if stretch.byte(stop) != Some(b'.') {
            break;
        }
        label = stop + 1;
    }
    let end = end?;
    let continues = match stretch.byte(end) {
        Some(b'(') | Some(b'@') => true,
        Some(b'_' | b'-') => stretch
            .byte(end + 1)
            .is_some_and(|byte| byte.is_ascii_alphanumeric()),
        Some(b'.') => stretch.is_word_at(end + 1),
        Some(byte) => byte.is_ascii_alphanumeric(),
        None => false,
    };
    (!continues).then_some(end)
}

/// The end of a label. Its letters are Latin, or all of other scripts, so that it ends where a text without spaces goes on.
fn label_end(stretch: Stretch<'_>, from: usize) -> usize {
    let rest = stretch.rest(from);
    let is_foreign = rest.chars().next().is_some_and(|c| !c.is_ascii() && !is_latin(c));
    let belongs = |c: char| {
        if is_foreign {
            !c.is_ascii() && c.is_alphanumeric()
        } else {
            c.is_ascii_alphanumeric() || c == '-' || is_latin(c)
        }
    };
    from + rest.find(|c| !belongs(c)).unwrap_or(rest.len())
}

fn is_top_level(label: &str) -> bool {
    let is_word = label.chars().count() >= 2 && label.chars().all(char::is_alphabetic);
    let is_file = FILE_ENDINGS
        .iter()
        .any(|ending| label.eq_ignore_ascii_case(ending));
    is_word && !is_file
        || label
            .get(..4)
            .is_some_and(|start| start.eq_ignore_ascii_case("xn--"))
}

/// Whether it is the address of a repository: `git@github.com:org/repo`.
fn is_remote(stretch: Stretch<'_>, start: usize, at: usize, end: usize) -> bool {
    &stretch.text[start..at] == "git" && stretch.byte(end) == Some(b':')
}

/// `atext` of RFC 5322, section 3.2.3, without what stands around addresses in other texts.
const fn is_atom(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'%' | b'+' | b'-' | b'\'' | b'~')
}

/// A letter of Latin with a mark.
const fn is_latin(c: char) -> bool {
    matches!(c, '\u{c0}'..='\u{24f}' if c != '×' && c != '÷')
}
