//! Who looks at a page: the user whose log-in the browser's cookie proves.

use std::convert::Infallible;

use axum::extract::{FromRequestParts, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};
use axum_extra::extract::CookieJar;
use axum_extra::extract::cookie::{Cookie, SameSite};
use pawl_engine::auth::{BrowserSession, ExposeSecret as _, SecretString};
use pawl_engine::{Actor, Engine, EngineError};
use pawl_model::UserId;

use super::shell::{Section, Shell, Theme};
use crate::AppState;
use crate::problem::Problem;

/// The cookie that holds the secret of a session.
const COOKIE: &str = "pawl_session";
/// Tells a page's script where to go; a redirect it would follow without the page noticing.
const GO_TO: HeaderName = HeaderName::from_static("hx-redirect");
const FROM_SCRIPT: &str = "hx-request";

/// Looks up whose session the cookie names, and gives the browser its next secret when it is time.
pub(super) async fn recognise(
    State(state): State<AppState>,
    cookies: CookieJar,
    mut request: Request,
    next: Next,
) -> Response {
    let Some(cookie) = cookies.get(COOKIE) else {
        return next.run(request).await;
    };
    let secret = SecretString::from(cookie.value());
    let presented = match state.engine.browser_session(&secret).await {
        Ok(Some(presented)) => presented,
        Ok(None) => return next.run(request).await,
        Err(error) => return Problem::from(EngineError::from(error)).into_response(),
    };
    request.extensions_mut().insert(presented.session);
    let mut response = next.run(request).await;
    // Where the handler gives the browser another cookie, or takes it away, that is the one that counts.
    if let Some(secret) = presented.next
        && !gives_cookie(&response)
    {
        let cookie = cookie_of(&state, &secret).to_string();
        if let Ok(value) = HeaderValue::from_str(&cookie) {
            response.headers_mut().append(header::SET_COOKIE, value);
        }
    }
    response
}

fn gives_cookie(response: &Response) -> bool {
    let given = response.headers().get_all(header::SET_COOKIE);
    given
        .iter()
        .any(|cookie| cookie.as_bytes().starts_with(COOKIE.as_bytes()))
}

/// The cookie that holds a session's secret. Scripts do not see it, and other sites' forms do not send it.
pub(super) fn cookie_of(state: &AppState, secret: &SecretString) -> Cookie<'static> {
    let mut cookie = empty_cookie(state);
    cookie.set_value(secret.expose_secret().to_owned());
    cookie.set_max_age(Engine::BROWSER_SESSION_IDLE);
    cookie
}

/// The cookie that takes the place of a session that has ended.
pub(super) fn empty_cookie(state: &AppState) -> Cookie<'static> {
    let is_encrypted = state
        .settings
        .url
        .as_deref()
        .is_some_and(|url| url.starts_with("https://"));
    Cookie::build((COOKIE, ""))
        .path("/")
        .http_only(true)
        .same_site(SameSite::Lax)
        .secure(is_encrypted)
        .max_age(time::Duration::ZERO)
        .build()
}

/// A user who has logged in; whoever has not is sent to do so, and back.
#[derive(Clone, Debug)]
pub(crate) struct Visitor {
    /// The log-in.
    pub(crate) session: BrowserSession,
    theme: Theme,
    here: String,
}

impl Visitor {
    /// The user.
    pub(crate) const fn user(&self) -> UserId {
        self.session.account.id
    }

    /// Whose rows the visitor sees.
    pub(crate) const fn actor(&self) -> Actor {
        Actor::Tenant(self.user())
    }

    /// What stands around a page of this section.
    pub(crate) fn shell(&self, section: Section, title: impl Into<String>) -> Shell {
        Shell {
            section,
            title: title.into(),
            theme: self.theme,
            email: self.session.account.email.clone().unwrap_or_default(),
            here: self.here.clone(),
        }
    }
}

impl FromRequestParts<AppState> for Visitor {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, _: &AppState) -> Result<Self, Response> {
        let here = parts.uri.path_and_query().map_or("/", |here| here.as_str());
        let session = parts.extensions.get::<BrowserSession>();
        let session = session.ok_or_else(|| sent_to_log_in(parts, here))?;
        Ok(Self {
            session: session.clone(),
            theme: Theme::of(&parts.headers),
            here: here.to_owned(),
        })
    }
}

/// Where a page was asked for, whoever did can come back to it.
fn sent_to_log_in(parts: &Parts, here: &str) -> Response {
    let to = match parts.method {
        Method::GET => {
            let next = form_urlencoded::Serializer::new(String::new())
                .append_pair("next", here)
                .finish();
            ["/login?", &next].concat()
        }
        _ => "/login".to_owned(),
    };
    if parts.headers.contains_key(FROM_SCRIPT) {
        (StatusCode::NO_CONTENT, [(GO_TO, to)]).into_response()
    } else {
        Redirect::to(&to).into_response()
    }
}

/// Somebody who may have logged in.
pub(super) struct Guest(pub(super) Option<BrowserSession>);

impl FromRequestParts<AppState> for Guest {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &AppState) -> Result<Self, Infallible> {
        Ok(Self(parts.extensions.get::<BrowserSession>().cloned()))
    }
}
