//! JSON as values of Firestore, and back.
//!
//! Times are texts (RFC 3339) in JSON and timestamps in Firestore, to the microsecond. Which texts are times is told by
//! where they stand. Nothing else changes: what Firestore has beyond JSON is read as the nearest that JSON has (bytes in
//! Base64, references as their names, points as objects), and never written.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Number, Value as Json, json};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use super::failure::FirestoreError;
use super::proto::{ArrayValue, Kind, MapValue, Timestamp, Value};

/// Where times stand in documents; lists are passed through.
const TIMES: [&str; 17] = [
    "created_at",
    "updated_at",
    "started_at",
    "finished_at",
    "recorded_at",
    "first_seen_at",
    "last_seen_at",
    "extracted_at",
    "processed_at",
    "source_traces.added_at",
    "approval_metadata.timestamp",
    "version_history.timestamp",
    "version_history.previous_eval_test.generated_at",
    "version_history.previous_eval_test.updated_at",
    "suggestion_content.eval_test.generated_at",
    "suggestion_content.eval_test.updated_at",
    "suggestion_content.eval_test_proof.proven_at",
];

/// The fields of a document.
pub(super) fn fields(document: &Map<String, Json>) -> Result<BTreeMap<String, Value>, FirestoreError> {
    members(document, "")
}

/// The value that stands at a path of a document, as `suggestion_content.eval_test`.
pub(super) fn value(json: &Json, path: &str) -> Result<Value, FirestoreError> {
    let kind = match json {
        Json::Null => Kind::Null(0),
        Json::Bool(value) => Kind::Boolean(*value),
        Json::Number(number) => self::number(number, path)?,
        Json::String(text) => match time_at(text, path) {
            Some(timestamp) => Kind::Timestamp(timestamp),
            None => Kind::Text(text.clone()),
        },
        Json::Array(items) => {
            if items.iter().any(Json::is_array) {
                return Err(FirestoreError::unfit(path, "a list in a list"));
            }
            let values = items.iter().map(|item| value(item, path));
            Kind::Array(ArrayValue {
                values: values.collect::<Result<_, _>>()?,
            })
        }
        Json::Object(object) => Kind::Map(MapValue {
            fields: members(object, path)?,
        }),
    };
    Ok(Value { kind: Some(kind) })
}

fn members(object: &Map<String, Json>, path: &str) -> Result<BTreeMap<String, Value>, FirestoreError> {
    let member = |(name, member): (&String, &Json)| {
        let path = match path {
            "" => name.clone(),
            path => format!("{path}.{name}"),
        };
        Ok((name.clone(), value(member, &path)?))
    };
    object.iter().map(member).collect()
}

fn number(number: &Number, path: &str) -> Result<Kind, FirestoreError> {
    if let Some(integer) = number.as_i64() {
        return Ok(Kind::Integer(integer));
    }
    match number.as_f64().filter(|_| number.is_f64()) {
        Some(double) => Ok(Kind::Double(double)),
        None => Err(FirestoreError::unfit(path, "a whole number of more than 64 bits")),
    }
}

fn time_at(text: &str, path: &str) -> Option<Timestamp> {
    if !TIMES.contains(&path) {
        return None;
    }
    let time = OffsetDateTime::parse(text, &Rfc3339).ok()?;
    Some(Timestamp {
        seconds: time.unix_timestamp(),
        nanos: i32::try_from(time.microsecond()).ok()? * 1_000,
    })
}

/// A document's fields as JSON.
pub(super) fn object(fields: BTreeMap<String, Value>) -> Map<String, Json> {
    fields
        .into_iter()
        .map(|(name, value)| (name, json_of(value)))
        .collect()
}

fn json_of(value: Value) -> Json {
    match value.kind {
        // Kinds that are newer than this are as good as none.
        None | Some(Kind::Null(_)) => Json::Null,
        Some(Kind::Boolean(value)) => value.into(),
        Some(Kind::Integer(value)) => value.into(),
        // No number and infinities are null.
        Some(Kind::Double(value)) => value.into(),
        Some(Kind::Text(text) | Kind::Reference(text)) => text.into(),
        Some(Kind::Bytes(bytes)) => STANDARD.encode(bytes).into(),
        Some(Kind::GeoPoint(point)) => json!({"latitude": point.latitude, "longitude": point.longitude}),
        Some(Kind::Timestamp(timestamp)) => text_of(timestamp).into(),
        Some(Kind::Array(array)) => array.values.into_iter().map(json_of).collect(),
        Some(Kind::Map(map)) => object(map.fields).into(),
    }
}

