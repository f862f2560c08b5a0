//! Conditions.

use pawl_model::query::{
    Case, Comparison, Embed, Field, Filter, Item, Join, Pattern, PatternPart, Select, Truth,
};
use pawl_model::table::{Datum, Relation};

use super::sql::{Dialect, Sql, stored};
use crate::{Result, Value};

impl<'q> Sql<'q> {
    /// Adds what the rows of a request must fulfil: to be the tenant's, the filter, and rows of others within them.
    pub(super) fn conditions(&mut self, source: &str, select: &'q Select) -> Result<()> {
        self.guard(source, select.table);
        self.push(" and ");
        self.filter(source, &select.filter)?;
        for item in &select.items {
            if let Item::Embed(Embed {
                relation,
                join: Join::Inner,
                select,
                ..
            }) = item
            {
                self.push(" and ");
                self.related(source, relation, |sql, alias| sql.conditions(alias, select))?;
            }
        }
        Ok(())
    }

    /// Adds a condition, whole in itself.
    pub(super) fn filter(&mut self, source: &str, filter: &'q Filter) -> Result<()> {
        match filter {
            Filter::All(parts) if parts.is_empty() => self.push("true"),
            Filter::Any(parts) if parts.is_empty() => self.push("false"),
            Filter::All(parts) => self.junction(source, parts, " and ")?,
            Filter::Any(parts) => self.junction(source, parts, " or ")?,
            Filter::Not(part) => {
                self.push("(not ");
                self.filter(source, part)?;
                self.push(")");
            }
            Filter::Compare(field, comparison, value) => self.compare(source, field, *comparison, value)?,
            Filter::In(_, values) if values.is_empty() => self.push("false"),
            Filter::In(field, values) => {
                self.push("(");
                self.equatable(source, field);
                self.push(" in (");
                self.list(", ", values, |sql, value| {
                    let operand = sql.operand(value)?;
                    sql.value(operand);
                    Ok(())
                })?;
                self.push("))");
            }
            Filter::Is(field, truth) => {
                self.push("(");
                self.presence(source, field);
                self.push(match truth {
                    Truth::Null | Truth::Unknown => " is null)",
                    Truth::NotNull => " is not null)",
                    Truth::True => " is true)",
                    Truth::False => " is false)",
                });
            }
            Filter::Distinct(field, value) => {
                self.push("(");
                self.equatable(source, field);
                self.push(" is distinct from ");
                let operand = self.operand(value)?;
                self.value(operand);
                self.push(")");
            }
            Filter::Like(field, pattern) => self.like(source, field, pattern),
            Filter::Contains(field, value) => self.contains(source, field, value)?,
            Filter::ContainedBy(field, value) => self.contained_by(source, field, value)?,
            Filter::Overlaps(field, texts) => self.overlaps(source, field, texts),
            Filter::Related(relation, filter) => {
                self.related(source, relation, |sql, alias| {
                    sql.guard(alias, relation.to);
                    sql.push(" and ");
                    sql.filter(alias, filter)
                })?;
            }
        }
        Ok(())
    }

    fn junction(&mut self, source: &str, parts: &'q [Filter], between: &str) -> Result<()> {
        self.push("(");
        self.list(between, parts, |sql, part| sql.filter(source, part))?;
        self.push(")");
        Ok(())
    }

    fn compare(
        &mut self,
        source: &str,
        field: &'q Field,
        comparison: Comparison,
        value: &'q Datum,
    ) -> Result<()> {
        let operator = match comparison {
            Comparison::Equal => " = ",
            Comparison::NotEqual => " <> ",
            Comparison::Greater => " > ",
            Comparison::GreaterOrEqual => " >= ",
            Comparison::Less => " < ",
            Comparison::LessOrEqual => " <= ",
        };
        self.push("(");
        if matches!(comparison, Comparison::Equal | Comparison::NotEqual) {
            self.equatable(source, field);
        } else {
            self.sortable(source, field);
        }
        self.push(operator);
        let operand = match (self.dialect, comparison, value) {
            (_, Comparison::Equal | Comparison::NotEqual, value) => self.operand(value)?,
            (Dialect::Sqlite, _, Datum::Decimal(_)) => Value::from(value.number().unwrap_or(0.0)),
            (_, _, value) => self.operand(value)?,
        };
        self.value(operand);
        self.push(")");
        Ok(())
    }

