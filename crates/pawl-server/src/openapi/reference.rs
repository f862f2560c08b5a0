//! `/docs/api`: the OpenAPI document for people, without anything from other hosts.

use axum::Router;
use axum::http::{HeaderValue, header};
use tower_http::set_header::SetResponseHeaderLayer;
use utoipa_swagger_ui::{Config, SwaggerUi};

use crate::AppState;

/// Scripts and styles of our own host alone. The UI sets styles from its scripts, and draws its icons from data URLs.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
                      img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'";

pub(super) fn routes() -> Router<AppState> {
    let config = Config::from("/openapi.json")
        .use_base_layout()
        .display_operation_id(true);
    let reference: Router<AppState> = SwaggerUi::new("/docs/api").config(config).into();
    reference.layer(SetResponseHeaderLayer::overriding(
        header::CONTENT_SECURITY_POLICY,
        HeaderValue::from_static(POLICY),
    ))
}
