//! The history of a suggestion: what became of it, by whom, and every text that stood there before.

use pawl_model::{Json, Suggestion, SuggestionStatus};
use serde_json::{Value, json};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::EngineError;

/// Bytes of a history: with the draft and its proof it stays below a mebibyte, which is the most that a document may
/// have in stores that we write to.
const MAX_BYTES: usize = 640 * 1024;

/// Something that became of a suggestion.
pub(crate) struct Entry<'a> {
    pub(crate) new_status: SuggestionStatus,
    pub(crate) actor: &'a str,
    pub(crate) at: OffsetDateTime,
    pub(crate) notes: Option<&'a str>,
    /// The draft that stood there before, where it is another one now.
    pub(crate) previous_draft: Option<&'a Value>,
}

/// The history with an entry more; none where there is no room for it.
pub(crate) fn with(suggestion: &Suggestion, entry: &Entry<'_>) -> Result<Option<Json>, EngineError> {
    let mut history = match suggestion.version_history.to_value() {
        Value::Array(history) => history,
        // It was not written by us; it stays, as the first entry.
        other => vec![other],
    };
    let mut added = json!({
        "previous_status": suggestion.status,
        "new_status": entry.new_status,
        "actor": entry.actor,
        "timestamp": entry.at.format(&Rfc3339).unwrap_or_default(),
        "notes": entry.notes,
    });
    if let Some(previous) = entry.previous_draft {
        added["previous_eval_test"] = previous.clone();
    }
    history.push(added);
    let history = Json::from_serialize(&history).map_err(EngineError::TraceData)?;
    Ok((history.as_str().len() <= MAX_BYTES).then_some(history))
}
