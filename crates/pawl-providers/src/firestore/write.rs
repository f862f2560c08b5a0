//! What is written to one document.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::failure::FirestoreError;
use super::proto::{
    Document, DocumentMask, Kind, MapValue, Precondition, Value as ValueMessage, Write as WriteMessage,
};
use super::{Firestore, value};

/// Bytes that a document may take.
const MAX_SIZE: usize = 1 << 20;

/// Bytes that a document takes beside its name and its fields.
const OVERHEAD: usize = 32;

/// Bytes that a name takes beside its parts.
const NAME_OVERHEAD: usize = 16;

/// One write to one document.
#[derive(Clone, Debug, PartialEq)]
pub struct Write {
    collection: String,
    id: String,
    change: Change,
}

/// The member of a map; where there is no map, one is put there.
fn within<'v>(value: &'v mut Value, member: &str) -> &'v mut Value {
    if !value.is_object() {
        *value = Value::Object(Map::new());
    }
    &mut value[member]
}

#[derive(Clone, Debug, PartialEq)]
enum Change {
    /// There must be none yet.
    Create(Map<String, Value>),
    /// Whatever there was.
    Put(Map<String, Value>),
    /// Values at paths; there must be one.
    Update(Vec<(String, Value)>),
}

impl Write {
    /// A new document. There must be none with this id.
    #[must_use]
    pub fn create(collection: &str, id: &str, fields: Map<String, Value>) -> Self {
        Self::of(collection, id, Change::Create(fields))
    }

    /// A whole document, in place of what there was.
    #[must_use]
    pub fn put(collection: &str, id: &str, fields: Map<String, Value>) -> Self {
        Self::of(collection, id, Change::Put(fields))
    }

    /// A change of the fields at these paths, as `suggestion_content.eval_test`; the others stay as they are. There must
    /// be a document with this id.
    #[must_use]
    pub fn update<'p>(
        collection: &str,
        id: &str,
        changes: impl IntoIterator<Item = (&'p str, Value)>,
    ) -> Self {
        let changes = changes.into_iter().map(|(path, value)| (path.to_owned(), value));
        Self::of(collection, id, Change::Update(changes.collect()))
    }

    fn of(collection: &str, id: &str, change: Change) -> Self {
        Self {
            collection: collection.to_owned(),
            id: id.to_owned(),
            change,
        }
    }

    /// What the document holds once this is written, where it held `found` before.
    #[must_use]
    pub fn applied_to(&self, found: &Map<String, Value>) -> Map<String, Value> {
        let changes = match &self.change {
            Change::Create(fields) | Change::Put(fields) => return fields.clone(),
            Change::Update(changes) => changes,
        };
        let mut fields = found.clone();
        for (path, value) in changes {
            let (first, rest) = match path.split_once('.') {
                None => (path.as_str(), None),
                Some((first, rest)) => (first, Some(rest)),
            };
            let field = fields.entry(first.to_owned()).or_insert(Value::Null);
            let place = rest.into_iter().flat_map(|rest| rest.split('.'));
            *place.fold(field, within) = value.clone();
        }
        fields
    }

    pub(super) fn message(&self, firestore: &Firestore) -> Result<WriteMessage, FirestoreError> {
        let document = firestore.name(&self.collection, &self.id)?;
        let (fields, mask, exists) = match &self.change {
            Change::Create(fields) => (value::fields(fields)?, None, Some(false)),
            Change::Put(fields) => (value::fields(fields)?, None, None),
            Change::Update(changes) => {
                let (fields, mask) = masked(changes)?;
                (fields, Some(mask), Some(true))
            }
        };
        let collection = firestore.collection(&self.collection);
        let name = value::text_size(&collection) + value::text_size(&self.id) + NAME_OVERHEAD;
        let size = name + value::size(&fields) + OVERHEAD;
        if size > MAX_SIZE {
            return Err(FirestoreError::too_large(&self.id, size));
        }
        Ok(WriteMessage {
            update: Some(Document {
                name: document,
                fields,
            }),
            update_mask: mask,
            current_document: exists.map(|exists| Precondition { exists: Some(exists) }),
        })
    }
}

/// Fields that hold the values at their paths and nothing else, and the mask that names these.
fn masked(
    changes: &[(String, Value)],
) -> Result<(BTreeMap<String, ValueMessage>, DocumentMask), FirestoreError> {
    let mut fields = BTreeMap::new();
    let mut field_paths = Vec::new();
    for (path, json) in changes {
        let names: Vec<&str> = path.split('.').collect();
        put(&mut fields, &names, value::value(json, path)?);
        let quoted: Vec<String> = names.into_iter().map(quoted).collect();
        field_paths.push(quoted.join("."));
    }
    Ok((fields, DocumentMask { field_paths }))
}

fn put(fields: &mut BTreeMap<String, ValueMessage>, path: &[&str], value: ValueMessage) {
    let Some((first, rest)) = path.split_first() else {
        return;
    };
    let place = fields.entry((*first).to_owned()).or_default();
    if rest.is_empty() {
        *place = value;
    } else if let Kind::Map(map) = place.kind.get_or_insert_with(|| Kind::Map(MapValue::default())) {
        put(&mut map.fields, rest, value);
    }
}

/// A name as paths have it: in backquotes, unless it is a plain one.
fn quoted(name: &str) -> String {
    let is_plain = name.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_')
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if is_plain {
        name.to_owned()
    } else {
        format!("`{}`", name.replace('\\', "\\\\").replace('`', "\\`"))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_mask_names_what_is_set_and_nothing_else() {
        let changes = [
            ("content.eval_test", json!({"title": "a"})),
            ("content.it's `odd`", json!(1)),
            ("updated_at", json!("2025-12-29T12:00:00Z")),
        ];
        let changes = changes.map(|(path, value)| (path.to_owned(), value));
        let (fields, mask) = masked(&changes).unwrap();
        assert_eq!(
            mask.field_paths,
            ["content.eval_test", "content.`it's \\`odd\\``", "updated_at"]
        );
        assert_eq!(
            Value::from(value::object(fields)),
            json!({
                "content": {"eval_test": {"title": "a"}, "it's `odd`": 1},
                "updated_at": "2025-12-29T12:00:00Z",
            })
        );
    }
}
