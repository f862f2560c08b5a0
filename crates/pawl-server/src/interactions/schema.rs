//! What `/api/interactions` answers.

use pawl_engine::intake::list::InteractionDetail;
use pawl_model::{Interaction, Json, Unscored};
use serde::Serialize;
use serde_json::Value;
use time::OffsetDateTime;
use utoipa::ToSchema;
use uuid::Uuid;

/// An interaction, and what is known of its trace.
#[derive(Serialize, ToSchema)]
#[schema(as = InteractionWithTrace)]
pub(crate) struct InteractionAnswer {
    /// The interaction.
    #[schema(value_type = InteractionSchema)]
    interaction: Interaction,
    /// Why it has no score, of one that was made from a trace: `sampled_out`, `over_cap` or `no_check`.
    unscored: Option<&'static str>,
    /// What the online checks said: `checks`, each with `name`, `passed` and `message`, and their `summary`.
    #[schema(value_type = Option<Object>)]
    check_results: Option<Json>,
    /// Tokens that went into models.
    input_tokens: Option<i64>,
    /// Tokens that came out.
    output_tokens: Option<i64>,
    /// What the models cost, in US dollars.
    cost_usd: Option<f64>,
    /// The spans behind it: an array of objects.
    #[schema(value_type = Option<Vec<Object>>)]
    spans: Option<Json>,
}

impl From<InteractionDetail> for InteractionAnswer {
    fn from(detail: InteractionDetail) -> Self {
        let trace = detail.trace.as_ref();
        Self {
            unscored: trace.and_then(|trace| trace.unscored).map(Unscored::as_str),
            input_tokens: trace.and_then(|trace| trace.input_tokens),
            output_tokens: trace.and_then(|trace| trace.output_tokens),
            cost_usd: trace.and_then(|trace| trace.cost_usd),
            check_results: trace.and_then(|trace| trace.check_results.clone()),
            spans: detail.trace.map(|trace| trace.spans),
            interaction: detail.interaction,
        }
    }
}

/// An interaction as it is stored.
#[derive(ToSchema)]
#[schema(as = Interaction)]
#[expect(dead_code, reason = "it is there for its shape")]
pub(super) struct InteractionSchema {
    /// The row.
    id: Uuid,
    /// The id that the agent gave it; of a trace, the trace's.
    interaction_id: String,
    /// The tenant.
    user_id: Uuid,
    /// What the agent was asked.
    prompt: String,
    /// What it answered.
    response: String,
    /// How good that was, from 0 to 1; null where it was not scored.
    score: Option<f64>,
    /// How long it took, in milliseconds.
    latency_ms: Option<i32>,
    /// What was noticed.
    flags: Vec<String>,
    /// How many pieces of personal data were masked.
    pii_tokens_redacted: i32,
    /// When it happened.
    created_at: OffsetDateTime,
    /// When it arrived.
    received_at: OffsetDateTime,
    /// For how many interactions it stands.
    sample_weight: f64,
    /// The tools that were called.
    #[schema(value_type = Option<Vec<Object>>)]
    trace: Option<Value>,
    /// How many pieces we masked, by kind.
    #[schema(value_type = Option<Object>)]
    redactions: Option<Value>,
}

/// A document of OTLP in JSON: <https://github.com/open-telemetry/opentelemetry-proto>.
#[derive(ToSchema)]
#[schema(as = TracesData)]
#[serde(rename_all = "camelCase")]
#[expect(dead_code, reason = "it is there for its shape")]
pub(super) struct OtlpDocument {
    /// Spans by the process that sent them, and the library in it.
    #[schema(value_type = Vec<Object>)]
    resource_spans: Vec<Value>,
}
