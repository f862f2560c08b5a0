//! What a database refused, told in PostgreSQL's words from the request and the description of its table: what the
//! database itself said stays inside.

use std::collections::HashSet;

use pawl_model::query::Refusal;
use pawl_model::table::{Column, Datum, Table};
use pawl_store::{Actor, StoreError, query, users};
use uuid::Uuid;

use super::DataError;
use crate::Engine;

/// A row of which some values are known.
pub(super) type KnownRow = Vec<Option<Datum>>;

impl Engine {
    /// Finds out why these rows were refused. Whatever the actor does not see counts as not there.
    pub(super) async fn diagnose(
        &self,
        actor: Actor,
        table: &'static Table,
        rows: &[KnownRow],
        error: StoreError,
    ) -> DataError {
        let found = match &error {
            StoreError::Rule(_) => Ok(Some(broken_rule(table, rows))),
            StoreError::Duplicate(_) => self.duplicate(actor, table, rows).await.map(Some),
            StoreError::Reference(_) => self.missing_reference(actor, table, rows).await.map(Some),
            _ => Ok(None),
        };
        match found {
            Ok(Some(refusal)) => refusal.into(),
            Ok(None) => error.into(),
            Err(unexpected) => unexpected.into(),
        }
    }

    async fn duplicate(
        &self,
        actor: Actor,
        table: &'static Table,
        rows: &[KnownRow],
    ) -> Result<Refusal, StoreError> {
        let constraint = table.primary_key_constraint();
        let message = [
            "duplicate key value violates unique constraint \"",
            &constraint,
            "\"",
        ]
        .concat();
        let refusal = Refusal::new("23505", message);
        let Some(column) = table.column(table.key()) else {
            return Ok(refusal);
        };
        let keys = ids(table, rows, column);
        let mut seen = HashSet::new();
        let repeated = keys.iter().find(|key| !seen.insert(**key)).copied();
        let taken = match repeated {
            Some(key) => Some(key),
            None => {
                let mut scope = self.store.read(actor).await?;
                let known = query::existing(&mut scope, table, column, &keys).await?;
                // Somebody else's key is named as well where it is the only one that can be meant.
                let only = keys.first().copied().filter(|_| keys.len() == 1);
                keys.into_iter().find(|key| known.contains(key)).or(only)
            }
        };
        Ok(match taken {
            Some(key) => refusal.details(format!("Key ({})=({key}) already exists.", column.name)),
            None => refusal,
        })
    }

    pub(super) async fn missing_reference(
        &self,
        actor: Actor,
        table: &'static Table,
        rows: &[KnownRow],
    ) -> Result<Refusal, StoreError> {
        let mut scope = self.store.read(actor).await?;
        for key in table.foreign_keys {
            let parent = Table::find(key.references);
            let target = parent.and_then(|parent| Some((parent, parent.column(parent.key())?)));
            if let (Some(column), Some((parent, primary_key))) = (table.column(key.column), target) {
                let keys = ids(table, rows, column);
                let known = query::existing(&mut scope, parent, primary_key, &keys).await?;
                if let Some(missing) = keys.iter().find(|key| !known.contains(key)) {
                    return Ok(no_reference(table, column, *missing, parent.name));
                }
            }
        }
        if let Some(column) = table.column(table.tenant) {
            let owners: HashSet<Uuid> = ids(table, rows, column).into_iter().collect();
            for owner in owners {
                if users::find(&mut scope, &owner.to_string()).await?.is_none() {
                    return Ok(no_reference(table, column, owner, "users"));
                }
            }
        }
        let message = [
            "insert or update on table \"",
            table.name,
            "\" violates foreign key constraint",
        ];
        Ok(Refusal::new("23503", message.concat()))
    }
}

fn no_reference(table: &Table, column: &Column, key: Uuid, parent: &str) -> Refusal {
    let constraint = table.foreign_key_constraint(column.name);
    let message = [
        "insert or update on table \"",
        table.name,
        "\" violates foreign key constraint \"",
        &constraint,
        "\"",
    ];
    Refusal::new("23503", message.concat()).details(format!(
        "Key ({})=({key}) is not present in table \"{parent}\".",
        column.name
    ))
}

/// The first rule that a row breaks.
pub(super) fn broken_rule(table: &Table, rows: &[KnownRow]) -> Refusal {
    for row in rows {
        for (column, value) in table.columns.iter().zip(row) {
            match value {
                Some(Datum::Null) if !column.nullable => {
                    let message = [
                        "null value in column \"",
                        column.name,
                        "\" of relation \"",
                        table.name,
                        "\" violates not-null constraint",
                    ];
                    return Refusal::new("23502", message.concat());
                }
                _ => {}
            }
        }
        for (column, value) in table.columns.iter().zip(row) {
            let (Some(value), Some(check)) = (value, &column.check) else {
                continue;
            };
            if *value != Datum::Null && !check.holds(value) {
                return broken_check(table, column, [column.name, " ", &check.in_words()].concat());
            }
        }
    }
    let message = [
        "new row for relation \"",
        table.name,
        "\" violates check constraint",
    ]
    .concat();
    Refusal::new("23514", message)
}

/// A row breaks the rule of a column; `details` say how.
pub(super) fn broken_check(table: &Table, column: &Column, details: String) -> Refusal {
    let message = [
        "new row for relation \"",
        table.name,
        "\" violates check constraint \"",
        &table.check_constraint(column.name),
        "\"",
    ];
    Refusal::new("23514", message.concat()).details(details)
}

fn ids(table: &Table, rows: &[KnownRow], column: &Column) -> Vec<Uuid> {
    let place = table.columns.iter().position(|known| known.name == column.name);
    rows.iter()
        .filter_map(|row| match row.get(place?)? {
            Some(Datum::Uuid(id)) => Some(*id),
            _ => None,
        })
        .collect()
}
