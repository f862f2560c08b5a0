//! Error responses of `/auth/v1` for the OpenAPI document.

use std::collections::BTreeMap;

use serde::Serialize;
use utoipa::openapi::{ContentBuilder, Ref, RefOr, Response, ResponseBuilder};
use utoipa::{IntoResponses, ToSchema};

/// An error as Supabase Auth writes it.
#[derive(Serialize, ToSchema)]
#[schema(as = AuthErrorDocument)]
pub(crate) struct ErrorDocument {
    /// The status.
    code: u16,
    /// A word of Supabase Auth, such as `invalid_credentials`.
    error_code: &'static str,
    /// A text for people.
    msg: &'static str,
}

const STATUSES: [(&str, &str); 7] = [
    ("400", "the body, a parameter or a credential is wrong"),
    ("401", "no valid key"),
    (
        "403",
        "the token is not valid, has no session, or may not do this",
    ),
    ("404", "there is no such user"),
    ("422", "the account cannot be like that"),
    ("429", "too many requests; `retry-after` says how long to wait"),
    ("503", "too many requests are under way"),
];

/// What operations of `/auth/v1` may answer instead.
pub(super) struct Refused;

impl IntoResponses for Refused {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        let response = |(status, description): (&str, &str)| {
            let content = ContentBuilder::new()
                .schema(Some(Ref::from_schema_name("AuthErrorDocument")))
                .build();
            let response = ResponseBuilder::new()
                .description(description)
                .content("application/json", content);
            (status.to_owned(), response.build().into())
        };
        STATUSES.into_iter().map(response).collect()
    }
}
