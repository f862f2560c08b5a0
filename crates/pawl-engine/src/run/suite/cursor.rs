//! Reading a document's values with errors that know the place.

use std::fmt;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::document::{Document, Part, Step};
use super::error::{Place, SuiteError};

/// A value in a document, and the way to it. Members that are `null` count as absent.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'a> {
    pub(super) document: &'a Arc<Document>,
    pub(super) value: &'a Value,
    way: Option<Way<'a>>,
}

#[derive(Clone, Copy)]
struct Way<'a> {
    from: &'a Cursor<'a>,
    step: Hop<'a>,
}

#[derive(Clone, Copy)]
enum Hop<'a> {
    Key(&'a str),
    Index(usize),
}

impl<'a> Cursor<'a> {
    /// The whole document.
    pub(super) fn root(document: &'a Arc<Document>, value: &'a Value) -> Self {
        Self {
            document,
            value,
            way: None,
        }
    }

    /// A member of an object; none if this is no object.
    pub(super) fn get<'b>(&'b self, key: &'b str) -> Option<Cursor<'b>> {
        let value = self.value.get(key).filter(|value| !value.is_null())?;
        Some(self.member(key, value))
    }

    /// The member `key`, whose value is known.
    pub(super) fn member<'b>(&'b self, key: &'b str, value: &'b Value) -> Cursor<'b> {
        self.inner(value, Hop::Key(key))
    }

    fn inner<'b>(&'b self, value: &'b Value, step: Hop<'b>) -> Cursor<'b> {
        Cursor {
            document: self.document,
            value,
            way: Some(Way { from: self, step }),
        }
    }

    /// The value of the whole document.
    pub(super) fn root_value(&self) -> &'a Value {
        let mut here = self;
        while let Some(way) = &here.way {
            here = way.from;
        }
        here.value
    }

    pub(super) fn text(&self) -> Result<&'a str, SuiteError> {
        self.value.as_str().ok_or_else(|| self.wrong_type("a text"))
    }

    pub(super) fn boolean(&self) -> Result<bool, SuiteError> {
        self.value
            .as_bool()
            .ok_or_else(|| self.wrong_type("true or false"))
    }

    pub(super) fn number(&self) -> Result<f64, SuiteError> {
        self.value.as_f64().ok_or_else(|| self.wrong_type("a number"))
    }

    pub(super) fn object(&self) -> Result<&'a Map<String, Value>, SuiteError> {
        self.value.as_object().ok_or_else(|| self.wrong_type("an object"))
    }

    /// The items of a list.
    pub(super) fn items<'b>(&'b self) -> Result<impl Iterator<Item = Cursor<'b>>, SuiteError> {
        let items = self.value.as_array().ok_or_else(|| self.wrong_type("a list"))?;
        let cursors = items.iter().enumerate();
        Ok(cursors.map(|(index, value)| self.inner(value, Hop::Index(index))))
    }

    /// An error at this value.
    pub(super) fn error(&self, message: impl Into<String>) -> SuiteError {
        SuiteError::new(self.place(), message)
    }

    /// An error at the key of a member.
    pub(super) fn key_error(&self, key: &str, message: impl Into<String>) -> SuiteError {
        let mut steps = self.steps();
        steps.push(Step::Key(key.into()));
        SuiteError::new(self.document.place(&steps, Part::Key), message)
    }

    pub(super) fn wrong_type(&self, wanted: &str) -> SuiteError {
        let found = match self.value {
            Value::Null => "nothing",
            Value::Bool(_) => "true or false",
            Value::Number(_) => "a number",
            Value::String(_) => "a text",
            Value::Array(_) => "a list",
            Value::Object(_) => "an object",
        };
        self.error(format!("{} must be {wanted}, not {found}", Named(self)))
    }

    pub(super) fn place(&self) -> Place {
        self.document.place(&self.steps(), Part::Value)
    }

    /// A lasting reference to this value, for errors that are found later.
    pub(super) fn spot(&self) -> Spot {
        Spot::Value {
            document: Arc::clone(self.document),
            steps: self.steps(),
        }
    }

    pub(super) fn steps(&self) -> Vec<Step> {
        let mut steps = Vec::new();
        let mut here = self;
        while let Some(way) = &here.way {
            steps.push(match way.step {
                Hop::Key(key) => Step::Key(key.into()),
                Hop::Index(index) => Step::Index(index),
            });
            here = way.from;
        }
        steps.reverse();
        steps
    }
}

/// How messages call a value: by its key, or by that of the list it stands in.
struct Named<'a>(&'a Cursor<'a>);

impl fmt::Display for Named<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.way {
            None => f.write_str("the document"),
            Some(Way {
                step: Hop::Key(key), ..
            }) => write!(f, "`{key}`"),
            Some(Way {
                from,
                step: Hop::Index(index),
            }) => write!(f, "item {} of {}", index + 1, Named(from)),
        }
    }
}

/// Where something of a case stands, kept cheaply for as long as the case; [`Spot::place`] works out the rest.
#[derive(Clone, Debug)]
pub(super) enum Spot {
    /// A value of a document.
    Value {
        document: Arc<Document>,
        steps: Vec<Step>,
    },
    /// A row of a table, or something else whose place is known.
    Place(Place),
}

impl Spot {
    pub(super) fn place(&self) -> Place {
        match self {
            Self::Value { document, steps } => document.place(steps, Part::Value),
            Self::Place(place) => place.clone(),
        }
    }

    /// A part of this value, where the file is known so closely.
    pub(super) fn at(&self, inside: impl Iterator<Item = Step>) -> Self {
        match self {
            Self::Value { document, steps } => Self::Value {
                document: Arc::clone(document),
                steps: steps.iter().cloned().chain(inside).collect(),
            },
            Self::Place(place) => Self::Place(place.clone()),
        }
    }

    /// An error at this spot.
    pub(super) fn error(&self, message: impl Into<String>) -> SuiteError {
        SuiteError::new(self.place(), message)
    }
}
