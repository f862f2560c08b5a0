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

/// As [`Refused`], where suggestions are read.
pub(crate) struct NotRead;

impl IntoResponses for NotRead {
    fn responses() -> Responses {
        let mut responses = Refused::responses();
        responses.append(&mut problems(&[ErrorCode::SuggestionsFailed]));
        responses
    }
}

/// What is answered where the database does not answer.
pub(crate) struct Unavailable;

impl IntoResponses for Unavailable {
    fn responses() -> Responses {
        problems(&[ErrorCode::DatabaseUnavailable])
    }
}

/// What handing in interactions may answer instead.
pub(crate) struct NotTaken;

impl IntoResponses for NotTaken {
    fn responses() -> Responses {
        problems(&[
            ErrorCode::InvalidJson,
            ErrorCode::InvalidParameter,
            ErrorCode::BadRequest,
            ErrorCode::Unauthenticated,
            ErrorCode::Forbidden,
            ErrorCode::Conflict,
            ErrorCode::BodyTooLarge,
            ErrorCode::UnsupportedMediaType,
            ErrorCode::Unprocessable,
            ErrorCode::OverCap,
            ErrorCode::Overloaded,
            ErrorCode::DatabaseUnavailable,
            ErrorCode::RequestTimeout,
        ])
    }
}

/// What a reviewer may be answered instead.
pub(crate) struct NotReviewed;

impl IntoResponses for NotReviewed {
    fn responses() -> Responses {
        problems(&[
            ErrorCode::InvalidJson,
            ErrorCode::InvalidParameter,
            ErrorCode::Unauthenticated,
            ErrorCode::Forbidden,
            ErrorCode::NotFound,
            ErrorCode::Conflict,
            ErrorCode::BodyTooLarge,
            ErrorCode::Unprocessable,
            ErrorCode::SuggestionsFailed,
            ErrorCode::Overloaded,
            ErrorCode::DatabaseUnavailable,
            ErrorCode::RequestTimeout,
        ])
    }
}

/// As [`NotRead`], where a test has to be approved before it is read.
pub(crate) struct NotExported;

impl IntoResponses for NotExported {
    fn responses() -> Responses {
        let mut responses = NotRead::responses();
        responses.append(&mut problems(&[ErrorCode::Conflict, ErrorCode::Unprocessable]));
        responses
    }
}

/// What generating drafts may answer instead.
pub(crate) struct NotDrafted;

impl IntoResponses for NotDrafted {
    fn responses() -> Responses {
        problems(&[
            ErrorCode::InvalidJson,
            ErrorCode::InvalidParameter,
            ErrorCode::Unauthenticated,
            ErrorCode::Forbidden,
            ErrorCode::NotFound,
            ErrorCode::Conflict,
            ErrorCode::BodyTooLarge,
            ErrorCode::Unprocessable,
            ErrorCode::ModelFailed,
            ErrorCode::SuggestionsFailed,
            ErrorCode::Overloaded,
            ErrorCode::DatabaseUnavailable,
            ErrorCode::RequestTimeout,
        ])
    }
}

/// What handing in traces may answer instead.
pub(crate) struct TracesNotTaken;

impl IntoResponses for TracesNotTaken {
    fn responses() -> Responses {
        let codes = [
            ErrorCode::InvalidJson,
            ErrorCode::BadRequest,
            ErrorCode::Unauthenticated,
            ErrorCode::Forbidden,
            ErrorCode::BodyTooLarge,
            ErrorCode::UnsupportedMediaType,
            ErrorCode::Overloaded,
            ErrorCode::DatabaseUnavailable,
            ErrorCode::RequestTimeout,
        ];
        answered_in(&["application/json", "application/x-protobuf"], "Status", &codes)
    }
}

/// A problem for each status.
fn problems(codes: &[ErrorCode]) -> Responses {
    answered_in(&["application/problem+json"], "Problem", codes)
}

/// A response for each status; where codes share one, it names them all.
fn answered_in(media_types: &[&str], schema: &str, codes: &[ErrorCode]) -> Responses {
    let mut descriptions: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for code in codes {
        let description = ["`", code.as_str(), "`: ", code.title()].concat();
        let status = code.status().as_str().to_owned();
        descriptions.entry(status).or_default().push(description);
    }
    let response = |descriptions: Vec<String>| {
        let mut response = ResponseBuilder::new().description(descriptions.join("; "));
        for media_type in media_types {
            let content = ContentBuilder::new().schema(Some(Ref::from_schema_name(schema)));
            response = response.content(*media_type, content.build());
        }
        response.build().into()
    };
    descriptions
        .into_iter()
        .map(|(status, descriptions)| (status, response(descriptions)))
        .collect()
}
