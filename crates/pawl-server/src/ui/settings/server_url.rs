//! Where agents reach the server, for commands that people copy.

use std::convert::Infallible;

use axum::extract::FromRequestParts;
use axum::http::header;
use axum::http::request::Parts;

use crate::AppState;

/// Where the server is reached: as it was set, or else as the browser did.
pub(in crate::ui) struct ServerUrl(pub(super) String);

impl FromRequestParts<AppState> for ServerUrl {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, Infallible> {
        if let Some(url) = &state.settings.url {
            return Ok(Self(url.clone()));
        }
        let host = parts
            .headers
            .get(header::HOST)
            .and_then(|host| host.to_str().ok());
        // Whatever could mean something to a shell is no name of a host.
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b".-:[]".contains(&byte);
        let host = host.filter(|host| host.bytes().all(is_plain));
        Ok(Self(["http://", host.unwrap_or("127.0.0.1:8787")].concat()))
    }
}
