//! Rows of an answer, and their texts.

use super::{Item, Select};
use crate::table::Datum;

/// One row of an answer: a cell for each item that is shown, in their order.
pub type Record = Vec<Cell>;

/// What stands under one key of a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// A value.
    Value(Datum),
    /// The one row that belongs to it, if there is one.
    One(Option<Record>),
    /// The rows that belong to it.
    Many(Vec<Record>),
}

impl Item {
    /// The key in the answer.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Field { name, .. } => name,
            Self::Embed(embed) => &embed.name,
        }
    }

    const fn is_shown(&self) -> bool {
        match self {
            Self::Field { .. } => true,
            Self::Embed(embed) => embed.shown,
        }
    }
}

impl Select {
    /// The items that have a cell in each row.
    pub fn shown(&self) -> impl Iterator<Item = &Item> {
        self.items.iter().filter(|item| item.is_shown())
    }

    /// The rows as a JSON array without blanks.
    #[must_use]
    pub fn json_array(&self, records: &[Record]) -> String {
        let mut out = String::new();
        self.write_array(records, &mut out);
        out
    }

    /// One row as a JSON object without blanks.
    #[must_use]
    pub fn json_object(&self, record: &Record) -> String {
        let mut out = String::new();
        self.write_object(record, &mut out);
        out
    }

    fn write_array(&self, records: &[Record], out: &mut String) {
        out.push('[');
        for (index, record) in records.iter().enumerate() {
            if index > 0 {
                out.push(',');
            }
            self.write_object(record, out);
        }
        out.push(']');
    }

    fn write_object(&self, record: &Record, out: &mut String) {
        out.push('{');
        for (index, (item, cell)) in self.shown().zip(record).enumerate() {
            if index > 0 {
                out.push(',');
            }
            Datum::Text(item.name().to_owned()).write_json(out);
            out.push(':');
            item.write_json(cell, out);
        }
        out.push('}');
    }

    /// The rows as CSV (RFC 4180) with a head: values as texts, null as nothing, the empty text in quotes.
    #[must_use]
    pub fn csv(&self, records: &[Record]) -> String {
        let mut out = String::new();
        for (index, item) in self.shown().enumerate() {
            if index > 0 {
                out.push(',');
            }
            push_quoted(item.name(), &mut out);
        }
        for record in records {
            out.push('\n');
            for (index, (item, cell)) in self.shown().zip(record).enumerate() {
                if index > 0 {
                    out.push(',');
                }
                let mut text = String::new();
                match cell {
                    Cell::Value(Datum::Null) | Cell::One(None) => continue,
                    // Within rows, PostgreSQL writes truth values by their first letter.
                    Cell::Value(Datum::Bool(truth)) => text.push(if *truth { 't' } else { 'f' }),
                    Cell::Value(value) => value.write_text(&mut text),
                    embedded => item.write_json(embedded, &mut text),
                }
                push_quoted(&text, &mut out);
            }
        }
        out
    }
}

impl Item {
    fn write_json(&self, cell: &Cell, out: &mut String) {
        match (self, cell) {
            (_, Cell::Value(value)) => value.write_json(out),
            (Self::Embed(embed), Cell::One(Some(record))) => embed.select.write_object(record, out),
            (Self::Embed(embed), Cell::Many(records)) => embed.select.write_array(records, out),
            _ => out.push_str("null"),
        }
    }
}

fn push_quoted(text: &str, out: &mut String) {
    let special = |c: char| matches!(c, ',' | '"' | '\n' | '\r');
    let blank_end = text.starts_with(char::is_whitespace) || text.ends_with(char::is_whitespace);
    if text.is_empty() || blank_end || text.contains(special) {
        out.extend(["\"", &text.replace('"', "\"\""), "\""]);
    } else {
        out.push_str(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::{Field, Filter, Form};
    use crate::table::{ColumnType, Table};
    use time::OffsetDateTime;

    fn select(columns: &[&str]) -> Select {
        let table = Table::find("sb_eval_cases").unwrap();
        Select {
            table,
            items: columns
                .iter()
                .map(|name| Item::Field {
                    name: (*name).to_owned(),
                    field: Field::of(table.column(name).unwrap()),
                    form: Form::Plain,
                })
                .collect(),
            filter: Filter::EVERY,
            order: Vec::new(),
            offset: 0,
            limit: 10,
        }
    }

    fn cell(kind: ColumnType, text: &str) -> Cell {
        Cell::Value(kind.parse(text, OffsetDateTime::UNIX_EPOCH).unwrap())
    }

    #[test]
    fn rows_are_written_as_json_and_csv() {
        let select = select(&["id", "passed", "created_at", "details", "output", "error"]);
        let record = vec![
            cell(ColumnType::Uuid, "A1B2C3D4-E5F6-4890-ABCD-000000000001"),
            cell(ColumnType::Bool, "yes"),
            cell(ColumnType::TimestampTz, "2026-11-27T23:30:20.120Z"),
            cell(ColumnType::Jsonb, r#"{"bb": [1.50, "x, y"], "a": {}}"#),
            cell(ColumnType::Text, "say \"hi\",\nthen go"),
            Cell::Value(Datum::Null),
        ];
        assert_eq!(
            select.json_array(std::slice::from_ref(&record)),
            concat!(
                r#"[{"id":"a1b2c3d4-e5f6-4890-abcd-000000000001","passed":true,"#,
                r#""created_at":"2026-11-27T23:30:20.12+00:00","details":{"a":{},"bb":[1.50,"x, y"]},"#,
                r#""output":"say \"hi\",\nthen go","error":null}]"#
            )
        );
        assert_eq!(
            select.csv(&[record]),
            concat!(
                "id,passed,created_at,details,output,error\n",
                "a1b2c3d4-e5f6-4890-abcd-000000000001,t,2026-11-27 23:30:20.12+00,",
                "\"{\"\"a\"\": {}, \"\"bb\"\": [1.50, \"\"x, y\"\"]}\",\"say \"\"hi\"\",\nthen go\","
            )
        );
        assert_eq!(select.json_array(&[]), "[]");
    }
}
