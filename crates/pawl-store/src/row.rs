//! Reading rows: the same types from both engines.

use pawl_model::{
    ApiKeyId, BrowserSessionId, CandidateStatus, CaseId, DraftErrorType, ExtractionErrorType, FailureType,
    InteractionId, JobId, JobState, Json, KeyScope, LineageEvent, LineageKind, OptimizationStatus, RunId,
    RunPolicy, ScheduleId, Score, SessionId, Severity, State, SuggestionStatus, SuggestionType, TriggeredBy,
    Unscored, UserId, VerdictKind,
};
use rusqlite::types::{FromSql, ValueRef};
use serde::de::DeserializeOwned;
use sqlx::postgres::PgRow;
use sqlx::types::BigDecimal;
use sqlx::{Row as _, TypeInfo as _, ValueRef as _};
use time::{OffsetDateTime, PrimitiveDateTime};
use uuid::Uuid;

use crate::value::shortest;
use crate::{Result, StoreError};

/// One row of an answer.
pub enum Row {
    /// Of SQLite.
    Sqlite(SqliteRow),
    /// Of PostgreSQL.
    Postgres(PgRow),
}

/// One row of SQLite.
pub struct SqliteRow(pub(crate) Vec<rusqlite::types::Value>);

impl SqliteRow {
    fn value(&self, column: usize) -> Result<ValueRef<'_>> {
        let value = self.0.get(column).map(ValueRef::from);
        value.ok_or_else(|| rusqlite::Error::InvalidColumnIndex(column).into())
    }

    fn get<T: FromSql>(&self, column: usize) -> Result<T> {
        T::column_result(self.value(column)?).map_err(|_| mistaken(column))
    }

    fn text(&self, column: usize) -> Result<&str> {
        self.value(column)?.as_str().map_err(|_| mistaken(column))
    }
}

const fn mistaken(column: usize) -> StoreError {
    StoreError::Corrupt {
        column,
        expected: "a value of its type",
    }
}

impl Row {
    /// The columns from the first on, in the order of the statement.
    #[must_use]
    pub const fn columns(&self) -> Columns<'_> {
        Columns { row: self, next: 0 }
    }

    fn is_null(&self, column: usize) -> Result<bool> {
        match self {
            Self::Sqlite(row) => Ok(row.value(column)? == ValueRef::Null),
            Self::Postgres(row) => Ok(row.try_get_raw(column)?.is_null()),
        }
    }

    /// The value of a column both of whose drivers read `T` themselves.
    fn plain<'r, T>(&'r self, column: usize) -> Result<T>
    where
        T: FromSql + sqlx::Decode<'r, sqlx::Postgres> + sqlx::Type<sqlx::Postgres>,
    {
        match self {
            Self::Sqlite(row) => row.get(column),
            Self::Postgres(row) => Ok(row.try_get(column)?),
        }
    }
}

/// A walk along the columns of a row.
pub struct Columns<'r> {
    row: &'r Row,
    next: usize,
}

impl Columns<'_> {
    /// Reads the next column.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] when it does not hold a `T`.
    pub fn read<T: Column>(&mut self) -> Result<T> {
        let column = self.next;
        self.next += 1;
        T::read(self.row, column)
    }

    /// Reads the next column, whose document has a form of ours.
    pub(crate) fn document<T: DeserializeOwned>(&mut self, expected: &'static str) -> Result<T> {
        let column = self.next;
        self.some_document(expected)?
            .ok_or(StoreError::Corrupt { column, expected })
    }

    /// The same where there may be none.
    pub(crate) fn some_document<T: DeserializeOwned>(&mut self, expected: &'static str) -> Result<Option<T>> {
        let column = self.next;
        let json: Option<Json> = self.read()?;
        json.map(|json| serde_json::from_str(json.as_str()))
            .transpose()
            .map_err(|_| StoreError::Corrupt { column, expected })
    }
}

/// What a column can be read as.
pub trait Column: Sized {
    /// Reads column `column`, from 0.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] when it does not hold a `Self`.
    fn read(row: &Row, column: usize) -> Result<Self>;
}

impl<T: Column> Column for Option<T> {
    fn read(row: &Row, column: usize) -> Result<Self> {
        if row.is_null(column)? {
            Ok(None)
        } else {
            T::read(row, column).map(Some)
        }
    }
}

macro_rules! plain_columns {
    ($($type:ty),*) => {$(
        impl Column for $type {
            fn read(row: &Row, column: usize) -> Result<Self> {
                row.plain(column)
            }
        }
    )*};
}

plain_columns!(bool, String, Vec<u8>);

impl Column for f64 {
    fn read(row: &Row, column: usize) -> Result<Self> {
        match row {
            Row::Sqlite(row) => row.get(column),
            Row::Postgres(row) => match row.try_get_raw(column)?.type_info().name() {
                "FLOAT4" => Ok(Self::from(row.try_get::<f32, _>(column)?)),
                _ => Ok(row.try_get(column)?),
            },
        }
    }
}

