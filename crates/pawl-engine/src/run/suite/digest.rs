//! SHA-256 over JSON values, by what they mean: the order of keys and the spelling of numbers do not count.

use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

/// A running digest over a sequence of values. Every part is written with its type and length, so that no two
/// different sequences feed the same bytes.
#[derive(Clone, Default)]
pub(crate) struct ContentDigest(Sha256);

impl ContentDigest {
    pub(crate) fn value(&mut self, value: &Value) {
        match value {
            Value::Null => self.0.update(b"n"),
            Value::Bool(false) => self.0.update(b"f"),
            Value::Bool(true) => self.0.update(b"t"),
            // serde_json prints the shortest text that reads back as the same number.
            Value::Number(number) => self.part(b'd', number.to_string().as_bytes()),
            Value::String(text) => self.text(text),
            Value::Array(items) => {
                self.part(b'a', &(items.len() as u64).to_le_bytes());
                for item in items {
                    self.value(item);
                }
            }
            Value::Object(members) => self.object(members),
        }
    }

    pub(crate) fn object(&mut self, members: &Map<String, Value>) {
        self.part(b'o', &(members.len() as u64).to_le_bytes());
        let mut members: Vec<_> = members.iter().collect();
        members.sort_unstable_by_key(|(key, _)| *key);
        for (key, member) in members {
            self.text(key);
            self.value(member);
        }
    }

    pub(crate) fn text(&mut self, text: &str) {
        self.part(b's', text.as_bytes());
    }

    /// A text that may be absent.
    pub(crate) fn maybe_text(&mut self, text: Option<&str>) {
        match text {
            Some(text) => self.text(text),
            None => self.value(&Value::Null),
        }
    }

    pub(crate) fn count(&mut self, count: usize) {
        self.part(b'c', &(count as u64).to_le_bytes());
    }

    /// A number that may be absent, by its bits.
    pub(crate) fn maybe_number(&mut self, number: Option<f64>) {
        match number {
            Some(number) => self.part(b'd', &number.to_bits().to_le_bytes()),
            None => self.value(&Value::Null),
        }
    }

    fn part(&mut self, kind: u8, bytes: &[u8]) {
        let mut head = [kind; 9];
        head[1..].copy_from_slice(&(bytes.len() as u64).to_le_bytes());
        self.0.update(head);
        self.0.update(bytes);
    }

    pub(crate) fn finish(self) -> [u8; 32] {
        self.0.finalize().into()
    }

    pub(crate) fn finish_hex(self) -> String {
        hex::encode(self.finish())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn digest(values: &[Value]) -> String {
        let mut digest = ContentDigest::default();
        for value in values {
            digest.value(value);
        }
        digest.finish_hex()
    }

    #[test]
    fn meaning_counts_and_boundaries_hold() {
        assert_eq!(
            digest(&[json!({"a": 1, "b": [true]})]),
            digest(&[json!({"b": [true], "a": 1})])
        );
        let different = [
            vec![json!("ab")],
            vec![json!("a"), json!("b")],
            vec![json!(["a", "b"])],
            vec![json!(["ab"])],
            vec![json!({"a": "b"})],
            vec![json!({"a": {"b": null}})],
            vec![json!(1)],
            vec![json!("1")],
            vec![json!(1.5)],
            vec![json!([])],
            vec![json!({})],
            vec![json!(null)],
        ];
        let mut digests: Vec<_> = different.iter().map(|values| digest(values)).collect();
        digests.sort();
        digests.dedup();
        assert_eq!(digests.len(), different.len());
    }
}
