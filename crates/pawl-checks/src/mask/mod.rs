//! Masking of personal data and secrets: what is found in a text is replaced by a placeholder such as `[EMAIL]`.
//!
//! One pass of an automaton finds every place where a detector has to look (a digit, an `@`, `sk-`, "Dear"), and what
//! is written there is verified by hand: checksums, lengths, what stands around it, and what the words or the key
//! before it say. `docs/MASKING.md` has the rules.

mod address;
mod anchor;
mod assignment;
mod counts;
mod cue;
mod email;
mod header;
mod json;
mod jwt;
mod kind;
mod label;
mod name;
mod number;
mod pattern;
mod pem;
mod stretch;
#[cfg(test)]
mod tests;
mod vendor;
mod words;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use assignment::Class;
pub use counts::MaskCounts;
pub use kind::Kind;
use label::{Label, Labelled};
use pattern::Patterns;
pub use pattern::{PatternError, TenantPattern};
use stretch::Stretch;

/// How often a text is read again: what a placeholder is put in for may be what kept its neighbour from being found.
const MAX_PASSES: usize = 4;

/// How deep JSON texts may stand in strings of JSON texts.
const MAX_NESTING: usize = 4;

/// Finds and masks personal data and secrets. It is compiled once and shared between threads.
#[derive(Debug)]
pub struct Masker {
    patterns: Patterns,
}

/// A text without personal data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Masked<'t> {
    /// The text with placeholders; the given one where nothing was found.
    pub text: Cow<'t, str>,
    /// How many placeholders were put in, by kind.
    pub counts: MaskCounts,
}

/// A piece of personal data in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding<'m> {
    /// Where it is, in bytes.
    pub range: Range<usize>,
    /// What it is: the name of a [`Kind`], or that of a tenant's pattern.
    pub name: &'m str,
}

impl Masker {
    /// A masker that also masks what patterns of a tenant match. Where they and the built-in detectors find pieces that
    /// overlap, the pattern's is masked.
    ///
    /// # Errors
    /// When a pattern is not a regular expression of linear time, exceeds a limit or has a bad name; the error names
    /// which one and where.
    pub fn new(patterns: &[TenantPattern]) -> Result<Self, PatternError> {
        Patterns::compile(patterns).map(|patterns| Self { patterns })
    }

