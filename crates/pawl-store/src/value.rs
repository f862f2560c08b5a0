//! One kind of value for both engines, so that a statement is written and bound once.

use std::borrow::Cow;

use pawl_model::Json;
use rusqlite::types::{ToSqlOutput, ValueRef};
use sqlx::encode::IsNull;
use sqlx::error::BoxDynError;
use sqlx::postgres::types::Oid;
use sqlx::postgres::{PgArgumentBuffer, PgTypeInfo};
use sqlx::types::BigDecimal;
use sqlx::{Arguments, Encode, Postgres, Type};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{Result, StoreError};

/// A value on its way into a statement.
///
/// | | PostgreSQL | SQLite |
/// |---|---|---|
/// | `Null` | of whatever type the place has | null |
/// | `Bool`, `Int` | `boolean`, `bigint` (narrowed by the column) | integer |
/// | `Real` | `double precision` (narrowed to `real` by the column) | real |
/// | `Decimal` | `numeric` | text, the shortest decimal |
/// | `Text`, `Bytes` | `text`, `bytea` | text, blob |
/// | `Uuid` | `uuid` | text, lower case |
/// | `Time` | `timestamptz` (as UTC where the column is `timestamp`) | integer, microseconds since 1970 |
/// | `Timestamp` | `timestamp`, in UTC | the same |
/// | `Json` | `jsonb` | text in normal form |
/// | `TextList` | `text[]` | a JSON array |
#[derive(Clone, Debug, PartialEq)]
pub enum Value<'a> {
    /// No value.
    Null,
    /// A truth value.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A finite number.
    Real(f64),
    /// A decimal; it never passes through a float.
    Decimal(Cow<'a, BigDecimal>),
    /// A text without NUL.
    Text(Cow<'a, str>),
    /// Bytes.
    Bytes(Cow<'a, [u8]>),
    /// A UUID.
    Uuid(Uuid),
    /// A point in time, to the microsecond.
    Time(OffsetDateTime),
    /// The same, to compare a column without a time zone with: under row level security PostgreSQL uses no index to find
    /// those that are before or after a `timestamptz`.
    Timestamp(OffsetDateTime),
    /// A document.
    Json(Cow<'a, Json>),
    /// A list of texts without NUL.
    TextList(Cow<'a, [String]>),
}

impl Value<'_> {
    /// Refuses what one of the engines could not keep, the same way for both.
    pub(crate) fn check(&self) -> Result<()> {
        match self {
            Self::Text(text) if text.contains('\0') => Err(StoreError::Nul),
            Self::TextList(texts) if texts.iter().any(|text| text.contains('\0')) => Err(StoreError::Nul),
            Self::Real(number) if !number.is_finite() => Err(StoreError::NotFinite),
            _ => Ok(()),
        }
    }

    /// What SQLite keeps of it.
    pub(crate) fn in_sqlite(&self) -> ToSqlOutput<'_> {
        match self {
            Self::Null => ToSqlOutput::Borrowed(ValueRef::Null),
            Self::Bool(truth) => (*truth).into(),
            Self::Int(number) => (*number).into(),
            Self::Real(number) => (*number).into(),
            Self::Decimal(number) => shortest(number).into(),
            Self::Text(text) => ToSqlOutput::from(&**text),
            Self::Bytes(bytes) => ToSqlOutput::from(&**bytes),
            Self::Uuid(uuid) => uuid.hyphenated().to_string().into(),
            Self::Time(time) | Self::Timestamp(time) => microseconds(*time).into(),
            Self::Json(json) => ToSqlOutput::from(json.as_str()),
            Self::TextList(texts) => serde_json::Value::from(texts.to_vec()).to_string().into(),
        }
    }

    pub(crate) fn add_to_postgres(&self, arguments: &mut sqlx::postgres::PgArguments) -> Result<()> {
        self.check()?;
        let added = arguments.add(self);
        added.map_err(StoreError::Query)
    }
}

impl Type<Postgres> for Value<'_> {
    /// `unknown`: each says itself of which type it is, and of a null PostgreSQL infers it from its place.
    fn type_info() -> PgTypeInfo {
        PgTypeInfo::with_oid(Oid(705))
    }
}

impl Encode<'_, Postgres> for Value<'_> {
    fn encode_by_ref(&self, buffer: &mut PgArgumentBuffer) -> Result<IsNull, BoxDynError> {
        fn put<'v>(
            value: impl Encode<'v, Postgres>,
            buffer: &mut PgArgumentBuffer,
        ) -> Result<IsNull, BoxDynError> {
            value.encode(buffer)
        }
        match self {
            Self::Null => Ok(IsNull::Yes),
            Self::Bool(truth) => put(truth, buffer),
            Self::Int(number) => put(number, buffer),
            Self::Real(number) => put(number, buffer),
            Self::Decimal(number) => put(&**number, buffer),
            Self::Text(text) => put(&**text, buffer),
            Self::Bytes(bytes) => put(&**bytes, buffer),
            Self::Uuid(uuid) => put(uuid, buffer),
            Self::Time(time) => put(time, buffer),
            Self::Timestamp(time) => {
                let utc = time.to_offset(time::UtcOffset::UTC);
                put(time::PrimitiveDateTime::new(utc.date(), utc.time()), buffer)
            }
            // A document is text already: on the wire it is a version byte and the text.
            Self::Json(json) => {
                buffer.push(1);
                buffer.extend_from_slice(json.as_str().as_bytes());
                Ok(IsNull::No)
            }
            Self::TextList(texts) => put(&**texts, buffer),
        }
    }

    fn produces(&self) -> Option<PgTypeInfo> {
        fn of<T: Type<Postgres> + ?Sized>() -> PgTypeInfo {
            T::type_info()
        }
        Some(match self {
            Self::Null => Self::type_info(),
            Self::Bool(_) => of::<bool>(),
            Self::Int(_) => of::<i64>(),
            Self::Real(_) => of::<f64>(),
            Self::Decimal(_) => of::<BigDecimal>(),
            Self::Text(_) => of::<str>(),
            Self::Bytes(_) => of::<[u8]>(),
            Self::Uuid(_) => of::<Uuid>(),
            Self::Time(_) => of::<OffsetDateTime>(),
            Self::Timestamp(_) => of::<time::PrimitiveDateTime>(),
            Self::Json(_) => of::<sqlx::types::JsonValue>(),
            Self::TextList(_) => of::<[String]>(),
        })
    }
}

