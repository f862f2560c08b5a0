//! Responses that many operations share.

use std::collections::BTreeMap;

use utoipa::IntoResponses;
use utoipa::openapi::{ContentBuilder, Ref, RefOr, Response, ResponseBuilder};

use crate::problem::ErrorCode;

type Responses = BTreeMap<String, RefOr<Response>>;

/// What an operation on a tenant's rows may answer instead.
pub(crate) struct Refused;

impl IntoResponses for Refused {
    fn responses() -> Responses {
        problems(&[
            ErrorCode::InvalidParameter,
            ErrorCode::Unauthenticated,
            ErrorCode::Forbidden,
            ErrorCode::NotFound,
            ErrorCode::Overloaded,
            ErrorCode::RequestTimeout,
        ])
    }
}

/// What is answered where the database does not answer.
pub(crate) struct Unavailable;

impl IntoResponses for Unavailable {
    fn responses() -> Responses {
        problems(&[ErrorCode::DatabaseUnavailable])
    }
}

fn problems(codes: &[ErrorCode]) -> Responses {
    codes
        .iter()
        .map(|code| {
            let content = ContentBuilder::new()
                .schema(Some(Ref::from_schema_name("Problem")))
                .build();
            let response = ResponseBuilder::new()
                .description(["`", code.as_str(), "`: ", code.title()].concat())
                .content("application/problem+json", content)
                .build();
            (code.status().as_str().to_owned(), response.into())
        })
        .collect()
}
