//! The spans that one request brings, within limits, and how many of them could not be taken.

use pawl_model::{Json, JsonError};
use serde_json::Value;

use super::{Span, TraceSpans};

/// Spans of one request; further ones are not taken.
pub const MAX_SPANS: usize = 20_000;
/// Bytes that one span may have as it is sent.
pub const MAX_SPAN_BYTES: usize = 1024 * 1024;
/// Bytes that what the spans of one sender have in common may have as it is sent.
const MAX_ORIGIN_BYTES: usize = 64 * 1024;
/// Bytes that the spans of one request may have as they are stored, each with what is known of its sender.
const MAX_STORED_BYTES: usize = 64 * 1024 * 1024;

/// How deep lists and objects may be nested in a value: written as a document of OTLP, each level takes four.
const MAX_DEPTH: usize = 24;

/// Why a span is not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpanProblem {
    /// A request has no end.
    #[error("a request may have {MAX_SPANS} spans")]
    TooMany,
    /// It is too large.
    #[error("a span may have {MAX_SPAN_BYTES} bytes")]
    TooLarge,
    /// What it has in common with others is too large.
    #[error("a resource, or a scope, may have {MAX_ORIGIN_BYTES} bytes")]
    OriginTooLarge,
    /// All together are too large.
    #[error("the spans of a request, each with its resource, may have {MAX_STORED_BYTES} bytes")]
    TooLargeTogether,
    /// It says of no trace that it belongs to it.
    #[error("a trace id has 16 bytes that are not all zero")]
    TraceId,
    /// It has no id.
    #[error("a span id has 8 bytes that are not all zero")]
    SpanId,
    /// It holds what databases do not keep.
    #[error("a span holds the NUL character, or a value that is nested deeper than {MAX_DEPTH} levels")]
    Unstorable,
    /// It is of another form than spans are.
    #[error("a span is not of the form that the protocol has")]
    Malformed,
    /// Its trace has as many as traces may have.
    #[error("a trace may have 10000 spans of 8 MiB together")]
    TraceFull,
}

/// The spans of one request.
#[derive(Debug, Default)]
pub struct Export {
    spans: Vec<Span>,
    seen: usize,
    bytes: usize,
    rejected: u64,
    problem: Option<SpanProblem>,
}

impl Export {
    /// Whether what spans have in common, of so many bytes, can be taken with each of them.
    ///
    /// # Errors
    /// When it is too large.
    pub const fn check_origin(bytes: usize) -> Result<(), SpanProblem> {
        if bytes > MAX_ORIGIN_BYTES {
            Err(SpanProblem::OriginTooLarge)
        } else {
            Ok(())
        }
    }

    /// Takes a span of so many bytes. It is not even read where it is too large, or one too many.
    pub fn take(&mut self, bytes: usize, read: impl FnOnce() -> Result<Span, SpanProblem>) {
        self.seen += 1;
        let taken = self.admit(bytes).and_then(|()| read()).and_then(|span| {
            if span.values().any(|value| is_deeper(value, MAX_DEPTH)) {
                return Err(SpanProblem::Unstorable);
            }
            let stored = span.stored().map_err(|_| SpanProblem::Unstorable)?;
            self.bytes += stored.len();
            if self.bytes > MAX_STORED_BYTES {
                return Err(SpanProblem::TooLargeTogether);
            }
            Ok(span)
        });
        match taken {
            Ok(span) => self.spans.push(span),
            Err(problem) => self.reject(problem),
        }
    }

    const fn admit(&self, bytes: usize) -> Result<(), SpanProblem> {
        if self.seen > MAX_SPANS {
            Err(SpanProblem::TooMany)
        } else if bytes > MAX_SPAN_BYTES {
            Err(SpanProblem::TooLarge)
        } else {
            Ok(())
        }
    }

    /// Counts a span that is not taken.
    pub(crate) fn reject(&mut self, problem: SpanProblem) {
        self.rejected += 1;
        self.problem.get_or_insert(problem);
    }

    /// How many spans were seen, those that are not taken among them.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.seen
    }

    /// Whether no span was seen.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.seen == 0
    }

    /// The spans that are taken.
    #[must_use]
    pub fn spans(&self) -> &[Span] {
        &self.spans
    }

    /// The spans, which are then to be stored.
    pub(crate) fn take_spans(&mut self) -> Vec<Span> {
        std::mem::take(&mut self.spans)
    }

    /// The spans as they would be stored of one trace.
    ///
    /// # Errors
    /// When they are more than a document can hold.
    pub fn stored(&self) -> Result<Json, JsonError> {
        let mut trace = TraceSpans::default();
        for span in &self.spans {
            trace.add(span.clone());
        }
        trace.stored()
    }

    /// How many spans are not taken, and why the first of them is not.
    #[must_use]
    pub fn rejected(&self) -> Option<(u64, SpanProblem)> {
        Some((self.rejected, self.problem?))
    }
}

fn is_deeper(value: &Value, levels: usize) -> bool {
    let mut inner: Box<dyn Iterator<Item = &Value>> = match value {
        Value::Array(items) => Box::new(items.iter()),
        Value::Object(members) => Box::new(members.values()),
        _ => return false,
    };
    levels == 0 || inner.any(|value| is_deeper(value, levels - 1))
}