/// A decimal as both engines give it back: no exponent, no trailing zeros after the point.
pub(crate) fn shortest(number: &BigDecimal) -> String {
    number.normalized().to_plain_string()
}

/// Time as SQLite keeps it.
pub(crate) fn microseconds(time: OffsetDateTime) -> i64 {
    // The years that `time` can hold fit: ±9999 is below 2^58 microseconds.
    i64::try_from(time.unix_timestamp_nanos().div_euclid(1_000)).unwrap_or(i64::MAX)
}

macro_rules! value_from {
    ($($from:ty => |$name:ident| $value:expr;)*) => {$(
        impl<'a> From<$from> for Value<'a> {
            fn from($name: $from) -> Self {
                $value
            }
        }
    )*};
}

value_from! {
    bool => |truth| Value::Bool(truth);
    i64 => |number| Value::Int(number);
    i32 => |number| Value::Int(i64::from(number));
    f64 => |number| Value::Real(number);
    Uuid => |uuid| Value::Uuid(uuid);
    OffsetDateTime => |time| Value::Time(time);
    String => |text| Value::Text(Cow::Owned(text));
    &'a str => |text| Value::Text(Cow::Borrowed(text));
    &'a String => |text| Value::Text(Cow::Borrowed(text));
    &'a Json => |json| Value::Json(Cow::Borrowed(json));
    &'a [String] => |texts| Value::TextList(Cow::Borrowed(texts));
    &'a [u8] => |bytes| Value::Bytes(Cow::Borrowed(bytes));
    &'a BigDecimal => |number| Value::Decimal(Cow::Borrowed(number));
    pawl_model::RunId => |id| Value::Uuid(id.0);
    pawl_model::CaseId => |id| Value::Uuid(id.0);
    pawl_model::UserId => |id| Value::Uuid(id.0);
    pawl_model::SessionId => |id| Value::Uuid(id.0);
    pawl_model::BrowserSessionId => |id| Value::Uuid(id.0);
    pawl_model::ApiKeyId => |id| Value::Uuid(id.0);
    pawl_model::InteractionId => |id| Value::Uuid(id.0);
    pawl_model::JobId => |id| Value::Uuid(id.0);
    pawl_model::ScheduleId => |id| Value::Uuid(id.0);
    &'a pawl_model::Score => |score| Value::Decimal(Cow::Owned(score.as_str().parse().unwrap_or_default()));
    pawl_model::KeyScope => |scope| Value::Text(Cow::Borrowed(scope.as_str()));
    pawl_model::Unscored => |reason| Value::Text(Cow::Borrowed(reason.as_str()));
    pawl_model::State => |state| Value::Text(Cow::Borrowed(state.as_str()));
}

impl<'a, T> From<Option<T>> for Value<'a>
where
    Value<'a>: From<T>,
{
    fn from(value: Option<T>) -> Self {
        value.map_or(Value::Null, Value::from)
    }
}

#[cfg(test)]
#[path = "value_tests.rs"]
mod tests;
