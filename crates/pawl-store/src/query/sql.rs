//! A statement as it grows: a text of our own names and placeholders, and the values for these.

use std::borrow::Cow;

use pawl_model::query::{Field, Leaf, Step};
use pawl_model::table::{ColumnType, Datum, Table};
use sqlx::types::BigDecimal;

use crate::{Actor, Result, Scope, StoreError, Value};

/// Whose SQL is spoken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// SQLite's.
    Sqlite,
    /// PostgreSQL's.
    Postgres,
}

impl Dialect {
    /// What stands before the number of a placeholder. SQLite knows `$1` as well, but looks such names up one after
    /// the other, which takes long where there are a thousand.
    pub(super) const fn mark(self) -> &'static str {
        match self {
            Self::Sqlite => "?",
            Self::Postgres => "$",
        }
    }
}

/// A statement as it grows. The first placeholder is the actor's tenant.
pub(super) struct Sql<'q> {
    pub dialect: Dialect,
    actor: Actor,
    pub text: String,
    pub values: Vec<Value<'q>>,
    aliases: usize,
}

impl<'q> Sql<'q> {
    pub(super) fn new(scope: &Scope) -> Self {
        Self {
            dialect: scope.dialect(),
            actor: scope.actor(),
            text: String::new(),
            values: Vec::new(),
            aliases: 0,
        }
    }

    pub(super) fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Adds a name of ours.
    pub(super) fn name(&mut self, name: &str) {
        self.push("\"");
        self.push(name);
        self.push("\"");
    }

    /// Adds a column of the table that is called `source` here.
    pub(super) fn column(&mut self, source: &str, column: &str) {
        self.name(source);
        self.push(".");
        self.name(column);
    }

    /// Binds a value; its placeholder may be used several times.
    pub(super) fn bind(&mut self, value: Value<'q>) -> String {
        self.values.push(value);
        // The tenant is the first.
        [self.dialect.mark(), &(self.values.len() + 1).to_string()].concat()
    }

    /// Binds a value and adds its placeholder.
    pub(super) fn value(&mut self, value: Value<'q>) {
        let placeholder = self.bind(value);
        self.push(&placeholder);
    }

    /// A name for one more source of rows.
    pub(super) fn alias(&mut self) -> String {
        self.aliases += 1;
        ["embedded_", &self.aliases.to_string()].concat()
    }

    /// Adds items with something between them.
    pub(super) fn list<T>(
        &mut self,
        between: &str,
        items: impl IntoIterator<Item = T>,
        mut add: impl FnMut(&mut Self, T) -> Result<()>,
    ) -> Result<()> {
        for (index, item) in items.into_iter().enumerate() {
            if index > 0 {
                self.push(between);
            }
            add(self, item)?;
        }
        Ok(())
    }

    /// Adds the condition that a row is the tenant's. The service sees all, and only the service: were the wrong
    /// actor bound, nothing would be found.
    pub(super) fn guard(&mut self, source: &str, table: &Table) {
        let tenant = [self.dialect.mark(), "1"].concat();
        match self.actor.tenant() {
            Some(_) => {
                self.column(source, table.tenant);
                self.push(&[" = ", &tenant].concat());
            }
            None => {
                self.push("(");
                self.column(source, table.tenant);
                self.push(&[" = ", &tenant, " or ", &tenant, " is null)"].concat());
            }
        }
    }

    /// Adds a value that is written into a column.
    ///
    /// PostgreSQL keeps a statement prepared with the types of its first values, and a null takes that of its column,
    /// in which a later number might not fit: so numbers are given a type of their own.
    pub(super) fn new_value(&mut self, kind: ColumnType, datum: &'q Datum) -> Result<()> {
        self.value(stored(datum)?);
        if self.dialect == Dialect::Postgres {
            self.push(match kind {
                ColumnType::Int | ColumnType::BigInt => "::int8",
                ColumnType::Real | ColumnType::Double => "::float8",
                _ => "",
            });
        }
        Ok(())
    }

    /// Adds a column or the document at a place within it.
    pub(super) fn document(&mut self, source: &str, field: &'q Field) {
        if field.path.is_empty() {
            return self.column(source, field.column.name);
        }
        match self.dialect {
            Dialect::Sqlite => {
                self.push("(");
                self.column(source, field.column.name);
                self.push(" -> ");
                self.value(sqlite_path(&field.path).into());
                self.push(")");
            }
            // Not a chain of `->`, to which a bare value is the first element of itself.
            Dialect::Postgres => {
                self.push("jsonb_path_query_first(");
                self.column(source, field.column.name);
                self.push(", ");
                self.value(postgres_path(&field.path).into());
                self.push("::jsonpath, '{}', true)");
            }
        }
    }

    /// Adds what decides whether there is a value: of a text within a document, also JSON's null is none.
    pub(super) fn presence(&mut self, source: &str, field: &'q Field) {
        match (field.leaf, self.dialect) {
            _ if field.path.is_empty() => self.document(source, field),
            (Leaf::Document, _) => self.document(source, field),
            (Leaf::Text, Dialect::Sqlite) => {
                self.push("(");
                self.column(source, field.column.name);
                self.push(" ->> ");
                self.value(sqlite_path(&field.path).into());
                self.push(")");
            }
            (Leaf::Text, Dialect::Postgres) => {
                self.push("(");
                self.document(source, field);
                self.push(" #>> '{}')");
            }
        }
    }

