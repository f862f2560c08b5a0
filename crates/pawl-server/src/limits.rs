//! Bounds of every request: how many at once, how long, how large; and a panic ends no more than its request.

use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{DefaultBodyLimit, Request};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use futures::FutureExt as _;
use tokio::sync::Semaphore;

use crate::ServerSettings;
use crate::around::{Inside, Wrap};
use crate::problem::{ErrorCode, Problem};

/// The bounds of requests under way.
#[derive(Clone)]
pub(crate) struct Bounds {
    places: Arc<Semaphore>,
    time: Duration,
    body: usize,
}

impl Bounds {
    pub(crate) fn new(settings: &ServerSettings) -> Self {
        Self {
            places: Arc::new(Semaphore::new(settings.concurrency.min(Semaphore::MAX_PERMITS))),
            time: settings.request_timeout,
            body: settings.body_limit,
        }
    }
}

impl Wrap for Bounds {
    /// Turns a request away where all places are taken: a queue would only make everybody wait.
    async fn wrap<S: Inside>(self, mut request: Request, inside: S) -> Response {
        let Ok(_place) = self.places.try_acquire() else {
            return Problem::new(ErrorCode::Overloaded).into_response();
        };
        DefaultBodyLimit::max(self.body).apply(&mut request);
        // Apart, since a timer has to be aligned, and all that is around it would have to be as well.
        let mut is_over = Box::pin(tokio::time::sleep(self.time));
        tokio::select! {
            biased;
            answer = AssertUnwindSafe(inside.answer(request)).catch_unwind() => {
                answer.unwrap_or_else(|panic| broken(&*panic))
            }
            () = &mut is_over => StatusCode::GATEWAY_TIMEOUT.into_response(),
        }
    }
}

fn broken(panic: &(dyn Any + Send)) -> Response {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    tracing::error!(panic = text.unwrap_or("without a text"), "a handler panicked");
    StatusCode::INTERNAL_SERVER_ERROR.into_response()
}
