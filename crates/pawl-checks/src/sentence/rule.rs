//! The checks `required` and `forbidden`: a sentence of a rubric, looked up where it has one of the forms, else for a
//! judge.

use std::sync::Arc;

use super::Sentence;
use crate::Subject;
use crate::judge::Judged;
use crate::rule::{Finding, Rule};
use crate::spec::{AssertSpec, CheckType, SpecError};

/// A sentence that needs no judge, and how it was written.
#[derive(Debug)]
struct Line {
    text: String,
    sentence: Sentence,
}

/// The rule of a sentence.
pub(crate) fn compile(spec: &AssertSpec) -> Result<Arc<dyn Rule>, SpecError> {
    let text = spec.text_value()?;
    let sentence = match spec.check_type {
        CheckType::Required => Sentence::parse(&text),
        _ => Sentence::parse_forbidden(&text),
    };
    Ok(match sentence {
        Some(sentence) => Arc::new(Line { text, sentence }),
        None => Arc::new(Judged::compile(spec)?),
    })
}

impl Rule for Line {
    fn judge(&self, subject: &Subject<'_>) -> Finding {
        match self.sentence.judge(subject) {
            Finding::Misses(reason) => Finding::Misses(format!("{}: {reason}", self.text)),
            Finding::Unknown(reason) => Finding::Unknown(format!("{}: {reason}", self.text)),
            other => other,
        }
    }

    fn claim(&self) -> String {
        format!("holds: {}", self.text)
    }
}
