//! Who has to judge: what the checks of a suite ask for, and whom the suite names.

use std::collections::BTreeMap;

use pawl_checks::Check;
use pawl_checks::judge::Question;
use serde_json::Value;

use super::cursor::{Cursor, Spot};
use super::error::SuiteError;
use super::keys;

/// A judge that some check needs.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Need {
    /// What it has to be able to do.
    pub(crate) skill: Skill,
    /// The model that the check names.
    pub(crate) provider: Option<String>,
    /// Whether the check can be left open without it.
    pub(crate) is_optional: bool,
}

/// How a judge answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Skill {
    Words,
    Vectors,
}

impl Need {
    /// What is needed to answer a question.
    pub(crate) fn of(question: &Question) -> Self {
        let skill = if question.is_about_vectors() {
            Skill::Vectors
        } else {
            Skill::Words
        };
        Self {
            skill,
            provider: question.provider.clone(),
            is_optional: question.is_optional(),
        }
    }
}

/// All judges that the checks of a suite need, each with the first check that does.
#[derive(Clone, Debug, Default)]
pub(crate) struct Needs(BTreeMap<Need, Spot>);

impl Needs {
    pub(super) fn add(&mut self, checks: &[Check], spot: &Spot) {
        for question in checks.iter().flat_map(Check::questions) {
            let need = Need::of(question);
            self.0.entry(need).or_insert_with(|| spot.clone());
        }
    }

    pub(super) fn extend(&mut self, others: &Self) {
        for (need, spot) in &others.0 {
            self.0.entry(need.clone()).or_insert_with(|| spot.clone());
        }
    }

    /// Meets each need; a message of why not becomes an error at the check.
    pub(crate) fn each(&self, mut meet: impl FnMut(&Need) -> Result<(), String>) -> Result<(), SuiteError> {
        self.0
            .iter()
            .try_for_each(|(need, spot)| meet(need).map_err(|message| spot.error(message)))
    }
}

/// Whom `options.provider` of `defaultTest` names, by what they have to be able to do.
#[derive(Debug, Default)]
pub(crate) struct NamedJudges {
    words: Option<String>,
    vectors: Option<String>,
}

impl NamedJudges {
    pub(super) fn read(default_test: &Cursor<'_>) -> Result<Self, SuiteError> {
        let Some(options) = default_test.get("options") else {
            return Ok(Self::default());
        };
        let Some(provider) = options.get("provider") else {
            return Ok(Self::default());
        };
        let is_by_kind = provider.get("text").is_some() || provider.get("embedding").is_some();
        if !is_by_kind {
            return Ok(Self {
                words: Some(model(&provider)?),
                vectors: None,
            });
        }
        keys::JUDGE.check(&provider)?;
        let of_kind = |kind| provider.get(kind).map(|judge| model(&judge)).transpose();
        Ok(Self {
            words: of_kind("text")?,
            vectors: of_kind("embedding")?,
        })
    }

    pub(crate) fn name(&self, skill: Skill) -> Option<&str> {
        match skill {
            Skill::Words => self.words.as_deref(),
            Skill::Vectors => self.vectors.as_deref(),
        }
    }
}

/// A model: a text, or an object with an `id`.
fn model(cursor: &Cursor<'_>) -> Result<String, SuiteError> {
    if let Value::String(id) = cursor.value {
        return Ok(id.clone());
    }
    keys::JUDGE.check(cursor)?;
    let id = cursor
        .get("id")
        .ok_or_else(|| cursor.error("a judge needs an `id`, such as openai:MODEL"))?;
    id.text().map(str::to_owned)
}
