//! Columns and places within documents.

use pawl_model::query::{Field, Leaf, Refusal};
use pawl_model::table::{Column, ColumnType, Table};

use super::cursor::{Arrow, Cursor};

/// Reads a column and the way into its document.
pub(super) fn field(cursor: &mut Cursor<'_>, table: &'static Table) -> Result<Field, Refusal> {
    let name = cursor.field_name()?;
    within(cursor, table, &name)
}

/// Reads the way into the document of this column.
pub(super) fn within(cursor: &mut Cursor<'_>, table: &'static Table, name: &str) -> Result<Field, Refusal> {
    let path = cursor.json_path()?;
    let column = column(table, name)?;
    let mut leaf = Leaf::Document;
    let mut kind = column.kind;
    let mut steps = Vec::with_capacity(path.len());
    for (step, arrow) in path {
        let (sign, next, kind_behind) = match arrow {
            Arrow::Document => ("->", Leaf::Document, ColumnType::Jsonb),
            Arrow::Text => ("->>", Leaf::Text, ColumnType::Text),
        };
        if kind != ColumnType::Jsonb {
            return Err(Refusal::no_operator(kind.name(), sign));
        }
        steps.push(step);
        leaf = next;
        kind = kind_behind;
    }
    Ok(Field {
        column,
        path: steps,
        leaf,
    })
}

/// The column of this name.
pub(super) fn column(table: &'static Table, name: &str) -> Result<&'static Column, Refusal> {
    table
        .column(name)
        .ok_or_else(|| Refusal::no_column(table.name, name))
}
