//! Interactions as they are received: read, and refused with every field that is wrong.

use std::borrow::Cow;
use std::fmt;

use pawl_model::{Json, NewInteraction, Score, UserId};
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;
use uuid::Uuid;

/// How many bytes of JSON one interaction may have.
pub const MAX_BYTES: usize = 1024 * 1024;
/// How many interactions one request may hand in.
pub const MAX_ITEMS: usize = 10_000;
/// How many characters an id or a flag may have.
const MAX_NAME: usize = 255;
/// How many flags an interaction may have.
const MAX_FLAGS: usize = 100;
/// How many tool calls, or spans, an interaction may have.
const MAX_CALLS: usize = 1_000;
/// For how many interactions one may stand.
const MAX_WEIGHT: f64 = 1e6;

/// What is wrong with a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldError {
    /// The field.
    pub field: Cow<'static, str>,
    /// What is wrong with it.
    pub message: Cow<'static, str>,
}

/// Why a text is not an interaction.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// It is no JSON.
    #[error("{problem} at line {line}, column {column}")]
    Malformed {
        /// What is wrong.
        problem: String,
        /// From 1.
        line: usize,
        /// In bytes, from 1.
        column: usize,
    },
    /// It is too long.
    #[error("an interaction may have {MAX_BYTES} bytes, this one has {bytes}")]
    TooLarge {
        /// How long it is.
        bytes: usize,
    },
    /// It is JSON, with these fields wrong.
    #[error("{}", fields(.errors))]
    Fields {
        /// The tenant, where that much is sound.
        user_id: Option<UserId>,
        /// At least one.
        errors: Vec<FieldError>,
    },
}

fn fields(errors: &[FieldError]) -> String {
    let texts = errors
        .iter()
        .map(|error| format!("`{}` {}", error.field, error.message));
    texts.collect::<Vec<_>>().join("; ")
}

impl From<serde_json::Error> for Unreadable {
    fn from(error: serde_json::Error) -> Self {
        let (line, column) = (error.line(), error.column());
        let text = error.to_string();
        let problem = text.split(" at line ").next().unwrap_or_default().to_owned();
        Self::Malformed {
            problem,
            line,
            column,
        }
    }
}

/// A field as it is given.
#[derive(Default)]
enum Given<'a> {
    #[default]
    Absent,
    Text(Cow<'a, str>),
    Other(&'a RawValue),
}

/// The fields of one interaction.
#[derive(Default)]
struct Fields<'a> {
    user_id: Given<'a>,
    interaction_id: Given<'a>,
    prompt: Given<'a>,
    response: Given<'a>,
    score: Option<&'a RawValue>,
    latency_ms: Option<&'a RawValue>,
    flags: Option<&'a RawValue>,
    pii_tokens_redacted: Option<&'a RawValue>,
    created_at: Given<'a>,
    sample_weight: Option<&'a RawValue>,
    tool_calls: Option<&'a RawValue>,
    spans: Option<&'a RawValue>,
    unknown: Vec<String>,
}

impl<'de> Deserialize<'de> for Given<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&RawValue>::deserialize(deserializer)?;
        let text = raw.get();
        if !text.starts_with('"') {
            return Ok(Self::Other(raw));
        }
        // Without an escape the text stands there as it is.
        let inner = &text[1..text.len() - 1];
        if !inner.contains('\\') {
            return Ok(Self::Text(Cow::Borrowed(inner)));
        }
        serde_json::from_str(text)
            .map(|text: String| Self::Text(Cow::Owned(text)))
            .map_err(serde::de::Error::custom)
    }
}

