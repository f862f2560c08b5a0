//! How exports look in the OpenAPI document. They are read by `pawl_engine::trace::otlp` and `super::protobuf`.

use serde_json::Value;
use utoipa::ToSchema;

/// An `ExportTraceServiceRequest` in protobuf's JSON, with hexadecimal ids:
/// <https://github.com/open-telemetry/opentelemetry-proto>.
#[derive(ToSchema)]
#[schema(as = ExportTraceServiceRequest)]
#[serde(rename_all = "camelCase")]
#[expect(dead_code, reason = "it is there for its shape")]
pub(super) struct ExportRequest {
    /// Spans by the process that sent them, and the library in it.
    #[schema(value_type = Vec<Object>, required = false)]
    resource_spans: Vec<Value>,
}

/// The same message in protobuf's binary form.
#[derive(ToSchema)]
#[schema(as = ExportTraceService, value_type = String, format = Binary)]
#[expect(dead_code, reason = "it is there for its shape")]
pub(super) struct Protobuf(Vec<u8>);
