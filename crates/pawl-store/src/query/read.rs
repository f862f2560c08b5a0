//! Reading rows, and those of other tables within them.

use std::collections::HashMap;

use pawl_model::query::{Cell, Direction, Embed, Field, Form, Item, Leaf, Nulls, Order, Record, Select};
use pawl_model::table::{Cardinality, ColumnType, Datum};
use pawl_model::{Json, UserId};
use sqlx::types::BigDecimal;
use time::OffsetDateTime;
use uuid::Uuid;

use super::sql::{Dialect, Sql};
use crate::value::shortest;
use crate::{Columns, Result, Scope, StoreError, Value};

/// How many rows may be embedded at one place of an answer, over all its rows.
pub const EMBEDDED_ROWS: u64 = 10_000;

/// How large the texts and documents of an answer may be together, in bytes.
pub const ANSWER_BYTES: usize = 64 * 1024 * 1024;

/// Whether the rows that are read are kept from others until the transaction ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lock {
    /// They are not.
    None,
    /// They are, since this transaction is about to change them. SQLite has one that writes at a time anyway.
    Rows,
}

/// Reads rows.
///
/// # Errors
/// [`StoreError::AnswerTooLarge`] beyond [`ANSWER_BYTES`] or [`EMBEDDED_ROWS`]; else when the database fails.
pub async fn select(scope: &mut Scope, select: &Select, lock: Lock) -> Result<Vec<Record>> {
    let mut budget = ANSWER_BYTES;
    let mut sql = Sql::new(scope);
    let source = select.table.name;
    sql.push("select ");
    sql.items(source, select);
    sql.push(" from ");
    sql.name(source);
    sql.push(" where ");
    sql.conditions(source, select)?;
    sql.push(" order by ");
    sql.order(source, select)?;
    sql.push(" limit ");
    sql.value(Value::Int(i64::try_from(select.limit).unwrap_or(i64::MAX)));
    sql.push(" offset ");
    sql.value(Value::Int(i64::try_from(select.offset).unwrap_or(i64::MAX)));
    if lock == Lock::Rows && sql.dialect == Dialect::Postgres {
        sql.push(" for update");
    }
    let mut rows = Vec::new();
    scope
        .fetch_built(sql.text, &sql.values, |row| {
            let mut columns = row.columns();
            rows.push(Shell::read(&mut columns, select, &mut budget)?);
            Ok(())
        })
        .await?;
    complete(scope, select, rows, &mut budget).await
}

/// Counts the rows that a request is about, whatever page of them it wants.
///
/// # Errors
/// When the database fails.
pub async fn count(scope: &mut Scope, select: &Select) -> Result<u64> {
    let mut sql = Sql::new(scope);
    let source = select.table.name;
    sql.push("select count(*) from ");
    sql.name(source);
    sql.push(" where ");
    sql.conditions(source, select)?;
    let mut count = 0;
    scope
        .fetch_built(sql.text, &sql.values, |row| {
            count = row.columns().read::<i64>()?;
            Ok(())
        })
        .await?;
    Ok(u64::try_from(count).unwrap_or(0))
}

impl<'q> Sql<'q> {
    /// Adds what is read of each row: the fields, and per embedding the column by which its rows belong.
    fn items(&mut self, source: &str, select: &'q Select) {
        self.column(source, select.table.tenant);
        for item in &select.items {
            match item {
                Item::Field { field, .. } => {
                    self.push(", ");
                    self.document(source, field);
                }
                Item::Embed(embed) if embed.shown => {
                    self.push(", ");
                    self.column(source, embed.relation.from_column);
                }
                Item::Embed(_) => {}
            }
        }
    }

    /// Adds the terms of the order, the primary key last so that nothing is left open.
    fn order(&mut self, source: &str, select: &'q Select) -> Result<()> {
        for Order {
            field,
            direction,
            nulls,
        } in &select.order
        {
            self.sortable(source, field);
            self.push(match direction {
                Direction::Ascending => " asc",
                Direction::Descending => " desc",
            });
            self.push(match nulls {
                Nulls::First => " nulls first, ",
                Nulls::Last => " nulls last, ",
            });
        }
        self.list(", ", select.table.primary_key, |sql, name| {
            sql.column(source, name);
            Ok(())
        })
    }
}

