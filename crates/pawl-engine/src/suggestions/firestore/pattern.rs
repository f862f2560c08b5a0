//! Failure patterns that another program left in Firestore. A document's id is that of its trace.

use pawl_model::{Evidence, FailurePattern, InteractionId, ReproductionContext, Score, Severity};
use pawl_providers::firestore::Document;
use serde::de::DeserializeOwned;
use serde_json::Value;
use time::OffsetDateTime;
use uuid::Uuid;

use super::document::{failure_type, time};

/// What made them: nobody says.
const ELSEWHERE: &str = "elsewhere";

/// The patterns in documents, those that are surest first, then the latest.
pub(super) fn sorted<'a>(documents: impl Iterator<Item = &'a Document>) -> Vec<FailurePattern> {
    let mut patterns: Vec<FailurePattern> = documents.map(read).collect();
    patterns.sort_by(|one, other| {
        let surest_first = other.confidence.as_f64().total_cmp(&one.confidence.as_f64());
        surest_first.then(other.extracted_at.cmp(&one.extracted_at))
    });
    patterns
}

fn read(document: &Document) -> FailurePattern {
    let field = |name: &str| document.fields.get(name).unwrap_or(&Value::Null);
    let text = |name: &str| field(name).as_str().unwrap_or_default().to_owned();
    let pattern_id = match text("pattern_id") {
        none if none.is_empty() => format!("pattern_{}", document.id),
        id => id,
    };
    let extracted_at = time(field("extracted_at")).unwrap_or(OffsetDateTime::UNIX_EPOCH);
    FailurePattern {
        pattern_id,
        source_trace_id: document.id.clone(),
        // It is none of ours.
        evaluation_id: InteractionId(Uuid::nil()),
        title: text("title"),
        failure_type: failure_type(field("failure_type")),
        trigger_condition: text("trigger_condition"),
        summary: text("summary"),
        root_cause_hypothesis: text("root_cause_hypothesis"),
        evidence: part(field("evidence")).unwrap_or(Evidence {
            signals: Vec::new(),
            excerpt: None,
        }),
        recommended_actions: part(field("recommended_actions")).unwrap_or_default(),
        reproduction_context: reproduction(field("reproduction_context")),
        severity: Severity::parse(&text("severity")).unwrap_or(Severity::Medium),
        confidence: Score::parse(&field("confidence").to_string()).unwrap_or(Score::from_percent(0)),
        confidence_rationale: text("confidence_rationale"),
        occurred_at: extracted_at,
        extracted_at,
        extracted_by: ELSEWHERE.to_owned(),
    }
}

fn reproduction(context: &Value) -> ReproductionContext {
    ReproductionContext {
        input_pattern: context["input_pattern"].as_str().unwrap_or_default().to_owned(),
        required_state: context["required_state"].as_str().map(str::to_owned),
        tools_involved: part(&context["tools_involved"]).unwrap_or_default(),
    }
}

fn part<T: DeserializeOwned>(value: &Value) -> Option<T> {
    serde_json::from_value(value.clone()).ok()
}