impl<'de> Deserialize<'de> for Fields<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;

        impl<'de> Visitor<'de> for Object {
            type Value = Fields<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields<'de>, A::Error> {
                let mut fields = Fields::default();
                while let Some(key) = map.next_key::<Cow<'de, str>>()? {
                    match &*key {
                        "user_id" => fields.user_id = map.next_value()?,
                        "interaction_id" => fields.interaction_id = map.next_value()?,
                        "prompt" => fields.prompt = map.next_value()?,
                        "response" => fields.response = map.next_value()?,
                        "score" => fields.score = Some(map.next_value()?),
                        "latency_ms" => fields.latency_ms = Some(map.next_value()?),
                        "flags" => fields.flags = Some(map.next_value()?),
                        "pii_tokens_redacted" => fields.pii_tokens_redacted = Some(map.next_value()?),
                        "created_at" => fields.created_at = map.next_value()?,
                        "sample_weight" => fields.sample_weight = Some(map.next_value()?),
                        "tool_calls" => fields.tool_calls = Some(map.next_value()?),
                        "spans" => fields.spans = Some(map.next_value()?),
                        unknown => {
                            if fields.unknown.len() < MAX_UNKNOWN {
                                fields.unknown.push(unknown.chars().take(MAX_NAME).collect());
                            }
                            map.next_value::<IgnoredAny>()?;
                        }
                    }
                }
                Ok(fields)
            }
        }

        deserializer.deserialize_map(Object)
    }
}

/// How many unknown fields an error names.
const MAX_UNKNOWN: usize = 20;

/// Reads one interaction.
///
/// # Errors
/// Naming line and column of what is no JSON, or every field that is wrong.
pub fn read(text: &str) -> Result<NewInteraction, Unreadable> {
    if text.len() > MAX_BYTES {
        return Err(Unreadable::TooLarge { bytes: text.len() });
    }
    if !text.trim_ascii_start().starts_with('{') {
        serde_json::from_str::<IgnoredAny>(text)?;
        return Err(Unreadable::Fields {
            user_id: None,
            errors: vec![FieldError {
                field: Cow::Borrowed(""),
                message: Cow::Borrowed("an interaction is an object"),
            }],
        });
    }
    let fields: Fields<'_> = serde_json::from_str(text)?;
    let mut errors = Errors::default();
    let user_id = errors.of("user_id", user_id(fields.user_id));
    let read = NewInteraction {
        user_id: user_id.unwrap_or(UserId(Uuid::nil())),
        interaction_id: errors
            .of("interaction_id", name(fields.interaction_id))
            .unwrap_or_default(),
        prompt: errors.of("prompt", text_of(fields.prompt)).unwrap_or_default(),
        response: errors
            .of("response", text_of(fields.response))
            .unwrap_or_default(),
        score: errors.of("score", optional(fields.score, score)).flatten(),
        latency_ms: errors
            .of("latency_ms", optional(fields.latency_ms, count))
            .flatten(),
        flags: errors
            .of("flags", fields.flags.map_or(Ok(Vec::new()), flags))
            .unwrap_or_default(),
        pii_tokens_redacted: errors
            .of(
                "pii_tokens_redacted",
                fields.pii_tokens_redacted.map_or(Ok(0), count),
            )
            .unwrap_or_default(),
        created_at: errors.of("created_at", time(&fields.created_at)).flatten(),
        sample_weight: errors
            .of("sample_weight", optional(fields.sample_weight, weight))
            .flatten(),
        tool_calls: errors
            .of("tool_calls", optional(fields.tool_calls, objects))
            .flatten(),
        spans: errors.of("spans", optional(fields.spans, objects)).flatten(),
    };
    for unknown in fields.unknown {
        errors.0.push(FieldError {
            field: Cow::Owned(unknown),
            message: Cow::Borrowed("is no field of an interaction"),
        });
    }
    if errors.0.is_empty() {
        Ok(read)
    } else {
        Err(Unreadable::Fields {
            user_id,
            errors: errors.0,
        })
    }
}

type Checked<T> = Result<T, Cow<'static, str>>;

#[derive(Default)]
struct Errors(Vec<FieldError>);

impl Errors {
    fn of<T>(&mut self, field: &'static str, checked: Checked<T>) -> Option<T> {
        match checked {
            Ok(value) => Some(value),
            Err(message) => {
                self.0.push(FieldError {
                    field: Cow::Borrowed(field),
                    message,
                });
                None
            }
        }
    }
}

