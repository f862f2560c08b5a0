//! `is-xml`: well-formed XML 1.0 documents.

use quick_xml::Reader;
use quick_xml::escape::{resolve_predefined_entity, unescape};
use quick_xml::events::{BytesStart, Event};
use serde_json::Value;

use crate::Subject;
use crate::excerpt::{cut, quote};
use crate::rule::{Finding, Rule};
use crate::spec::{AssertSpec, PathStep, SpecError, form};

/// A document, and elements that it must have, each as the dot-separated path from the root.
#[derive(Debug)]
pub(crate) struct IsXml {
    required: Vec<String>,
}

impl IsXml {
    pub(crate) fn compile(spec: &AssertSpec) -> Result<Self, SpecError> {
        let members = match &spec.value {
            None | Some(Value::Null) => return Ok(Self { required: Vec::new() }),
            Some(Value::Object(members)) => members,
            Some(other) => {
                let message = format!("must be an object with `requiredElements`, not {}", form(other));
                return Err(SpecError::at("value", message));
            }
        };
        let under_value = |error: SpecError| error.under(PathStep::Key("value".to_owned()));
        if let Some(key) = members.keys().find(|key| *key != "requiredElements") {
            return Err(under_value(SpecError::at(
                key,
                format!("unknown key `{key}`; only `requiredElements`"),
            )));
        }
        let Some(Value::Array(elements)) = members.get("requiredElements") else {
            let message = "must be a list of paths like `root.child`";
            return Err(under_value(SpecError::at("requiredElements", message)));
        };
        let read_path = |(index, element): (usize, &Value)| match element {
            Value::String(path) if !path.is_empty() => Ok(path.clone()),
            other => {
                let error = SpecError::new(format!("must be a path like `root.child`, not {}", form(other)));
                let error = error.under(PathStep::Index(index));
                Err(under_value(
                    error.under(PathStep::Key("requiredElements".to_owned())),
                ))
            }
        };
        let required = elements
            .iter()
            .enumerate()
            .map(read_path)
            .collect::<Result<_, _>>()?;
        Ok(Self { required })
    }
}

impl Rule for IsXml {
    fn judge(&self, subject: &Subject<'_>) -> Finding {
        let mut document = Document::new(&self.required);
        match document.read(subject.text()) {
            Err(reason) => Finding::Misses(format!("is not XML: {reason}: {}", quote(subject.text(), 60))),
            Ok(()) => match document.missing.first() {
                None => Finding::Holds,
                Some(path) => Finding::Misses(format!("has no element {}", quote(path, 100))),
            },
        }
    }

    fn claim(&self) -> String {
        "is XML".to_owned()
    }
}

/// How far a document is read.
struct Document<'a> {
    /// The open elements, joined by dots.
    path: String,
    /// How long `path` was before each of them.
    lengths: Vec<usize>,
    has_root: bool,
    has_doctype: bool,
    /// Required elements that were not seen yet.
    missing: Vec<&'a str>,
}

impl<'a> Document<'a> {
    fn new(required: &'a [String]) -> Self {
        Self {
            path: String::new(),
            lengths: Vec::new(),
            has_root: false,
            has_doctype: false,
            missing: required.iter().map(String::as_str).collect(),
        }
    }

