//! How optimisations look in the OpenAPI document.

use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, SchemaType, Type};

use crate::openapi::schemas;
use crate::suggestions::schema::{text, time, time_or_null, whole};

schemas! {
    OptimizationSchema = "Optimization", "An optimisation of a prompt", [
        "id": text(), "signature_name": text(), "status": text(), "config": ObjectBuilder::new(),
        "best_score": number_or_null(), "best_candidate_id": text_or_null(), "iterations": whole(),
        "dimension_weights": ObjectBuilder::new(), "finish": text_or_null(), "error": text_or_null(),
        "elapsed_ms": whole(), "created_at": time(), "completed_at": time_or_null(),
    ];
    QuoteSchema = "Quote", "What an optimisation may take at most, and what it may try for that", [
        "train": whole(), "validation": whole(), "hold_out": whole(), "proposals_at_least": whole_or_null(),
        "proposals_at_most": whole_or_null(), "metric_calls": whole_or_null(), "reflections": whole_or_null(),
        "tokens": whole_or_null(), "cost_usd": number_or_null(), "of_a_proposal": ArrayBuilder::new().items(whole()),
    ];
    ProgressSchema = "OptimizationProgress", "How far an optimisation is", [
        "steps": whole(), "best_score": number_or_null(), "best_candidate_id": text_or_null(), "spent": spend(),
        "lost": spend(), "limits": ObjectBuilder::new(), "points": ArrayBuilder::new().items(ObjectBuilder::new()),
    ];
    CandidateSchema = "PromptCandidate", "A version of a prompt inside an optimisation", [
        "id": text(), "run_id": text(), "instructions": text(), "components": ArrayBuilder::new().items(component()),
        "digest": text(), "status": text(), "parents": ArrayBuilder::new().items(text()),
        "edited": ArrayBuilder::new().items(text()), "reason": text_or_null(), "step": whole(), "generation": whole(),
        "coverage": whole(), "avg_score": number_or_null(), "dimension_scores": ObjectBuilder::new(),
        "created_at": time(),
    ];
    PromptVersionSchema = "PromptVersion", "A version of a prompt", [
        "name": text(), "version": whole(), "components": ArrayBuilder::new().items(component()),
        "candidate_id": text_or_null(), "created_at": time(),
    ];
    VerdictSchema = "PromotionVerdict", "What was decided about a prompt, and what was found", [
        "id": text(), "name": text(), "kind": text(), "from_version": whole_or_null(), "to_version": whole_or_null(),
        "candidate_id": text_or_null(), "decided_by": text(), "reason": text(), "findings": ObjectBuilder::new(),
        "created_at": time(),
    ];
    PromotionUnderWaySchema = "PromotionUnderWay", "A promotion that waits for a worker, is being made, or was given up", [
        "verdict_id": text(), "candidate_id": text(), "by": text(), "state": text(),
    ];
}

fn component() -> ObjectBuilder {
    let object = ObjectBuilder::new()
        .property("name", text())
        .property("text", text());
    object.required("name").required("text")
}

fn spend() -> ObjectBuilder {
    let cost = ObjectBuilder::new()
        .property("tokens", whole())
        .property("usd_nanos", whole());
    ObjectBuilder::new()
        .property("metric_calls", whole())
        .property("reflections", whole())
        .property("cost", cost)
}

fn text_or_null() -> ObjectBuilder {
    text().schema_type(SchemaType::from_iter([Type::String, Type::Null]))
}

fn whole_or_null() -> ObjectBuilder {
    whole().schema_type(SchemaType::from_iter([Type::Integer, Type::Null]))
}

fn number_or_null() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(SchemaType::from_iter([Type::Number, Type::Null]))
}
