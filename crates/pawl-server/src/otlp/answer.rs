//! What `/v1/traces` answers: how many spans are not stored, or an error as gRPC has it.

use axum::body::Body;
use axum::http::header;
use axum::response::Response;
use opentelemetry_proto::tonic::collector::trace::v1::{
    ExportTracePartialSuccess, ExportTraceServiceResponse,
};
use pawl_engine::trace::SpanProblem;
use prost::Message;
use serde::Serialize;
use utoipa::ToSchema;

use super::Encoding;
use crate::problem::{ErrorCode, Problem};

/// What came of an export.
#[derive(Serialize, ToSchema)]
#[schema(as = ExportTraceServiceResponse)]
#[serde(rename_all = "camelCase")]
pub(super) struct TracesAnswer {
    /// What is not stored; left out where everything is.
    #[serde(skip_serializing_if = "Option::is_none")]
    partial_success: Option<PartialSuccess>,
}

/// What of an export is not stored. Sending it again changes nothing.
#[derive(Serialize, ToSchema)]
#[schema(as = ExportTracePartialSuccess)]
#[serde(rename_all = "camelCase")]
struct PartialSuccess {
    /// How many spans, as a text.
    rejected_spans: String,
    /// Why the first of them is not.
    error_message: String,
}

/// The answer where an export is stored, but for so many spans.
pub(super) fn accepted(encoding: Encoding, rejected: Option<(u64, SpanProblem)>) -> Response {
    let body = match encoding {
        Encoding::Json => {
            let partial_success = rejected.map(|(count, problem)| PartialSuccess {
                rejected_spans: count.to_string(),
                error_message: problem.to_string(),
            });
            // Texts alone: there is nothing in it that cannot be written.
            serde_json::to_vec(&TracesAnswer { partial_success }).unwrap_or_default()
        }
        Encoding::Protobuf => {
            let partial_success = rejected.map(|(count, problem)| ExportTracePartialSuccess {
                rejected_spans: i64::try_from(count).unwrap_or(i64::MAX),
                error_message: problem.to_string(),
            });
            ExportTraceServiceResponse { partial_success }.encode_to_vec()
        }
    };
    let mut response = Response::new(Body::from(body));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, encoding.content_type());
    response
}

/// An error (`google.rpc.Status`).
#[derive(Clone, PartialEq, Message, Serialize, ToSchema)]
#[schema(as = Status)]
pub(crate) struct StatusDocument {
    /// gRPC's code.
    #[prost(int32, tag = "1")]
    code: i32,
    /// What went wrong.
    #[prost(string, tag = "2")]
    message: String,
}

/// An error in the encoding of its request.
pub(crate) fn status(encoding: Encoding, problem: &Problem) -> Vec<u8> {
    let message = problem.detail.as_deref().unwrap_or(problem.code.title());
    let status = StatusDocument {
        code: grpc_code(problem.code),
        message: [problem.code.as_str(), ": ", message].concat(),
    };
    match encoding {
        Encoding::Protobuf => status.encode_to_vec(),
        // A number and a text: there is nothing in it that cannot be written.
        Encoding::Json => serde_json::to_vec(&status).unwrap_or_default(),
    }
}

/// The code that gRPC has for an error of ours.
///
/// Source: `google/rpc/code.proto`.
const fn grpc_code(code: ErrorCode) -> i32 {
    match code.status().as_u16() {
        401 => 16,
        403 => 7,
        404 => 5,
        405 => 12,
        409 => 10,
        413 | 429 => 8,
        503 => 14,
        504 => 4,
        status if status < 500 => 3,
        _ => 13,
    }
}
