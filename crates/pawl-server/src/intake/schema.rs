//! How what is handed in looks in the OpenAPI document. It is read by `pawl_engine::intake::received`.

use serde_json::Value;
use time::OffsetDateTime;
use utoipa::ToSchema;
use uuid::Uuid;

/// What is handed in.
#[derive(ToSchema)]
#[schema(as = InteractionOrMany)]
#[serde(untagged)]
#[expect(dead_code, reason = "it is there for its shape")]
pub(crate) enum Interactions {
    /// One interaction.
    One(Interaction),
    /// Up to 10,000 of them.
    Many(Vec<Interaction>),
}

/// What an agent did.
#[derive(ToSchema)]
#[schema(as = NewInteraction)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "it is there for its shape")]
pub(crate) struct Interaction {
    /// The tenant.
    user_id: Uuid,
    /// The agent's own id of it, unique for the tenant.
    #[schema(min_length = 1, max_length = 255)]
    interaction_id: String,
    /// What the agent was asked.
    prompt: String,
    /// What it answered.
    response: String,
    /// How good that was; null where it was not scored.
    #[schema(minimum = 0, maximum = 1)]
    score: Option<f64>,
    /// How long it took.
    #[schema(minimum = 0)]
    latency_ms: Option<i32>,
    /// What was noticed.
    #[schema(max_items = 100, required = false)]
    flags: Vec<String>,
    /// How many pieces of personal data the sender has masked.
    #[schema(minimum = 0, required = false)]
    pii_tokens_redacted: i32,
    /// When it happened, from 1970 on; null for now.
    created_at: Option<OffsetDateTime>,
    /// For how many interactions it stands in a sample that the sender drew; null for one.
    #[schema(exclusive_minimum = 0, maximum = 1_000_000)]
    sample_weight: Option<f64>,
    /// The tools that were called: `{name, arguments, result, error}` each.
    #[schema(max_items = 1_000, value_type = Option<Vec<Object>>)]
    tool_calls: Option<Vec<Value>>,
    /// The spans behind it.
    #[schema(max_items = 1_000, value_type = Option<Vec<Object>>)]
    spans: Option<Vec<Value>>,
}