impl Column for i64 {
    fn read(row: &Row, column: usize) -> Result<Self> {
        match row {
            Row::Sqlite(row) => row.get(column),
            Row::Postgres(pg) => match pg.try_get_raw(column)?.type_info().name() {
                "INT8" => Ok(pg.try_get(column)?),
                _ => i32::read(row, column).map(Self::from),
            },
        }
    }
}

impl Column for i32 {
    fn read(row: &Row, column: usize) -> Result<Self> {
        row.plain(column)
    }
}

/// `REAL` is 32 bits wide; SQLite keeps it in 64, rounded when it was written.
impl Column for f32 {
    fn read(row: &Row, column: usize) -> Result<Self> {
        row.plain(column)
    }
}

impl Column for Uuid {
    fn read(row: &Row, column: usize) -> Result<Self> {
        match row {
            Row::Sqlite(row) => {
                let text = row.text(column)?;
                text.parse().map_err(|_| StoreError::Corrupt {
                    column,
                    expected: "a uuid",
                })
            }
            Row::Postgres(row) => Ok(row.try_get(column)?),
        }
    }
}

macro_rules! uuid_columns {
    ($($id:ident),*) => {$(
        impl Column for $id {
            fn read(row: &Row, column: usize) -> Result<Self> {
                Uuid::read(row, column).map($id)
            }
        }
    )*};
}

uuid_columns!(
    RunId,
    CaseId,
    UserId,
    SessionId,
    BrowserSessionId,
    ApiKeyId,
    InteractionId,
    JobId,
    ScheduleId
);

macro_rules! word_columns {
    ($($type:ident: $expected:literal),*) => {$(
        impl Column for $type {
            fn read(row: &Row, column: usize) -> Result<Self> {
                let word = String::read(row, column)?;
                Self::parse(&word).ok_or(StoreError::Corrupt {
                    column,
                    expected: $expected,
                })
            }
        }
    )*};
}

word_columns! {
    State: "a state",
    KeyScope: "a scope of keys",
    RunPolicy: "a run policy",
    JobState: "a state of jobs",
    FailureType: "a kind of failure",
    Severity: "a severity",
    SuggestionType: "a kind of suggestion",
    SuggestionStatus: "a status of suggestions",
    OptimizationStatus: "a status of optimisations",
    CandidateStatus: "a status of candidates",
    VerdictKind: "a kind of verdict",
    LineageKind: "a kind of node",
    LineageEvent: "an event",
    TriggeredBy: "what triggers runs",
    ExtractionErrorType: "a kind of error",
    DraftErrorType: "a kind of error",
    Unscored: "a reason"
}

impl Column for OffsetDateTime {
    fn read(row: &Row, column: usize) -> Result<Self> {
        match row {
            Row::Sqlite(row) => {
                let microseconds: i64 = row.get(column)?;
                Self::from_unix_timestamp_nanos(i128::from(microseconds) * 1_000).map_err(|_| {
                    StoreError::Corrupt {
                        column,
                        expected: "a time",
                    }
                })
            }
            Row::Postgres(row) => match row.try_get_raw(column)?.type_info().name() {
                "TIMESTAMP" => Ok(row.try_get::<PrimitiveDateTime, _>(column)?.assume_utc()),
                _ => Ok(row.try_get(column)?),
            },
        }
    }
}

impl Column for BigDecimal {
    fn read(row: &Row, column: usize) -> Result<Self> {
        let number = match row {
            Row::Sqlite(row) => {
                let text = row.text(column)?;
                text.parse().map_err(|_| StoreError::Corrupt {
                    column,
                    expected: "a decimal",
                })?
            }
            Row::Postgres(row) => row.try_get::<Self, _>(column)?,
        };
        Ok(number.normalized())
    }
}

impl Column for Score {
    fn read(row: &Row, column: usize) -> Result<Self> {
        let number = match row {
            Row::Sqlite(row) => Self::parse(row.text(column)?),
            Row::Postgres(row) => Self::parse(&shortest(&row.try_get::<BigDecimal, _>(column)?)),
        };
        number.ok_or(StoreError::Corrupt {
            column,
            expected: "a score",
        })
    }
}

impl Column for Json {
    fn read(row: &Row, column: usize) -> Result<Self> {
        let corrupt = |_| StoreError::Corrupt {
            column,
            expected: "JSON",
        };
        match row {
            Row::Sqlite(row) => Self::parse(row.text(column)?).map_err(corrupt),
            Row::Postgres(row) => {
                let raw = row.try_get_raw(column)?;
                let bytes = raw.as_bytes().map_err(StoreError::Query)?;
                // The binary form starts with a version byte.
                let text = std::str::from_utf8(bytes.strip_prefix(&[1]).unwrap_or(bytes));
                let text = text.map_err(|_| StoreError::Corrupt {
                    column,
                    expected: "JSON",
                })?;
                Self::parse(text).map_err(corrupt)
            }
        }
    }
}

impl Column for Vec<String> {
    fn read(row: &Row, column: usize) -> Result<Self> {
        match row {
            Row::Sqlite(row) => {
                let text = row.text(column)?;
                serde_json::from_str(text).map_err(|_| StoreError::Corrupt {
                    column,
                    expected: "a list of texts",
                })
            }
            Row::Postgres(row) => Ok(row.try_get(column)?),
        }
    }
}