    fn read(&mut self, text: &str) -> Result<(), String> {
        if text.contains(is_forbidden) {
            return Err("a control character".to_owned());
        }
        let mut reader = Reader::from_str(text);
        reader.config_mut().check_comments = true;
        let mut is_first = true;
        loop {
            match reader
                .read_event()
                .map_err(|error| cut(&error.to_string(), 100))?
            {
                Event::Eof if !self.lengths.is_empty() => {
                    return Err(format!("<{}> is not closed", cut(&self.path, 60)));
                }
                Event::Eof if !self.has_root => return Err("no element".to_owned()),
                Event::Eof => return Ok(()),
                Event::Start(tag) => self.open(&tag)?,
                Event::Empty(tag) => {
                    self.open(&tag)?;
                    self.close();
                }
                Event::End(_) => self.close(),
                Event::Text(text) => self.text(&text)?,
                Event::CData(_) if self.lengths.is_empty() => {
                    return Err("text outside of the root element".to_owned());
                }
                Event::GeneralRef(reference) => {
                    let is_known = match reference.resolve_char_ref().map_err(|error| error.to_string())? {
                        Some(c) => !is_forbidden(c),
                        None => resolve_predefined_entity(&reference).is_some(),
                    };
                    if !is_known || self.lengths.is_empty() {
                        return Err(format!("the entity {}", quote(&format!("&{};", &*reference), 40)));
                    }
                }
                Event::Decl(_) if !is_first => {
                    return Err("an XML declaration that is not at the start".to_owned());
                }
                Event::Decl(declaration) => drop(declaration.version().map_err(|error| error.to_string())?),
                Event::DocType(_) if self.has_root || self.has_doctype => {
                    return Err("a document type after its place".to_owned());
                }
                // What an internal subset declares is not read, so that nothing can be said about its entities.
                Event::DocType(doctype) if doctype.contains('[') => {
                    return Err("a document type with an internal subset is not supported".to_owned());
                }
                Event::DocType(_) => self.has_doctype = true,
                Event::CData(_) | Event::Comment(_) | Event::PI(_) => {}
            }
            is_first = false;
        }
    }

    fn open(&mut self, tag: &BytesStart<'_>) -> Result<(), String> {
        let name = tag.name();
        let name = name.as_ref();
        if self.lengths.is_empty() && self.has_root {
            return Err("more than one root element".to_owned());
        }
        if !is_name(name) {
            return Err(format!("{} is no name", quote(name, 40)));
        }
        for attribute in tag.attributes() {
            let attribute = attribute.map_err(|error| format!("in <{name}>: {error}"))?;
            if !is_name(attribute.key.as_ref()) || attribute.value.contains('<') {
                return Err(format!("an attribute of <{}>", cut(name, 40)));
            }
            unescape(&attribute.value).map_err(|error| format!("in <{}>: {error}", cut(name, 40)))?;
        }
        self.lengths.push(self.path.len());
        if !self.path.is_empty() {
            self.path.push('.');
        }
        self.path.push_str(name);
        self.has_root = true;
        let path = &self.path;
        self.missing.retain(|required| required != path);
        Ok(())
    }

    fn close(&mut self) {
        self.path.truncate(self.lengths.pop().unwrap_or_default());
    }

    fn text(&self, text: &str) -> Result<(), String> {
        if text.contains("]]>") {
            return Err("`]]>` in a text".to_owned());
        }
        if self.lengths.is_empty() && !text.trim_matches([' ', '\t', '\r', '\n']).is_empty() {
            return Err("text outside of the root element".to_owned());
        }
        Ok(())
    }
}

/// Characters outside of XML's `Char` (XML 1.0, production 2).
const fn is_forbidden(c: char) -> bool {
    matches!(c, '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}')
}

/// XML 1.0, productions 4, 4a and 5.
fn is_name(name: &str) -> bool {
    let is_start = |c: char| {
        matches!(c, ':' | '_' | 'A'..='Z' | 'a'..='z' | '\u{c0}'..='\u{d6}' | '\u{d8}'..='\u{f6}'
            | '\u{f8}'..='\u{2ff}' | '\u{370}'..='\u{37d}' | '\u{37f}'..='\u{1fff}' | '\u{200c}'..='\u{200d}'
            | '\u{2070}'..='\u{218f}' | '\u{2c00}'..='\u{2fef}' | '\u{3001}'..='\u{d7ff}'
            | '\u{f900}'..='\u{fdcf}' | '\u{fdf0}'..='\u{fffd}' | '\u{10000}'..='\u{effff}')
    };
    let is_other = |c: char| matches!(c, '-' | '.' | '0'..='9' | '\u{b7}' | '\u{300}'..='\u{36f}' | '\u{203f}'..='\u{2040}');
    name.starts_with(is_start) && name.chars().all(|c| is_start(c) || is_other(c))
}
