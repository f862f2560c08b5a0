//! A page on its way out.

use askama::Template;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

use crate::problem::{ErrorCode, Problem};

/// What pages may load: files of ours. Neither scripts nor styles stand in a page, so that one that somebody brings in
/// with a text does nothing.
pub(crate) const CONTENT_SECURITY_POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; \
     connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
);

/// A page of this template, which nobody keeps a copy of.
pub(crate) struct Page<T>(pub(crate) T);

impl<T: Template> IntoResponse for Page<T> {
    fn into_response(self) -> Response {
        match self.0.render() {
            Ok(html) => {
                let headers = [
                    (
                        header::CONTENT_TYPE,
                        HeaderValue::from_static("text/html; charset=utf-8"),
                    ),
                    (header::CONTENT_SECURITY_POLICY, CONTENT_SECURITY_POLICY),
                    (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
                    // Without it browsers do not say where forms come from.
                    (header::REFERRER_POLICY, HeaderValue::from_static("same-origin")),
                ];
                (headers, html).into_response()
            }
            Err(error) => {
                tracing::error!(
                    error = &error as &dyn std::error::Error,
                    "a page could not be written"
                );
                Problem::new(ErrorCode::Internal).into_response()
            }
        }
    }
}

/// A page that says what is wrong with a form, with the status that goes with it.
pub(crate) fn refused<T: Template>(status: StatusCode, template: T) -> Response {
    (status, Page(template)).into_response()
}