    /// The masker without patterns of a tenant.
    #[must_use]
    pub fn built_in() -> &'static Self {
        static BUILT_IN: LazyLock<Masker> = LazyLock::new(|| Masker {
            patterns: Patterns::none(),
        });
        &BUILT_IN
    }

    /// Masks a text. A text that is a JSON object or list stays one: its keys and numbers survive, and its strings are
    /// masked with their keys in view. Placeholders in the text stay as they are.
    #[must_use]
    pub fn mask<'t>(&self, text: &'t str) -> Masked<'t> {
        self.replace(text, &self.search(text, Form::Text))
    }

    /// Masks a JSON document; the result is in normal form if the document was. A text that is not JSON is masked as
    /// a text.
    #[must_use]
    pub fn mask_json<'t>(&self, json: &'t str) -> Masked<'t> {
        self.replace(json, &self.search(json, Form::Json))
    }

    /// What [`Masker::mask`] would replace: disjoint, in order, and without placeholders that are in the text already.
    #[must_use]
    pub fn find(&self, text: &str) -> Vec<Finding<'_>> {
        let found = self.search(text, Form::Text);
        found
            .into_iter()
            .map(|Labelled { range, label }| Finding {
                range,
                name: self.name(label),
            })
            .collect()
    }

    fn name(&self, label: Label) -> &str {
        match label {
            Label::Kind(kind) => kind.name(),
            Label::Named(index) => self.patterns.name(index),
        }
    }

    /// Puts in the placeholders, and counts them.
    fn replace<'t>(&self, text: &'t str, found: &[Labelled]) -> Masked<'t> {
        let mut counts = MaskCounts::default();
        for Labelled { label, .. } in found {
            counts.add(*label, self);
        }
        let text = if found.is_empty() {
            Cow::Borrowed(text)
        } else {
            Cow::Owned(self.rendered(text, found))
        };
        Masked { text, counts }
    }

    fn rendered(&self, text: &str, found: &[Labelled]) -> String {
        let mut out = String::with_capacity(text.len());
        let mut from = 0;
        for Labelled { range, label } in found {
            out.push_str(&text[from..range.start]);
            out.push('[');
            out.push_str(self.name(*label));
            out.push(']');
            from = range.end;
        }
        out.push_str(&text[from..]);
        out
    }

    /// What is personal in a text, in its order; searched again with placeholders put in until nothing is found.
    fn search(&self, text: &str, form: Form) -> Vec<Labelled> {
        let mut found = Vec::new();
        self.scan_form(text, form, &mut found);
        for _ in 1..MAX_PASSES {
            if found.is_empty() {
                break;
            }
            let mut more = Vec::new();
            self.scan_form(&self.rendered(text, &found), form, &mut more);
            if more.is_empty() {
                break;
            }
            found = self.merged(found, more);
        }
        found
    }

    /// What was found, and what was found after it with placeholders put in.
    fn merged(&self, found: Vec<Labelled>, more: Vec<Labelled>) -> Vec<Labelled> {
        let mut merged = Vec::with_capacity(found.len() + more.len());
        let mut found = found.into_iter().peekable();
        // Places of the text with placeholders, and of the text without them.
        let (mut masked, mut plain) = (0, 0);
        for later in more {
            while let Some(earlier) =
                found.next_if(|earlier| earlier.range.start - plain + masked < later.range.start)
            {
                masked += earlier.range.start - plain + self.name(earlier.label).len() + "[]".len();
                plain = earlier.range.end;
                merged.push(earlier);
            }
            let Range { start, end } = later.range;
            merged.push(Labelled {
                range: start - masked + plain..end - masked + plain,
                ..later
            });
        }
        merged.extend(found);
        merged
    }

    fn scan_form(&self, text: &str, form: Form, found: &mut Vec<Labelled>) {
        let is_json = match form {
            Form::Text => json::is_document(text),
            Form::Json => json::is_json(text),
        };
        if is_json {
            self.scan_json(text, MAX_NESTING, found);
        } else {
            self.scan_text(text, "", found);
        }
    }

    /// Looks at every string of a JSON text.
    fn scan_json(&self, text: &str, nesting: usize, found: &mut Vec<Labelled>) {
        for string in json::strings(text) {
            let decoded = json::Decoded::new(&text[string.range.clone()]);
            let from = found.len();
            let key = string.key.unwrap_or_default();
            match assignment::class_of_key(key).filter(|class| assignment::is_whole(&decoded.text, *class)) {
                Some(class) => self.take_whole(&decoded.text, class, found),
                None if nesting > 0 && json::is_document(&decoded.text) => {
                    self.scan_json(&decoded.text, nesting - 1, found);
                }
                None => self.scan_text(&decoded.text, key, found),
            }
            for labelled in &mut found[from..] {
                let Range { start, end } = decoded.written(&labelled.range);
                labelled.range = start + string.range.start..end + string.range.start;
            }
        }
    }

    /// Takes a value for a secret or name, apart from the placeholders and the scheme in it.
    fn take_whole(&self, value: &str, class: Class, found: &mut Vec<Labelled>) {
        let mut from = assignment::scheme_length(value, class);
        for placeholder in self.placeholders(value).chain(end_of(value)) {
            let part = &value[from.min(placeholder.start)..placeholder.start];
            if !part.trim().is_empty() {
                let start = placeholder.start - part.len();
                found.push(Labelled::new(
                    start..placeholder.start,
                    assignment::kind(part, class),
                ));
            }
            from = from.max(placeholder.end);
        }
    }

    /// Searches a text between the placeholders that are in it.
    fn scan_text(&self, text: &str, key: &str, found: &mut Vec<Labelled>) {
        let mut from = 0;
        for placeholder in self.placeholders(text).chain(end_of(text)) {
            for own in self.patterns.find(text, from..placeholder.start) {
                anchor::scan(
                    Stretch {
                        text: &text[..own.range.start],
                        floor: from,
                        key,
                    },
                    found,
                );
                from = own.range.end;
                found.push(own);
            }
            anchor::scan(
                Stretch {
                    text: &text[..placeholder.start],
                    floor: from,
                    key,
                },
                found,
            );
            from = placeholder.end;
        }
    }

    fn placeholders<'t>(&'t self, text: &'t str) -> impl Iterator<Item = Range<usize>> + 't {
        label::placeholders(text, |name| {
            Kind::from_name(name).is_some() || self.patterns.gives(name)
        })
    }
}

/// The end of a text, as the last place up to which is read.
fn end_of(text: &str) -> Option<Range<usize>> {
    Some(text.len()..text.len())
}

/// How a text is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// As JSON if it is an object or list, else as it is.
    Text,
    /// As JSON if it is any.
    Json,
}
