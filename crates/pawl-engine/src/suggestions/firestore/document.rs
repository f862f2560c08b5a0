//! A suggestion's document, read.

use pawl_model::{
    FailureType, Json, Severity, SourceTrace, SuggestedPattern, Suggestion, SuggestionStatus, SuggestionType,
};
use pawl_providers::firestore::Document;
use serde_json::Value;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// The suggestion in a document; none where nobody can tell what people decided about it. What other programs do not
/// write, or in words of their own, has the value that says least.
pub(super) fn read(document: &Document) -> Option<Suggestion> {
    let field = |name: &str| document.fields.get(name).unwrap_or(&Value::Null);
    let word = |name: &str| field(name).as_str().unwrap_or_default();
    let pattern = pattern(field("pattern"));
    let traces = traces(document);
    let created_at = time(field("created_at")).unwrap_or(OffsetDateTime::UNIX_EPOCH);
    let json = |name: &str| match field(name) {
        Value::Null => None,
        value => Json::from_serialize(value).ok(),
    };
    let added_at = || traces.iter().map(|trace| trace.added_at);
    Some(Suggestion {
        suggestion_id: document.id.clone(),
        suggestion_type: SuggestionType::parse(word("type"))
            .unwrap_or(SuggestionType::for_failure(pattern.failure_type)),
        status: SuggestionStatus::parse(word("status"))?,
        severity: Severity::parse(word("severity")).unwrap_or(Severity::Medium),
        pattern,
        similarity_group: word("similarity_group").to_owned(),
        recurrence_of: field("recurrence_of").as_str().map(str::to_owned),
        suggestion_content: json("suggestion_content").unwrap_or_else(Json::empty_object),
        approval_metadata: json("approval_metadata"),
        version_history: json("version_history").unwrap_or_else(Json::empty_array),
        recurrence_count: traces.len() as u64,
        affected_users: 0,
        first_seen_at: added_at().min(),
        last_seen_at: added_at().max(),
        created_at,
        updated_at: time(field("updated_at")).unwrap_or(created_at),
    })
}

/// The traces behind a suggestion, in the order in which they were added.
pub(super) fn traces(document: &Document) -> Vec<SourceTrace> {
    let traces = document.fields.get("source_traces").and_then(Value::as_array);
    let traces = traces.into_iter().flatten();
    traces
        .filter_map(|trace| serde_json::from_value(trace.clone()).ok())
        .collect()
}

/// Whether nobody has decided yet.
pub(super) fn is_pending(document: &Document) -> bool {
    document.fields.get("status").and_then(Value::as_str) == Some(SuggestionStatus::Pending.as_str())
}

/// When the draft of a suggestion was changed last.
pub(super) fn drafted_at(document: &Document) -> Option<OffsetDateTime> {
    let content = document.fields.get("suggestion_content")?;
    time(&content["eval_test"]["updated_at"])
}

/// Where a list in the order of their making goes on behind a document.
pub(super) fn place(document: &Document) -> Vec<Value> {
    let created_at = document.fields.get("created_at").cloned();
    vec![created_at.unwrap_or_default(), document.id.as_str().into()]
}

/// What happens again and again.
fn pattern(pattern: &Value) -> SuggestedPattern {
    let text = |name: &str| pattern[name].as_str().unwrap_or_default().to_owned();
    SuggestedPattern {
        failure_type: failure_type(&pattern["failure_type"]),
        trigger_condition: text("trigger_condition"),
        title: text("title"),
        summary: text("summary"),
    }
}

pub(super) fn failure_type(word: &Value) -> FailureType {
    let known = word.as_str().and_then(FailureType::parse);
    known.unwrap_or(FailureType::Unknown)
}

pub(super) fn time(text: &Value) -> Option<OffsetDateTime> {
    OffsetDateTime::parse(text.as_str()?, &Rfc3339).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read_from(fields: &Value) -> Option<Suggestion> {
        read(&Document {
            id: "sugg_abc123".to_owned(),
            fields: fields.as_object().unwrap().clone(),
        })
    }

    #[test]
    fn what_others_leave_out_or_say_otherwise_has_the_value_that_says_least() {
        let least = read_from(&json!({"status": "approved"})).unwrap();
        assert_eq!(
            (least.suggestion_type, least.severity, least.pattern.failure_type),
            (SuggestionType::Eval, Severity::Medium, FailureType::Unknown)
        );
        assert_eq!(least.suggestion_content, Json::empty_object());
        assert_eq!(least.version_history, Json::empty_array());
        assert_eq!((least.recurrence_count, least.first_seen_at), (0, None));
        let other = read_from(&json!({
            "status": "pending", "severity": "urgent", "created_at": "2025-12-29T12:00:00Z",
            "pattern": {"failure_type": "runaway_loop"},
            "source_traces": [
                {"trace_id": "a", "pattern_id": "p", "added_at": "2025-12-29T11:00:00Z", "colour": "red"},
                {"trace_id": "b"},
                {"trace_id": "c", "pattern_id": "p", "added_at": "2025-12-29T10:00:00Z", "similarity_score": 0.9},
            ],
        }))
        .unwrap();
        assert_eq!(other.suggestion_type, SuggestionType::Guardrail);
        assert_eq!((other.severity, other.recurrence_count), (Severity::Medium, 2));
        assert_eq!(other.updated_at, other.created_at);
        assert!(other.first_seen_at < other.last_seen_at);
    }

    #[test]
    fn what_people_decided_has_to_be_told() {
        assert_eq!(read_from(&json!({})), None);
        assert_eq!(read_from(&json!({"status": "archived"})), None);
    }
}
