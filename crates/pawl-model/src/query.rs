//! Requests to the data API, as data: what PostgREST's dialect says, with names resolved and values typed.

mod refusal;
mod rows;

pub use refusal::Refusal;
pub use rows::{Cell, Record};

use crate::table::{Column, ColumnType, Datum, Relation, Table};

/// What of a table's rows is read.
#[derive(Clone, Debug)]
pub struct Select {
    /// The table.
    pub table: &'static Table,
    /// What of each row.
    pub items: Vec<Item>,
    /// Which rows.
    pub filter: Filter,
    /// In which order; equal ones, and all where this is empty, by primary key.
    pub order: Vec<Order>,
    /// How many rows to leave out first.
    pub offset: u64,
    /// How many rows at most.
    pub limit: u64,
}

/// What is read of a row.
#[derive(Clone, Debug)]
pub enum Item {
    /// A value.
    Field {
        /// The key in the answer.
        name: String,
        /// Where it stands.
        field: Field,
        /// As which type it is answered.
        form: Form,
    },
    /// Rows of another table that belong to the row.
    Embed(Embed),
}

/// As which type a value is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Its own.
    Plain,
    /// A text.
    Text,
}

/// A column, or a place within a document.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// The column.
    pub column: &'static Column,
    /// The way into its document; empty for the column itself.
    pub path: Vec<Step>,
    /// Whether the place is read as a document (`->`) or as a text (`->>`).
    pub leaf: Leaf,
}

/// How the end of a way into a document is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaf {
    /// As a document; a column without a way is itself.
    Document,
    /// As a text.
    Text,
}

/// One step into a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// To the value of this key of an object.
    Key(String),
    /// To an element of an array, from 0; from the end when negative.
    Index(i32),
}

impl Field {
    /// The column itself.
    #[must_use]
    pub const fn of(column: &'static Column) -> Self {
        Self {
            column,
            path: Vec::new(),
            leaf: Leaf::Document,
        }
    }

    /// The type of its values.
    #[must_use]
    pub fn kind(&self) -> ColumnType {
        match self.leaf {
            _ if self.path.is_empty() => self.column.kind,
            Leaf::Document => ColumnType::Jsonb,
            Leaf::Text => ColumnType::Text,
        }
    }
}

/// Rows of another table within a row.
#[derive(Clone, Debug)]
pub struct Embed {
    /// The key in the answer.
    pub name: String,
    /// How the rows belong.
    pub relation: Relation,
    /// What becomes of a row without any.
    pub join: Join,
    /// Whether the answer shows them; else they only decide about the row.
    pub shown: bool,
    /// What is read of them.
    pub select: Select,
}

/// What becomes of a row to which no embedded row belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Join {
    /// It stays.
    Left,
    /// It is left out.
    Inner,
}

/// Which rows are meant.
#[derive(Clone, Debug, PartialEq)]
pub enum Filter {
    /// Those for which all of these hold; of none, every row.
    All(Vec<Filter>),
    /// Those for which one of these holds; of none, no row.
    Any(Vec<Filter>),
    /// Those for which this does not hold (and is not unknown for want of a value).
    Not(Box<Filter>),
    /// A comparison with a value of the field's type.
    Compare(Field, Comparison, Datum),
    /// Equal to one of these values.
    In(Field, Vec<Datum>),
    /// The state of a value.
    Is(Field, Truth),
    /// Different from the value, where null is a value like others.
    Distinct(Field, Datum),
    /// A text of this form.
    Like(Field, Pattern),
    /// A document or list that contains this one.
    Contains(Field, Datum),
    /// A document or list that this one contains.
    ContainedBy(Field, Datum),
    /// A list that has an element in common with this one.
    Overlaps(Field, Vec<String>),
    /// Rows that have a row embedded under this relation.
    Related(Relation, Box<Filter>),
}

impl Filter {
    /// Every row.
    pub const EVERY: Self = Self::All(Vec::new());
}

/// How two values are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// Equal.
    Equal,
    /// Not equal.
    NotEqual,
    /// Greater.
    Greater,
    /// Greater or equal.
    GreaterOrEqual,
    /// Less.
    Less,
    /// Less or equal.
    LessOrEqual,
}

/// The states of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Truth {
    /// There is none.
    Null,
    /// There is one.
    NotNull,
    /// It is true.
    True,
    /// It is false.
    False,
    /// It is neither, of a truth value.
    Unknown,
}

/// The form of a text: SQL's `LIKE`, with `\` before what stands for itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// The parts in their order.
    pub parts: Vec<PatternPart>,
    /// Whether capital letters are small ones too.
    pub case: Case,
}

/// A part of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatternPart {
    /// This character.
    Character(char),
    /// Any one character.
    One,
    /// Any characters, also none.
    Many,
}

/// Whether letters of another case are the same letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Case {
    /// They are not.
    Sensitive,
    /// `A` to `Z` are the same as `a` to `z`; beyond them the databases disagree.
    Insensitive,
}

/// A term of an order.
#[derive(Clone, Debug)]
pub struct Order {
    /// By what.
    pub field: Field,
    /// Which way.
    pub direction: Direction,
    /// Where nulls go.
    pub nulls: Nulls,
}

/// Which way an order goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Smallest first.
    Ascending,
    /// Greatest first.
    Descending,
}

/// Where an order puts nulls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nulls {
    /// First.
    First,
    /// Last.
    Last,
}

/// Rows to be added.
#[derive(Clone, Debug)]
pub struct Insert {
    /// The table.
    pub table: &'static Table,
    /// The columns that the request names.
    pub columns: Vec<&'static Column>,
    /// A value for each of these columns; none where the row does not have the key.
    pub rows: Vec<Vec<Option<Datum>>>,
    /// What a named column without a value becomes.
    pub missing: Missing,
    /// What happens to a row whose key is there already; without it, an error.
    pub on_conflict: Option<OnConflict>,
}

/// What a named column without a value becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// Null.
    Null,
    /// Its default.
    Default,
}

/// What happens to a row whose key is there already.
#[derive(Clone, Debug)]
pub struct OnConflict {
    /// The key: the primary key or one of the unique keys.
    pub key: Vec<&'static Column>,
    /// What happens.
    pub resolution: Resolution,
}

/// What happens to a row whose key is there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resolution {
    /// The row that is there takes the values that the request names.
    Merge,
    /// The row that is there stays as it is.
    Ignore,
}

/// Rows to be changed.
#[derive(Clone, Debug)]
pub struct Update {
    /// The table.
    pub table: &'static Table,
    /// The new values; of none, no row is changed.
    pub values: Vec<(&'static Column, Datum)>,
    /// Which rows.
    pub filter: Filter,
}

/// Rows to be removed.
#[derive(Clone, Debug)]
pub struct Delete {
    /// The table.
    pub table: &'static Table,
    /// Which rows.
    pub filter: Filter,
}