/// A time in UTC; none where it is none that can be written.
fn text_of(timestamp: Timestamp) -> Option<String> {
    let nanos = i128::from(timestamp.seconds) * 1_000_000_000 + i128::from(timestamp.nanos);
    let time = OffsetDateTime::from_unix_timestamp_nanos(nanos).ok()?;
    time.format(&Rfc3339).ok()
}

/// How many bytes fields take, at least ([storage size](https://firebase.google.com/docs/firestore/storage-size); what maps
/// take beside their fields is left out).
pub(super) fn size(fields: &BTreeMap<String, Value>) -> usize {
    fields
        .iter()
        .map(|(name, value)| text_size(name) + size_of(value))
        .sum()
}

/// How many bytes a name or a text takes.
pub(super) const fn text_size(text: &str) -> usize {
    text.len() + 1
}

fn size_of(value: &Value) -> usize {
    match &value.kind {
        None | Some(Kind::Null(_) | Kind::Boolean(_)) => 1,
        Some(Kind::Integer(_) | Kind::Double(_) | Kind::Timestamp(_)) => 8,
        Some(Kind::GeoPoint(_)) => 16,
        Some(Kind::Text(text) | Kind::Reference(text)) => text_size(text),
        Some(Kind::Bytes(bytes)) => bytes.len(),
        Some(Kind::Array(array)) => array.values.iter().map(size_of).sum(),
        Some(Kind::Map(map)) => size(&map.fields),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(json: &Json, path: &str) -> Kind {
        value(json, path).unwrap().kind.unwrap()
    }

    fn back(json: &Json) -> Json {
        object(fields(json.as_object().unwrap()).unwrap()).into()
    }

    #[test]
    fn documents_come_back_as_they_were() {
        let document = json!({
            "status": "pending",
            "golden_output": null,
            "recurrence_count": 3,
            "confidence": 0.25,
            "whole": 1.0,
            "least": i64::MIN,
            "is_new": false,
            "embedding": [0.5, -1e-7],
            "updated_at": "2025-12-29T12:00:00Z",
            "source_traces": [{"trace_id": "t", "added_at": "2025-12-29T12:00:00.000125Z"}],
            "suggestion_content": {"eval_test": {"generated_at": "2025-12-29T12:00:00.5Z", "required": [], "input": {}}},
        });
        assert_eq!(back(&document), document);
    }

    #[test]
    fn times_are_told_by_their_places() {
        let noon = json!("2025-12-29T13:00:00.123456789+01:00");
        let timestamp = Kind::Timestamp(Timestamp {
            seconds: 1_767_009_600,
            nanos: 123_456_000,
        });
        for path in TIMES {
            assert_eq!(kind(&noon, path), timestamp, "{path}");
        }
        for path in ["title", "suggestion_content.created_at", "input.prompt"] {
            assert!(matches!(kind(&noon, path), Kind::Text(_)), "{path}");
        }
        assert_eq!(
            kind(&json!("tomorrow"), "created_at"),
            Kind::Text("tomorrow".to_owned())
        );
        let history = json!({"version_history": [{"timestamp": "2025-12-29T13:00:00+01:00"}]});
        assert_eq!(
            back(&history)["version_history"][0]["timestamp"],
            "2025-12-29T12:00:00Z"
        );
    }

    #[test]
    fn what_firestore_does_not_take_is_named() {
        let nested = json!({"a": {"list": [1, [2]]}});
        let error = fields(nested.as_object().unwrap()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "Firestore cannot hold a list in a list (at a.list)"
        );
        let large = json!({"count": u64::MAX});
        let error = fields(large.as_object().unwrap()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "Firestore cannot hold a whole number of more than 64 bits (at count)"
        );
    }

    #[test]
    fn what_json_does_not_have_is_read_as_the_nearest() {
        let read = |kind| json_of(Value { kind: Some(kind) });
        assert_eq!(read(Kind::Double(f64::NAN)), Json::Null);
        assert_eq!(read(Kind::Bytes(vec![0, 255])), "AP8=");
        assert_eq!(read(Kind::Reference("projects/p".to_owned())), "projects/p");
        let far = Timestamp {
            seconds: i64::MAX,
            nanos: 0,
        };
        assert_eq!(read(Kind::Timestamp(far)), Json::Null);
        assert_eq!(json_of(Value::default()), Json::Null);
    }

    /// The example of Google's documentation: 71 bytes.
    #[test]
    fn sizes_are_those_of_the_documentation() {
        let document =
            json!({"type": "Personal", "done": false, "priority": 1, "description": "Learn Cloud Firestore"});
        assert_eq!(size(&fields(document.as_object().unwrap()).unwrap()), 71);
    }
}
