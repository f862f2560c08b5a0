//! The eight checks on a user story: an output that is a JSON object with `title`, `description` and
//! `acceptance_criteria`.

mod actionable;
mod criteria;
mod description;
mod lexicon;
mod lists;
mod settings;
#[cfg(test)]
mod tests;
mod word;
mod words;

use serde_json::Value;

use crate::Subject;
use crate::rule::{Finding, Rule};
pub use settings::StorySettings;

/// One of the eight story checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StoryCheck {
    /// The title is a text that is not blank.
    HasTitle,
    /// The description is a text that is not blank.
    HasDescription,
    /// The description says "as a", "I want" and "so that", in this order.
    DescriptionFormat,
    /// There are enough acceptance criteria that are not blank.
    MinAcceptanceCriteria,
    /// There are not too many acceptance criteria.
    MaxAcceptanceCriteria,
    /// No two acceptance criteria say the same.
    NoDuplicateAc,
    /// The description is neither too short nor too long.
    DescriptionLength,
    /// Each acceptance criterion says who does what.
    AcsAreActionable,
}

const BLANK: &str = "missing or blank";

impl StoryCheck {
    /// The eight, in the order of the preset `user-story`.
    pub const ALL: [Self; 8] = [
        Self::HasTitle,
        Self::HasDescription,
        Self::DescriptionFormat,
        Self::MinAcceptanceCriteria,
        Self::MaxAcceptanceCriteria,
        Self::NoDuplicateAc,
        Self::DescriptionLength,
        Self::AcsAreActionable,
    ];

    /// Applies the check.
    ///
    /// # Errors
    /// Why the story fails; one whose input is absent does.
    fn judge(self, story: Story<'_>, settings: &StorySettings) -> Result<(), String> {
        let criteria = || story.criteria.ok_or_else(|| BLANK.to_owned());
        match self {
            Self::HasTitle => present(story.title),
            Self::HasDescription => present(story.description),
            Self::DescriptionFormat => description::format(story.description.unwrap_or_default()),
            Self::DescriptionLength => description::length(story.description.unwrap_or_default(), settings),
            Self::MinAcceptanceCriteria => criteria::at_least(story.filled_criteria, settings),
            Self::MaxAcceptanceCriteria => criteria::at_most(criteria()?, settings),
            Self::NoDuplicateAc => criteria::distinct(criteria()?),
            Self::AcsAreActionable => criteria::actionable(criteria()?, settings),
        }
    }

    /// What is true of a story that passes.
    fn claim(self, settings: &StorySettings) -> String {
        match self {
            Self::HasTitle => "has a title".to_owned(),
            Self::HasDescription => "has a description".to_owned(),
            Self::DescriptionFormat => "says 'as a', 'I want' and 'so that'".to_owned(),
            Self::MinAcceptanceCriteria => format!("has {} or more ACs", settings.min_acceptance_criteria),
            Self::MaxAcceptanceCriteria => format!("has {} or fewer ACs", settings.max_acceptance_criteria),
            Self::NoDuplicateAc => "has no duplicate AC".to_owned(),
            Self::DescriptionLength => format!(
                "length within {}–{}",
                settings.min_description_length, settings.max_description_length
            ),
            Self::AcsAreActionable => "each AC starts with a verb".to_owned(),
        }
    }
}

fn present(text: Option<&str>) -> Result<(), String> {
    text.map(|_| ()).ok_or_else(|| BLANK.to_owned())
}

/// An output read as a story; a part that is blank or of the wrong type is as absent.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Story<'a> {
    title: Option<&'a str>,
    description: Option<&'a str>,
    criteria: Option<&'a [Value]>,
    /// How many of the criteria are texts that are not blank.
    filled_criteria: usize,
}

impl<'a> Story<'a> {
    pub(crate) fn read(output: &'a Value) -> Self {
        let mut story = Self::default();
        for (key, value) in output.as_object().into_iter().flatten() {
            match key.as_str() {
                "title" => story.title = text_of(value),
                "description" => story.description = text_of(value),
                "acceptance_criteria" => {
                    story.criteria = value.as_array().map(Vec::as_slice);
                    story.filled_criteria = story.criteria.into_iter().flatten().filter_map(text_of).count();
                }
                _ => {}
            }
        }
        story
    }
}

/// The text that a value is; none if it is no text, or blank.
fn text_of(value: &Value) -> Option<&str> {
    value.as_str().filter(|text| !is_blank(text))
}

fn is_blank(text: &str) -> bool {
    text.chars().all(char::is_whitespace)
}

/// A story check with its settings.
#[derive(Debug)]
pub(crate) struct StoryRule {
    pub(crate) check: StoryCheck,
    pub(crate) settings: StorySettings,
}

impl Rule for StoryRule {
    fn judge(&self, subject: &Subject<'_>) -> Finding {
        self.check.judge(subject.story(), &self.settings).into()
    }

    fn claim(&self) -> String {
        self.check.claim(&self.settings)
    }
}
