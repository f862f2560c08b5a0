//! Bounds of every request: how many at once, how long, how large; and a panic ends no more than its request.

use std::any::Any;
use std::panic::AssertUnwindSafe;

use axum::extract::{DefaultBodyLimit, Request};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use futures::FutureExt as _;

use crate::AppState;
use crate::problem::{ErrorCode, Problem};

/// Has a request answered within its bounds. It is turned away where all places are taken: a queue would only make
/// everybody wait.
pub(crate) async fn bounded<F: Future<Output = Response>>(
    state: &AppState,
    mut request: Request,
    answer: impl FnOnce(Request) -> F,
) -> Response {
    let Ok(_place) = state.places.try_acquire() else {
        return Problem::new(ErrorCode::Overloaded).into_response();
    };
    DefaultBodyLimit::max(state.settings.body_limit).apply(&mut request);
    // Apart, since a timer has to be aligned, and all that is around it would have to be as well.
    let mut is_over = Box::pin(tokio::time::sleep(state.settings.request_timeout));
    tokio::select! {
        biased;
        answer = AssertUnwindSafe(answer(request)).catch_unwind() => {
            answer.unwrap_or_else(|panic| broken(&*panic))
        }
        () = &mut is_over => StatusCode::GATEWAY_TIMEOUT.into_response(),
    }
}

fn broken(panic: &(dyn Any + Send)) -> Response {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    tracing::error!(panic = text.unwrap_or("without a text"), "a handler panicked");
    StatusCode::INTERNAL_SERVER_ERROR.into_response()
}
