//! The thresholds of the story checks.

use serde_json::Value;

use super::StoryCheck;
use crate::spec::{AssertSpec, CheckType, PathStep, SpecError, form};

/// The thresholds of the story checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StorySettings {
    /// The fewest acceptance criteria that are not blank.
    pub min_acceptance_criteria: usize,
    /// The most acceptance criteria.
    pub max_acceptance_criteria: usize,
    /// The shortest description, in grapheme clusters.
    pub min_description_length: usize,
    /// The longest description, in grapheme clusters.
    pub max_description_length: usize,
    /// Whether an acceptance criterion has to start with the verb itself.
    pub strict: bool,
}

impl Default for StorySettings {
    fn default() -> Self {
        Self {
            min_acceptance_criteria: 3,
            max_acceptance_criteria: 7,
            min_description_length: 20,
            max_description_length: 500,
            strict: false,
        }
    }
}

impl StorySettings {
    /// Reads the `value` of a story check: an object with the settings that the check has, or the bare number of a
    /// check that has just one.
    pub(crate) fn read(spec: &AssertSpec) -> Result<Self, SpecError> {
        let mut settings = Self::default();
        let keys = keys_of(spec.check_type);
        match (&spec.value, keys) {
            (None | Some(Value::Null), _) => return Ok(settings),
            (Some(value), []) => {
                return Err(SpecError::at(
                    "value",
                    format!("`{}` takes no value, not {}", spec.name, form(value)),
                ));
            }
            (Some(Value::Object(members)), _) => {
                for (key, value) in members {
                    settings.set(key, value, keys).map_err(|message| {
                        SpecError::at(key, message).under(PathStep::Key("value".to_owned()))
                    })?;
                }
            }
            (Some(value), [key]) => {
                settings
                    .set(key, value, keys)
                    .map_err(|message| SpecError::at("value", message))?;
            }
            (Some(value), _) => {
                return Err(SpecError::at(
                    "value",
                    format!("must be an object of settings, not {}", form(value)),
                ));
            }
        }
        settings.ordered(keys)?;
        Ok(settings)
    }

    fn set(&mut self, key: &str, value: &Value, keys: &[&str]) -> Result<(), String> {
        if !keys.contains(&key) {
            return Err(format!("unknown setting `{key}`; there are {}", keys.join(", ")));
        }
        if key == "strict" {
            self.strict = value
                .as_bool()
                .ok_or_else(|| format!("must be true or false, not {}", form(value)))?;
            return Ok(());
        }
        let number = value
            .as_u64()
            .and_then(|number| usize::try_from(number).ok())
            .ok_or_else(|| format!("must be a whole number of 0 or more, not {value}"))?;
        match key {
            "min_acceptance_criteria" => self.min_acceptance_criteria = number,
            "max_acceptance_criteria" => self.max_acceptance_criteria = number,
            "min_description_length" => self.min_description_length = number,
            _ => self.max_description_length = number,
        }
        Ok(())
    }

    /// A minimum above its maximum can never be met. A check that has only one of them leaves the other alone.
    fn ordered(&self, keys: &[&str]) -> Result<(), SpecError> {
        for (low, high, what) in [
            (
                self.min_description_length,
                self.max_description_length,
                "description_length",
            ),
            (
                self.min_acceptance_criteria,
                self.max_acceptance_criteria,
                "acceptance_criteria",
            ),
        ] {
            let has_both = ["min", "max"]
                .iter()
                .all(|end| keys.contains(&format!("{end}_{what}").as_str()));
            if has_both && low > high {
                return Err(SpecError::at(
                    "value",
                    format!("min_{what} {low} is above max_{what} {high}"),
                ));
            }
        }
        Ok(())
    }
}

const fn keys_of(check_type: CheckType) -> &'static [&'static str] {
    match check_type {
        CheckType::Story(StoryCheck::MinAcceptanceCriteria) => &["min_acceptance_criteria"],
        CheckType::Story(StoryCheck::MaxAcceptanceCriteria) => &["max_acceptance_criteria"],
        CheckType::Story(StoryCheck::DescriptionLength) => {
            &["min_description_length", "max_description_length"]
        }
        CheckType::Story(StoryCheck::AcsAreActionable) => &["strict"],
        CheckType::UserStory => &[
            "min_acceptance_criteria",
            "max_acceptance_criteria",
            "min_description_length",
            "max_description_length",
            "strict",
        ],
        _ => &[],
    }
}
