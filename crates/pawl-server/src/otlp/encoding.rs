//! The two encodings of OTLP over HTTP; answers have that of their request.

use axum::http::{HeaderMap, HeaderValue, header};

/// How a message is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// Protobuf's binary form.
    Protobuf,
    /// Protobuf's JSON.
    Json,
}

impl Encoding {
    /// That of a request; none where it is another one, or is not told.
    pub(crate) fn of(headers: &HeaderMap) -> Option<Self> {
        let value = headers.get(header::CONTENT_TYPE)?.to_str().ok()?;
        let media_type = value.split(';').next().unwrap_or_default().trim();
        [Self::Protobuf, Self::Json]
            .into_iter()
            .find(|encoding| media_type.eq_ignore_ascii_case(encoding.media_type()))
    }

    const fn media_type(self) -> &'static str {
        match self {
            Self::Protobuf => "application/x-protobuf",
            Self::Json => "application/json",
        }
    }

    pub(crate) const fn content_type(self) -> HeaderValue {
        HeaderValue::from_static(self.media_type())
    }
}
