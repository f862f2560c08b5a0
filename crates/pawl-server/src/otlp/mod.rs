//! `/v1/traces`: spans over OTLP/HTTP, in protobuf or JSON.
//!
//! Source: OpenTelemetry protocol 1.x, "OTLP/HTTP".

mod answer;
mod encoding;
pub(crate) mod protobuf;
mod schema;
mod sender;

use axum::extract::{Request, State};
use axum::response::Response;
use pawl_engine::trace::otlp;

use crate::AppState;
use crate::intake::body;
use crate::openapi::TracesNotTaken;
use crate::problem::{ErrorCode, Problem};
pub(crate) use answer::{StatusDocument, status};
use answer::{TracesAnswer, accepted};
pub(crate) use encoding::Encoding;
use schema::{ExportRequest, Protobuf};
use sender::Sender;

/// Bytes of a request, uncompressed.
const MAX_BYTES: usize = 16 * 1024 * 1024;

/// Hand in traces, as OpenTelemetry's SDKs and collectors do
///
/// Spans are stored with the trace that they belong to, whenever they arrive. Those with an agent or a model that answers
/// among them make an interaction. What could not be stored is counted in `partialSuccess`; everything else is durable.
#[utoipa::path(
    post, path = "/v1/traces", tag = "intake", operation_id = "export_traces",
    security(("api_key" = ["ingest"])),
    request_body(
        description = "An `ExportTraceServiceRequest`, as it is or with `Content-Encoding: gzip`",
        content((ExportRequest = "application/json"), (Protobuf = "application/x-protobuf")),
    ),
    responses(
        (status = 200, description = "Stored, but for what `partialSuccess` counts; in the encoding of the request",
            content((TracesAnswer = "application/json"), (Protobuf = "application/x-protobuf"))),
        TracesNotTaken,
    ),
)]
pub(crate) async fn export(
    State(state): State<AppState>,
    Sender(user): Sender,
    request: Request,
) -> Result<Response, Problem> {
    let encoding = Encoding::of(request.headers());
    let encoding = encoding.ok_or_else(|| {
        Problem::new(ErrorCode::UnsupportedMediaType)
            .because("the header `Content-Type` must be application/x-protobuf or application/json")
    })?;
    let limit = MAX_BYTES.min(state.settings.body_limit);
    let (parts, body) = request.into_parts();
    let body = body::whole(body::plain(&parts.headers, body)?, limit).await?;
    let export = match encoding {
        Encoding::Protobuf => protobuf::read(&body)
            .map_err(|error| Problem::new(ErrorCode::BadRequest).because(error.to_string()))?,
        Encoding::Json => otlp::read(body::text(&body)?)
            .map_err(|error| Problem::new(ErrorCode::InvalidJson).because(error.to_string()))?,
    };
    let rejected = state.engine.store_traces(user, export).await?;
    Ok(accepted(encoding, rejected))
}
