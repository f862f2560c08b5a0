//! Writing rows.

use pawl_model::query::{Delete, OnConflict, Resolution, Update};
use pawl_model::table::{Column, ColumnType, Datum, Table};
use pawl_model::{LineageKind, LineageNode, UserId};
use uuid::Uuid;

use super::sql::Sql;
use crate::{Result, Scope};

/// Rows of one statement, as in every insert of ours.
const ROWS_PER_STATEMENT: usize = 64;

/// How many keys of written rows are kept; what is beyond is only counted.
const KEPT_KEYS: usize = 10_001;

/// Rows that were written.
#[derive(Debug, Default)]
pub struct Written {
    /// How many.
    pub count: u64,
    /// The primary keys of the first 10,001 of them.
    pub keys: Vec<Datum>,
}

/// Rows to be added, complete: a value for every column of the table.
#[derive(Debug)]
pub struct NewRows<'a> {
    /// The table.
    pub table: &'static Table,
    /// A value for each of its columns.
    pub rows: &'a [Vec<Datum>],
    /// The columns that the request names: what a row that is there already takes over.
    pub named: &'a [&'static Column],
    /// What happens to a row whose key is there already; without it, an error.
    pub on_conflict: Option<&'a OnConflict>,
}

/// Adds rows; tells those that were added or changed. A row of another tenant is never changed.
///
/// # Errors
/// [`crate::StoreError::Duplicate`], [`crate::StoreError::Reference`] and [`crate::StoreError::Rule`] when the
/// database refuses a row; else when it fails.
pub async fn insert(scope: &mut Scope, new: &NewRows<'_>) -> Result<Written> {
    let mut written = Written::default();
    let moves = |column: &&Column| column.name == new.table.tenant;
    let may_move = named(new.table).is_some() && new.on_conflict.is_some() && new.named.iter().any(moves);
    for rows in new.rows.chunks(ROWS_PER_STATEMENT) {
        if may_move {
            let place = new
                .table
                .columns
                .iter()
                .position(|one| one.name == new.table.key());
            let keys = rows.iter().filter_map(|row| match row.get(place?)? {
                Datum::Uuid(key) => Some(key.to_string()),
                _ => None,
            });
            let mut sql = Sql::as_they_were(scope, new.table);
            sql.is_one_of(new.table.name, new.table.key(), ColumnType::Uuid, keys.collect());
            fetch_keys(scope, sql, new.table, &mut Written::default()).await?;
        }
        let mut sql = Sql::new(scope);
        sql.push("insert into ");
        sql.name(new.table.name);
        sql.push(" (");
        sql.list(", ", new.table.columns, |sql, column| {
            sql.name(column.name);
            Ok(())
        })?;
        sql.push(") values ");
        sql.list(", ", rows, |sql, row| {
            sql.push("(");
            sql.list(", ", new.table.columns.iter().zip(row), |sql, (column, value)| {
                sql.new_value(column.kind, value)
            })?;
            sql.push(")");
            Ok(())
        })?;
        if let Some(on_conflict) = new.on_conflict {
            sql.on_conflict(new, on_conflict)?;
        }
        sql.push(" returning ");
        sql.keys(new.table);
        fetch_keys(scope, sql, new.table, &mut written).await?;
    }
    Ok(written)
}

/// Changes rows; tells those that were.
///
/// # Errors
/// As [`insert`].
pub async fn update(scope: &mut Scope, update: &Update) -> Result<Written> {
    let table = update.table;
    let moves = |(column, _): &(&Column, Datum)| [table.tenant, table.key()].contains(&column.name);
    if named(table).is_some() && update.values.iter().any(moves) {
        let mut sql = Sql::as_they_were(scope, table);
        sql.filter(table.name, &update.filter)?;
        fetch_keys(scope, sql, table, &mut Written::default()).await?;
    }
    let mut sql = Sql::new(scope);
    sql.push("update ");
    sql.name(table.name);
    sql.push(" set ");
    sql.list(", ", &update.values, |sql, (column, value)| {
        sql.name(column.name);
        sql.push(" = ");
        sql.new_value(column.kind, value)
    })?;
    sql.push(" where ");
    sql.guard(table.name, table);
    sql.push(" and ");
    sql.filter(table.name, &update.filter)?;
    let mut written = Written::default();
    sql.push(" returning ");
    sql.keys(table);
    fetch_keys(scope, sql, table, &mut written).await?;
    Ok(written)
}