    /// PostgreSQL has `like`; SQLite's is blind to the case of letters, but its `glob` is not.
    fn like(&mut self, source: &str, field: &'q Field, pattern: &Pattern) {
        self.push("(");
        match (self.dialect, pattern.case) {
            (Dialect::Postgres, Case::Sensitive) => {
                self.equatable(source, field);
                self.push(" like ");
                self.value(like_text(pattern).into());
            }
            (Dialect::Postgres, Case::Insensitive) => {
                self.push("lower(");
                self.equatable(source, field);
                self.push(" collate \"C\") like ");
                self.value(like_text(pattern).to_ascii_lowercase().into());
            }
            (Dialect::Sqlite, Case::Sensitive) => {
                self.equatable(source, field);
                self.push(" glob ");
                self.value(glob_text(pattern).into());
            }
            (Dialect::Sqlite, Case::Insensitive) => {
                self.equatable(source, field);
                self.push(" like ");
                self.value(like_text(pattern).into());
                self.push(" escape '\\'");
            }
        }
        self.push(")");
    }

    fn overlaps(&mut self, source: &str, field: &'q Field, texts: &'q [String]) {
        if self.dialect == Dialect::Postgres {
            self.push("(");
            self.document(source, field);
            self.push(" && ");
            self.value(texts.into());
            self.push(")");
            return;
        }
        self.unless_null(source, field, |sql, document| {
            sql.push("exists (select 1 from json_each(");
            sql.push(document);
            sql.push(") as element where element.value in (select value from json_each(");
            sql.value(texts.into());
            sql.push(")))");
        });
    }

    /// Adds the condition that there is a row under this relation for which more holds.
    fn related(
        &mut self,
        source: &str,
        relation: &Relation,
        more: impl FnOnce(&mut Self, &str) -> Result<()>,
    ) -> Result<()> {
        let alias = self.alias();
        self.push("exists (select 1 from ");
        self.name(relation.to.name);
        self.push(" as ");
        self.name(&alias);
        self.push(" where ");
        self.column(&alias, relation.to_column);
        self.push(" = ");
        self.column(source, relation.from_column);
        // Rows of different tenants never belong together, whoever asks.
        self.push(" and ");
        self.column(&alias, relation.to.tenant);
        self.push(" is not distinct from ");
        self.column(source, relation.from.tenant);
        self.push(" and ");
        more(self, &alias)?;
        self.push(")");
        Ok(())
    }

    fn contains(&mut self, source: &str, field: &'q Field, value: &'q Datum) -> Result<()> {
        if self.dialect == Dialect::Postgres {
            return self.native(source, field, " @> ", value);
        }
        self.unless_null(source, field, |sql, document| {
            sql.document_contains(document, value);
        });
        Ok(())
    }

    fn contained_by(&mut self, source: &str, field: &'q Field, value: &'q Datum) -> Result<()> {
        if self.dialect == Dialect::Postgres {
            return self.native(source, field, " <@ ", value);
        }
        self.unless_null(source, field, |sql, document| {
            sql.document_is_within(document, value);
        });
        Ok(())
    }

    fn native(&mut self, source: &str, field: &'q Field, operator: &str, value: &'q Datum) -> Result<()> {
        self.push("(");
        self.document(source, field);
        self.push(operator);
        self.value(stored(value)?);
        self.push(")");
        Ok(())
    }

    fn unless_null(&mut self, source: &str, field: &'q Field, condition: impl FnOnce(&mut Self, &str)) {
        // The text of the document is needed again and again.
        let start = self.text.len();
        self.document(source, field);
        let document = self.text.split_off(start);
        self.push("(case when ");
        self.push(&document);
        self.push(" is not null then ");
        condition(self, &document);
        self.push(" end)");
    }
}

/// A pattern in the notation of `like`, with `\` before what stands for itself.
fn like_text(pattern: &Pattern) -> String {
    let mut text = String::new();
    for part in &pattern.parts {
        match part {
            PatternPart::Many => text.push('%'),
            PatternPart::One => text.push('_'),
            PatternPart::Character(character @ ('%' | '_' | '\\')) => text.extend(['\\', *character]),
            PatternPart::Character(character) => text.push(*character),
        }
    }
    text
}

/// A pattern in the notation of `glob`, with brackets around what stands for itself.
fn glob_text(pattern: &Pattern) -> String {
    let mut text = String::new();
    for part in &pattern.parts {
        match part {
            PatternPart::Many => text.push('*'),
            PatternPart::One => text.push('?'),
            PatternPart::Character(character @ ('*' | '?' | '[')) => text.extend(['[', *character, ']']),
            PatternPart::Character(character) => text.push(*character),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_has_two_notations() {
        let pattern = Pattern {
            parts: vec![
                PatternPart::Many,
                PatternPart::Character('5'),
                PatternPart::Character('%'),
                PatternPart::One,
                PatternPart::Character('*'),
                PatternPart::Character('['),
                PatternPart::Character('\\'),
            ],
            case: Case::Sensitive,
        };
        assert_eq!(like_text(&pattern), r"%5\%_*[\\");
        assert_eq!(glob_text(&pattern), r"*5%?[*][[]\");
    }
}
