//! Inserting many rows by few statements.

use std::fmt::Write as _;

use crate::query::Dialect;
use crate::{Result, Scope, Value};

/// Where rows go, and what happens to those whose key is there already.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Insert {
    pub table: &'static str,
    pub columns: &'static [&'static str],
    /// Nullable columns of 32 bits. PostgreSQL keeps a statement with the types that it first saw, and a null would be of
    /// the column's; our integers have 64 bits.
    pub narrow_integers: &'static [&'static str],
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

/// Rows of one statement: enough to make the cost of a statement vanish, few enough to stay far below the number of
/// parameters that SQLite takes (32,766).
const ROWS_PER_STATEMENT: usize = 64;

impl Insert {
    /// Inserts the rows and says how many were new.
    pub(crate) async fn rows(&self, scope: &mut Scope, rows: &[Vec<Value<'_>>]) -> Result<u64> {
        let dialect = scope.dialect();
        let chunks = rows.chunks(ROWS_PER_STATEMENT);
        scope
            .execute_texts(chunks.map(|chunk| (self.text(chunk.len(), dialect), chunk.iter().flatten())))
            .await
    }

    /// The text holds names of our own and placeholders, never a value.
    fn text(&self, rows: usize, dialect: Dialect) -> String {
        let mut text = [
            "insert into ",
            self.table,
            " (",
            &self.columns.join(", "),
            ") values ",
        ]
        .concat();
        let mut placeholder = 1;
        for row in 0..rows {
            text.push_str(if row == 0 { "(" } else { ", (" });
            for (column, name) in self.columns.iter().enumerate() {
                if column > 0 {
                    text.push_str(", ");
                }
                match dialect {
                    Dialect::Postgres => {
                        // Into memory: it cannot fail.
                        let _ = write!(text, "${placeholder}");
                        if self.narrow_integers.contains(name) {
                            text.push_str("::int8");
                        }
                        placeholder += 1;
                    }
                    // It knows `$1` as well, but looks names up one after the other, which takes longer than the insert
                    // itself where there are a thousand of them.
                    Dialect::Sqlite => text.push('?'),
                }
            }
            text.push(')');
        }
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
    fn the_text_numbers_its_placeholders_row_by_row() {
        let insert = Insert {
            table: "t",
            columns: &["a", "b"],
            narrow_integers: &["b"],
            on_existing: OnExisting::Keep(&["a"]),
        };
        let text = |dialect| insert.text(2, dialect);
        assert_eq!(
            text(Dialect::Postgres),
            "insert into t (a, b) values ($1, $2::int8), ($3, $4::int8) on conflict (a) do nothing"
        );
        assert_eq!(
            text(Dialect::Sqlite),
            "insert into t (a, b) values (?, ?), (?, ?) on conflict (a) do nothing"
        );
    }
}
