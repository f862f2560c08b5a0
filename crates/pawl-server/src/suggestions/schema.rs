//! How suggestions and runs of mining look in the OpenAPI document.

use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, SchemaType, Type};
use utoipa::openapi::{KnownFormat, SchemaFormat};

use crate::openapi::schemas;

schemas! {
    SuggestionSchema = "Suggestion", "A group of failure patterns that are one and the same failure", [
        "suggestion_id": text(), "type": text(), "status": text(), "severity": text(), "pattern": pattern(),
        "similarity_group": text(), "suggestion_content": ObjectBuilder::new(),
        "version_history": ArrayBuilder::new().items(ObjectBuilder::new()),
        "recurrence_count": whole(), "affected_users": whole(),
        "first_seen_at": time_or_null(), "last_seen_at": time_or_null(), "created_at": time(), "updated_at": time(),
    ];
    MiningRunSchema = "MiningRun", "A run of mining and what came of it", [
        "run_id": text(), "triggered_by": text(), "extracted_by": text(), "embedded_by": text(), "since": time(),
        "started_at": time(), "finished_at": time_or_null(), "picked_up_count": whole(), "pattern_count": whole(),
        "joined_count": whole(), "suggestion_count": whole(), "skipped_count": whole(), "error_count": whole(),
        "cost_usd": ObjectBuilder::new().schema_type(Type::Number),
    ];
}

fn pattern() -> ObjectBuilder {
    ["failure_type", "trigger_condition", "title", "summary"]
        .into_iter()
        .fold(ObjectBuilder::new(), |object, name| {
            object.property(name, text()).required(name)
        })
}

pub(crate) fn whole() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::Integer).minimum(Some(0))
}

pub(crate) fn text() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::String)
}

pub(crate) fn time() -> ObjectBuilder {
    text().format(Some(SchemaFormat::KnownFormat(KnownFormat::DateTime)))
}

pub(crate) fn time_or_null() -> ObjectBuilder {
    time().schema_type(SchemaType::from_iter([Type::String, Type::Null]))
}
