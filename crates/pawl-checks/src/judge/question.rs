//! What is asked about an output.

use serde_json::Value;

use crate::spec::{AssertSpec, CheckType, SpecError, text_of};

/// A question about an output, and whom it is for. It is the same for every output, and thresholds are no part of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Question {
    /// What is asked.
    pub kind: QuestionKind,
    /// The model that is asked, as the suite writes it; none: whichever judges there.
    pub provider: Option<String>,
}

/// What is asked.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum QuestionKind {
    /// Whether it meets a rubric: `llm-rubric`.
    Rubric(String),
    /// How well it does by criteria, step by step: `g-eval`.
    Criteria(String),
    /// How its facts stand to those of a reference: `factuality`.
    Facts(String),
    /// Whether a sentence of a rubric holds: `required`.
    Required(String),
    /// Whether what a sentence describes does not occur: `forbidden`.
    Forbidden(String),
    /// How near it is to the nearest of some texts: `similar`.
    Similarity(Vec<String>),
}

impl Question {
    pub(crate) fn compile(spec: &AssertSpec) -> Result<Self, SpecError> {
        let kind = match spec.check_type {
            CheckType::GEval => QuestionKind::Criteria(spec.text_value()?),
            CheckType::Factuality => QuestionKind::Facts(spec.text_value()?),
            CheckType::Required => QuestionKind::Required(spec.text_value()?),
            CheckType::Forbidden => QuestionKind::Forbidden(spec.text_value()?),
            CheckType::Similar => QuestionKind::Similarity(references(spec)?),
            _ => QuestionKind::Rubric(spec.text_value()?),
        };
        Ok(Self {
            kind,
            provider: spec.provider.clone(),
        })
    }

    /// The sentence of a rubric that it is about.
    pub(crate) fn sentence(&self) -> Option<&str> {
        match &self.kind {
            QuestionKind::Required(sentence) | QuestionKind::Forbidden(sentence) => Some(sentence),
            _ => None,
        }
    }

    /// Whether it can be left open where nobody can be asked: the sentences of a rubric, of which some need no judge.
    #[must_use]
    pub const fn is_optional(&self) -> bool {
        matches!(self.kind, QuestionKind::Required(_) | QuestionKind::Forbidden(_))
    }

    /// Whether it is answered with vectors rather than words.
    #[must_use]
    pub const fn is_about_vectors(&self) -> bool {
        matches!(self.kind, QuestionKind::Similarity(_))
    }
}

/// One text, or a list of them.
fn references(spec: &AssertSpec) -> Result<Vec<String>, SpecError> {
    match &spec.value {
        Some(Value::Array(values)) if !values.is_empty() => values
            .iter()
            .map(|value| text_of(value).map_err(|message| SpecError::at("value", message)))
            .collect(),
        _ => Ok(vec![spec.text_value()?]),
    }
}