/// A row whose embedded rows are still to be read.
struct Shell {
    tenant: Option<UserId>,
    slots: Vec<Slot>,
}

enum Slot {
    Cell(Cell),
    /// The value by which embedded rows belong to this one.
    Key(Option<String>),
}

impl Shell {
    fn read(columns: &mut Columns<'_>, select: &Select, budget: &mut usize) -> Result<Self> {
        let tenant = columns.read()?;
        let mut slots = Vec::new();
        for item in &select.items {
            match item {
                Item::Field { field, form, .. } => {
                    let value = value(columns, field, *form)?;
                    *budget = budget
                        .checked_sub(size(&value))
                        .ok_or(StoreError::AnswerTooLarge)?;
                    slots.push(Slot::Cell(Cell::Value(value)));
                }
                Item::Embed(embed) if embed.shown => {
                    slots.push(Slot::Key(key(columns, embed.relation.from_kind())?));
                }
                Item::Embed(_) => {}
            }
        }
        Ok(Self { tenant, slots })
    }
}

/// Reads what is embedded and puts it into the rows.
async fn complete(
    scope: &mut Scope,
    select: &Select,
    mut shells: Vec<Shell>,
    budget: &mut usize,
) -> Result<Vec<Record>> {
    for (place, item) in select.shown().enumerate() {
        let Item::Embed(embed) = item else { continue };
        let mut keys: Vec<String> = shells
            .iter()
            .filter_map(|shell| match &shell.slots[place] {
                Slot::Key(key) => key.clone(),
                Slot::Cell(_) => None,
            })
            .collect();
        keys.sort_unstable();
        keys.dedup();
        let groups = embedded(scope, embed, keys, budget).await?;
        for shell in &mut shells {
            let slot = &mut shell.slots[place];
            if let Slot::Key(key) = slot {
                let group = key.take().and_then(|key| groups.get(&(key, shell.tenant)));
                let records = group.cloned().unwrap_or_default();
                *slot = Slot::Cell(match embed.relation.cardinality {
                    Cardinality::ManyToOne => Cell::One(records.into_iter().next()),
                    Cardinality::OneToMany => Cell::Many(records),
                });
            }
        }
    }
    let cells = |shell: Shell| {
        let cells = shell.slots.into_iter();
        cells.map(|slot| match slot {
            Slot::Cell(cell) => cell,
            Slot::Key(_) => Cell::One(None),
        })
    };
    Ok(shells.into_iter().map(|shell| cells(shell).collect()).collect())
}

/// The rows to embed, by the row that they belong to.
type Groups = HashMap<(String, Option<UserId>), Vec<Record>>;

async fn embedded(scope: &mut Scope, embed: &Embed, keys: Vec<String>, budget: &mut usize) -> Result<Groups> {
    let mut groups = Groups::new();
    if keys.is_empty() {
        return Ok(groups);
    }
    let (relation, select) = (&embed.relation, &embed.select);
    let kind = relation.to_kind();
    let (inner, outer) = (select.table.name, "embedded");
    let mut sql = Sql::new(scope);
    sql.push("select ");
    sql.column(outer, relation.to_column);
    sql.push(", ");
    sql.items(outer, select);
    sql.push(" from (select ");
    sql.name(inner);
    sql.push(".*, row_number() over (partition by ");
    sql.column(inner, relation.to_column);
    sql.push(", ");
    sql.column(inner, select.table.tenant);
    sql.push(" order by ");
    sql.order(inner, select)?;
    sql.push(") as \"position\" from ");
    sql.name(inner);
    sql.push(" where ");
    sql.is_one_of(inner, relation.to_column, kind, keys);
    sql.push(" and ");
    sql.conditions(inner, select)?;
    sql.push(") as ");
    sql.name(outer);
    let first = i64::try_from(select.offset).unwrap_or(i64::MAX);
    let last = first.saturating_add(i64::try_from(select.limit).unwrap_or(i64::MAX));
    sql.push(" where \"position\" > ");
    sql.value(Value::Int(first));
    sql.push(" and \"position\" <= ");
    sql.value(Value::Int(last));
    sql.push(" order by \"position\"");
    let (mut owners, mut shells) = (Vec::new(), Vec::new());
    scope
        .fetch_built(sql.text, &sql.values, |row| {
            let mut columns = row.columns();
            let owner = key(&mut columns, kind)?.unwrap_or_default();
            let shell = Shell::read(&mut columns, select, budget)?;
            owners.push((owner, shell.tenant));
            shells.push(shell);
            if shells.len() as u64 > EMBEDDED_ROWS {
                return Err(StoreError::AnswerTooLarge);
            }
            Ok(())
        })
        .await?;
    let records = Box::pin(complete(scope, select, shells, budget)).await?;
    for (owner, record) in owners.into_iter().zip(records) {
        groups.entry(owner).or_default().push(record);
    }
    Ok(groups)
}

