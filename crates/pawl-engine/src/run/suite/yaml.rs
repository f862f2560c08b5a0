//! YAML as a tree in which every value knows its line and column.
//!
//! Plain scalars mean what they mean to `js-yaml` (YAML 1.2 core schema, decimal underscores, `<<` merges), since
//! the files are written for it. Two differences: a date stays the text that it is, and what JSON cannot hold (NaN,
//! infinities, NUL) is refused.

mod scalar;

use std::collections::HashMap;

use pawl_model::Json;
use saphyr_parser::{Event, Marker, Parser, ScalarStyle, ScanError, Tag};
use scalar::{scalar, unsupported_tag};
use serde_json::{Map, Value};

/// How much memory the anchors of a file and the copies that its aliases make may take, in bytes.
const MAX_COPIED: usize = 64 << 20;

/// A position: line and column, both from 1.
pub(super) type Mark = (u64, u64);

/// A fault with its position.
pub(super) type Fault = (Mark, String);

/// A value and where it starts.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) mark: Mark,
    pub(super) kind: Kind,
}

#[derive(Clone, Debug)]
pub(super) enum Kind {
    Scalar(Value),
    Sequence(Vec<Node>),
    Mapping(Vec<Entry>),
}

/// A member of a mapping.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) key: String,
    pub(super) key_mark: Mark,
    pub(super) value: Node,
    /// Came in through `<<`; a member of the mapping itself replaces it.
    merged: bool,
}

impl Node {
    pub(super) fn into_value(self) -> Value {
        match self.kind {
            Kind::Scalar(value) => value,
            Kind::Sequence(items) => items.into_iter().map(Self::into_value).collect(),
            Kind::Mapping(entries) => {
                let entries = entries
                    .into_iter()
                    .map(|entry| (entry.key, entry.value.into_value()));
                Value::Object(entries.collect::<Map<_, _>>())
            }
        }
    }

    /// An estimate of the memory that a copy takes.
    fn weight(&self) -> usize {
        size_of::<Self>()
            + match &self.kind {
                Kind::Scalar(Value::String(text)) => text.len(),
                Kind::Scalar(_) => 0,
                Kind::Sequence(items) => items.iter().map(Self::weight).sum(),
                Kind::Mapping(entries) => entries.iter().map(|e| e.key.len() + e.value.weight()).sum(),
            }
    }

    fn depth(&self) -> usize {
        match &self.kind {
            Kind::Scalar(_) => 0,
            Kind::Sequence(items) => 1 + items.iter().map(Self::depth).max().unwrap_or(0),
            Kind::Mapping(entries) => 1 + entries.iter().map(|e| e.value.depth()).max().unwrap_or(0),
        }
    }
}

/// Reads the one document of a text; an empty text is null.
pub(super) fn parse(text: &str) -> Result<Node, Fault> {
    let end = end(text);
    let mut builder = Builder::default();
    let mut parser = Parser::new_from_str(text);
    while let Some(event) = parser.next_event() {
        let (event, span) = event.map_err(|error| scan_fault(&error, end))?;
        builder.event(event, mark(&span.start).min(end))?;
    }
    Ok(builder.root.unwrap_or(Node {
        mark: (1, 1),
        kind: Kind::Scalar(Value::Null),
    }))
}

fn mark(marker: &Marker) -> Mark {
    (marker.line().max(1) as u64, marker.col() as u64 + 1)
}

fn scan_fault(error: &ScanError, end: Mark) -> Fault {
    // The scanner looks ahead, and has a limit of its own.
    let message = match error.info() {
        "recursion limit exceeded" => too_deep(),
        info => format!("invalid YAML: {info}"),
    };
    (mark(error.marker()).min(end), message)
}

/// Where a text ends. The scanner ends on the next line, even where no line break leads there.
fn end(text: &str) -> Mark {
    let count = |line_break| text.matches(line_break).count() as u64;
    let last = text.rfind(['\n', '\r']).map_or(text, |at| &text[at + 1..]);
    (
        count("\n") + count("\r") - count("\r\n") + 1,
        last.chars().count() as u64 + 1,
    )
}

/// A collection that is not closed yet.
struct Open {
    mark: Mark,
    anchor: usize,
    kind: OpenKind,
}

enum OpenKind {
    Sequence(Vec<Node>),
    Mapping {
        entries: Vec<Entry>,
        index: HashMap<String, usize>,
        key: Option<Key>,
    },
}

enum Key {
    Name(String, Mark),
    Merge(Mark),
}

#[derive(Default)]
struct Builder {
    open: Vec<Open>,
    anchors: HashMap<usize, Node>,
    copied: usize,
    root: Option<Node>,
}

