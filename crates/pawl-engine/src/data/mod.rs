//! The data API: rows of the exposed tables, read and written on behalf of whoever asks.

mod diagnosis;
mod error;
mod interactions;
mod policy;
mod rows;

use std::collections::{HashMap, HashSet};

use pawl_model::query::{
    Cell, Delete, Field, Filter, Form, Insert, Item, Record, Refusal, Resolution, Select, Update,
};
use pawl_model::table::{Column, Datum, Table, Verb};
use pawl_store::query::{self, Lock, NewRows};
use pawl_store::{Actor, Scope, StoreError};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::Engine;

pub use error::DataError;

/// How many rows one request may add, and how many written rows it may have shown.
pub const WRITTEN_ROWS: usize = 10_000;

/// Whether the rows that a request is about are counted beyond the page that it wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    /// They are not.
    Skip,
    /// They are.
    Exact,
}

/// A page of rows.
#[derive(Debug)]
pub struct Page {
    /// The rows.
    pub records: Vec<Record>,
    /// How many there are beyond the page, if they were counted.
    pub total: Option<u64>,
}

/// What is expected of a request that writes, and shown of it. Nothing is written when an expectation is not met.
#[derive(Clone, Copy, Debug)]
pub struct Expected<'a> {
    /// What of the written rows is shown: its items and order count, not its filter and page.
    pub shown: Option<&'a Select>,
    /// How many rows may be written.
    pub rows: ExpectedRows,
}

/// How many rows may be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpectedRows {
    /// Any number.
    Any,
    /// Exactly one.
    One,
    /// No more than this.
    AtMost(u64),
}

/// What a request wrote.
#[derive(Debug)]
pub struct Change {
    /// How many rows it wrote.
    pub rows: u64,
    /// How many of them are new.
    pub added: u64,
    /// The primary key, where it is one row.
    pub only_key: Option<Datum>,
    /// What of them is shown.
    pub records: Vec<Record>,
}

impl Engine {
    /// The time that `now()` means in a request that is read now.
    #[must_use]
    pub fn now(&self) -> OffsetDateTime {
        self.clock.now()
    }

    /// Reads rows; everybody sees their own.
    ///
    /// # Errors
    /// When the actor may not, the answer would be too large, or the database fails.
    pub async fn select_rows(&self, actor: Actor, select: &Select, count: Count) -> Result<Page, DataError> {
        permit(actor, select.table, Verb::Select)?;
        let mut scope = self.store.read(actor).await?;
        let records = query::select(&mut scope, select, Lock::None).await?;
        let total = match count {
            Count::Skip => None,
            Count::Exact => Some(query::count(&mut scope, select).await?),
        };
        Ok(Page { records, total })
    }

    /// Adds rows: absent values become their defaults, rows belong to the actor or to whom the service names.
    ///
    /// # Errors
    /// [`DataError::Refused`] in the words of PostgreSQL when a row cannot be added; nothing is added then.
    pub async fn insert_rows(
        &self,
        actor: Actor,
        insert: &Insert,
        expected: &Expected<'_>,
    ) -> Result<Change, DataError> {
        let table = insert.table;
        permit(actor, table, Verb::Insert)?;
        if table.name == interactions::TABLE {
            return self.insert_interactions(actor, insert, expected).await;
        }
        let mut scope = self.store.write(actor).await?;
        let rows = rows::complete(&mut scope, &self.clock, insert).await?;
        for row in &rows {
            policy::check(table, table.columns.iter().zip(row))?;
        }
        let merges = insert
            .on_conflict
            .as_ref()
            .filter(|conflict| conflict.resolution == Resolution::Merge);
        if let Some(conflict) = merges {
            rows::refuse_repeated_keys(table, &rows, &conflict.key)?;
        }
        let keys = rows::primary_keys(table, &rows);
        let key_list: Vec<Uuid> = keys.iter().copied().collect();
        let known = match merges {
            Some(_) => query::existing(&mut scope, table, primary_key(table)?, &key_list)
                .await?
                .into_iter()
                .collect(),
            None => HashSet::new(),
        };
        let new = NewRows {
            table,
            rows: &rows,
            named: &insert.columns,
            on_conflict: insert.on_conflict.as_ref(),
        };
        let written = match query::insert(&mut scope, &new).await {
            Ok(written) => written,
            Err(error) => {
                drop(scope);
                return Err(self.diagnose(actor, table, &rows::known(rows), error).await);
            }
        };
        if merges.is_some() && written.count < rows.len() as u64 {
            // What was passed over belongs to somebody else.
            return Err(Refusal::foreign_row(table.name).into());
        }
        let fresh = |key: &&Datum| id(key).is_some_and(|id| keys.contains(&id) && !known.contains(&id));
        let added = written.keys.iter().filter(fresh).count() as u64;
        let records = finish(&mut scope, table, &written, expected).await?;
        scope.commit().await?;
        Ok(Change {
            rows: written.count,
            added,
            only_key: only_key(&written),
            records,
        })
    }

