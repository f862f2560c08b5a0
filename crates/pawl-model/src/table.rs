//! The tables that the data API exposes, as data: one description drives the parser of its URLs, the types of values,
//! the documentation and the tests.

mod datum;
mod exposed;
mod moment;
mod relation;
mod text_list;

pub use datum::{ColumnType, Datum};
pub use exposed::TABLES;
pub use relation::{Cardinality, Relation, RelationProblem};

/// A table that the data API exposes.
#[derive(Debug, PartialEq)]
pub struct Table {
    /// Its name, in the schema `public`.
    pub name: &'static str,
    /// What a row is.
    pub about: &'static str,
    /// In the order of the database.
    pub columns: &'static [Column],
    /// The columns that identify a row: what singles it out among its tenant's is the last.
    pub primary_key: &'static [&'static str],
    /// Further sets of columns that identify a row.
    pub unique_keys: &'static [&'static [&'static str]],
    /// References to other exposed tables.
    pub foreign_keys: &'static [ForeignKey],
    /// The column that names the tenant; it refers to `auth.users`.
    pub tenant: &'static str,
    /// What a signed-in user may do with rows of their own; nobody else may do anything.
    pub user_may: &'static [Verb],
    /// What the service may do with rows of anybody.
    pub service_may: &'static [Verb],
}

/// What can be done with rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// Read them.
    Select,
    /// Add them.
    Insert,
    /// Change them.
    Update,
    /// Remove them.
    Delete,
}

impl Verb {
    /// All there are.
    pub const ALL: &[Self] = &[Self::Select, Self::Insert, Self::Update, Self::Delete];
    /// Reading alone.
    pub const READ: &[Self] = &[Self::Select];
}

/// A column of a table.
#[derive(Debug, PartialEq)]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// What it holds.
    pub kind: ColumnType,
    /// Whether it may be null.
    pub nullable: bool,
    /// What an absent value becomes; without it, null.
    pub default: Option<ColumnDefault>,
    /// What a value must keep to.
    pub check: Option<ColumnCheck>,
}

/// What an absent value becomes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ColumnDefault {
    /// A new id.
    FreshId,
    /// The time of the request.
    Now,
    /// This whole number.
    Int(i64),
    /// This truth value.
    Bool(bool),
    /// This text.
    Text(&'static str),
    /// The empty JSON object.
    EmptyObject,
    /// The empty JSON array.
    EmptyArray,
    /// This number.
    Double(f64),
    /// These texts.
    Texts(&'static [&'static str]),
    /// A random text.
    FreshText,
    /// A random id of this prefix.
    RandomId(&'static str),
}

/// What a value must keep to, beside its type; null always does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ColumnCheck {
    /// One of these texts.
    OneOf(&'static [&'static str]),
    /// A number within these bounds, both included.
    Between(f64, f64),
    /// A number that is not below this one.
    AtLeast(f64),
    /// A number above this one.
    Above(f64),
    /// A text of so many letters at most.
    Letters(usize),
}

/// A column that refers to the primary key of another exposed table.
#[derive(Debug, PartialEq)]
pub struct ForeignKey {
    /// The column that refers.
    pub column: &'static str,
    /// The table that is referred to.
    pub references: &'static str,
}

impl Table {
    /// The exposed table of this name.
    #[must_use]
    pub fn find(name: &str) -> Option<&'static Self> {
        TABLES.iter().find(|table| table.name == name)
    }

    /// The column that singles a row out among those of its tenant.
    #[must_use]
    pub fn key(&self) -> &'static str {
        self.primary_key.last().copied().unwrap_or_default()
    }

    /// The column of this name.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == name)
    }

    /// The name of the constraint on the primary key.
    #[must_use]
    pub fn primary_key_constraint(&self) -> String {
        [self.name, "_pkey"].concat()
    }

    /// The name of the constraint on a column that refers to another table.
    #[must_use]
    pub fn foreign_key_constraint(&self, column: &str) -> String {
        [self.name, "_", column, "_fkey"].concat()
    }

    /// The name of the constraint that checks a column.
    #[must_use]
    pub fn check_constraint(&self, column: &str) -> String {
        [self.name, "_", column, "_check"].concat()
    }
}

impl Column {
    /// A column that may be null and has no default.
    #[must_use]
    pub const fn new(name: &'static str, kind: ColumnType) -> Self {
        Self {
            name,
            kind,
            nullable: true,
            default: None,
            check: None,
        }
    }

    /// The column, not null.
    #[must_use]
    pub const fn required(self) -> Self {
        Self {
            nullable: false,
            ..self
        }
    }

    /// The column, not null and with a default.
    #[must_use]
    pub const fn with_default(self, default: ColumnDefault) -> Self {
        Self {
            nullable: false,
            default: Some(default),
            ..self
        }
    }

    /// The column, null where that is given in place of its default.
    #[must_use]
    pub const fn or_null(self) -> Self {
        Self {
            nullable: true,
            ..self
        }
    }

    /// The column with a rule for its values.
    #[must_use]
    pub const fn checked(self, check: ColumnCheck) -> Self {
        Self {
            check: Some(check),
            ..self
        }
    }
}

impl ColumnCheck {
    /// Whether a value keeps to the rule.
    #[must_use]
    pub fn holds(&self, value: &Datum) -> bool {
        match (self, value) {
            (Self::OneOf(texts), Datum::Text(text)) => texts.contains(&text.as_str()),
            (Self::Between(low, high), value) => value.number().is_none_or(|n| (*low..=*high).contains(&n)),
            (Self::AtLeast(low), value) => value.number().is_none_or(|n| n >= *low),
            (Self::Above(low), value) => value.number().is_none_or(|n| n > *low),
            (Self::Letters(most), Datum::Text(text)) => text.chars().count() <= *most,
            (Self::OneOf(_) | Self::Letters(_), _) => true,
        }
    }

    /// The rule in words, as it goes on after the name of the column.
    #[must_use]
    pub fn in_words(&self) -> String {
        match self {
            Self::OneOf(texts) => ["must be one of ", &texts.join(", ")].concat(),
            Self::Between(low, high) => format!("must be between {low} and {high}"),
            Self::AtLeast(low) => format!("must not be less than {low}"),
            Self::Above(low) => format!("must be more than {low}"),
            Self::Letters(most) => format!("must not have more than {most} letters"),
        }
    }
}
