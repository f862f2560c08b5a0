//! Each request gets an id, a log line and its place in the metrics. Neither holds query strings, headers or bodies:
//! keys and tokens travel in them.

use std::time::Instant;

use axum::extract::{MatchedPath, Request};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::Response;
use tracing::Instrument as _;
use uuid::Uuid;

use crate::metrics::{InFlight, Metrics, RequestLabels};

/// The header that names a request, in requests and responses.
pub(crate) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// Characters of an id that we take from a client.
const MAX_REQUEST_ID: usize = 128;

/// The name of a request in logs and responses.
#[derive(Clone, Debug)]
pub(crate) struct RequestId(HeaderValue);

impl RequestId {
    /// The client's, where it is a plain word; else a fresh one.
    fn of(request: &Request) -> Self {
        let given = request
            .headers()
            .get(REQUEST_ID)
            .filter(|value| is_plain(value.as_bytes()));
        Self(given.cloned().unwrap_or_else(|| {
            let mut buffer = Uuid::encode_buffer();
            let fresh = Uuid::new_v4().hyphenated().encode_lower(&mut buffer);
            HeaderValue::from_str(fresh).unwrap_or(HeaderValue::from_static("unknown"))
        }))
    }

    pub(crate) fn as_str(&self) -> &str {
        self.0.to_str().unwrap_or_default()
    }
}

/// What cannot break a log line, whoever reads it.
fn is_plain(id: &[u8]) -> bool {
    (1..=MAX_REQUEST_ID).contains(&id.len())
        && id
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-_.:".contains(byte))
}

/// Names the request, has it answered, counts it and logs how it ended.
pub(crate) async fn observe<F: Future<Output = Response>>(
    metrics: &Metrics,
    mut request: Request,
    answer: impl FnOnce(Request) -> F,
) -> Response {
    let id = RequestId::of(&request);
    let route = request.extensions().get::<MatchedPath>();
    let labels = RequestLabels::new(request.method(), route.map_or("none", MatchedPath::as_str));
    let span = tracing::info_span!(
        "request",
        id = id.as_str(),
        method = labels.method,
        path = request.uri().path()
    );
    request.extensions_mut().insert(id.clone());
    // Dropped with the future where the client goes away.
    let mut observation = Observation::begin(metrics, labels);
    let mut response = answer(request).instrument(span.clone()).await;
    response.headers_mut().insert(REQUEST_ID, id.0);
    span.in_scope(|| observation.end(response.status()));
    response
}

/// A request under way.
struct Observation<'m> {
    metrics: &'m Metrics,
    labels: RequestLabels,
    started: Instant,
    ended: bool,
    _in_flight: InFlight<'m>,
}

impl<'m> Observation<'m> {
    fn begin(metrics: &'m Metrics, labels: RequestLabels) -> Self {
        let in_flight = metrics.in_flight();
        Self {
            metrics,
            labels,
            started: Instant::now(),
            ended: false,
            _in_flight: in_flight,
        }
    }

    fn end(&mut self, status: StatusCode) {
        self.ended = true;
        let took = self.started.elapsed();
        self.metrics.count(&self.labels, Some(status), took);
        let (route, status, latency_ms) = (&*self.labels.route, status.as_u16(), took.as_secs_f64() * 1e3);
        if status >= 500 {
            tracing::warn!(route, status, latency_ms, "answered");
        } else if is_routine(route) {
            tracing::debug!(route, status, latency_ms, "answered");
        } else {
            tracing::info!(route, status, latency_ms, "answered");
        }
    }
}

impl Drop for Observation<'_> {
    fn drop(&mut self) {
        if !self.ended {
            self.metrics.count(&self.labels, None, self.started.elapsed());
            tracing::info!(route = &*self.labels.route, "the client went away");
        }
    }
}

/// What machines ask for every few seconds.
fn is_routine(route: &str) -> bool {
    matches!(route, "/healthz" | "/readyz" | "/metrics")
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::*;

    #[test]
    fn an_id_is_taken_only_if_it_is_a_plain_word() {
        let id = |given: &str| {
            let request = Request::builder()
                .header(REQUEST_ID, given)
                .body(Body::empty())
                .unwrap();
            RequestId::of(&request).as_str().to_owned()
        };
        assert_eq!(id("a-1_b.2:c"), "a-1_b.2:c");
        let long = "x".repeat(129);
        for odd in ["", "two words", "quote\"", "a=b", &long] {
            let fresh = id(odd);
            assert!(fresh != odd && fresh.parse::<Uuid>().is_ok(), "{odd}: {fresh}");
        }
    }
}
