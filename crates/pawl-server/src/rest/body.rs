//! Bodies: rows as JSON, CSV or the fields of a form.

use std::fmt;

use pawl_model::query::Refusal;
use pawl_model::table::{Column, Datum, Table};
use serde::de::{Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use time::OffsetDateTime;

use super::media::Sent;
use super::parameters::{no_such_column, pairs};

/// Rows of one body.
const MAX_ROWS: usize = pawl_engine::data::WRITTEN_ROWS;

/// Why reading stops where a body has too many rows; told apart from other errors by its text.
const TOO_MANY_ROWS: &str = "a body has too many rows";

/// How a body is read.
pub(super) struct BodyReader<'a> {
    /// The table that it is about.
    pub(super) table: &'static Table,
    /// The parameter `columns`: what else the rows say is passed over.
    pub(super) columns: Option<&'a [&'static Column]>,
    /// What `now()` means.
    pub(super) now: OffsetDateTime,
}

/// The rows of a body.
#[derive(Debug)]
pub(super) struct Rows {
    /// The columns that they name.
    pub(super) columns: Vec<&'static Column>,
    /// A value for each of these; none where a row does not have the key.
    pub(super) rows: Vec<Vec<Option<Datum>>>,
}

/// A row as it is written: its keys with JSON.
struct Object(Vec<(String, Box<RawValue>)>);

impl BodyReader<'_> {
    pub(super) fn read(&self, sent: Sent, body: &[u8]) -> Result<Rows, Refusal> {
        let text = std::str::from_utf8(body).map_err(|_| invalid())?;
        match sent {
            Sent::Json => self.json(text),
            Sent::Csv => self.csv(text),
            Sent::Form => self.texts(vec![
                pairs(text)?.into_iter().map(|(k, v)| (k, Some(v))).collect(),
            ]),
        }
    }

    fn json(&self, text: &str) -> Result<Rows, Refusal> {
        let trimmed = text.trim_start_matches([' ', '\t', '\r', '\n']);
        let objects = match trimmed.as_bytes().first() {
            Some(b'{') => vec![serde_json::from_str(text).map_err(|_| invalid())?],
            Some(b'[') => {
                serde_json::from_str::<Objects>(text)
                    .map_err(|error| unreadable(&error))?
                    .0
            }
            // As in PostgREST, any other document has no rows.
            _ => {
                let _: &RawValue = serde_json::from_str(text).map_err(|_| invalid())?;
                Vec::new()
            }
        };
        self.rows(objects, |column, value| column.kind.read(&value, self.now))
    }

    fn csv(&self, text: &str) -> Result<Rows, Refusal> {
        let wrong =
            |error: csv::Error| Refusal::new("PGRST102", "Empty or invalid csv").details(error.to_string());
        let mut reader = csv::ReaderBuilder::new()
            .flexible(true)
            .from_reader(text.as_bytes());
        let names = reader.headers().map_err(wrong)?.clone();
        let mut objects = Vec::new();
        for record in reader.records() {
            let record = record.map_err(wrong)?;
            if record.len() != names.len() {
                return Err(Refusal::new(
                    "PGRST102",
                    "All lines must have same number of fields",
                ));
            }
            if objects.len() == MAX_ROWS {
                return Err(too_many_rows());
            }
            let value = |text: &str| (text != "NULL").then(|| text.to_owned());
            let fields = names
                .iter()
                .zip(&record)
                .map(|(name, text)| (name.to_owned(), value(text)));
            objects.push(fields.collect());
        }
        self.texts(objects)
    }

    fn texts(&self, objects: Vec<Vec<(String, Option<String>)>>) -> Result<Rows, Refusal> {
        self.keyed(objects, |column, text| match text {
            Some(text) => column.kind.parse(&text, self.now),
            None => Ok(Datum::Null),
        })
    }

    fn rows(
        &self,
        objects: Vec<Object>,
        value: impl Fn(&Column, Box<RawValue>) -> Result<Datum, Refusal>,
    ) -> Result<Rows, Refusal> {
        self.keyed(objects.into_iter().map(|object| object.0).collect(), value)
    }

    /// Puts values under columns: those of the parameter, or the keys of the first row, which all must have.
    fn keyed<T>(
        &self,
        objects: Vec<Vec<(String, T)>>,
        value: impl Fn(&Column, T) -> Result<Datum, Refusal>,
    ) -> Result<Rows, Refusal> {
        let columns = match (self.columns, objects.first()) {
            (Some(columns), _) => columns.to_vec(),
            (None, first) => {
                let mut columns: Vec<&'static Column> = Vec::new();
                for (name, _) in first.into_iter().flatten() {
                    let column = self
                        .table
                        .column(name)
                        .ok_or_else(|| no_such_column(self.table, name))?;
                    if !columns.iter().any(|known| known.name == column.name) {
                        columns.push(column);
                    }
                }
                columns
            }
        };
        let mut rows = Vec::with_capacity(objects.len());
        for object in objects {
            let mut row: Vec<Option<Datum>> = columns.iter().map(|_| None).collect();
            for (name, given) in object {
                match columns.iter().position(|column| column.name == name) {
                    // Of a key that is there twice, the last one counts.
                    Some(place) => row[place] = Some(value(columns[place], given)?),
                    None if self.columns.is_some() => {}
                    None => return Err(keys_differ()),
                }
            }
            if self.columns.is_none() && row.iter().any(Option::is_none) {
                return Err(keys_differ());
            }
            rows.push(row);
        }
        Ok(Rows { columns, rows })
    }
}

fn invalid() -> Refusal {
    Refusal::new("PGRST102", "Empty or invalid json")
}

fn keys_differ() -> Refusal {
    Refusal::new("PGRST102", "All object keys must match")
}

fn too_many_rows() -> Refusal {
    Refusal::too_much(format!("a body has at most {MAX_ROWS} rows"))
}

fn unreadable(error: &serde_json::Error) -> Refusal {
    let text = error.to_string();
    if text.starts_with(TOO_MANY_ROWS) {
        too_many_rows()
    } else if error.is_data() {
        // An element that is no object.
        keys_differ()
    } else {
        invalid()
    }
}

/// The elements of an array, as many as there may be.
struct Objects(Vec<Object>);

impl<'de> serde::Deserialize<'de> for Objects {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Elements;
        impl<'de> Visitor<'de> for Elements {
            type Value = Objects;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an array of objects")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Objects, A::Error> {
                let mut objects = Vec::new();
                while let Some(object) = elements.next_element()? {
                    if objects.len() == MAX_ROWS {
                        return Err(A::Error::custom(TOO_MANY_ROWS));
                    }
                    objects.push(object);
                }
                Ok(Objects(objects))
            }
        }
        deserializer.deserialize_seq(Elements)
    }
}

impl<'de> serde::Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = Object;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Object, A::Error> {
                let mut object = Vec::new();
                while let Some(member) = members.next_entry()? {
                    object.push(member);
                }
                Ok(Object(object))
            }
        }
        deserializer.deserialize_map(Members)
    }
}
