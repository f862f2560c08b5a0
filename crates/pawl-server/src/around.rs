//! What stands around handlers, as layers. They are compiled into one service, where the framework's functions around
//! a handler would put all that they stand around into a box of its own for every request.

use std::convert::Infallible;
use std::future::Future;
use std::mem;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::extract::Request;
use axum::response::Response;
use tower::{Layer, Service, ServiceExt as _};

/// What is done with a request before it goes in, and with its answer.
pub(crate) trait Wrap: Clone + Send + 'static {
    /// Answers a request by what is inside.
    fn wrap<S: Inside>(self, request: Request, inside: S) -> impl Future<Output = Response> + Send;
}

/// Nothing stands around it.
impl Wrap for () {
    async fn wrap<S: Inside>(self, request: Request, inside: S) -> Response {
        inside.answer(request).await
    }
}

/// What answers every request, whatever stands around it.
pub(crate) trait Inside:
    Service<Request, Response = Response, Error = Infallible, Future: Send> + Clone + Send + 'static
{
    /// Its answer.
    fn answer(self, request: Request) -> impl Future<Output = Response> + Send {
        async {
            let Ok(response) = self.oneshot(request).await;
            response
        }
    }
}

impl<S> Inside for S where
    S: Service<Request, Response = Response, Error = Infallible, Future: Send> + Clone + Send + 'static
{
}

/// The layer, and the service that it makes of what is inside.
#[derive(Clone)]
pub(crate) struct Around<W, S = ()> {
    wrap: W,
    inside: S,
}

impl<W> Around<W> {
    pub(crate) const fn new(wrap: W) -> Self {
        Self { wrap, inside: () }
    }
}

impl<W: Clone, S> Layer<S> for Around<W> {
    type Service = Around<W, S>;

    fn layer(&self, inside: S) -> Around<W, S> {
        Around {
            wrap: self.wrap.clone(),
            inside,
        }
    }
}

impl<W: Wrap, S: Inside> Service<Request> for Around<W, S> {
    type Response = Response;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inside.poll_ready(context)
    }

    fn call(&mut self, request: Request) -> Self::Future {
        // The one that was asked whether it is ready has to answer.
        let next = self.inside.clone();
        let inside = mem::replace(&mut self.inside, next);
        let wrap = self.wrap.clone();
        Box::pin(async move { Ok(wrap.wrap(request, inside).await) })
    }
}
