//! The cases of a suite as examples: split for good, and never mixed.

use std::collections::HashMap;

use pawl_evolve::Example;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::EngineError;
use crate::run::suite::Case;

/// Examples that each part needs.
const LEAST: usize = 2;

/// What an example is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Proposals learn from it.
    Train,
    /// Candidates are compared on it.
    Validation,
    /// The search never sees it: what it found is compared on it with what is live.
    HoldOut,
}

impl Part {
    /// All there are.
    pub const ALL: [Self; 3] = [Self::Train, Self::Validation, Self::HoldOut];

    /// The part of a case: by a hash of its id, so that it stays where it is whatever is added to the suite. Of ten, four
    /// are for learning, three for comparing and three for the gate.
    #[must_use]
    pub fn of(id: &str) -> Self {
        let digest = Sha256::digest(id);
        match digest[0] % 10 {
            0..=3 => Self::Train,
            4..=6 => Self::Validation,
            _ => Self::HoldOut,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Train => "learning",
            Self::Validation => "comparing",
            Self::HoldOut => "the gate",
        }
    }
}

/// The cases of a suite, by what they are for.
pub(crate) struct Examples {
    pub(crate) train: Vec<Example>,
    pub(crate) validation: Vec<Example>,
    pub(crate) hold_out: Vec<Example>,
}

impl Examples {
    /// Splits the cases of a suite. Controls are for the gate alone.
    pub(crate) fn split(cases: &HashMap<String, Case>) -> Result<Self, EngineError> {
        let mut examples = Self {
            train: Vec::new(),
            validation: Vec::new(),
            hold_out: Vec::new(),
        };
        let mut ordered: Vec<&Case> = cases.values().collect();
        ordered.sort_by_key(|case| case.ordinal);
        for case in ordered {
            if case.input_data.to_value()["metadata"]["control"] == Value::Bool(true) {
                continue;
            }
            let input = match case.input() {
                Value::String(text) => text.clone(),
                json => json.to_string(),
            };
            examples
                .part(Part::of(&case.id))
                .push(Example::new(case.id.clone(), input));
        }
        for part in Part::ALL {
            let found = examples.part(part).len();
            if found < LEAST {
                return Err(EngineError::TooFewExamples {
                    cases: cases.len(),
                    part: part.name(),
                    found,
                    needed: LEAST,
                });
            }
        }
        Ok(examples)
    }

    fn part(&mut self, part: Part) -> &mut Vec<Example> {
        match part {
            Part::Train => &mut self.train,
            Part::Validation => &mut self.validation,
            Part::HoldOut => &mut self.hold_out,
        }
    }
}
