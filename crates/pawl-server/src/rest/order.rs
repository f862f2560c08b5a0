//! The parameter `order`.

use pawl_model::query::{Direction, Nulls, Order, Refusal};
use pawl_model::table::Table;

use super::cursor::Cursor;
use super::field::within;
use super::limits;

/// Reads the terms of an order.
pub(super) fn parse(text: &str, table: &'static Table) -> Result<Vec<Order>, Refusal> {
    let mut cursor = Cursor::new("order", text);
    let mut terms = Vec::new();
    loop {
        cursor.blanks();
        terms.push(term(&mut cursor, table)?);
        if terms.len() > limits::ORDER_TERMS {
            return Err(Refusal::too_much(format!(
                "an order can have {} terms",
                limits::ORDER_TERMS
            )));
        }
        cursor.blanks();
        if cursor.at_end() {
            return Ok(terms);
        }
        if !cursor.take(",") {
            return Err(cursor.expected("delimiter (.), \",\" or end of input"));
        }
    }
}

fn term(cursor: &mut Cursor<'_>, table: &'static Table) -> Result<Order, Refusal> {
    let name = cursor.field_name()?;
    if cursor.peek() == Some('(') {
        return Err(Refusal::not_supported(format!(
            "an order by a column of the embedded `{name}`"
        )));
    }
    let field = within(cursor, table, &name)?;
    let direction = if cursor.take(".desc") {
        Direction::Descending
    } else {
        cursor.take(".asc");
        Direction::Ascending
    };
    let nulls = match (cursor.take(".nullsfirst"), cursor.take(".nullslast"), direction) {
        (true, ..) => Nulls::First,
        (_, true, _) | (_, _, Direction::Ascending) => Nulls::Last,
        (_, _, Direction::Descending) => Nulls::First,
    };
    if cursor.peek() == Some('.') {
        return Err(cursor.expected("\"asc\", \"desc\", \"nullsfirst\" or \"nullslast\""));
    }
    Ok(Order {
        field,
        direction,
        nulls,
    })
}