fn text_of(given: Given<'_>) -> Checked<String> {
    match given {
        Given::Absent => Err("is required".into()),
        Given::Other(_) => Err("must be a text".into()),
        Given::Text(text) if text.contains('\0') => {
            Err("holds the NUL character, which cannot be stored".into())
        }
        Given::Text(text) => Ok(text.into_owned()),
    }
}

fn name(given: Given<'_>) -> Checked<String> {
    let text = text_of(given)?;
    if text.trim().is_empty() {
        return Err("must not be blank".into());
    }
    if text.len() > MAX_NAME && text.chars().count() > MAX_NAME {
        return Err(format!("may have {MAX_NAME} characters").into());
    }
    Ok(text)
}

fn user_id(given: Given<'_>) -> Checked<UserId> {
    text_of(given)?.parse().map_err(|_| "must be a UUID".into())
}

/// A value that may be absent or null.
fn optional<T>(given: Option<&RawValue>, read: impl FnOnce(&RawValue) -> Checked<T>) -> Checked<Option<T>> {
    match given {
        None => Ok(None),
        Some(raw) if raw.get() == "null" => Ok(None),
        Some(raw) => read(raw).map(Some),
    }
}

fn score(raw: &RawValue) -> Checked<Score> {
    Score::parse(raw.get()).ok_or_else(|| "must be a number from 0 to 1, or null".into())
}

fn count(raw: &RawValue) -> Checked<i32> {
    raw.get()
        .parse()
        .ok()
        .filter(|count| *count >= 0)
        .ok_or_else(|| "must be a whole number from 0 to 2147483647".into())
}

fn weight(raw: &RawValue) -> Checked<f64> {
    serde_json::from_str(raw.get())
        .ok()
        .filter(|weight| *weight > 0.0 && *weight <= MAX_WEIGHT)
        .ok_or_else(|| format!("must be a number above 0, at most {MAX_WEIGHT}").into())
}

fn flags(raw: &RawValue) -> Checked<Vec<String>> {
    let flags: Vec<String> =
        serde_json::from_str(raw.get()).map_err(|_| Cow::Borrowed("must be an array of texts"))?;
    if flags.len() > MAX_FLAGS {
        return Err(format!("may have {MAX_FLAGS} texts").into());
    }
    for flag in &flags {
        if flag.contains('\0') {
            return Err("holds the NUL character, which cannot be stored".into());
        }
        if flag.trim().is_empty() || flag.chars().count() > MAX_NAME {
            return Err(format!("must hold texts of 1 to {MAX_NAME} characters").into());
        }
    }
    Ok(flags)
}

fn time(given: &Given<'_>) -> Checked<Option<OffsetDateTime>> {
    const RULE: &str = "must be a time such as 2026-03-01T09:30:00Z (RFC 3339), from 1970 on";
    match given {
        Given::Absent => Ok(None),
        Given::Other(raw) if raw.get() == "null" => Ok(None),
        Given::Other(_) => Err(RULE.into()),
        Given::Text(text) => OffsetDateTime::parse(text, &Rfc3339)
            .ok()
            .filter(|time| *time >= OffsetDateTime::UNIX_EPOCH)
            .and_then(|time| time.replace_nanosecond(time.microsecond() * 1_000).ok())
            .map(|time| Some(time.to_offset(time::UtcOffset::UTC)))
            .ok_or_else(|| RULE.into()),
    }
}

fn objects(raw: &RawValue) -> Checked<Json> {
    let items: Vec<&RawValue> =
        serde_json::from_str(raw.get()).map_err(|_| Cow::Borrowed("must be an array of objects"))?;
    if items.iter().any(|item| !item.get().starts_with('{')) {
        return Err("must be an array of objects".into());
    }
    if items.len() > MAX_CALLS {
        return Err(format!("may have {MAX_CALLS} objects").into());
    }
    Json::parse(raw.get()).map_err(|error| error.problem.to_string().into())
}

#[cfg(test)]
#[path = "received_tests.rs"]
mod tests;
