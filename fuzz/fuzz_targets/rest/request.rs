//! A request as it stands in a file of the corpus: who asks, then what goes over HTTP.
//!
//! ```text
//! b PATCH /rest/v1/sb_sessions?id=eq.00000000-0000-4000-8000-00000000ae01
//! prefer: return=representation
//!
//! {"title": "mine"}
//! ```

use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, Uri, header};
use pawl_testkit::Identity;

use crate::instance::MARK;

/// A request by somebody.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) identity: Identity,
    pub(crate) method: Method,
    /// A path with its query. [`ID_OF_A`] and [`ID_OF_B`] stand for the ids of the users, here and in the body.
    pub(crate) target: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

/// Stands for the id of the first user.
pub(crate) const ID_OF_A: &str = "ID_OF_A";
/// Stands for the id of the other one.
pub(crate) const ID_OF_B: &str = "ID_OF_B";

impl Request {
    /// Reads one; none where HTTP has no such request, or where it knows a mark beforehand.
    pub(crate) fn parse(bytes: &[u8]) -> Option<Self> {
        if bytes.windows(MARK.len()).any(|part| part == MARK.as_bytes()) {
            return None;
        }
        let end = bytes
            .windows(2)
            .position(|pair| pair == b"\n\n")
            .unwrap_or(bytes.len());
        let body = bytes.get(end + 2..).unwrap_or_default().to_vec();
        let mut lines = str::from_utf8(&bytes[..end]).ok()?.split('\n');
        let mut words = lines.next()?.splitn(3, ' ');
        let identity = match words.next()? {
            "nobody" => Identity::Nobody,
            "anon" => Identity::Anonymous,
            "a" => Identity::UserA,
            "b" => Identity::UserB,
            "service" => Identity::Service,
            _ => return None,
        };
        let method = words.next()?.parse().ok()?;
        let target = encoded(words.next()?);
        if !target.starts_with('/') || target.parse::<Uri>().is_err() {
            return None;
        }
        let mut headers = HeaderMap::new();
        for line in lines {
            let (name, value) = line.split_once(':')?;
            let (name, value) = (
                name.parse::<HeaderName>().ok()?,
                value.trim().parse::<HeaderValue>().ok()?,
            );
            // Nothing can be seen in an answer that is compressed.
            if name != header::ACCEPT_ENCODING {
                headers.append(name, value);
            }
        }
        Some(Self {
            identity,
            method,
            target,
            headers,
            body,
        })
    }

    /// Whether whoever asks may be a browser, which is told of errors by pages.
    pub(crate) fn accepts_pages(&self) -> bool {
        let accepted = self.headers.get_all(header::ACCEPT).iter();
        let mut ranges = accepted.flat_map(|value| value.as_bytes().split(|byte| *byte == b','));
        ranges.any(|range| {
            let media_type = range.split(|byte| *byte == b';').next().unwrap_or_default();
            media_type.trim_ascii().eq_ignore_ascii_case(b"text/html")
        })
    }
}

/// A target as clients send it: what cannot stand in a URL is encoded, what is encoded stays.
fn encoded(target: &str) -> String {
    let mut out = String::with_capacity(target.len());
    for byte in target.bytes() {
        if byte.is_ascii_graphic() && !br##""#<>[\]^`{|}"##.contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}
