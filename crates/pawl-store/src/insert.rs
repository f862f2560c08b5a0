//! Inserting many rows by few statements.

use crate::Value;
use crate::array::{Column, Element};

/// Where rows go, and what happens to those whose key is there already.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Insert {
    pub table: &'static str,
    pub columns: &'static [&'static str],
    /// What happens to a row whose key is there already.
    pub on_existing: OnExisting,
}

/// What happens to a row whose key is there already.
#[derive(Clone, Copy, Debug)]
pub(crate) enum OnExisting {
    /// It is an error.
    Fail,
    /// The one that is there stays, by these columns of the key.
    Keep(&'static [&'static str]),
    /// It takes over these columns of the new one.
    Replace {
        key: &'static [&'static str],
        columns: &'static [&'static str],
    },
}

/// Rows of one statement on SQLite: enough to make the cost of a statement vanish, few enough to stay far below the number
/// of parameters that it takes (32,766), and as few texts as sizes of a last one.
const SQLITE_ROWS: usize = 64;
/// And on PostgreSQL: what is bound to it has to be built in memory.
const POSTGRES_ROWS: usize = 256;

impl Insert {
    /// Statements for SQLite, with the rows that each inserts.
    pub(crate) fn sqlite<'r, 'v>(
        &self,
        rows: &'r [Vec<Value<'v>>],
    ) -> impl Iterator<Item = (String, &'r [Vec<Value<'v>>])> {
        rows.chunks(SQLITE_ROWS).map(|rows| {
            // It knows `$1` as well, but looks names up one after the other, which takes longer than the insert itself
            // where there are a thousand of them.
            let row = ["(", &vec!["?"; self.columns.len()].join(", "), ")"].concat();
            let values = vec![&*row; rows.len()].join(", ");
            (self.text(&[" values ", &values].concat()), rows)
        })
    }

    /// Statements for PostgreSQL, with the columns that each inserts: an array for each costs a fraction of what a place
    /// for every value would.
    pub(crate) fn postgres<'r>(
        &self,
        rows: &'r [Vec<Value<'r>>],
    ) -> impl Iterator<Item = (String, Vec<Column<'r>>)> {
        rows.chunks(POSTGRES_ROWS).map(|rows| {
            let element = |place: usize| rows.iter().find_map(|row| Element::of(row.get(place)?));
            let (mut selected, mut columns) = (vec![], vec![]);
            for place in 0..self.columns.len() {
                let Some(element) = element(place) else {
                    // Of no type that we know.
                    selected.push("null".to_owned());
                    continue;
                };
                columns.push(Column { element, rows, place });
                let number = columns.len().to_string();
                selected.push(["unnest($", &number, "::", element.name, "[])", element.cast].concat());
            }
            // Selected side by side they go on in step; as a source of rows each would be written out first.
            let source = [" select ", &selected.join(", ")];
            (self.text(&source.concat()), columns)
        })
    }

    /// The text holds names of our own and placeholders, never a value.
    fn text(&self, source: &str) -> String {
        let mut text = [
            "insert into ",
            self.table,
            " (",
            &self.columns.join(", "),
            ")",
            source,
        ]
        .concat();
        if let OnExisting::Keep(key) | OnExisting::Replace { key, .. } = self.on_existing {
            text.push_str(&[" on conflict (", &key.join(", "), ") do "].concat());
        }
        match self.on_existing {
            OnExisting::Fail => {}
            OnExisting::Keep(_) => text.push_str("nothing"),
            OnExisting::Replace { columns, .. } => {
                let taken = columns
                    .iter()
                    .map(|column| [column, " = excluded.", column].concat());
                text.push_str(&["update set ", &taken.collect::<Vec<_>>().join(", ")].concat());
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_has_a_place_for_each_value_or_for_each_column() {
        let insert = Insert {
            table: "t",
            columns: &["a", "b", "c", "d"],
            on_existing: OnExisting::Keep(&["a"]),
        };
        let list = ["x".to_owned()];
        let row =
            |number: Option<i64>| vec![number.into(), "text".into(), list.as_slice().into(), Value::Null];
        let rows = [row(None), row(Some(1))];
        let (text, of_it) = insert.sqlite(&rows).next().unwrap();
        assert_eq!(
            text,
            "insert into t (a, b, c, d) values (?, ?, ?, ?), (?, ?, ?, ?) on conflict (a) do nothing"
        );
        assert_eq!(of_it.len(), 2);
        let (text, columns) = insert.postgres(&rows).next().unwrap();
        assert_eq!(
            text,
            concat!(
                "insert into t (a, b, c, d) select unnest($1::int8[]), unnest($2::text[]), unnest($3::text[])::text[], null",
                " on conflict (a) do nothing"
            )
        );
        assert_eq!(columns.len(), 3);
    }
}