    /// Changes rows, of those that the actor sees.
    ///
    /// # Errors
    /// [`DataError::Refused`] in the words of PostgreSQL when a row cannot be changed; nothing is changed then.
    pub async fn update_rows(
        &self,
        actor: Actor,
        update: &Update,
        expected: &Expected<'_>,
    ) -> Result<Change, DataError> {
        let table = update.table;
        permit(actor, table, Verb::Update)?;
        policy::check(
            table,
            update.values.iter().map(|(column, value)| (*column, value)),
        )?;
        let mut scope = self.store.write(actor).await?;
        let mut update = update.clone();
        for (column, value) in &mut update.values {
            if column.name == table.tenant {
                *value = rows::new_owner(&mut scope, table, value).await?;
            }
        }
        let written = if update.values.is_empty() {
            query::Written::default()
        } else {
            match query::update(&mut scope, &update).await {
                Ok(written) => written,
                Err(error) => {
                    drop(scope);
                    let row = rows::with_values(table, &update.values);
                    return Err(self.diagnose(actor, table, &[row], error).await);
                }
            }
        };
        let records = finish(&mut scope, table, &written, expected).await?;
        scope.commit().await?;
        Ok(Change {
            rows: written.count,
            added: 0,
            only_key: only_key(&written),
            records,
        })
    }

    /// Removes rows, of those that the actor sees.
    ///
    /// # Errors
    /// [`DataError::Refused`] when more rows are meant than expected; nothing is removed then.
    pub async fn delete_rows(
        &self,
        actor: Actor,
        delete: &Delete,
        expected: &Expected<'_>,
    ) -> Result<Change, DataError> {
        let table = delete.table;
        permit(actor, table, Verb::Delete)?;
        let mut scope = self.store.write(actor).await?;
        let mut delete = delete.clone();
        let mut records = Vec::new();
        if let Some(shown) = expected.shown {
            let wanted = Select {
                filter: delete.filter,
                ..page_of(shown)
            };
            let keyed = keyed_records(&mut scope, wanted, Lock::Rows).await?;
            let (keys, shown): (Vec<_>, Vec<_>) = keyed.into_iter().unzip();
            refuse_many(keys.len() as u64)?;
            records = shown;
            delete.filter = Filter::In(Field::of(primary_key(table)?), keys);
        }
        let written = query::delete(&mut scope, &delete).await?;
        check_rows(expected.rows, written.count)?;
        scope.commit().await?;
        Ok(Change {
            rows: written.count,
            added: 0,
            only_key: only_key(&written),
            records,
        })
    }
}

/// The public key alone reads nothing, and what it would write belongs to nobody: row level security decides both.
fn permit(actor: Actor, table: &Table, verb: Verb) -> Result<(), DataError> {
    let permitted = match actor {
        Actor::Service => table.service_may.contains(&verb),
        Actor::Tenant(_) => table.user_may.contains(&verb),
        Actor::Anonymous if verb == Verb::Insert => return Err(Refusal::foreign_row(table.name).into()),
        Actor::Anonymous => table.user_may.contains(&verb),
    };
    if permitted {
        return Ok(());
    }
    let message = ["permission denied for table ", table.name].concat();
    Err(Refusal::new("42501", message).into())
}

