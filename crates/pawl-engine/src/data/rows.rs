//! Rows to be added: from what a request names to a value for every column.

use std::collections::HashSet;

use pawl_model::query::{Insert, Missing, Refusal};
use pawl_model::table::{Column, ColumnDefault, ColumnType, Datum, Table};
use pawl_model::{Json, UserId};
use pawl_store::{Actor, Scope, StoreError};
use uuid::Uuid;

use super::DataError;
use super::diagnosis::KnownRow;
use crate::Clock;

/// The rows of a request with a value for every column.
pub(super) async fn complete(
    scope: &mut Scope,
    clock: &Clock,
    insert: &Insert,
) -> Result<Vec<Vec<Datum>>, DataError> {
    let table = insert.table;
    let now = clock.now();
    // In ascending order, so that rows without an order of their own come back as they were sent.
    let mut ids: Vec<Uuid> = insert.rows.iter().map(|_| clock.fresh_id()).collect();
    ids.sort_unstable();
    let mut nobody_named = None;
    let mut rows = Vec::with_capacity(insert.rows.len());
    for (named, id) in insert.rows.iter().zip(ids) {
        let mut row = Vec::with_capacity(table.columns.len());
        for column in table.columns {
            let place = insert.columns.iter().position(|named| named.name == column.name);
            let value = match (place.map(|place| &named[place]), insert.missing) {
                (Some(Some(value)), _) => value.clone(),
                (Some(None), Missing::Null) => Datum::Null,
                (Some(None), Missing::Default) | (None, _) => match column.default {
                    None => Datum::Null,
                    Some(ColumnDefault::FreshId) => Datum::Uuid(id),
                    Some(ColumnDefault::Now) if column.kind == ColumnType::Timestamp => Datum::Timestamp(now),
                    Some(ColumnDefault::Now) => Datum::TimestampTz(now),
                    Some(ColumnDefault::Int(number)) => Datum::Int(number),
                    Some(ColumnDefault::Bool(truth)) => Datum::Bool(truth),
                    Some(ColumnDefault::Text(text)) => Datum::Text(text.to_owned()),
                    Some(ColumnDefault::EmptyObject) => Datum::Json(Json::empty_object()),
                    Some(ColumnDefault::EmptyArray) => Datum::Json(Json::empty_array()),
                    Some(ColumnDefault::Double(number)) => Datum::Double(number),
                    Some(ColumnDefault::Texts(texts)) => {
                        Datum::TextList(texts.iter().map(ToString::to_string).collect())
                    }
                    // Rows of these tables come of searches alone.
                    Some(ColumnDefault::RandomId(_)) => Datum::Null,
                    Some(ColumnDefault::FreshText) => Datum::Text(Uuid::new_v4().simple().to_string()),
                },
            };
            row.push(if column.name == table.tenant {
                match value {
                    Datum::Uuid(user) => owner(scope, table, Some(UserId(user))).await?,
                    _ => match &nobody_named {
                        Some(known) => Datum::clone(known),
                        None => nobody_named.insert(owner(scope, table, None).await?).clone(),
                    },
                }
            } else {
                value
            });
        }
        rows.push(row);
    }
    Ok(rows)
}

async fn owner(scope: &mut Scope, table: &Table, named: Option<UserId>) -> Result<Datum, DataError> {
    match scope.owner(named).await {
        Ok(owner) => Ok(owner.map_or(Datum::Null, |user| Datum::Uuid(user.0))),
        Err(StoreError::ForeignRow) => Err(Refusal::foreign_row(table.name).into()),
        Err(other) => Err(other.into()),
    }
}

/// To whom rows are given that a request gives to somebody.
pub(super) async fn new_owner(
    scope: &mut Scope,
    table: &'static Table,
    value: &Datum,
) -> Result<Datum, DataError> {
    match (scope.actor(), value) {
        (Actor::Tenant(_) | Actor::Anonymous, Datum::Null) => Err(Refusal::foreign_row(table.name).into()),
        (_, Datum::Uuid(user)) => owner(scope, table, Some(UserId(*user))).await,
        _ => owner(scope, table, None).await,
    }
}

/// A row of which these values are known.
pub(super) fn with_values(table: &Table, values: &[(&'static Column, Datum)]) -> KnownRow {
    let value_of = |column: &Column| {
        let found = values.iter().rev().find(|(named, _)| named.name == column.name);
        found.map(|(_, value)| value.clone())
    };
    table.columns.iter().map(value_of).collect()
}

/// Complete rows, as ones of which every value is known.
pub(super) fn known(rows: Vec<Vec<Datum>>) -> Vec<KnownRow> {
    rows.into_iter()
        .map(|row| row.into_iter().map(Some).collect())
        .collect()
}

/// The values of a column in all rows.
pub(super) fn column_of<'r>(table: &Table, rows: &'r [Vec<Datum>], name: &str) -> Vec<&'r Datum> {
    let place = table.columns.iter().position(|column| column.name == name);
    rows.iter()
        .filter_map(|row| place.and_then(|place| row.get(place)))
        .collect()
}

/// The primary keys of the rows.
pub(super) fn primary_keys(table: &Table, rows: &[Vec<Datum>]) -> HashSet<Uuid> {
    let keys = column_of(table, rows, table.key()).into_iter();
    keys.filter_map(|key| match key {
        Datum::Uuid(id) => Some(*id),
        _ => None,
    })
    .collect()
}

/// Refuses rows of which two would change the same row.
pub(super) fn refuse_repeated_keys(
    table: &Table,
    rows: &[Vec<Datum>],
    key: &[&'static Column],
) -> Result<(), DataError> {
    let columns: Vec<Vec<&Datum>> = key
        .iter()
        .map(|column| column_of(table, rows, column.name))
        .collect();
    let mut seen = HashSet::new();
    for row in 0..rows.len() {
        let mut text = String::new();
        for column in &columns {
            column[row].write_json(&mut text);
            text.push(',');
        }
        if !seen.insert(text) {
            let message = "ON CONFLICT DO UPDATE command cannot affect row a second time";
            let hint = "Ensure that no rows proposed for insertion within the same command have duplicate \
                        constrained values.";
            return Err(Refusal::new("21000", message).hint(hint).into());
        }
    }
    Ok(())
}
