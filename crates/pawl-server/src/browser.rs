//! What browsers are told: which pages may call us, and how our answers may be used.

use std::time::Duration;

use axum::http::{HeaderName, HeaderValue, Method, header};
use axum::response::Response;
use tower_http::cors::{Any, CorsLayer};

/// Clients in pages of any origin: they bring their keys in headers, and no cookie of ours is ever sent along.
pub(crate) fn any_origin() -> CorsLayer {
    let allowed = [
        "accept",
        "accept-profile",
        "apikey",
        "authorization",
        "content-profile",
        "content-type",
        "if-match",
        "if-none-match",
        "prefer",
        "range",
        "range-unit",
        "x-client-info",
        "x-request-id",
        "x-retry-count",
        "x-supabase-api-version",
    ];
    let exposed = [
        "content-location",
        "content-range",
        "link",
        "location",
        "preference-applied",
        "range-unit",
        "retry-after",
        "x-request-id",
        "x-supabase-api-version",
        "x-total-count",
    ];
    CorsLayer::new()
        .allow_origin(Any)
        .allow_methods([
            Method::GET,
            Method::HEAD,
            Method::POST,
            Method::PATCH,
            Method::PUT,
            Method::DELETE,
        ])
        .allow_headers(allowed.map(HeaderName::from_static))
        .expose_headers(exposed.map(HeaderName::from_static))
        .max_age(Duration::from_secs(3_600))
}

/// Headers without which browsers guess types, tell other sites where one came from, and let pages be framed; what a
/// page says of itself stays.
pub(crate) fn hardened(mut response: Response) -> Response {
    let headers = response.headers_mut();
    for (name, value) in [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (
            header::CONTENT_SECURITY_POLICY,
            "default-src 'none'; frame-ancestors 'none'",
        ),
    ] {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    response
}
