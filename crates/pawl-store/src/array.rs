//! A column of many rows on its way to PostgreSQL: an array, so that a statement is the same for however many rows.

use sqlx::encode::IsNull;
use sqlx::error::BoxDynError;
use sqlx::postgres::types::Oid;
use sqlx::postgres::{PgArgumentBuffer, PgTypeInfo};
use sqlx::{Encode, Postgres, Type};

use crate::Value;

/// What PostgreSQL calls the elements of an array, with the numbers of their type and of the array's.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Element {
    pub(crate) name: &'static str,
    /// What makes a column's value of an element.
    pub(crate) cast: &'static str,
    oid: u32,
    array_oid: u32,
}

impl Element {
    const fn new(name: &'static str, oid: u32, array_oid: u32) -> Self {
        Self {
            name,
            cast: "",
            oid,
            array_oid,
        }
    }

    /// Whether both are of one kind. Every value is asked, and names take long to compare.
    const fn is(self, other: Self) -> bool {
        self.oid == other.oid && self.cast.len() == other.cast.len()
    }

    /// How a value is an element; not at all where it is null.
    pub(crate) const fn of(value: &Value<'_>) -> Option<Self> {
        Some(match value {
            Value::Null => return None,
            Value::Bool(_) => Self::new("bool", 16, 1_000),
            Value::Int(_) => Self::new("int8", 20, 1_016),
            Value::Real(_) => Self::new("float8", 701, 1_022),
            Value::Decimal(_) => Self::new("numeric", 1_700, 1_231),
            Value::Text(_) => Self::new("text", 25, 1_009),
            // An array of lists would be a table: a list is the text that PostgreSQL reads as one.
            Value::TextList(_) => Self {
                cast: "::text[]",
                ..Self::new("text", 25, 1_009)
            },
            Value::Bytes(_) => Self::new("bytea", 17, 1_001),
            Value::Uuid(_) => Self::new("uuid", 2_950, 2_951),
            Value::Time(_) => Self::new("timestamptz", 1_184, 1_185),
            Value::Timestamp(_) => Self::new("timestamp", 1_114, 1_115),
            Value::Json(_) => Self::new("jsonb", 3_802, 3_807),
        })
    }
}

/// The values of one column of rows.
pub(crate) struct Column<'v> {
    pub(crate) element: Element,
    pub(crate) rows: &'v [Vec<Value<'v>>],
    pub(crate) place: usize,
}

impl Type<Postgres> for Column<'_> {
    fn type_info() -> PgTypeInfo {
        // Each says itself which array it is.
        PgTypeInfo::with_oid(Oid(2_277))
    }
}

impl Encode<'_, Postgres> for Column<'_> {
    /// Dimensions, whether there may be nulls, the type of the elements, their number and that of the first; then each
    /// of them with its length in front.
    fn encode_by_ref(&self, buffer: &mut PgArgumentBuffer) -> Result<IsNull, BoxDynError> {
        for part in [1, 1, self.element.oid, u32::try_from(self.rows.len())?, 1] {
            buffer.extend_from_slice(&part.to_be_bytes());
        }
        for row in self.rows {
            let value = row.get(self.place).unwrap_or(&Value::Null);
            if Element::of(value).is_some_and(|element| !element.is(self.element)) {
                return Err("a column has values of one kind".into());
            }
            let length = buffer.len();
            buffer.extend_from_slice(&(-1_i32).to_be_bytes());
            let begin = buffer.len();
            if let IsNull::No = encode(value, buffer)? {
                let bytes = i32::try_from(buffer.len() - begin)?;
                buffer[length..begin].copy_from_slice(&bytes.to_be_bytes());
            }
        }
        Ok(IsNull::No)
    }

    fn produces(&self) -> Option<PgTypeInfo> {
        Some(PgTypeInfo::with_oid(Oid(self.element.array_oid)))
    }
}

/// Writes a value, as it is outside of an array too.
fn encode(value: &Value<'_>, buffer: &mut PgArgumentBuffer) -> Result<IsNull, BoxDynError> {
    match value {
        Value::TextList(texts) => {
            list(texts, buffer);
            Ok(IsNull::No)
        }
        other => other.encode_by_ref(buffer),
    }
}

/// A list as PostgreSQL reads it: in braces, each text in quotation marks.
fn list(texts: &[String], buffer: &mut PgArgumentBuffer) {
    buffer.push(b'{');
    for (place, text) in texts.iter().enumerate() {
        buffer.extend_from_slice(if place == 0 { b"\"" } else { b",\"" });
        for byte in text.bytes() {
            if matches!(byte, b'"' | b'\\') {
                buffer.push(b'\\');
            }
            buffer.push(byte);
        }
        buffer.push(b'"');
    }
    buffer.push(b'}');
}
