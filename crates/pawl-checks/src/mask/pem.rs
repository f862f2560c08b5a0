//! Private keys in PEM form: RFC 7468, and the armour of OpenPGP.

use super::Kind;
use super::anchor::Detector;
use super::stretch::{Anchor, Stretch, Verdict};

pub(super) const DETECTOR: Detector = Detector {
    literals: || vec![BEGIN],
    verify,
};

const BEGIN: &str = "-----BEGIN ";
const END: &str = "-----END ";
const DASHES: &str = "-----";
/// The longest block, in bytes: a key of 16,384 bits takes 13,000.
const MAX_BODY: usize = 32 << 10;
/// The fewest characters of Base64 in a line of a key.
const FEWEST: usize = 20;
/// The longest label, as in `ENCRYPTED PRIVATE KEY`.
const MAX_LABEL: usize = 40;

fn verify(stretch: Stretch<'_>, anchor: Anchor) -> Verdict {
    let is_label = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b' ';
    let label_end = stretch.run_end(anchor.end, is_label);
    let label = &stretch.text[anchor.end..label_end];
    let body = stretch.rest(label_end).strip_prefix(DASHES);
    let Some(body) = body.filter(|_| label.contains("PRIVATE KEY") && label.len() <= MAX_LABEL) else {
        return anchor.nothing();
    };
    let from = stretch.text.len() - body.len();
    match closed_length(body).or_else(|| cut_length(body)) {
        Some(length) => Verdict::found(anchor.start..from + length, Kind::PrivateKey),
        None => anchor.nothing(),
    }
}

/// The length of a block up to its last dash.
fn closed_length(body: &str) -> Option<usize> {
    let near = &body[..body.floor_char_boundary(MAX_BODY)];
    let end = near
        .find(DASHES)
        .filter(|dashes| near[*dashes..].starts_with(END))?;
    let label = end + END.len();
    let dashes = near[label..].find(DASHES).filter(|length| *length <= MAX_LABEL)?;
    let content = near[..end].bytes().filter(u8::is_ascii_alphanumeric).count();
    (content >= FEWEST && near[..end].chars().all(is_content)).then_some(label + dashes + DASHES.len())
}

/// The length of the lines of Base64 of a block whose end was cut off.
fn cut_length(body: &str) -> Option<usize> {
    let is_base64 = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    let mut length = 0;
    let mut at = 0;
    loop {
        let rest = &body[at..];
        // Of an escaped line break the letter counts to the line.
        let line = rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '\\');
        at += rest.len() - line.len();
        let end = line.bytes().take_while(is_base64).count();
        let is_last = end == line.len() && end > 0 && length > 0;
        if end < FEWEST && !is_last {
            return (length > 0).then_some(length);
        }
        at += end;
        length = at;
    }
}

/// Base64, headers such as `Proc-Type: 4,ENCRYPTED`, and line breaks, also as they are written in JSON.
const fn is_content(c: char) -> bool {
    c.is_ascii_alphanumeric()
        || c.is_ascii_whitespace()
        || matches!(c, '+' | '/' | '=' | '-' | ':' | ',' | '\\' | '.' | '(' | ')')
}
