//! The parameters of a URL, read against the description of its table.

use std::cmp::Reverse;

use pawl_model::query::{Embed, Field, Filter, Item, Refusal, Select};
use pawl_model::table::{Column, Table};
use time::OffsetDateTime;

use super::cursor::Cursor;
use super::filter::FilterReader;
use super::{field, limits, order, select};

/// What the parameters of a URL ask for.
#[derive(Debug)]
pub(super) struct Parameters {
    /// What is read, of which rows, in which order; its page is still open.
    pub(super) select: Select,
    /// The parameter `limit`.
    pub(super) limit: Option<u64>,
    /// The parameter `offset`.
    pub(super) offset: u64,
    /// The parameter `columns`.
    pub(super) columns: Option<Vec<&'static Column>>,
    /// The parameter `on_conflict`.
    pub(super) on_conflict: Option<Vec<&'static Column>>,
}

impl Parameters {
    /// Reads the part of a URL behind its `?`.
    ///
    /// # Errors
    /// Whatever is not understood is refused; nothing is passed over.
    pub(super) fn parse(query: &str, table: &'static Table, now: OffsetDateTime) -> Result<Self, Refusal> {
        let pairs = pairs(query)?;
        let find = |name: &str| {
            let mut found = pairs
                .iter()
                .filter(|(key, _)| key == name)
                .map(|(_, value)| value.as_str());
            match (found.next(), found.next()) {
                (_, Some(_)) => Err(Refusal::new("PGRST100", format!("\"{name}\" is given twice"))),
                (found, None) => Ok(found),
            }
        };
        let mut parameters = Self {
            select: select::parse(find("select")?, table)?,
            limit: None,
            offset: 0,
            columns: find("columns")?
                .map(|text| columns("columns parameter", text, table))
                .transpose()?,
            on_conflict: find("on_conflict")?
                .map(|text| columns("on_conflict parameter", text, table))
                .transpose()?,
        };
        let mut reader = FilterReader { now, count: 0 };
        let mut presences = Vec::new();
        for (key, value) in &pairs {
            if matches!(key.as_str(), "select" | "columns" | "on_conflict") {
                continue;
            }
            let (path, last) = tree_path(key)?;
            match last.as_str() {
                "order" => {
                    let select = embedded(&mut parameters.select, &path)?;
                    select.order = order::parse(value, select.table)?;
                }
                "limit" if path.is_empty() => parameters.limit = Some(row_count("limit", value)?),
                "offset" if path.is_empty() => parameters.offset = row_count("offset", value)?,
                "limit" => {
                    let limit = row_count("limit", value)?.min(limits::PAGE_ROWS);
                    embedded(&mut parameters.select, &path)?.limit = limit;
                }
                "offset" => embedded(&mut parameters.select, &path)?.offset = row_count("offset", value)?,
                "and" | "or" => {
                    let (negation, path): (Vec<_>, Vec<_>) = path.into_iter().partition(|name| name == "not");
                    let not = if negation.is_empty() { "" } else { "not." };
                    let select = embedded(&mut parameters.select, &path)?;
                    let filter = reader.logic(&[not, &last, value].concat(), select.table)?;
                    also(&mut select.filter, filter);
                }
                _ => {
                    let select = embedded(&mut parameters.select, &path)?;
                    if select.table.column(&last).is_none() && embed(select, &last).is_some() {
                        presences.push((path, reader.presence(&last, value)?, last));
                        continue;
                    }
                    let field = filtered_field(key, select.table)?;
                    let filter = reader.filter(&field, value)?;
                    also(&mut select.filter, filter);
                }
            }
        }
        // Last, and the innermost first, since they ask for what the other parameters say of the embedded rows.
        presences.sort_by_key(|(path, ..)| Reverse(path.len()));
        for (path, present, target) in presences {
            let select = embedded(&mut parameters.select, &path)?;
            if let Some(embed) = embed(select, &target) {
                let related = Filter::Related(embed.relation.clone(), Box::new(embed.select.filter.clone()));
                let filter = if present {
                    related
                } else {
                    Filter::Not(Box::new(related))
                };
                also(&mut select.filter, filter);
            }
        }
        Ok(parameters)
    }
}

/// Adds a condition to a filter. One that it has already is none: those on embedded rows are copied with all that is
/// within them, which would multiply from table to table.
fn also(filter: &mut Filter, more: Filter) {
    match filter {
        Filter::All(parts) if parts.contains(&more) => {}
        Filter::All(parts) => parts.push(more),
        other => *other = Filter::All(vec![std::mem::replace(other, Filter::EVERY), more]),
    }
}

