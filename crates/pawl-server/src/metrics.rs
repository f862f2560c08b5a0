//! What the server counts, in the text format of OpenMetrics.
//!
//! Labels are bounded: methods are those of HTTP, routes are the templates of the router, statuses are classes.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use axum::extract::State;
use axum::http::{Method, StatusCode, header};
use axum::response::IntoResponse;
use pawl_engine::intake::IntakeCounts;
use pawl_engine::worker::QueueCounts;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::{Registry, Unit};

use crate::AppState;
use crate::problem::{ErrorCode, Problem};

/// Bounds of the latency buckets, in seconds: from a cached read to the time-out of requests.
const BUCKETS: [f64; 12] = [
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 30.0,
];

/// What is asked.
#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
pub(crate) struct RequestLabels {
    pub(crate) method: &'static str,
    pub(crate) route: String,
}

impl RequestLabels {
    pub(crate) fn new(method: &Method, route: &str) -> Self {
        let known = [
            "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "CONNECT", "TRACE",
        ];
        let known = known.into_iter().find(|known| *known == method.as_str());
        Self {
            method: known.unwrap_or("other"),
            route: route.to_owned(),
        }
    }
}

/// What is asked, and what came of it.
#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct ResponseLabels {
    method: &'static str,
    route: String,
    /// `2xx` and the like, or `gone` where the client did not wait for it.
    status: &'static str,
}

/// The server's counters.
#[derive(Clone)]
pub(crate) struct Metrics(Arc<Counters>);

struct Counters {
    registry: Registry,
    requests: Family<ResponseLabels, Counter>,
    latency: Family<RequestLabels, Histogram>,
    in_flight: Gauge,
    jobs: Family<JobLabels, Gauge>,
    intake_groups: Counter,
    intake_requests: Counter,
}

/// How far jobs are.
#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct JobLabels {
    state: &'static str,
}

impl Metrics {
    /// All at zero.
    pub(crate) fn new() -> Self {
        let mut registry = Registry::with_prefix("pawl");
        let requests = Family::default();
        let latency = Family::new_with_constructor((|| Histogram::new(BUCKETS)) as fn() -> Histogram);
        let in_flight = Gauge::default();
        let jobs = Family::default();
        registry.register(
            "build",
            "This program",
            Info::new([("version", env!("CARGO_PKG_VERSION"))]),
        );
        registry.register("http_requests", "Requests that were answered", requests.clone());
        registry.register_with_unit(
            "http_request_duration",
            "How long answers took",
            Unit::Seconds,
            latency.clone(),
        );
        registry.register("http_requests_in_flight", "Requests under way", in_flight.clone());
        registry.register("jobs", "Jobs of workers, by state", jobs.clone());
        let (intake_groups, intake_requests) = (Counter::default(), Counter::default());
        registry.register(
            "intake_groups",
            "Groups of requests whose interactions were stored together",
            intake_groups.clone(),
        );
        registry.register("intake_requests", "Requests in them", intake_requests.clone());
        Self(Arc::new(Counters {
            jobs,
            intake_groups,
            intake_requests,
            registry,
            requests,
            latency,
            in_flight,
        }))
    }

    /// Counts a request as under way until the guard is dropped.
    pub(crate) fn in_flight(&self) -> InFlight<'_> {
        self.0.in_flight.inc();
        InFlight(&self.0.in_flight)
    }

    /// Counts an answer; none where the client went away before it.
    pub(crate) fn count(&self, labels: &RequestLabels, status: Option<StatusCode>, took: Duration) {
        let answered = ResponseLabels {
            method: labels.method,
            route: labels.route.clone(),
            status: status.map_or("gone", class),
        };
        self.0.requests.get_or_create(&answered).inc();
        self.0.latency.get_or_create(labels).observe(took.as_secs_f64());
    }

    fn set_jobs(&self, counts: &QueueCounts) {
        for (state, count) in [
            ("queued", counts.queued),
            ("running", counts.running),
            ("finished", counts.finished),
            ("dead", counts.dead),
        ] {
            let gauge = self.0.jobs.get_or_create(&JobLabels { state });
            gauge.set(i64::try_from(count).unwrap_or(i64::MAX));
        }
    }

    fn set_intake(&self, counts: IntakeCounts) {
        self.0
            .intake_groups
            .inner()
            .store(counts.groups, Ordering::Relaxed);
        self.0
            .intake_requests
            .inner()
            .store(counts.requests, Ordering::Relaxed);
    }

    fn text(&self) -> Result<String, std::fmt::Error> {
        let mut text = String::new();
        encode(&mut text, &self.0.registry)?;
        Ok(text)
    }
}

fn class(status: StatusCode) -> &'static str {
    match status.as_u16() / 100 {
        1 => "1xx",
        2 => "2xx",
        3 => "3xx",
        4 => "4xx",
        _ => "5xx",
    }
}

/// A request under way.
pub(crate) struct InFlight<'m>(&'m Gauge);

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        self.0.dec();
    }
}

/// Counters of this server, for Prometheus
#[utoipa::path(
    get, path = "/metrics", tag = "operations", security(()),
    responses((status = 200, content_type = "application/openmetrics-text", body = String)),
)]
pub(crate) async fn metrics(State(state): State<AppState>) -> Result<impl IntoResponse, Problem> {
    // Without a database there is still the rest.
    if let Ok(counts) = state.engine.job_counts().await {
        state.metrics.set_jobs(&counts);
    }
    state.metrics.set_intake(state.engine.intake_counts());
    let text = state
        .metrics
        .text()
        .map_err(|_| Problem::new(ErrorCode::Internal))?;
    Ok((
        [(
            header::CONTENT_TYPE,
            "application/openmetrics-text; version=1.0.0; charset=utf-8",
        )],
        text,
    ))
}
