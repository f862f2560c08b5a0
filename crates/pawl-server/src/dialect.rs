//! Errors in the form that the clients of a path read. One layer writes them all, whoever found the error: a handler,
//! an extractor of the framework, a limit, or a panic.

use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::Response;
use http_body_util::{BodyExt as _, Limited};
use serde_json::json;

use crate::observe::RequestId;
use crate::otlp::{self, Encoding};
use crate::problem::{ErrorCode, Problem};
use crate::ui::{self, error_page};

/// Bytes of a text of the framework that are passed on.
const MAX_DETAIL: usize = 512;

/// Which form a path's errors have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dialect {
    /// RFC 9457.
    Problem,
    /// PostgREST's.
    PostgRest,
    /// Supabase Auth's.
    Auth,
    /// OTLP's, in the encoding of the request.
    Otlp(Encoding),
    /// A page for people.
    Page,
}

impl Dialect {
    fn of(request: &Request) -> Self {
        let path = request.uri().path();
        if path.starts_with("/rest/") {
            Self::PostgRest
        } else if path.starts_with("/auth/") {
            Self::Auth
        } else if path.starts_with("/v1/") {
            Self::Otlp(Encoding::of(request.headers()).unwrap_or(Encoding::Json))
        } else if wants_page(request.headers()) {
            Self::Page
        } else {
            Self::Problem
        }
    }

    const fn content_type(self) -> HeaderValue {
        HeaderValue::from_static(match self {
            Self::Otlp(encoding) => return encoding.content_type(),
            Self::Problem => "application/problem+json",
            Self::PostgRest => "application/json; charset=utf-8",
            Self::Auth => "application/json",
            Self::Page => "text/html; charset=utf-8",
        })
    }

    fn write(self, problem: &Problem, request_id: Option<&str>) -> Vec<u8> {
        let code = problem.code.as_str();
        let message = problem.detail.as_deref().unwrap_or(problem.code.title());
        let written = match self {
            Self::Problem => serde_json::to_vec(&problem.document(request_id)),
            Self::PostgRest => {
                serde_json::to_vec(&json!({"code": code, "details": null, "hint": null, "message": message}))
            }
            Self::Auth => serde_json::to_vec(&json!({
                "code": problem.code.status().as_u16(), "error_code": code, "msg": message,
            })),
            Self::Otlp(encoding) => Ok(otlp::status(encoding, problem)),
            Self::Page => Ok(error_page(problem, request_id).into_bytes()),
        };
        // Texts and numbers alone: there is nothing in it that cannot be written.
        written.unwrap_or_default()
    }
}

/// Gives every error response without a document of its own one, in the form of its path.
pub(crate) async fn speak<F: Future<Output = Response>>(
    request: Request,
    answer: impl FnOnce(Request) -> F,
) -> Response {
    let dialect = Dialect::of(&request);
    let is_head = request.method() == Method::HEAD;
    let request_id = request.extensions().get::<RequestId>().cloned();
    let mut response = answer(request).await;
    let problem = match response.extensions_mut().remove::<Problem>() {
        Some(problem) => problem,
        None if is_bare_error(&response) => {
            let (parts, body) = response.into_parts();
            let problem = from_bare(parts.status, body).await;
            response = Response::from_parts(parts, Body::empty());
            problem
        }
        None => return response,
    };
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, dialect.content_type());
    headers.remove(header::CONTENT_LENGTH);
    if dialect == Dialect::Page {
        headers.insert(header::CONTENT_SECURITY_POLICY, ui::CONTENT_SECURITY_POLICY);
    }
    let body = dialect.write(&problem, request_id.as_ref().map(RequestId::as_str));
    *response.body_mut() = if is_head { Body::empty() } else { Body::from(body) };
    response
}

/// Whether it is a browser that shows the answer to somebody; programs take anything, or say what they take.
pub(crate) fn wants_page(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(header::ACCEPT).iter();
    let accepted = accepted.filter_map(|value| value.to_str().ok());
    let mut ranges = accepted.flat_map(|value| value.split(','));
    ranges.any(|range| {
        let media_type = range.split(';').next().unwrap_or_default();
        media_type.trim().eq_ignore_ascii_case("text/html")
    })
}

/// Whether this is an error of which the framework or a limit wrote no more than a line.
fn is_bare_error(response: &Response) -> bool {
    let status = response.status();
    let content_type = response.headers().get(header::CONTENT_TYPE);
    (status.is_client_error() || status.is_server_error())
        && content_type.is_none_or(|value| value.as_bytes().starts_with(b"text/plain"))
}

async fn from_bare(status: StatusCode, body: Body) -> Problem {
    let code = ErrorCode::of_status(status);
    let problem = Problem::new(code);
    if status.is_server_error() {
        // What broke is in the log.
        return problem;
    }
    let text = Limited::new(body, MAX_DETAIL)
        .collect()
        .await
        .map(|whole| whole.to_bytes());
    let text = text.unwrap_or_else(|_| Bytes::new());
    match std::str::from_utf8(&text) {
        Ok(text) if !text.trim().is_empty() => problem.because(text.trim()),
        _ => problem,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_path_has_its_form() {
        let problem = Problem::new(ErrorCode::RequestTimeout);
        let dialect = |path: &str, accept: &str| {
            let request = Request::builder().uri(path).header(header::ACCEPT, accept);
            Dialect::of(&request.body(Body::empty()).unwrap())
        };
        let written =
            |path: &str| String::from_utf8(dialect(path, "*/*").write(&problem, Some("r1"))).unwrap();
        let browser = "text/html,application/xhtml+xml,*/*;q=0.8";
        assert_eq!(dialect("/api/runs", browser), Dialect::Page);
        assert_eq!(dialect("/api/runs", "*/*, Text/HTML;level=1"), Dialect::Page);
        assert_eq!(dialect("/api/runs", "x-text/html, text/htmlx"), Dialect::Problem);
        assert_eq!(dialect("/rest/v1/sb_eval_runs", browser), Dialect::PostgRest);
        assert_eq!(
            written("/rest/v1/sb_eval_runs"),
            r#"{"code":"request_timeout","details":null,"hint":null,"message":"the request took too long"}"#
        );
        assert_eq!(
            written("/auth/v1/token"),
            r#"{"code":504,"error_code":"request_timeout","msg":"the request took too long"}"#
        );
        assert_eq!(
            written("/v1/traces"),
            r#"{"code":4,"message":"request_timeout: the request took too long"}"#
        );
        assert_eq!(
            written("/api/runs"),
            concat!(
                r#"{"type":"/docs/errors/request_timeout","title":"the request took too long","status":504,"#,
                r#""code":"request_timeout","request_id":"r1"}"#
            )
        );
    }
}
