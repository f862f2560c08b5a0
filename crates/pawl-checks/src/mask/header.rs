//! Credentials behind the scheme of an `Authorization` header: RFC 6750 (`Bearer`), RFC 7617 (`Basic`).

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

use super::anchor::Detector;
use super::stretch::{Anchor, Stretch, Verdict};
use super::{Kind, jwt, vendor};

pub(super) const DETECTOR: Detector = Detector {
    literals: || vec!["bearer ", "basic "],
    verify,
};

const BASIC: usize = 1;

/// Shorter tokens are words.
const FEWEST: usize = 16;

fn verify(stretch: Stretch<'_>, anchor: Anchor) -> Verdict {
    if stretch.follows_word(anchor.start) {
        return anchor.nothing();
    }
    let belongs = |byte: u8| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~' | b'+' | b'/' | b'=')
    };
    let end = stretch.run_end(anchor.end, belongs);
    let token = stretch.text[anchor.end..end].trim_end_matches('.');
    let range = anchor.end..anchor.end + token.len();
    let kind = if anchor.literal == BASIC {
        is_user_and_password(token).then_some(Kind::Password)
    } else if jwt::is_jwt(token) {
        Some(Kind::Jwt)
    } else {
        let is_random = token.len() >= FEWEST && token.bytes().any(|byte| byte.is_ascii_digit());
        vendor::kind_of(token).or(is_random.then_some(Kind::ApiKey))
    };
    match kind {
        Some(kind) => Verdict::found(range, kind),
        None => anchor.nothing(),
    }
}

fn is_user_and_password(token: &str) -> bool {
    let decoded = BASE64_STANDARD.decode(token);
    decoded.is_ok_and(|credentials| credentials.contains(&b':') && credentials.is_ascii())
}
