//! The OpenAPI document: what there is, who may call it, and how it answers.

mod markdown;
mod reference;
mod responses;
mod schemas;

use axum::Router;
use axum::body::Bytes;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use utoipa::ToSchema;
use utoipa::openapi::security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::{ComponentsBuilder, InfoBuilder, LicenseBuilder, OpenApi, OpenApiBuilder};

use crate::AppState;

pub(crate) use schemas::schemas;

pub(crate) use responses::{
    NotDrafted, NotExported, NotRead, NotReviewed, NotTaken, Refused, TracesNotTaken, Unavailable,
};

const DESCRIPTION: &str = "\
Errors are RFC 9457 problems with a stable `code`, apart from `/rest/v1`, `/auth/v1` and `/v1/traces`, which \
answer as PostgREST, Supabase Auth and OTLP do. What is not visible to the caller is not found. Every response carries `x-request-id`.";

/// The document without paths, for the routes to add theirs.
pub(crate) fn base() -> OpenApi {
    OpenApiBuilder::new()
        .info(
            InfoBuilder::new()
                .title("Pawl")
                .version(env!("CARGO_PKG_VERSION"))
                .description(Some(DESCRIPTION))
                .license(Some(
                    LicenseBuilder::new()
                        .name("Apache-2.0")
                        .identifier(Some("Apache-2.0"))
                        .build(),
                )),
        )
        .components(Some(
            ComponentsBuilder::new()
                .security_scheme(
                    "anon_key",
                    header_key("apikey", "The public key of the instance, or the service key"),
                )
                .security_scheme(
                    "user",
                    bearer("A user's access token; `apikey` holds the public key beside it"),
                )
                .security_scheme(
                    "service",
                    bearer("The service key, in `apikey` as well: all tenants"),
                )
                .security_scheme(
                    "ingestion_secret",
                    header_key(
                        "X-Ingestion-Secret",
                        "The instance's ingestion secret: interactions of all tenants",
                    ),
                )
                .security_scheme(
                    "api_key",
                    bearer("A tenant's API key with the scope that is named"),
                )
                .build(),
        ))
        .build()
}

fn header_key(header: &str, description: &str) -> SecurityScheme {
    SecurityScheme::ApiKey(ApiKey::Header(ApiKeyValue::with_description(header, description)))
}

fn bearer(description: &str) -> SecurityScheme {
    SecurityScheme::Http(
        HttpBuilder::new()
            .scheme(HttpAuthScheme::Bearer)
            .bearer_format("JWT")
            .description(Some(description))
            .build(),
    )
}

/// Adds a schema that responses refer to by name alone.
pub(crate) fn add_schema<T: ToSchema>(document: &mut OpenApi) {
    let components = document.components.get_or_insert_default();
    components.schemas.insert(T::name().into_owned(), T::schema());
}

/// The document as Markdown.
pub(crate) fn markdown(document: &OpenApi) -> String {
    // As with `routes`: it can be written.
    markdown::markdown(&serde_json::to_value(document).unwrap_or_default())
}

/// The JSON Schema of drafts.
async fn draft_schema() -> Response {
    let schema = pawl_model::EvalTestDraft::json_schema();
    let json = serde_json::to_string_pretty(&schema).unwrap_or_default();
    ([(header::CONTENT_TYPE, "application/schema+json")], json).into_response()
}

/// `/openapi.json`, the pages that show it, and schemas of documents.
pub(crate) fn routes(document: &OpenApi) -> Router<AppState> {
    // A document of ours is names and texts: it can be written.
    let json = Bytes::from(document.to_pretty_json().unwrap_or_default());
    let answer = move || {
        let json = json.clone();
        async move { ([(header::CONTENT_TYPE, "application/json")], json).into_response() }
    };
    Router::new()
        .route("/openapi.json", get(answer))
        .route("/schemas/eval-test-draft.json", get(draft_schema))
        .merge(reference::routes())
}