    /// Adds the value as it is compared for equality: see [`Sql::operand`] for the other side.
    ///
    /// The text of an object or array within a document has blanks in PostgreSQL and none in SQLite, so that it
    /// counts as null.
    pub(super) fn equatable(&mut self, source: &str, field: &'q Field) {
        if field.path.is_empty() || field.leaf == Leaf::Document {
            match (self.dialect, field.kind()) {
                (Dialect::Postgres, ColumnType::Jsonb) => {
                    self.document(source, field);
                    self.push("::text");
                }
                (Dialect::Postgres, ColumnType::TextList) => {
                    self.push("array_to_json(");
                    self.document(source, field);
                    self.push(")::text");
                }
                _ => self.document(source, field),
            }
            return;
        }
        match self.dialect {
            Dialect::Sqlite => {
                let path = self.bind(sqlite_path(&field.path).into());
                let column = ["\"", source, "\".\"", field.column.name, "\""].concat();
                // The text of a number or truth value is its JSON; `->>` would make an SQL number of it.
                for part in [
                    "(case json_type(",
                    &column,
                    ", ",
                    &path,
                    ") when 'object' then null when 'array' then null when 'null' then null when 'text' then ",
                    &column,
                    " ->> ",
                    &path,
                    " else ",
                    &column,
                    " -> ",
                    &path,
                    " end)",
                ] {
                    self.push(part);
                }
            }
            Dialect::Postgres => {
                self.push("(case when jsonb_typeof(");
                self.document(source, field);
                self.push(") in ('object', 'array') then null else ");
                self.document(source, field);
                self.push(" #>> '{}' end)");
            }
        }
    }

    /// Adds the value as it is compared for order and sorted: texts by bytes.
    pub(super) fn sortable(&mut self, source: &str, field: &'q Field) {
        match (self.dialect, field.kind()) {
            (Dialect::Sqlite, ColumnType::Numeric) => {
                self.push("cast(");
                self.equatable(source, field);
                self.push(" as real)");
            }
            (Dialect::Postgres, ColumnType::Text | ColumnType::Jsonb | ColumnType::TextList) => {
                self.equatable(source, field);
                self.push(" collate \"C\"");
            }
            _ => self.equatable(source, field),
        }
    }

    /// A value to compare an [`Sql::equatable`] with. Documents and lists are compared by their texts.
    pub(super) fn operand(&self, datum: &'q Datum) -> Result<Value<'q>> {
        match (self.dialect, datum) {
            (Dialect::Postgres, Datum::Json(_)) => {
                let mut text = String::new();
                datum.write_text(&mut text);
                Ok(text.into())
            }
            (_, Datum::Json(json)) => Ok(json.as_str().into()),
            (_, Datum::TextList(_)) => {
                let mut text = String::new();
                datum.write_json(&mut text);
                Ok(text.into())
            }
            _ => stored(datum),
        }
    }

    /// Adds the condition that a column is one of these keys, however many.
    pub(super) fn is_one_of(&mut self, source: &str, column: &str, kind: ColumnType, keys: Vec<String>) {
        self.column(source, column);
        let keys = self.bind(Value::TextList(Cow::Owned(keys)));
        match self.dialect {
            Dialect::Sqlite => self.push(&[" in (select value from json_each(", &keys, "))"].concat()),
            Dialect::Postgres => {
                self.push(&[" = any(", &keys, "::text[]::", kind.name(), "[])"].concat());
            }
        }
    }
}

/// A value as it is stored.
pub(super) fn stored(datum: &Datum) -> Result<Value<'_>> {
    Ok(match datum {
        Datum::Null => Value::Null,
        Datum::Bool(truth) => Value::Bool(*truth),
        Datum::Int(number) => Value::Int(*number),
        Datum::Real(number) => Value::Real((*number).into()),
        Datum::Double(number) => Value::Real(*number),
        Datum::Decimal(number) => {
            let number: BigDecimal = number.parse().map_err(|_| StoreError::NotFinite)?;
            Value::Decimal(Cow::Owned(number))
        }
        Datum::Text(text) => text.into(),
        Datum::Uuid(uuid) => Value::Uuid(*uuid),
        Datum::TimestampTz(moment) => Value::Time(*moment),
        Datum::Timestamp(moment) => Value::Timestamp(*moment),
        Datum::Json(json) => json.into(),
        Datum::TextList(texts) => Value::TextList(Cow::Borrowed(texts)),
    })
}

/// A way into a document in SQLite's notation.
fn sqlite_path(path: &[Step]) -> String {
    path_text("$", path, |from_end| ["#-", &from_end.to_string()].concat())
}

/// A way into a document as a `jsonpath`.
fn postgres_path(path: &[Step]) -> String {
    path_text("strict $", path, |from_end| {
        ["last - ", &(from_end - 1).to_string()].concat()
    })
}

fn path_text(start: &str, path: &[Step], from_end: impl Fn(u32) -> String) -> String {
    let mut text = start.to_owned();
    for step in path {
        match step {
            Step::Key(key) => {
                text.push('.');
                Datum::Text(key.clone()).write_json(&mut text);
            }
            Step::Index(index) if *index < 0 => {
                text.extend(["[", &from_end(index.unsigned_abs()), "]"]);
            }
            Step::Index(index) => text.extend(["[", &index.to_string(), "]"]),
        }
    }
    text
}
