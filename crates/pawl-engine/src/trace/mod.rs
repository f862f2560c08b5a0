//! Traces: spans as they are sent, what agents and models did in them, and the interaction that they make together.
//!
//! Nothing here does I/O. `docs/TRACES.md` has the rules.

mod assembly;
pub mod datadog;
pub mod emission;
mod export;
pub mod otlp;
mod reading;
mod span;
mod trace_spans;

pub use assembly::Assembled;
pub use export::{Export, MAX_SPAN_BYTES, MAX_SPANS, SpanProblem};
pub use pawl_store::traces::Trace as StoredTrace;
pub use span::{Attributes, Dropped, Event, Link, Origin, Span, SpanKind, Status, StatusCode};
pub(crate) use trace_spans::{Addition, TraceSpans};
