//! A span of a trace, whatever protocol it came by, and the form in which it is stored.

use std::collections::BTreeMap;
use std::sync::Arc;

use pawl_model::{Json, JsonError};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};
use time::OffsetDateTime;

/// Attributes by their keys: texts, numbers, truth values, and lists and objects of them.
///
/// What JSON has no form for is written as protobuf's JSON has it: bytes in Base64, numbers that are not finite as
/// `NaN`, `Infinity` and `-Infinity`.
pub type Attributes = Map<String, Value>;

/// A span. It is stored as the object that it serialises to; what is empty in it is left out there.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Span {
    /// The trace that it belongs to: of OpenTelemetry 32 hexadecimal digits in lower case.
    #[serde(skip)]
    pub trace_id: String,
    /// Its own id, unique in its trace: of OpenTelemetry 16 hexadecimal digits in lower case.
    pub span_id: String,
    /// The span that it is part of; none for the root.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_span_id: Option<String>,
    /// What it is called.
    pub name: String,
    /// Which end of a call it is.
    #[serde(default, skip_serializing_if = "is_default")]
    pub kind: SpanKind,
    /// When it began, in nanoseconds since 1970; 0 where that is not known.
    #[serde(with = "text")]
    pub start_time_unix_nano: u64,
    /// When it ended; 0 where that is not known.
    #[serde(with = "text")]
    pub end_time_unix_nano: u64,
    /// Whether it went well.
    #[serde(default, skip_serializing_if = "is_default")]
    pub status: Status,
    /// What is known of it.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub attributes: Attributes,
    /// What happened in it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<Event>,
    /// Spans that have to do with it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<Link>,
    /// What the trace carries from vendor to vendor (W3C `tracestate`).
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub trace_state: String,
    /// W3C trace flags, and whether the parent is remote.
    #[serde(default, skip_serializing_if = "is_default")]
    pub flags: u32,
    /// How much the sender left out.
    #[serde(default, skip_serializing_if = "is_default")]
    pub dropped: Dropped,
    /// Who sent it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub origin: Arc<Origin>,
    /// How many pieces of personal data were masked in it, by kind; none where the policy did not ask for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redactions: Option<BTreeMap<String, u32>>,
}

/// Which end of a call a span is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "they are OpenTelemetry's")]
pub enum SpanKind {
    #[default]
    Unspecified,
    Internal,
    Server,
    Client,
    Producer,
    Consumer,
}

impl SpanKind {
    /// All there are, in the order of OpenTelemetry's numbers.
    pub const ALL: [Self; 6] = [
        Self::Unspecified,
        Self::Internal,
        Self::Server,
        Self::Client,
        Self::Producer,
        Self::Consumer,
    ];

    /// The kind of a number of OpenTelemetry; one that it does not have is unspecified.
    #[must_use]
    pub fn of_number(number: i64) -> Self {
        let place = usize::try_from(number).ok();
        place
            .and_then(|place| Self::ALL.get(place).copied())
            .unwrap_or_default()
    }

    /// OpenTelemetry's number of it.
    #[must_use]
    pub const fn number(self) -> u8 {
        self as u8
    }
}

/// Whether a span went well.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Status {
    /// In a word.
    #[serde(default, skip_serializing_if = "is_default")]
    pub code: StatusCode,
    /// What went wrong.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message: String,
}

/// Whether a span went well, in a word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "they are OpenTelemetry's")]
pub enum StatusCode {
    #[default]
    Unset,
    Ok,
    Error,
}

impl StatusCode {
    /// The code of a number of OpenTelemetry; one that it does not have is unset.
    #[must_use]
    pub const fn of_number(number: i64) -> Self {
        match number {
            1 => Self::Ok,
            2 => Self::Error,
            _ => Self::Unset,
        }
    }

    /// OpenTelemetry's number of it.
    #[must_use]
    pub const fn number(self) -> u8 {
        self as u8
    }
}