/// A column that rows belong together by, as a text.
fn key(columns: &mut Columns<'_>, kind: ColumnType) -> Result<Option<String>> {
    let value = plain(columns, kind)?;
    if value == Datum::Null {
        return Ok(None);
    }
    let mut text = String::new();
    value.write_text(&mut text);
    Ok(Some(text))
}

fn value(columns: &mut Columns<'_>, field: &Field, form: Form) -> Result<Datum> {
    let value = if field.path.is_empty() {
        plain(columns, field.column.kind)?
    } else {
        let document = columns.read::<Option<Json>>()?;
        match (document, field.leaf) {
            (None, _) => Datum::Null,
            (Some(document), Leaf::Document) => Datum::Json(document),
            (Some(document), Leaf::Text) => text_of(document),
        }
    };
    Ok(match (form, value) {
        (Form::Plain, value) | (_, value @ Datum::Null) => value,
        (Form::Text, value) => {
            let mut text = String::new();
            value.write_text(&mut text);
            Datum::Text(text)
        }
    })
}

/// What `->>` makes of a document.
fn text_of(document: Json) -> Datum {
    match document.as_str() {
        "null" => Datum::Null,
        text if text.starts_with('"') => Datum::Text(serde_json::from_str(text).unwrap_or_default()),
        _ => {
            let mut text = String::new();
            Datum::Json(document).write_text(&mut text);
            Datum::Text(text)
        }
    }
}

/// The value of a column of a type.
pub(crate) fn plain(columns: &mut Columns<'_>, kind: ColumnType) -> Result<Datum> {
    let value = match kind {
        ColumnType::Uuid => columns.read::<Option<Uuid>>()?.map(Datum::Uuid),
        ColumnType::Text => columns.read::<Option<String>>()?.map(Datum::Text),
        ColumnType::Int | ColumnType::BigInt => columns.read::<Option<i64>>()?.map(Datum::Int),
        ColumnType::Real => columns.read::<Option<f32>>()?.map(Datum::Real),
        ColumnType::Double => columns.read::<Option<f64>>()?.map(Datum::Double),
        ColumnType::Numeric => columns
            .read::<Option<BigDecimal>>()?
            .map(|number| Datum::Decimal(shortest(&number))),
        ColumnType::Bool => columns.read::<Option<bool>>()?.map(Datum::Bool),
        ColumnType::TimestampTz => columns.read::<Option<OffsetDateTime>>()?.map(Datum::TimestampTz),
        ColumnType::Timestamp => columns.read::<Option<OffsetDateTime>>()?.map(Datum::Timestamp),
        ColumnType::Jsonb => columns.read::<Option<Json>>()?.map(Datum::Json),
        ColumnType::TextList => columns.read::<Option<Vec<String>>>()?.map(Datum::TextList),
    };
    Ok(value.unwrap_or(Datum::Null))
}

/// About how much memory a value takes.
fn size(value: &Datum) -> usize {
    16 + match value {
        Datum::Text(text) | Datum::Decimal(text) => text.len(),
        Datum::Json(json) => json.as_str().len(),
        Datum::TextList(texts) => texts.iter().map(|text| text.len() + 24).sum(),
        _ => 0,
    }
}
