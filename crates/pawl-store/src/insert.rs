//! Inserting many rows by few statements.

use crate::{Result, Scope, Value};

/// Where rows go, and what happens to those whose key is there already.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Insert {
    pub table: &'static str,
    pub columns: &'static [&'static str],
    /// Columns of the key on which a row that exists already is left as it is; empty: such a row is an error.
    pub keep_existing_on: &'static [&'static str],
}

/// Rows of one statement: enough to make the cost of a statement vanish, few enough to stay far below the number of
/// parameters that SQLite takes (32,766).
const ROWS_PER_STATEMENT: usize = 64;

/// How the values of a long statement are marked. Both engines know `$1`; but SQLite looks names up one after the other,
/// which takes longer than the insert itself where there are a thousand of them.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Placeholders {
    Numbered,
    Anonymous,
}

impl Insert {
    /// Inserts the rows and says how many were new.
    pub(crate) async fn rows(&self, scope: &mut Scope, rows: &[Vec<Value<'_>>]) -> Result<u64> {
        let mut inserted = 0;
        for chunk in rows.chunks(ROWS_PER_STATEMENT) {
            let text = self.text(chunk.len(), scope.placeholders());
            inserted += scope.execute_text(text, chunk.iter().flatten()).await?;
        }
        Ok(inserted)
    }

    /// The text holds names of our own and placeholders, never a value.
    fn text(&self, rows: usize, placeholders: Placeholders) -> String {
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
            for column in 0..self.columns.len() {
                if column > 0 {
                    text.push_str(", ");
                }
                match placeholders {
                    Placeholders::Numbered => {
                        text.push('$');
                        text.push_str(&placeholder.to_string());
                        placeholder += 1;
                    }
                    Placeholders::Anonymous => text.push('?'),
                }
            }
            text.push(')');
        }
        if !self.keep_existing_on.is_empty() {
            text.push_str(
                &[
                    " on conflict (",
                    &self.keep_existing_on.join(", "),
                    ") do nothing",
                ]
                .concat(),
            );
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
            keep_existing_on: &["a"],
        };
        let text = |placeholders| insert.text(2, placeholders);
        assert_eq!(
            text(Placeholders::Numbered),
            "insert into t (a, b) values ($1, $2), ($3, $4) on conflict (a) do nothing"
        );
        assert_eq!(
            text(Placeholders::Anonymous),
            "insert into t (a, b) values (?, ?), (?, ?) on conflict (a) do nothing"
        );
    }
}