/// Removes rows; tells those that were.
///
/// # Errors
/// [`crate::StoreError::Reference`] when others refer to one of them; else when the database fails.
pub async fn delete(scope: &mut Scope, delete: &Delete) -> Result<Written> {
    let table = delete.table;
    let mut sql = Sql::new(scope);
    sql.push("delete from ");
    sql.name(table.name);
    sql.push(" where ");
    sql.guard(table.name, table);
    sql.push(" and ");
    sql.filter(table.name, &delete.filter)?;
    let mut written = Written::default();
    sql.push(" returning ");
    sql.keys(table);
    fetch_keys(scope, sql, table, &mut written).await?;
    Ok(written)
}

/// Which of these values a column has, among the rows that the actor sees.
///
/// # Errors
/// When the database fails.
pub async fn existing(
    scope: &mut Scope,
    table: &'static Table,
    column: &'static Column,
    values: &[Uuid],
) -> Result<Vec<Uuid>> {
    let mut sql = Sql::new(scope);
    sql.push("select distinct ");
    sql.column(table.name, column.name);
    sql.push(" from ");
    sql.name(table.name);
    sql.push(" where ");
    sql.guard(table.name, table);
    sql.push(" and ");
    let keys = values.iter().map(Uuid::to_string).collect();
    sql.is_one_of(table.name, column.name, column.kind, keys);
    let mut found = Vec::new();
    scope
        .fetch_built(sql.text, &sql.values, |row| {
            found.push(row.columns().read()?);
            Ok(())
        })
        .await?;
    Ok(found)
}

/// Runs a statement that gives the keys of the rows that it writes, and tells the lineage of these.
async fn fetch_keys(scope: &mut Scope, sql: Sql<'_>, table: &Table, written: &mut Written) -> Result<()> {
    let is_uuid = table
        .column(table.key())
        .is_some_and(|key| key.kind == ColumnType::Uuid);
    let kind = named(table);
    let mut touched = Vec::new();
    scope
        .fetch_built(sql.text, &sql.values, |row| {
            let mut columns = row.columns();
            let key = match is_uuid {
                true => Datum::Uuid(columns.read()?),
                false => Datum::Text(columns.read()?),
            };
            if kind.is_some() {
                let mut node = String::new();
                key.write_text(&mut node);
                let owner: Option<UserId> = columns.read()?;
                touched.extend(owner.map(|owner| (owner, node)));
            }
            written.count += 1;
            if written.keys.len() < KEPT_KEYS {
                written.keys.push(key);
            }
            Ok(())
        })
        .await?;
    for (owner, node) in touched {
        match kind {
            Some(LineageKind::Run) => scope.enters(owner, LineageNode::new(LineageKind::Run, node), []),
            Some(kind) => scope.changed(owner, kind, node),
            None => {}
        }
    }
    Ok(())
}

/// What the rows of a table are in the lineage.
fn named(table: &Table) -> Option<LineageKind> {
    LineageKind::ALL
        .iter()
        .copied()
        .find(|kind| kind.table() == table.name)
}

impl<'q> Sql<'q> {
    /// Begins a statement that gives the keys of rows before they belong to somebody else, or are called otherwise: as they
    /// were, they are gone then.
    fn as_they_were(scope: &Scope, table: &Table) -> Self {
        let mut sql = Self::new(scope);
        sql.push("select ");
        sql.keys(table);
        sql.push(" from ");
        sql.name(table.name);
        sql.push(" where ");
        sql.guard(table.name, table);
        sql.push(" and ");
        sql
    }

    /// Adds the primary key and the tenant.
    fn keys(&mut self, table: &Table) {
        self.name(table.key());
        self.push(", ");
        self.name(table.tenant);
    }

    fn on_conflict(&mut self, new: &NewRows<'q>, on_conflict: &OnConflict) -> Result<()> {
        self.push(" on conflict (");
        self.list(", ", &on_conflict.key, |sql, column| {
            sql.name(column.name);
            Ok(())
        })?;
        self.push(")");
        if on_conflict.resolution == Resolution::Ignore || new.named.is_empty() {
            self.push(" do nothing");
            return Ok(());
        }
        self.push(" do update set ");
        self.list(", ", new.named, |sql, column| {
            sql.name(column.name);
            sql.push(" = excluded.");
            sql.name(column.name);
            Ok(())
        })?;
        self.push(" where ");
        self.guard(new.table.name, new.table);
        Ok(())
    }
}