impl Builder {
    fn event(&mut self, event: Event<'_>, mark: Mark) -> Result<(), Fault> {
        match event {
            Event::DocumentStart(_) if self.root.is_some() => Err((
                mark,
                "a second YAML document starts here; a suite is one".to_owned(),
            )),
            Event::Scalar(text, style, anchor, tag) => {
                // Only a plain `<<` in the place of a key merges.
                if style == ScalarStyle::Plain && text == "<<" && self.awaits_key() {
                    return self.set_key(Key::Merge(mark));
                }
                let value = scalar(&text, style, tag.as_deref()).map_err(|message| (mark, message))?;
                self.complete(
                    Node {
                        mark,
                        kind: Kind::Scalar(value),
                    },
                    anchor,
                )
            }
            Event::SequenceStart(anchor, tag) => {
                self.begin(mark, anchor, OpenKind::Sequence(Vec::new()), tag.as_deref())
            }
            Event::MappingStart(anchor, tag) => {
                let kind = OpenKind::Mapping {
                    entries: Vec::new(),
                    index: HashMap::new(),
                    key: None,
                };
                self.begin(mark, anchor, kind, tag.as_deref())
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let Some(open) = self.open.pop() else {
                    return Err((mark, "invalid YAML: unbalanced collection".to_owned()));
                };
                let kind = match open.kind {
                    OpenKind::Sequence(items) => Kind::Sequence(items),
                    OpenKind::Mapping { entries, .. } => Kind::Mapping(entries),
                };
                self.complete(
                    Node {
                        mark: open.mark,
                        kind,
                    },
                    open.anchor,
                )
            }
            Event::Alias(anchor) => {
                let Some(node) = self.anchors.get(&anchor) else {
                    return Err((mark, "this alias refers to a value that it is part of".to_owned()));
                };
                charge(&mut self.copied, node, mark)?;
                if self.open.len() + node.depth() > Json::MAX_DEPTH {
                    return Err((mark, too_deep()));
                }
                let node = node.clone();
                self.complete(node, 0)
            }
            _ => Ok(()),
        }
    }

    fn begin(&mut self, mark: Mark, anchor: usize, kind: OpenKind, tag: Option<&Tag>) -> Result<(), Fault> {
        let expected = match kind {
            OpenKind::Sequence(_) => "seq",
            OpenKind::Mapping { .. } => "map",
        };
        if let Some(tag) = tag
            && !(tag.is_yaml_core_schema() && tag.suffix == expected)
        {
            return Err((mark, unsupported_tag(tag)));
        }
        if self.open.len() >= Json::MAX_DEPTH {
            return Err((mark, too_deep()));
        }
        if self.awaits_key() {
            return Err((mark, "a key must be a text, not a list or an object".to_owned()));
        }
        self.open.push(Open { mark, anchor, kind });
        Ok(())
    }

    fn awaits_key(&self) -> bool {
        let innermost = self.open.last().map(|open| &open.kind);
        matches!(innermost, Some(OpenKind::Mapping { key: None, .. }))
    }

    fn set_key(&mut self, new: Key) -> Result<(), Fault> {
        if let Some(Open {
            kind: OpenKind::Mapping { key, .. },
            ..
        }) = self.open.last_mut()
        {
            *key = Some(new);
        }
        Ok(())
    }

    /// Puts a complete value where it belongs: into the innermost open collection, or at the root.
    fn complete(&mut self, node: Node, anchor: usize) -> Result<(), Fault> {
        if anchor > 0 {
            charge(&mut self.copied, &node, node.mark)?;
            self.anchors.insert(anchor, node.clone());
        }
        if self.awaits_key() {
            let mark = node.mark;
            let name = key_text(node)?;
            return self.set_key(Key::Name(name, mark));
        }
        match self.open.last_mut().map(|open| &mut open.kind) {
            None => self.root = Some(node),
            Some(OpenKind::Sequence(items)) => items.push(node),
            Some(OpenKind::Mapping { entries, index, key }) => match key.take() {
                Some(Key::Merge(mark)) => merge(entries, index, node, mark)?,
                Some(Key::Name(key, key_mark)) => {
                    let entry = Entry {
                        key,
                        key_mark,
                        value: node,
                        merged: false,
                    };
                    insert(entries, index, entry)?;
                }
                None => {}
            },
        }
        Ok(())
    }
}

fn charge(copied: &mut usize, node: &Node, mark: Mark) -> Result<(), Fault> {
    *copied += node.weight();
    if *copied > MAX_COPIED {
        let limit = MAX_COPIED >> 20;
        return Err((
            mark,
            format!("the anchors and aliases of this file expand to more than {limit} MiB"),
        ));
    }
    Ok(())
}

fn insert(entries: &mut Vec<Entry>, index: &mut HashMap<String, usize>, entry: Entry) -> Result<(), Fault> {
    match index.get(&entry.key) {
        Some(&at) if entries[at].merged => entries[at] = entry,
        Some(&at) => {
            let first = entries[at].key_mark.0;
            let message = format!("duplicate key `{}`, already given in line {first}", entry.key);
            return Err((entry.key_mark, message));
        }
        None => {
            index.insert(entry.key.clone(), entries.len());
            entries.push(entry);
        }
    }
    Ok(())
}

/// `<<: *base` or `<<: [*a, *b]`: the members of the base that are not there yet; earlier bases win.
fn merge(
    entries: &mut Vec<Entry>,
    index: &mut HashMap<String, usize>,
    base: Node,
    mark: Mark,
) -> Result<(), Fault> {
    match base.kind {
        Kind::Mapping(members) => {
            for member in members {
                if !index.contains_key(&member.key) {
                    index.insert(member.key.clone(), entries.len());
                    entries.push(Entry {
                        merged: true,
                        ..member
                    });
                }
            }
            Ok(())
        }
        Kind::Sequence(bases) if bases.iter().all(|base| matches!(base.kind, Kind::Mapping(_))) => bases
            .into_iter()
            .try_for_each(|base| merge(entries, index, base, mark)),
        _ => Err((mark, "`<<` merges objects only".to_owned())),
    }
}

fn key_text(node: Node) -> Result<String, Fault> {
    match node.kind {
        Kind::Scalar(Value::String(text)) => Ok(text),
        Kind::Scalar(value) => Ok(value.to_string()),
        _ => Err((
            node.mark,
            "a key must be a text, not a list or an object".to_owned(),
        )),
    }
}

fn too_deep() -> String {
    format!("nested deeper than {} levels", Json::MAX_DEPTH)
}

#[cfg(test)]
mod tests;