/// Something that happened in a span.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Event {
    /// When, in nanoseconds since 1970; 0 where that is not known.
    #[serde(with = "text")]
    pub time_unix_nano: u64,
    /// What.
    pub name: String,
    /// What is known of it.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub attributes: Attributes,
    /// How many attributes the sender left out.
    #[serde(default, skip_serializing_if = "is_default")]
    pub dropped_attributes: u32,
}

/// A span that has to do with another.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Link {
    /// Its trace.
    pub trace_id: String,
    /// The span.
    pub span_id: String,
    /// The `tracestate` of its trace.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub trace_state: String,
    /// What is known of the link.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub attributes: Attributes,
    /// How many attributes the sender left out.
    #[serde(default, skip_serializing_if = "is_default")]
    pub dropped_attributes: u32,
    /// W3C trace flags of the linked span.
    #[serde(default, skip_serializing_if = "is_default")]
    pub flags: u32,
}

/// How much of a span its sender left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Dropped {
    /// Attributes.
    #[serde(skip_serializing_if = "is_default")]
    pub attributes: u32,
    /// Events.
    #[serde(skip_serializing_if = "is_default")]
    pub events: u32,
    /// Links.
    #[serde(skip_serializing_if = "is_default")]
    pub links: u32,
}

/// Who sent a span: the process, and the library in it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Origin {
    /// What is known of the process, such as `service.name`.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub resource: Attributes,
    /// The library.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub scope: String,
    /// Its version.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub scope_version: String,
    /// What else is known of the library.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub scope_attributes: Attributes,
    /// The conventions that the attributes follow.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub schema_url: String,
}

impl Span {
    /// When it began, to the microsecond; none where that is not known.
    #[must_use]
    pub fn began(&self) -> Option<OffsetDateTime> {
        let microseconds = self.start_time_unix_nano / 1_000;
        let at = OffsetDateTime::from_unix_timestamp_nanos(i128::from(microseconds) * 1_000);
        at.ok().filter(|_| self.start_time_unix_nano > 0)
    }

    /// Whom it happened to, as OpenTelemetry, OpenInference and others name people.
    pub(crate) fn end_user(&self) -> Option<&str> {
        const NAMES: [&str; 4] = ["user.id", "enduser.id", "langfuse.user.id", "usr.id"];
        let named = NAMES.iter().find_map(|name| self.attributes.get(*name)?.as_str());
        named.filter(|name| !name.is_empty())
    }

    /// The values of all its attributes, those of its parts among them.
    pub(super) fn values(&self) -> impl Iterator<Item = &Value> {
        let events = self.events.iter().map(|event| &event.attributes);
        let links = self.links.iter().map(|link| &link.attributes);
        let all = [
            &self.attributes,
            &self.origin.resource,
            &self.origin.scope_attributes,
        ];
        all.into_iter()
            .chain(events)
            .chain(links)
            .flat_map(Attributes::values)
    }

    /// Whether it ended in an error.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.status.code == StatusCode::Error
    }

    /// What went wrong in it; none where nothing did.
    #[must_use]
    pub fn error(&self) -> Option<&str> {
        self.is_error().then(|| {
            let of_exceptions = self
                .events
                .iter()
                .filter_map(|event| event.attributes.get("exception.message")?.as_str());
            let mut known = Some(self.status.message.as_str())
                .into_iter()
                .chain(of_exceptions)
                .chain(self.attributes.get("error.type").and_then(Value::as_str));
            known.find(|text| !text.is_empty()).unwrap_or("error")
        })
    }

    /// The span as it stands in the list that is stored of its trace.
    ///
    /// # Errors
    /// When it holds NUL, or what is nested too deep.
    pub(super) fn stored(&self) -> Result<String, JsonError> {
        let list = Json::from_serialize(&[self])?;
        let list = list.as_str();
        Ok(list[1..list.len() - 1].to_owned())
    }
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Numbers of 64 bits as texts, since readers of JSON keep 53 of them.
mod text {
    use super::{Deserialize as _, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(number: &u64, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(number)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}
