//! Values of columns: read from texts and JSON as PostgreSQL reads them, written as it writes them.

use std::fmt::Write as _;

use serde_json::value::RawValue;
use time::OffsetDateTime;
use uuid::Uuid;

use super::moment::{self, MomentProblem};
use super::text_list;
use crate::Json;
use crate::query::Refusal;

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnType {
    /// `uuid`.
    Uuid,
    /// `text`.
    Text,
    /// `integer`, of 32 bits.
    Int,
    /// `bigint`, of 64 bits.
    BigInt,
    /// `real`, of 32 bits.
    Real,
    /// `double precision`.
    Double,
    /// `numeric`.
    Numeric,
    /// `boolean`.
    Bool,
    /// `timestamp with time zone`.
    TimestampTz,
    /// `timestamp without time zone`, in UTC.
    Timestamp,
    /// `jsonb`.
    Jsonb,
    /// `text[]`.
    TextList,
}

/// A value of a column.
#[derive(Clone, Debug, PartialEq)]
pub enum Datum {
    /// No value.
    Null,
    /// A truth value.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A finite number of 32 bits.
    Real(f32),
    /// A finite number.
    Double(f64),
    /// A decimal in plain notation.
    Decimal(String),
    /// A text.
    Text(String),
    /// A UUID.
    Uuid(Uuid),
    /// A point in time, to the microsecond.
    TimestampTz(OffsetDateTime),
    /// The same, without its zone when printed.
    Timestamp(OffsetDateTime),
    /// A document.
    Json(Json),
    /// A list of texts.
    TextList(Vec<String>),
}

