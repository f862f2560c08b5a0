//! Sentences of a rubric that need no judge: those of a few forms say something that can be looked up.
//!
//! | form | holds when |
//! |---|---|
//! | Must \[not\] call TOOL \[before TOOL\] | the tool is called; the first call of one comes before the first of the other |
//! | Must \[not\] contain "TEXT" | the output has the text, whatever its case |
//! | Must \[not\] match /RE/ | the output has a match; `/RE/i` whatever its case |
//! | Must be valid JSON \[with KEY\] | the output is JSON, an object that has the key |
//! | Must have at most N characters, words or calls | there are no more |
//! | Must \[not\] refuse | the output says that it will not |
//!
//! Words of the forms are read whatever their case, and a full stop at the end is none of them. Any other sentence needs a
//! judge.

mod parse;
mod refusal;

use pawl_model::ToolCall;
use regex::Regex;
use serde_json::Value;
use unicode_segmentation::UnicodeSegmentation as _;

use refusal::is_refusal;

/// A sentence that needs no judge.
#[derive(Clone, Debug)]
pub struct Sentence {
    form: Form,
    /// Whether it says that something must be, or must not.
    wanted: bool,
}

#[derive(Clone, Debug)]
enum Form {
    Calls { tool: String, before: Option<String> },
    Contains(String),
    Matches(Regex),
    ValidJson { key: Option<String> },
    AtMost { most: usize, unit: Unit },
    Refuses,
}

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    Characters,
    Words,
    Calls,
}

/// What a sentence is about.
#[derive(Clone, Copy, Debug)]
pub struct Answer<'a> {
    /// A text, or JSON.
    pub output: &'a Value,
    /// The tools that were called, in their order; none where nobody says.
    pub tool_calls: Option<&'a [ToolCall]>,
}

/// Whether a sentence holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It does.
    Holds,
    /// It does not, and why.
    Fails(String),
    /// Nobody can tell, and why.
    Unknown(String),
}

impl Sentence {
    /// Reads a sentence; none where it has none of the forms.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        parse::sentence(text)
    }

    /// Whether it says that something must not be.
    #[must_use]
    pub const fn forbids(&self) -> bool {
        !self.wanted
    }

    /// Judges an answer.
    #[must_use]
    pub fn judge(&self, answer: &Answer<'_>) -> Verdict {
        let text = || match answer.output {
            Value::String(text) => text.clone(),
            json => json.to_string(),
        };
        let is_so = match &self.form {
            Form::Contains(wanted) => text().to_lowercase().contains(&wanted.to_lowercase()),
            Form::Matches(pattern) => pattern.is_match(&text()),
            Form::Refuses => is_refusal(&text()),
            Form::ValidJson { key } => return valid_json(answer.output, key.as_deref()),
            Form::AtMost { most, unit } => return self.at_most(*most, *unit, &text(), answer.tool_calls),
            Form::Calls { tool, before } => {
                let Some(calls) = answer.tool_calls else {
                    return no_calls();
                };
                let first = |name: &str| calls.iter().position(|call| call.name.eq_ignore_ascii_case(name));
                match (first(tool), before.as_deref().map(first)) {
                    (called, None) => called.is_some(),
                    (Some(called), Some(Some(other))) => called < other,
                    // Where the other one is not called nothing comes too late for it.
                    (_, Some(None)) => return Verdict::Holds,
                    (None, Some(Some(_))) => false,
                }
            }
        };
        if is_so == self.wanted {
            Verdict::Holds
        } else {
            Verdict::Fails(self.reason())
        }
    }

    fn at_most(&self, most: usize, unit: Unit, text: &str, calls: Option<&[ToolCall]>) -> Verdict {
        let (count, name) = match (unit, calls) {
            (Unit::Characters, _) => (text.graphemes(true).count(), "characters"),
            (Unit::Words, _) => (text.unicode_words().count(), "words"),
            (Unit::Calls, Some(calls)) => (calls.len(), "calls"),
            (Unit::Calls, None) => return no_calls(),
        };
        if count <= most {
            Verdict::Holds
        } else {
            Verdict::Fails(format!("has {count} {name}, at most {most}"))
        }
    }

    fn reason(&self) -> String {
        let not = if self.wanted { "not " } else { "" };
        match &self.form {
            Form::Calls { tool, before: None } => format!("{tool} is {not}called"),
            Form::Calls {
                tool,
                before: Some(other),
            } => format!("{tool} is {not}called before {other}"),
            Form::Contains(text) => format!("does {not}contain \"{text}\""),
            Form::Matches(pattern) => format!("does {not}match /{pattern}/"),
            Form::Refuses => format!("does {not}refuse"),
            Form::ValidJson { .. } | Form::AtMost { .. } => "is not so".to_owned(),
        }
    }
}

fn no_calls() -> Verdict {
    Verdict::Unknown("nothing says which tools were called".to_owned())
}

fn valid_json(output: &Value, key: Option<&str>) -> Verdict {
    let parsed;
    let json = match output {
        Value::String(text) => match serde_json::from_str(text) {
            Ok(json) => {
                parsed = json;
                &parsed
            }
            Err(error) => return Verdict::Fails(format!("is no JSON: {error}")),
        },
        json => json,
    };
    match key {
        Some(key) if json.get(key).is_none() => Verdict::Fails(format!("has no key \"{key}\"")),
        _ => Verdict::Holds,
    }
}

#[cfg(test)]
mod tests;
