//! Forms are taken from pages of ours alone, so that no other site can send one in somebody's name. Browsers say where
//! a request comes from: by `Sec-Fetch-Site`, or, where the connection is not one that they trust, by `Origin`.

use axum::extract::Request;
use axum::http::{HeaderMap, Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use crate::problem::{ErrorCode, Problem};

const FETCH_SITE: &str = "sec-fetch-site";

/// Refuses a request that changes something and does not come from a page of ours.
pub(super) async fn require_same(request: Request, next: Next) -> Response {
    let only_reads = matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS);
    if only_reads || is_same(request.headers()) {
        return next.run(request).await;
    }
    let detail = "the form was sent by a page of another site, so nothing was changed; open the page here and send it again";
    Problem::new(ErrorCode::Forbidden).because(detail).into_response()
}

fn is_same(headers: &HeaderMap) -> bool {
    let text = |name: &str| headers.get(name)?.to_str().ok();
    match text(FETCH_SITE) {
        Some(site) => site == "same-origin",
        None => {
            let host = text(header::HOST.as_str());
            let origin = text(header::ORIGIN.as_str());
            let origin = origin.and_then(|origin| origin.split_once("://"));
            host.is_some() && origin.map(|(_, host)| host) == host
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_pages_of_ours_are_the_same_origin() {
        let is_same = |given: &[(&'static str, &'static str)]| {
            let mut headers = HeaderMap::new();
            for (name, value) in given {
                headers.insert(*name, value.parse().unwrap());
            }
            is_same(&headers)
        };
        let host = ("host", "pawl.example:8787");
        assert!(is_same(&[host, (FETCH_SITE, "same-origin")]));
        assert!(is_same(&[host, ("origin", "http://pawl.example:8787")]));
        for site in ["cross-site", "same-site", "none", ""] {
            let origin = ("origin", "http://pawl.example:8787");
            assert!(!is_same(&[host, (FETCH_SITE, site), origin]), "{site}");
        }
        for origin in [
            "http://pawl.example",
            "http://evil.example:8787",
            "null",
            "pawl.example:8787",
        ] {
            assert!(!is_same(&[host, ("origin", origin)]), "{origin}");
        }
        assert!(!is_same(&[host]));
        assert!(!is_same(&[("origin", "null")]));
        assert!(!is_same(&[]));
    }
}