impl ColumnType {
    /// The name that PostgreSQL prints.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Uuid => "uuid",
            Self::Text => "text",
            Self::Int => "integer",
            Self::BigInt => "bigint",
            Self::Real => "real",
            Self::Double => "double precision",
            Self::Numeric => "numeric",
            Self::Bool => "boolean",
            Self::TimestampTz => "timestamp with time zone",
            Self::Timestamp => "timestamp without time zone",
            Self::Jsonb => "jsonb",
            Self::TextList => "text[]",
        }
    }

    /// Reads a text as a value of this type; `now` is what `now()` means.
    ///
    /// # Errors
    /// `22P02` and its relatives, when it is none.
    pub fn parse(self, text: &str, now: OffsetDateTime) -> Result<Datum, Refusal> {
        if text.contains('\0') {
            return Err(Refusal::nul());
        }
        let wrong = || self.invalid(text);
        match self {
            Self::Text => Ok(Datum::Text(text.to_owned())),
            Self::Uuid if text.starts_with("urn:") => Err(wrong()),
            Self::Uuid => text.parse().map(Datum::Uuid).map_err(|_| wrong()),
            Self::Int | Self::BigInt => self.int(text),
            Self::Real => match text.trim().parse::<f32>() {
                Ok(number) if number.is_finite() => Ok(Datum::Real(number)),
                Ok(_) if text.contains(|c: char| c.is_ascii_digit()) => Err(self.out_of_range(text)),
                _ => Err(wrong()),
            },
            Self::Double => match text.trim().parse::<f64>() {
                Ok(number) if number.is_finite() => Ok(Datum::Double(number)),
                Ok(_) if text.contains(|c: char| c.is_ascii_digit()) => Err(self.out_of_range(text)),
                _ => Err(wrong()),
            },
            Self::Numeric => match Json::parse(text.trim()) {
                Ok(json) if is_number(json.as_str()) => Ok(Datum::Decimal(json.as_str().to_owned())),
                _ => Err(wrong()),
            },
            Self::Bool => bool_word(text).map(Datum::Bool).ok_or_else(wrong),
            Self::TimestampTz => self.moment(text, now).map(Datum::TimestampTz),
            Self::Timestamp => self.moment(text, now).map(Datum::Timestamp),
            Self::Jsonb => Json::parse(text).map(Datum::Json).map_err(|error| {
                Refusal::new("22P02", "invalid input syntax for type json").details(error.to_string())
            }),
            Self::TextList => text_list::parse(text)
                .map(Datum::TextList)
                .ok_or_else(|| Refusal::new("22P02", ["malformed array literal: \"", text, "\""].concat())),
        }
    }

    /// Reads a JSON value of a body as a value of this type.
    ///
    /// # Errors
    /// `22P02` and its relatives, when it is none.
    pub fn read(self, json: &RawValue, now: OffsetDateTime) -> Result<Datum, Refusal> {
        let raw = json.get();
        match (self, raw.as_bytes().first()) {
            // As in PostgreSQL, the null of a body is that of SQL even where documents are kept.
            (_, Some(b'n')) => Ok(Datum::Null),
            (Self::Jsonb, _) => Json::parse(raw).map(Datum::Json).map_err(|error| {
                if error.problem == crate::JsonProblem::Nul {
                    return Refusal::nul();
                }
                Refusal::new("22P02", "invalid input syntax for type json").details(error.to_string())
            }),
            (_, Some(b'"')) => {
                let text: String = serde_json::from_str(raw).map_err(|_| self.invalid(raw))?;
                self.parse(&text, now)
            }
            (Self::TextList, Some(b'[')) => {
                let texts: Vec<String> = serde_json::from_str(raw).map_err(|_| self.invalid(raw))?;
                if texts.iter().any(|text| text.contains('\0')) {
                    return Err(Refusal::nul());
                }
                Ok(Datum::TextList(texts))
            }
            (Self::Text, Some(b'{' | b'[')) => match Json::parse(raw) {
                Ok(json) => Ok(Datum::Text(json.as_str().to_owned())),
                Err(_) => Err(self.invalid(raw)),
            },
            (_, Some(b'{' | b'[')) => Err(self.invalid(raw)),
            _ => self.parse(raw, now),
        }
    }

    fn int(self, text: &str) -> Result<Datum, Refusal> {
        let trimmed = text.trim();
        let number = trimmed.parse::<i64>().ok();
        match number.filter(|number| self == Self::BigInt || i32::try_from(*number).is_ok()) {
            Some(number) => Ok(Datum::Int(number)),
            None => {
                let digits = trimmed.strip_prefix(['-', '+']).unwrap_or(trimmed);
                if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
                    return Err(Refusal::new(
                        "22003",
                        ["value \"", text, "\" is out of range for type ", self.name()].concat(),
                    ));
                }
                Err(self.invalid(text))
            }
        }
    }

    fn moment(self, text: &str, now: OffsetDateTime) -> Result<OffsetDateTime, Refusal> {
        if matches!(text.trim().to_ascii_lowercase().as_str(), "now" | "now()") {
            return Ok(now);
        }
        moment::parse(text).map_err(|problem| match problem {
            MomentProblem::Syntax => Refusal::new("22007", self.invalid_message(text)),
            MomentProblem::Range => Refusal::new(
                "22008",
                ["date/time field value out of range: \"", text, "\""].concat(),
            ),
        })
    }

    fn out_of_range(self, text: &str) -> Refusal {
        let message = ["\"", text, "\" is out of range for type ", self.name()].concat();
        Refusal::new("22003", message)
    }

    fn invalid_message(self, text: &str) -> String {
        ["invalid input syntax for type ", self.name(), ": \"", text, "\""].concat()
    }

    fn invalid(self, text: &str) -> Refusal {
        Refusal::new("22P02", self.invalid_message(text))
    }
}

fn is_number(json: &str) -> bool {
    json.starts_with(|first: char| first == '-' || first.is_ascii_digit())
}

/// The words for truth values, and their beginnings where they are clear.
fn bool_word(text: &str) -> Option<bool> {
    let word = text.trim().to_ascii_lowercase();
    let begins = |whole: &str, least: usize| word.len() >= least && whole.starts_with(&word);
    if begins("true", 1) || begins("yes", 1) || word == "on" || word == "1" {
        Some(true)
    } else if begins("false", 1) || begins("no", 1) || begins("off", 2) || word == "0" {
        Some(false)
    } else {
        None
    }
}

