//! The text files a suite is made of, and the way back from a value to its line and column.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;

use super::error::{Place, SuiteError};
use super::json;
use super::yaml::{self, Kind, Mark};

/// The largest file that is read as a whole, in bytes.
pub(super) const MAX_FILE: u64 = 64 << 20;

/// One step from a value to a value in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Key(Arc<str>),
    Index(usize),
}

/// What of a member a place is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Key,
    Value,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Syntax {
    Yaml,
    Json,
}

/// A document of YAML or JSON: a file, or one line of a file. Places are worked out from the text when an error
/// needs one, so that values carry nothing.
#[derive(Debug)]
pub(super) struct Document {
    path: Arc<Path>,
    file: Arc<str>,
    text: String,
    syntax: Syntax,
    first_line: u64,
}

impl Document {
    /// Reads a whole file.
    pub(super) fn read(path: &Path) -> Result<Self, SuiteError> {
        let syntax = match extension(path).as_str() {
            "json" => Syntax::Json,
            _ => Syntax::Yaml,
        };
        Ok(Self {
            path: path.into(),
            file: display(path),
            text: read_text(path)?,
            syntax,
            first_line: 1,
        })
    }

    /// A text of YAML that is in no file; errors name it so.
    pub(super) fn inline(name: &str, text: &str) -> Self {
        Self {
            path: Path::new("").into(),
            file: name.into(),
            text: text.to_owned(),
            syntax: Syntax::Yaml,
            first_line: 1,
        }
    }

    /// One line of a JSON Lines file.
    pub(super) fn line(path: &Arc<Path>, file: &Arc<str>, text: String, line: u64) -> Self {
        Self {
            path: Arc::clone(path),
            file: Arc::clone(file),
            text,
            syntax: Syntax::Json,
            first_line: line,
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The document's value.
    pub(super) fn parse(&self) -> Result<Value, SuiteError> {
        let read = match self.syntax {
            Syntax::Yaml => yaml::parse(&self.text).map(yaml::Node::into_value),
            Syntax::Json => json::parse(&self.text),
        };
        read.map_err(|(mark, message)| SuiteError::new(self.at(mark), message))
    }

    /// The place of a part, by the steps that lead to it.
    pub(super) fn place(&self, steps: &[Step], part: Part) -> Place {
        let mark = match self.syntax {
            Syntax::Yaml => yaml_mark(&self.text, steps, part),
            Syntax::Json => mark_of(&self.text, json::locate(&self.text, steps, part)),
        };
        self.at(mark)
    }

    fn at(&self, (line, column): Mark) -> Place {
        Place::text(Arc::clone(&self.file), line + self.first_line - 1, column)
    }

    /// The path of a file that this document refers to.
    pub(super) fn sibling(&self, reference: &str) -> PathBuf {
        sibling(&self.path, reference)
    }
}

/// The path of a file that `referring` refers to; relative references start at its folder.
pub(super) fn sibling(referring: &Path, reference: &str) -> PathBuf {
    let reference = reference.strip_prefix("./").unwrap_or(reference);
    referring.parent().unwrap_or(Path::new("")).join(reference)
}

fn yaml_mark(text: &str, steps: &[Step], part: Part) -> Mark {
    let Ok(mut node) = yaml::parse(text) else {
        return (1, 1);
    };
    let mut mark = node.mark;
    for (position, step) in steps.iter().enumerate() {
        let inner = match (step, node.kind) {
            (Step::Index(index), Kind::Sequence(mut items)) if *index < items.len() => {
                items.swap_remove(*index)
            }
            (Step::Key(key), Kind::Mapping(mut entries)) => {
                let Some(at) = entries.iter().position(|entry| *entry.key == **key) else {
                    break;
                };
                let entry = entries.swap_remove(at);
                if part == Part::Key && position + 1 == steps.len() {
                    return entry.key_mark;
                }
                entry.value
            }
            _ => break,
        };
        mark = inner.mark;
        node = inner;
    }
    mark
}

fn mark_of(text: &str, offset: usize) -> Mark {
    let before = &text[..offset];
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let line = before.matches('\n').count() as u64 + 1;
    (line, before[line_start..].chars().count() as u64 + 1)
}

/// The name under which errors show a file.
pub(super) fn display(path: &Path) -> Arc<str> {
    path.to_string_lossy().into()
}

/// The extension in lower case; empty if there is none.
pub(super) fn extension(path: &Path) -> String {
    path.extension()
        .unwrap_or_default()
        .to_string_lossy()
        .to_lowercase()
}

/// Opens a file to read from. Suites are read twice, so it must be a regular file.
pub(super) fn open(path: &Path) -> Result<File, SuiteError> {
    let fault = |message: &str| SuiteError::new(Place::file(display(path)), message);
    let kind = fs::metadata(path)
        .map_err(|error| unreadable(path, error))?
        .file_type();
    if kind.is_dir() {
        return Err(fault("is a folder, not a file"));
    }
    if !kind.is_file() {
        return Err(fault("is not a regular file, and a suite is read more than once")
            .with_help("write it to a file first"));
    }
    File::open(path).map_err(|error| unreadable(path, error))
}

/// The error for a file that cannot be read.
pub(super) fn unreadable(path: &Path, error: io::Error) -> SuiteError {
    let message = match error.kind() {
        io::ErrorKind::NotFound => "there is no such file",
        io::ErrorKind::PermissionDenied => "the file must not be read by this user",
        _ => "the file cannot be read",
    };
    SuiteError::new(Place::file(display(path)), message).with_source(error)
}

/// Reads a text file without its byte order mark. No part of one with NUL could be stored.
pub(super) fn read_text(path: &Path) -> Result<String, SuiteError> {
    let mut bytes = Vec::new();
    let mut file = open(path)?.take(MAX_FILE + 1);
    file.read_to_end(&mut bytes)
        .map_err(|error| unreadable(path, error))?;
    if bytes.len() as u64 > MAX_FILE {
        let message = format!("the file is larger than {} MiB", MAX_FILE >> 20);
        return Err(SuiteError::new(Place::file(display(path)), message)
            .with_help("cases in JSON Lines or CSV may be of any number"));
    }
    if bytes.starts_with(BYTE_ORDER_MARK) {
        bytes.drain(..BYTE_ORDER_MARK.len());
    }
    let fault = |before: &str, message: String| {
        let (line, column) = mark_of(before, before.len());
        SuiteError::new(Place::text(display(path), line, column), message)
    };
    let text = String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let before = String::from_utf8_lossy(&error.as_bytes()[..valid]);
        fault(&before, invalid_utf8(valid as u64))
    })?;
    match text.split_once('\0') {
        Some((before, _)) => Err(fault(before, HOLDS_NUL.to_owned())),
        None => Ok(text),
    }
}

/// The message for a text with a character that neither database takes.
pub(super) const HOLDS_NUL: &str = "a text holds the NUL character, which cannot be stored";

/// The mark that some editors put before UTF-8 text.
pub(super) const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The message for bytes that are no UTF-8; the offset counts from 0.
pub(super) fn invalid_utf8(offset: u64) -> String {
    format!("invalid UTF-8 at byte {offset}")
}
