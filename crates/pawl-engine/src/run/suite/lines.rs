//! Cases from a JSON Lines file, one per line.

use std::fs::File;
use std::io::{BufRead, BufReader, Read as _};
use std::path::Path;
use std::sync::Arc;

use pawl_model::Json;
use serde_json::{Map, Value};

use super::case_spec::{self, CaseSpec, Content, Defaults, read_asserts, read_expected, read_id};
use super::check_list::OwnChecks;
use super::cursor::Cursor;
use super::document::{self, BYTE_ORDER_MARK, Document, display, invalid_utf8, unreadable};
use super::error::{Place, SuiteError};
use super::keys;
use super::table::MAX_RECORD;

/// How deep a row of data may be nested: it is stored as a member of an object.
const MAX_DATA_DEPTH: usize = Json::MAX_DEPTH - 1;

/// The cases of a file. Empty lines count as lines, but are no cases.
pub(super) struct LineCases {
    input: BufReader<File>,
    path: Arc<Path>,
    file: Arc<str>,
    defaults: Arc<Defaults>,
    line: u64,
    offset: u64,
}

impl LineCases {
    pub(super) fn open(path: &Arc<Path>, defaults: &Arc<Defaults>) -> Result<Self, SuiteError> {
        Ok(Self {
            input: BufReader::with_capacity(1 << 16, document::open(path)?),
            path: Arc::clone(path),
            file: display(path),
            defaults: Arc::clone(defaults),
            line: 0,
            offset: 0,
        })
    }

    /// The next line that is not empty.
    fn next_line(&mut self) -> Result<Option<Document>, SuiteError> {
        loop {
            let mut bytes = Vec::new();
            let mut limited = (&mut self.input).take(MAX_RECORD as u64 + 1);
            limited
                .read_until(b'\n', &mut bytes)
                .map_err(|error| unreadable(&self.path, error))?;
            if bytes.is_empty() {
                return Ok(None);
            }
            self.line += 1;
            if bytes.len() > MAX_RECORD {
                let message = format!("the line is longer than {} MiB", MAX_RECORD >> 20);
                return Err(SuiteError::new(self.place(1), message));
            }
            let start = self.offset;
            self.offset += bytes.len() as u64;
            if self.line == 1 && bytes.starts_with(BYTE_ORDER_MARK) {
                bytes.drain(..BYTE_ORDER_MARK.len());
            }
            while bytes.last().is_some_and(u8::is_ascii_whitespace) {
                bytes.pop();
            }
            if bytes.is_empty() {
                continue;
            }
            let text = String::from_utf8(bytes).map_err(|error| {
                let valid = error.utf8_error().valid_up_to();
                let column = String::from_utf8_lossy(&error.as_bytes()[..valid])
                    .chars()
                    .count() as u64
                    + 1;
                SuiteError::new(self.place(column), invalid_utf8(start + valid as u64))
            })?;
            return Ok(Some(Document::line(&self.path, &self.file, text, self.line)));
        }
    }

    fn place(&self, column: u64) -> Place {
        Place::text(Arc::clone(&self.file), self.line, column)
    }

    fn case(&self, line: Document) -> Result<CaseSpec, SuiteError> {
        let document = Arc::new(line);
        let value = document.parse()?;
        let row = Cursor::root(&document, &value);
        let members = row
            .value
            .as_object()
            .ok_or_else(|| row.error("a case is a JSON object"))?;
        // An object under `vars` makes a test case of the row; any other row is data.
        if members.get("vars").is_some_and(Value::is_object) {
            return case_spec::read_test(&row, &keys::ROW, &self.defaults);
        }
        if depth(row.value) > MAX_DATA_DEPTH {
            return Err(row.error(format!(
                "a row of data is nested deeper than {MAX_DATA_DEPTH} levels"
            )));
        }
        let id = row.get("id").map(|id| read_id(&id)).transpose()?;
        let checks = OwnChecks {
            asserts: read_asserts(&row)?,
            expected: row.get("expected").map(|expected| read_expected(&expected)),
            ..OwnChecks::default()
        };
        let spot = row.spot();
        Ok(CaseSpec {
            spot,
            id,
            content: Content::Vars {
                vars: self.defaults.with_vars(data(value)),
                input: None,
                description: None,
                metadata: self.defaults.metadata().clone(),
            },
            checks,
            affixes: self.defaults.affixes(None, None),
            expands: false,
        })
    }
}

/// How deep arrays and objects are nested in a value.
fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or_default(),
        Value::Object(members) => 1 + members.values().map(depth).max().unwrap_or_default(),
        _ => 0,
    }
}

/// The variables of a row of data: all of it but its checks.
fn data(row: Value) -> Map<String, Value> {
    let Value::Object(mut members) = row else {
        return Map::new();
    };
    members.shift_remove("assert");
    members
}

impl Iterator for LineCases {
    type Item = Result<CaseSpec, SuiteError>;

    fn next(&mut self) -> Option<Self::Item> {
        let line = self.next_line().transpose()?;
        Some(line.and_then(|line| self.case(line)))
    }
}