fn primary_key(table: &'static Table) -> Result<&'static Column, DataError> {
    table
        .column(table.key())
        .ok_or_else(|| Refusal::no_column(table.name, table.key()).into())
}

fn only_key(written: &query::Written) -> Option<Datum> {
    match written.keys.as_slice() {
        [only] => Some(only.clone()),
        _ => None,
    }
}

/// Checks what was expected of the rows and reads what is shown of them.
async fn finish(
    scope: &mut Scope,
    table: &'static Table,
    written: &query::Written,
    expected: &Expected<'_>,
) -> Result<Vec<Record>, DataError> {
    check_rows(expected.rows, written.count)?;
    let Some(shown) = expected.shown else {
        return Ok(Vec::new());
    };
    refuse_many(written.count)?;
    let wanted = Select {
        filter: Filter::In(Field::of(primary_key(table)?), written.keys.clone()),
        ..page_of(shown)
    };
    let mut keyed = keyed_records(scope, wanted, Lock::None).await?;
    if shown.order.is_empty() {
        // As they were written.
        let text = |key: &Datum| {
            let mut text = String::new();
            key.write_text(&mut text);
            text
        };
        let numbered = written.keys.iter().enumerate();
        let places: HashMap<String, usize> = numbered.map(|(place, key)| (text(key), place)).collect();
        keyed.sort_by_cached_key(|(key, _)| places.get(&text(key)));
    }
    Ok(keyed.into_iter().map(|(_, record)| record).collect())
}

fn id(key: &Datum) -> Option<Uuid> {
    match key {
        Datum::Uuid(id) => Some(*id),
        _ => None,
    }
}

fn page_of(shown: &Select) -> Select {
    Select {
        offset: 0,
        limit: WRITTEN_ROWS as u64 + 1,
        ..shown.clone()
    }
}

/// Rows with their primary keys.
async fn keyed_records(
    scope: &mut Scope,
    mut select: Select,
    lock: Lock,
) -> Result<Vec<(Datum, Record)>, DataError> {
    select.items.push(Item::Field {
        name: select.table.key().to_owned(),
        field: Field::of(primary_key(select.table)?),
        form: Form::Plain,
    });
    let records = query::select(scope, &select, lock).await?;
    let keyed = records.into_iter().map(|mut record| match record.pop() {
        Some(Cell::Value(key)) => (key, record),
        _ => (Datum::Null, record),
    });
    Ok(keyed.collect())
}

fn check_rows(expected: ExpectedRows, count: u64) -> Result<(), DataError> {
    match expected {
        ExpectedRows::One if count != 1 => Err(DataError::not_one(count)),
        ExpectedRows::AtMost(most) if count > most => {
            let message = "Query result exceeds max-affected preference constraint";
            let details = format!("The query affects {count} rows");
            Err(Refusal::new("PGRST124", message).details(details).into())
        }
        _ => Ok(()),
    }
}

fn refuse_many(count: u64) -> Result<(), DataError> {
    if count <= WRITTEN_ROWS as u64 {
        return Ok(());
    }
    let what = format!("at most {WRITTEN_ROWS} written rows can be shown");
    Err(Refusal::too_much(what)
        .hint("Ask for Prefer: return=minimal.")
        .into())
}

impl From<StoreError> for DataError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::AnswerTooLarge => Refusal::too_much("the answer would be too large")
                .hint("Ask for fewer rows or columns.")
                .into(),
            StoreError::TooManyValues => Refusal::too_much("the filters have too many values").into(),
            StoreError::Nul => Refusal::nul().into(),
            StoreError::Unreachable(_) => Self::Unavailable(error),
            other => Self::Store(other),
        }
    }
}
