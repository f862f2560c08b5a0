//! What is sent: its form, whether it is compressed, and how much of it there may be.

use std::fmt;
use std::io;

use async_compression::tokio::bufread::GzipDecoder;
use axum::body::{Body, Bytes, HttpBody as _};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, header};
use futures::TryStreamExt as _;
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use pawl_engine::intake::received::{MAX_ITEMS, Unreadable};
use serde::de::{Deserialize, Deserializer, Error as _, SeqAccess, Visitor};
use serde_json::value::RawValue;
use tokio_util::io::{ReaderStream, StreamReader};

use crate::problem::{ErrorCode, Problem};

/// Bytes that are inflated at once.
const FRAME: usize = 64 * 1024;

/// The form of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// A document: one interaction, or an array of them.
    Document,
    /// A document in each line.
    Lines,
}

/// What is sent, inflated while it is read.
pub(super) struct Received {
    form: Form,
    body: Body,
}

impl Received {
    /// What a request sends; nothing of it is read yet.
    pub(super) fn of(request: Request) -> Result<Self, Problem> {
        let (parts, body) = request.into_parts();
        Ok(Self {
            form: form(&parts.headers)?,
            body: plain(&parts.headers, body)?,
        })
    }

    pub(super) const fn form(&self) -> Form {
        self.form
    }

    pub(super) fn into_body(self) -> Body {
        self.body
    }

    /// All of it, up to so many bytes.
    pub(super) async fn whole(self, limit: usize) -> Result<Bytes, Problem> {
        whole(self.body, limit).await
    }
}

/// A body as it was before it was compressed, inflated while it is read.
pub(crate) fn plain(headers: &HeaderMap, body: Body) -> Result<Body, Problem> {
    Ok(if is_gzip(headers)? { inflated(body) } else { body })
}

/// All of a body, up to so many bytes.
pub(crate) async fn whole(body: Body, limit: usize) -> Result<Bytes, Problem> {
    if body.size_hint().lower() > limit as u64 {
        return Err(too_large(limit));
    }
    match Limited::new(body, limit).collect().await {
        Ok(whole) => Ok(whole.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => Err(too_large(limit)),
        Err(error) => Err(broken(&*error)),
    }
}

fn too_large(limit: usize) -> Problem {
    let detail = format!("a body may have {limit} bytes, counted uncompressed");
    Problem::new(ErrorCode::BodyTooLarge).because(detail)
}

/// That a body ended before its end, or is not compressed as it says.
pub(super) fn broken(error: &(dyn std::error::Error + 'static)) -> Problem {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if error.is::<NoGzip>() {
            return Problem::new(ErrorCode::BadRequest).because(error.to_string());
        }
        cause = error.source();
    }
    Problem::new(ErrorCode::BadRequest).because("the body breaks off")
}

/// A body that cannot be inflated.
#[derive(Debug, thiserror::Error)]
#[error("the body is no gzip, or breaks off")]
struct NoGzip(#[source] io::Error);

fn inflated(body: Body) -> Body {
    let compressed = StreamReader::new(body.map_err(io::Error::other).into_data_stream());
    let mut decoder = GzipDecoder::new(compressed);
    // As a file of several, which is one as well.
    decoder.multiple_members(true);
    let inflated = ReaderStream::with_capacity(decoder, FRAME);
    Body::from_stream(inflated.map_err(NoGzip))
}

fn form(headers: &HeaderMap) -> Result<Form, Problem> {
    let value = word(headers, &header::CONTENT_TYPE)?.unwrap_or("application/json");
    let media_type = value.split(';').next().unwrap_or_default().trim();
    match media_type.to_ascii_lowercase().as_str() {
        "application/json" => Ok(Form::Document),
        "application/x-ndjson" | "application/jsonl" => Ok(Form::Lines),
        "application/x-www-form-urlencoded" => Err(unsupported(
            "a form, which is what curl says of `-d` without `-H 'Content-Type: application/json'`",
        )),
        _ => Err(unsupported(
            "the header `Content-Type` must be application/json, or application/x-ndjson for a line each",
        )),
    }
}

fn is_gzip(headers: &HeaderMap) -> Result<bool, Problem> {
    let value = word(headers, &header::CONTENT_ENCODING)?.unwrap_or("identity");
    match value.trim().to_ascii_lowercase().as_str() {
        "identity" => Ok(false),
        "gzip" | "x-gzip" => Ok(true),
        _ => Err(unsupported("the header `Content-Encoding` may be gzip alone")),
    }
}

/// A header that may be there once.
fn word<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Result<Option<&'a str>, Problem> {
    let mut values = headers.get_all(name).into_iter();
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(value), None) => match value.to_str() {
            Ok(value) => Ok(Some(value)),
            Err(_) => Err(unsupported("a header of the body is no text")),
        },
        (Some(_), Some(_)) => Err(unsupported("a header of the body is there twice")),
    }
}

fn unsupported(why: &str) -> Problem {
    Problem::new(ErrorCode::UnsupportedMediaType).because(why)
}

/// A body as text.
pub(crate) fn text(body: &[u8]) -> Result<&str, Problem> {
    std::str::from_utf8(body).map_err(|error| no_text(&body[..error.valid_up_to()], 1).into())
}

/// That bytes are no text after `sound`, which begins in this line.
pub(super) fn no_text(sound: &[u8], line: usize) -> Unreadable {
    let end = memchr::memrchr(b'\n', sound).map_or(0, |newline| newline + 1);
    Unreadable::Malformed {
        problem: "invalid UTF-8".to_owned(),
        line: line + memchr::memchr_iter(b'\n', sound).count(),
        column: sound.len() - end + 1,
    }
}

/// The elements of an array, each as it is written.
pub(super) fn items(text: &str) -> Result<Vec<&RawValue>, Problem> {
    match serde_json::from_str::<Items<'_>>(text) {
        Ok(items) => Ok(items.0),
        Err(error) if error.is_data() => Err(too_many("an array", MAX_ITEMS, "interactions")),
        Err(error) => Err(Unreadable::from(error).into()),
    }
}

pub(super) fn too_many(of: &str, limit: usize, what: &str) -> Problem {
    Problem::new(ErrorCode::BodyTooLarge).because(format!("{of} may have {limit} {what}"))
}

struct Items<'a>(Vec<&'a RawValue>);

impl<'de> Deserialize<'de> for Items<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Elements;

        impl<'de> Visitor<'de> for Elements {
            type Value = Items<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an array")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Items<'de>, A::Error> {
                let mut items = Vec::new();
                while let Some(item) = elements.next_element()? {
                    if items.len() == MAX_ITEMS {
                        // The one error of data that there is: anything can be an element.
                        return Err(A::Error::custom("too many"));
                    }
                    items.push(item);
                }
                Ok(Items(items))
            }
        }

        deserializer.deserialize_seq(Elements)
    }
}
