//! Bounds of every request: how many at once, how long, how large.

use std::sync::Arc;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::StatusCode;
use axum::middleware::{self, Next};
use axum::response::{IntoResponse as _, Response};
use tokio::sync::Semaphore;
use tower::ServiceBuilder;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::timeout::TimeoutLayer;

use crate::problem::{ErrorCode, Problem};
use crate::{AppState, ServerSettings};

/// Routes within the bounds of the settings; routes that share `places` share the bound of requests at once.
pub(crate) fn bounded(
    routes: Router<AppState>,
    settings: &ServerSettings,
    places: &Places,
) -> Router<AppState> {
    let timeout = TimeoutLayer::with_status_code(StatusCode::GATEWAY_TIMEOUT, settings.request_timeout);
    // Built to one layer, which every request passes in one piece.
    routes.layer(
        ServiceBuilder::new()
            .layer(middleware::from_fn_with_state(places.clone(), shed))
            .layer(timeout)
            .layer(CatchPanicLayer::new())
            .layer(DefaultBodyLimit::max(settings.body_limit)),
    )
}

/// Places for requests under way.
#[derive(Clone)]
pub(crate) struct Places(Arc<Semaphore>);

impl Places {
    pub(crate) fn new(count: usize) -> Self {
        Self(Arc::new(Semaphore::new(count.min(Semaphore::MAX_PERMITS))))
    }
}

/// Turns a request away where all places are taken: a queue would only make everybody wait.
async fn shed(State(Places(places)): State<Places>, request: Request, next: Next) -> Response {
    match places.try_acquire() {
        Ok(_place) => next.run(request).await,
        Err(_) => Problem::new(ErrorCode::Overloaded).into_response(),
    }
}
