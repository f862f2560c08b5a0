//! `/docs/api`: the OpenAPI document for people, without anything from other hosts.

use axum::Router;
use axum::http::{HeaderValue, header};
use axum::response::IntoResponse;
use axum::routing::get;
use tower_http::set_header::SetResponseHeaderLayer;
use utoipa_swagger_ui::{Config, SwaggerUi};

use crate::AppState;
use crate::parameters::Path;
use crate::problem::{ErrorCode, Problem};

/// Scripts and styles of our own host alone. The UI sets styles from its scripts, and draws its icons from data URLs.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
                      img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'";

pub(super) fn routes() -> Router<AppState> {
    let config = Config::from("/openapi.json")
        .use_base_layout()
        .display_operation_id(true);
    let reference: Router<AppState> = SwaggerUi::new("/docs/api").config(config).into();
    reference
        .layer(SetResponseHeaderLayer::overriding(
            header::CONTENT_SECURITY_POLICY,
            HeaderValue::from_static(POLICY),
        ))
        .route("/docs/errors/{code}", get(error_page))
}

/// The page of an error code, where the `type` of a problem leads.
async fn error_page(Path(code): Path<String>) -> Result<impl IntoResponse, Problem> {
    let code = ErrorCode::ALL.iter().find(|known| known.as_str() == code);
    let page = code.ok_or(Problem::new(ErrorCode::NotFound))?.page();
    Ok(([(header::CONTENT_TYPE, "text/markdown; charset=utf-8")], page))
}
