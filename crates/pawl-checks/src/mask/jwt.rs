//! JSON Web Tokens: RFC 7519, in the compact forms of RFC 7515 (signed) and RFC 7516 (encrypted).

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::Kind;
use super::anchor::Detector;
use super::stretch::{Anchor, Stretch, Verdict};

/// `{"` in Base64.
pub(super) const DETECTOR: Detector = Detector {
    literals: || vec!["eyJ"],
    verify,
};

/// The longest header that is read, in characters of Base64.
const MAX_HEADER: usize = 4096;

/// What every header has.
#[derive(Deserialize)]
struct Header {
    #[serde(rename = "alg")]
    _algorithm: IgnoredAny,
}

fn verify(stretch: Stretch<'_>, anchor: Anchor) -> Verdict {
    if stretch.byte_before(anchor.start).is_some_and(is_part) {
        return anchor.nothing();
    }
    match end(stretch, anchor.start) {
        Some(end) => Verdict::found(anchor.start..end, Kind::Jwt),
        None => anchor.nothing(),
    }
}

/// Whether a text is a token from its first to its last character.
pub(super) fn is_jwt(text: &str) -> bool {
    let stretch = Stretch {
        text,
        floor: 0,
        key: "",
    };
    end(stretch, 0) == Some(text.len())
}

/// Where the token ends that begins at a place: header, claims, signature; two parts more if it is encrypted.
fn end(stretch: Stretch<'_>, start: usize) -> Option<usize> {
    let header = stretch.run_end(start, is_part);
    if stretch.byte(header) != Some(b'.') || !is_header(&stretch.text[start..header]) {
        return None;
    }
    let claims = stretch.run_end(header + 1, is_part);
    if stretch.byte(claims) != Some(b'.') {
        return None;
    }
    let mut end = stretch.run_end(claims + 1, is_part);
    for _ in 0..2 {
        if stretch.byte(end) == Some(b'.') && stretch.byte(end + 1).is_some_and(is_part) {
            end = stretch.run_end(end + 1, is_part);
        }
    }
    Some(end)
}

/// A character of Base64 for addresses.
const fn is_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

fn is_header(part: &str) -> bool {
    part.len() <= MAX_HEADER
        && BASE64_URL_SAFE_NO_PAD
            .decode(part)
            .is_ok_and(|json| serde_json::from_slice::<Header>(&json).is_ok())
}