impl Datum {
    /// The value as a number, if it is one.
    #[must_use]
    pub fn number(&self) -> Option<f64> {
        match self {
            #[expect(
                clippy::cast_precision_loss,
                reason = "columns of whole numbers are 32 bits wide"
            )]
            Self::Int(number) => Some(*number as f64),
            Self::Real(number) => Some((*number).into()),
            Self::Double(number) => Some(*number),
            Self::Decimal(number) => number.parse().ok(),
            _ => None,
        }
    }

    /// Adds the value as JSON, as PostgreSQL's `to_json` writes it, without blanks.
    pub fn write_json(&self, out: &mut String) {
        match self {
            Self::Null => out.push_str("null"),
            Self::Bool(truth) => out.push_str(if *truth { "true" } else { "false" }),
            Self::Int(_) | Self::Real(_) | Self::Double(_) | Self::Decimal(_) => self.write_text(out),
            Self::Text(text) => write_json_text(text, out),
            Self::Json(json) => out.push_str(json.as_str()),
            Self::Uuid(_) => {
                out.push('"');
                self.write_text(out);
                out.push('"');
            }
            Self::TimestampTz(moment) => {
                let printed = moment::print(*moment);
                out.extend(["\"", &printed.date, "T", &printed.time, "+00:00\""]);
            }
            Self::Timestamp(moment) => {
                let printed = moment::print(*moment);
                out.extend(["\"", &printed.date, "T", &printed.time, "\""]);
            }
            Self::TextList(texts) => {
                out.push('[');
                for (index, text) in texts.iter().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    write_json_text(text, out);
                }
                out.push(']');
            }
        }
    }

    /// Adds the value as a text, as a cast to `text` in PostgreSQL writes it; null adds nothing.
    pub fn write_text(&self, out: &mut String) {
        match self {
            Self::Null => {}
            Self::Bool(truth) => out.push_str(if *truth { "true" } else { "false" }),
            Self::Int(number) => {
                // Writing to a String cannot fail.
                let _ = write!(out, "{number}");
            }
            Self::Real(number) => write_float(&format!("{number:e}"), 6, out),
            Self::Double(number) => write_float(&format!("{number:e}"), 15, out),
            Self::Decimal(number) | Self::Text(number) => out.push_str(number),
            Self::Uuid(uuid) => {
                let _ = write!(out, "{}", uuid.hyphenated());
            }
            Self::TimestampTz(moment) => {
                let printed = moment::print(*moment);
                out.extend([&printed.date, " ", &printed.time, "+00"]);
            }
            Self::Timestamp(moment) => {
                let printed = moment::print(*moment);
                out.extend([&printed.date, " ", &printed.time]);
            }
            Self::Json(json) => write_spaced(json, out),
            Self::TextList(texts) => text_list::write(texts, out),
        }
    }
}

/// Adds the document as PostgreSQL prints `jsonb`: a blank behind each comma and colon between values.
fn write_spaced(json: &Json, out: &mut String) {
    let (mut in_text, mut escaped) = (false, false);
    for character in json.as_str().chars() {
        out.push(character);
        if in_text {
            in_text = escaped || character != '"';
            escaped = !escaped && character == '\\';
        } else if matches!(character, ',' | ':') {
            out.push(' ');
        } else {
            in_text = character == '"';
        }
    }
}

fn write_json_text(text: &str, out: &mut String) {
    // A string always serialises.
    out.push_str(&serde_json::to_string(text).unwrap_or_default());
}

/// Lays out the shortest digits that read back as the same number: plain from 1e-4 to below `10^plain`, else with an
/// exponent of at least two digits (`double_to_shortest_decimal_buf` and `float_to_shortest_decimal_buf`).
fn write_float(shortest: &str, plain: i32, out: &mut String) {
    let (mantissa, exponent) = shortest.split_once('e').unwrap_or((shortest, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let (sign, mantissa) = match mantissa.strip_prefix('-') {
        Some(mantissa) => ("-", mantissa),
        None => ("", mantissa),
    };
    out.push_str(sign);
    if !(-4..plain).contains(&exponent) {
        let sign = if exponent < 0 { '-' } else { '+' };
        let _ = write!(out, "{mantissa}e{sign}{:02}", exponent.abs());
        return;
    }
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    let point = usize::try_from(exponent + 1).unwrap_or(0);
    if point == 0 {
        out.push_str("0.");
        out.extend((0..-(exponent + 1)).map(|_| '0'));
        out.push_str(&digits);
    } else if digits.len() <= point {
        out.push_str(&digits);
        out.extend((digits.len()..point).map(|_| '0'));
    } else {
        out.extend([&digits[..point], ".", &digits[point..]]);
    }
}

#[cfg(test)]
mod tests;
