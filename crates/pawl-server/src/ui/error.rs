//! The page of an error: what happened, what to do, and the request's name in the logs.

use askama::Template;
use axum::http::StatusCode;

use super::assets;
use super::shell::Theme;
use crate::problem::Problem;

#[derive(Template)]
#[template(path = "error.html")]
struct ErrorPage<'a> {
    status: u16,
    title: &'a str,
    detail: Option<&'a str>,
    advice: &'static str,
    request_id: Option<&'a str>,
    theme: Theme,
}

impl ErrorPage<'_> {
    fn asset(&self, name: &str) -> String {
        assets::url(name)
    }
}

/// The page of an error.
pub(crate) fn error_page(problem: &Problem, request_id: Option<&str>) -> String {
    let status = problem.code.status();
    let page = ErrorPage {
        status: status.as_u16(),
        title: title(status),
        detail: problem.detail.as_deref(),
        advice: advice(status),
        request_id,
        theme: Theme::default(),
    };
    // Texts alone: there is nothing in it that cannot be written.
    page.render().unwrap_or_default()
}

fn title(status: StatusCode) -> &'static str {
    match status {
        StatusCode::NOT_FOUND => "There is nothing here",
        StatusCode::FORBIDDEN => "This was not done",
        StatusCode::UNAUTHORIZED => "This needs a key",
        StatusCode::PAYLOAD_TOO_LARGE => "This is too large",
        StatusCode::TOO_MANY_REQUESTS => "Too many requests",
        StatusCode::SERVICE_UNAVAILABLE => "Pawl cannot answer right now",
        StatusCode::GATEWAY_TIMEOUT => "This took too long",
        status if status.is_server_error() => "Something broke in Pawl",
        _ => "This cannot be answered",
    }
}

fn advice(status: StatusCode) -> &'static str {
    match status {
        StatusCode::NOT_FOUND => {
            "The address is wrong, or what was here has been deleted, or it belongs to somebody else."
        }
        StatusCode::FORBIDDEN => {
            "Nothing was changed. Go back, load the page again, and repeat what you did."
        }
        StatusCode::UNAUTHORIZED => "This address is for programs. Pages for people begin at the dashboard.",
        StatusCode::PAYLOAD_TOO_LARGE => "Nothing was changed. Send less at a time.",
        StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => {
            "Nothing that was stored is lost. Wait a moment, then load the page again."
        }
        StatusCode::GATEWAY_TIMEOUT => {
            "Nothing that was stored is lost. Ask for less at a time, such as fewer days, then try again."
        }
        status if status.is_server_error() => {
            "Nothing that was stored is lost. Try again; if it happens again, the log says why under the request below."
        }
        _ => "Nothing was changed. Check the address, or begin again at the dashboard.",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::ErrorCode;

    #[test]
    fn an_error_says_what_it_is_and_shows_texts_as_texts() {
        let problem = Problem::new(ErrorCode::NotFound).because("no <script>alert(1)</script>");
        let page = error_page(&problem, Some("request-7"));
        assert!(
            page.contains("There is nothing here") && page.contains("request-7"),
            "{page}"
        );
        assert!(!page.contains("<script>alert"), "{page}");
        for code in ErrorCode::ALL {
            let page = error_page(&Problem::new(*code), None);
            assert!(page.contains("</html>"), "{}", code.as_str());
        }
    }
}