/// The names before the last one in a key, and the last without its way into a document.
fn tree_path(key: &str) -> Result<(Vec<String>, String), Refusal> {
    let mut cursor = Cursor::new("tree path", key);
    let mut names = Vec::new();
    let last = loop {
        let name = cursor.field_name()?;
        if !cursor.take(".") {
            break name;
        }
        names.push(name);
    };
    cursor.json_path()?;
    if !cursor.at_end() {
        return Err(cursor.expected("delimiter (.), \"->\" or end of input"));
    }
    Ok((names, last))
}

/// The field that a key ends with.
fn filtered_field(key: &str, table: &'static Table) -> Result<Field, Refusal> {
    let mut cursor = Cursor::new("tree path", key);
    loop {
        let name = cursor.field_name()?;
        if !cursor.take(".") {
            return field::within(&mut cursor, table, &name);
        }
    }
}

/// What is selected of the table that is embedded at this path.
fn embedded<'s>(select: &'s mut Select, path: &[String]) -> Result<&'s mut Select, Refusal> {
    let mut select = select;
    for name in path {
        select = match embed(select, name) {
            Some(embed) => &mut embed.select,
            None => {
                return Err(Refusal::new(
                    "PGRST108",
                    format!("'{name}' is not an embedded resource in this request"),
                )
                .hint(format!(
                    "Verify that '{name}' is included in the 'select' query parameter."
                )));
            }
        };
    }
    Ok(select)
}

/// The table that is embedded under this name: its key in the answer, or else its own.
fn embed<'s>(select: &'s mut Select, name: &str) -> Option<&'s mut Embed> {
    let place = |by: fn(&Embed) -> &str| {
        select
            .items
            .iter()
            .position(|item| matches!(item, Item::Embed(embed) if by(embed) == name))
    };
    let place = place(|embed| &embed.name).or_else(|| place(|embed| embed.relation.to.name))?;
    match &mut select.items[place] {
        Item::Embed(embed) => Some(embed),
        Item::Field { .. } => None,
    }
}

fn row_count(name: &str, text: &str) -> Result<u64, Refusal> {
    match text.trim().parse::<i64>() {
        // A negative offset is none.
        Ok(number) if number < 0 && name == "offset" => Ok(0),
        Ok(number) => u64::try_from(number).map_err(|_| {
            Refusal::new("PGRST103", "Requested range not satisfiable")
                .details("Limit should be greater than or equal to zero.")
        }),
        Err(_) => {
            let what = if name == "limit" { "limit" } else { "offset" };
            Err(Cursor::new(what, text).expected("a whole number"))
        }
    }
}

fn columns(what: &'static str, text: &str, table: &'static Table) -> Result<Vec<&'static Column>, Refusal> {
    let mut cursor = Cursor::new(what, text);
    let mut columns: Vec<&'static Column> = Vec::new();
    loop {
        cursor.blanks();
        let name = cursor.field_name()?;
        let column = table.column(&name).ok_or_else(|| no_such_column(table, &name))?;
        if !columns.iter().any(|known| known.name == column.name) {
            columns.push(column);
        }
        cursor.blanks();
        if cursor.at_end() {
            return Ok(columns);
        }
        cursor.expect(",")?;
    }
}

/// A column that a body names and the table does not have.
pub(super) fn no_such_column(table: &Table, name: &str) -> Refusal {
    let message = format!(
        "Could not find the '{name}' column of '{}' in the schema cache",
        table.name
    );
    Refusal::new("PGRST204", message)
}

/// The names and values of a form or a query.
pub(super) fn pairs(query: &str) -> Result<Vec<(String, String)>, Refusal> {
    let parts = query.split('&').filter(|part| !part.is_empty());
    parts
        .map(|part| {
            let (key, value) = part.split_once('=').unwrap_or((part, ""));
            Ok((decoded(key)?, decoded(value)?))
        })
        .collect()
}

fn decoded(text: &str) -> Result<String, Refusal> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        let escaped = match tail {
            [high, low, ..] if byte == b'%' => hex(*high).zip(hex(*low)),
            _ => None,
        };
        match (byte, escaped) {
            (_, Some((high, low))) => {
                bytes.push(high * 16 + low);
                rest = &tail[2..];
            }
            (b'+', _) => bytes.push(b' '),
            _ => bytes.push(byte),
        }
    }
    String::from_utf8(bytes).map_err(|_| Refusal::new("PGRST100", "The URL is not encoded as UTF-8"))
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit)
        .to_digit(16)
        .and_then(|digit| u8::try_from(digit).ok())
}
