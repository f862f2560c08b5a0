//! Exports of approved drafts: to the tools that people have already, each in a file of its own that needs no Pawl.
//!
//! What a sentence says that needs no judge becomes what the tool has for it, with the same meaning; any other stays a
//! sentence for whatever the tool has for a judge. Nothing that a draft says is read as code, template or path.

mod deepeval;
mod pattern;
mod promptfoo;
mod pytest;
mod yaml;

use pawl_checks::sentence::Sentence;
use pawl_model::{EvalTestDraft, ExportFormat, Json, SuggestedPattern};
use serde_json::Value;

/// A draft that is exported.
#[derive(Clone, Copy, Debug)]
pub struct Exported<'a> {
    /// The suggestion.
    pub suggestion_id: &'a str,
    /// Who approved it, and when.
    pub approval_metadata: Option<&'a Json>,
    /// What happens again and again.
    pub pattern: &'a SuggestedPattern,
    /// Its test.
    pub draft: &'a EvalTestDraft,
}

/// Why drafts cannot be exported.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// One of them cannot be written, as when its year has five digits.
    #[error("the draft of {suggestion_id} cannot be written as JSON")]
    Draft {
        /// The suggestion.
        suggestion_id: String,
        /// Why.
        source: serde_json::Error,
    },
}

/// Writes drafts as a file of a format, in the order that they come in.
///
/// # Errors
/// When one of the drafts cannot be written as JSON.
pub fn export(format: ExportFormat, drafts: &[Exported<'_>]) -> Result<String, ExportError> {
    match format {
        ExportFormat::Promptfoo => Ok(promptfoo::export(drafts)),
        ExportFormat::DeepEval => Ok(deepeval::export(drafts)),
        ExportFormat::Pytest => Ok(pytest::export(drafts)),
        ExportFormat::Jsonl => {
            let documents = documents(drafts)?;
            Ok(documents.iter().map(|document| format!("{document}\n")).collect())
        }
        ExportFormat::Yaml => Ok(yaml::list(&documents(drafts)?)),
    }
}

fn documents(drafts: &[Exported<'_>]) -> Result<Vec<Value>, ExportError> {
    let document = |exported: &Exported<'_>| {
        serde_json::to_value(exported.draft).map_err(|source| ExportError::Draft {
            suggestion_id: exported.suggestion_id.to_owned(),
            source,
        })
    };
    drafts.iter().map(document).collect()
}

/// A sentence of a draft.
struct Line<'a> {
    text: &'a str,
    list: List,
    /// What it says, where it needs no judge. One of those that forbid, and says what must be, does.
    compiled: Option<Sentence>,
}

/// Where a sentence stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum List {
    Required,
    Forbidden,
}

/// How sentences begin that say themselves what must not be.
const NEGATIONS: [&str; 14] = [
    "must not ",
    "must never ",
    "mustn't ",
    "should not ",
    "should never ",
    "shouldn't ",
    "may not ",
    "can not ",
    "cannot ",
    "can't ",
    "never ",
    "do not ",
    "don't ",
    "no ",
];

impl<'a> Line<'a> {
    /// Those of a draft; a blank one says nothing.
    fn all(draft: &'a EvalTestDraft) -> Vec<Self> {
        let lines = |texts: &'a [String], list| {
            let texts = texts.iter().filter(|text| !text.trim().is_empty());
            texts.map(move |text| Self {
                text,
                list,
                compiled: match list {
                    List::Required => Sentence::parse(text),
                    List::Forbidden => Sentence::parse_forbidden(text),
                },
            })
        };
        lines(&draft.assertions.required, List::Required)
            .chain(lines(&draft.assertions.forbidden, List::Forbidden))
            .collect()
    }

    /// Whether what it says is to be so as it says it.
    fn says_it_itself(&self) -> bool {
        let text = self.text.trim_start().to_lowercase().replace('\u{2019}', "'");
        self.list == List::Required || NEGATIONS.iter().any(|negation| text.starts_with(negation))
    }

    /// What a judge is told.
    fn rubric(&self) -> String {
        if self.says_it_itself() {
            self.text.to_owned()
        } else {
            format!("What the next sentence says must not be so. {}", self.text)
        }
    }
}

/// The answer that is right, where there is one.
fn golden(draft: &EvalTestDraft) -> Option<&str> {
    draft.assertions.golden_output.as_ref()?.as_deref()
}

/// What has to be so beforehand, where it is said.
fn required_state(draft: &EvalTestDraft) -> Option<&str> {
    draft.input.required_state.as_ref()?.as_deref()
}

/// A text in double quotes as JSON, YAML, JavaScript and Python read it; what cannot be seen is escaped.
fn quoted(text: &str) -> String {
    let json = Value::from(text).to_string();
    let mut quoted = String::with_capacity(json.len());
    for letter in json.chars() {
        match letter {
            letter if is_unseen(letter) => quoted.push_str(&format!("\\u{:04x}", u32::from(letter))),
            letter => quoted.push(letter),
        }
    }
    quoted
}

/// Whether a character is a control, a line break, a mark of direction, or none at all: YAML refuses some of them, and
/// people do not see them. All of them have four hexadecimal digits.
const fn is_unseen(letter: char) -> bool {
    matches!(letter,
        '\0'..='\u{1f}'
        | '\u{7f}'..='\u{a0}'
        | '\u{ad}'
        | '\u{61c}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202f}'
        | '\u{2060}'..='\u{206f}'
        | '\u{fdd0}'..='\u{fdef}'
        | '\u{feff}'
        | '\u{fff0}'..='\u{ffff}')
}

#[cfg(test)]
mod tests;
