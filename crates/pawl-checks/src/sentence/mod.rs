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
pub mod refusal;
mod rule;

use regex::Regex;
use unicode_segmentation::UnicodeSegmentation as _;

use crate::Subject;
use crate::rule::Finding;
use refusal::is_refusal;

pub(crate) use rule::compile;

/// A sentence that needs no judge.
#[derive(Clone, Debug)]
pub struct Sentence {
    form: Form,
    /// Whether it says that something must be, or must not.
    wanted: bool,
}

/// What a sentence is about, apart from whether that must be or must not.
#[derive(Clone, Debug)]
pub enum Form {
    /// A tool is called.
    Calls {
        /// Its name, whatever its case.
        tool: String,
        /// The tool whose first call has to come after its own; nothing comes too late for one that is not called.
        before: Option<String>,
    },
    /// The output has a text, whatever its case.
    Contains(String),
    /// The output has a match.
    Matches {
        /// The pattern, in the syntax of the crate `regex`.
        pattern: Regex,
        /// Whether it is matched whatever the case; the pattern's text does not say so.
        ignores_case: bool,
    },
    /// The output is JSON. It is never forbidden.
    ValidJson {
        /// A key that it has; then it is an object.
        key: Option<String>,
    },
    /// There is no more of something. It is never forbidden.
    AtMost {
        /// How many there may be.
        most: usize,
        /// Of what.
        unit: Unit,
    },
    /// The output is a refusal.
    Refuses,
}

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Grapheme clusters of the output.
    Characters,
    /// Words of the output, as Unicode divides it (UAX #29).
    Words,
    /// Calls of tools.
    Calls,
}

impl Sentence {
    /// Reads a sentence; none where it has none of the forms.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        parse::sentence(text)
    }

    /// Reads a sentence about what is forbidden. One that says what must be, and yet is forbidden, is not to be guessed at.
    #[must_use]
    pub fn parse_forbidden(text: &str) -> Option<Self> {
        Self::parse(text).filter(Self::forbids)
    }

    /// Whether it says that something must not be.
    #[must_use]
    pub const fn forbids(&self) -> bool {
        !self.wanted
    }

    /// What it is about.
    #[must_use]
    pub const fn form(&self) -> &Form {
        &self.form
    }

    fn judge(&self, subject: &Subject<'_>) -> Finding {
        let is_so = match &self.form {
            Form::Contains(wanted) => subject.lower_case().contains(&wanted.to_lowercase()),
            Form::Matches { pattern, .. } => pattern.is_match(subject.text()),
            Form::Refuses => is_refusal(subject.text()),
            Form::ValidJson { key } => return valid_json(subject, key.as_deref()),
            Form::AtMost { most, unit } => return at_most(*most, *unit, subject),
            Form::Calls { tool, before } => {
                let Some(calls) = subject.tool_calls() else {
                    return no_calls();
                };
                let first = |name: &str| calls.iter().position(|call| call.name.eq_ignore_ascii_case(name));
                match (first(tool), before.as_deref().map(first)) {
                    (called, None) => called.is_some(),
                    (Some(called), Some(Some(other))) => called < other,
                    // Where the other one is not called nothing comes too late for it.
                    (_, Some(None)) => return Finding::Holds,
                    (None, Some(Some(_))) => false,
                }
            }
        };
        Finding::of(is_so == self.wanted, || self.reason())
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
            Form::Matches { pattern, .. } => format!("does {not}match /{pattern}/"),
            Form::Refuses => format!("does {not}refuse"),
            Form::ValidJson { .. } | Form::AtMost { .. } => "is not so".to_owned(),
        }
    }
}

fn no_calls() -> Finding {
    Finding::Unknown("nothing says which tools were called".to_owned())
}

fn at_most(most: usize, unit: Unit, subject: &Subject<'_>) -> Finding {
    let (count, name) = match unit {
        Unit::Characters => (subject.text().graphemes(true).count(), "characters"),
        Unit::Words => (subject.text().unicode_words().count(), "words"),
        Unit::Calls => match subject.tool_calls() {
            Some(calls) => (calls.len(), "calls"),
            None => return no_calls(),
        },
    };
    Finding::of(count <= most, || format!("has {count} {name}, at most {most}"))
}

fn valid_json(subject: &Subject<'_>, key: Option<&str>) -> Finding {
    match (subject.json(), key) {
        (None, _) => Finding::Misses("is no JSON".to_owned()),
        (Some(json), Some(key)) if json.get(key).is_none() => {
            Finding::Misses(format!("has no key \"{key}\""))
        }
        _ => Finding::Holds,
    }
}

#[cfg(test)]
mod tests;
