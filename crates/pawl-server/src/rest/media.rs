//! The forms of bodies: what is sent, and what is accepted.

use axum::http::{HeaderMap, header};
use pawl_model::query::Refusal;

/// The form of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// A JSON array.
    Array,
    /// A JSON object: exactly one row.
    Object,
    /// CSV.
    Csv,
}

/// The form of a body that is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sent {
    /// JSON.
    Json,
    /// CSV with a head.
    Csv,
    /// The fields of a form: one row.
    Form,
}

impl Answer {
    /// The form that the header `Accept` likes best, of ours.
    pub(super) fn accepted(headers: &HeaderMap) -> Result<Self, Refusal> {
        let values: Vec<&str> = headers
            .get_all(header::ACCEPT)
            .into_iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(','))
            .map(str::trim)
            .filter(|value| !value.is_empty())
            .collect();
        if values.is_empty() {
            return Ok(Self::Array);
        }
        let mut best: Option<(Self, f32)> = None;
        for value in &values {
            let mut parts = value.split(';').map(str::trim);
            let form = match parts.next().unwrap_or_default().to_ascii_lowercase().as_str() {
                "application/json" | "application/vnd.pgrst.array+json" | "application/*" | "*/*" => {
                    Self::Array
                }
                "application/vnd.pgrst.object+json" => Self::Object,
                "text/csv" => Self::Csv,
                _ => continue,
            };
            let (mut weight, mut plain) = (1.0, true);
            for parameter in parts {
                match parameter.strip_prefix("q=").map(str::parse::<f32>) {
                    Some(Ok(given)) => weight = given,
                    _ => plain &= parameter.to_ascii_lowercase().starts_with("charset="),
                }
            }
            if plain && weight > best.map_or(0.0, |(_, weight)| weight) {
                best = Some((form, weight));
            }
        }
        best.map(|(form, _)| form).ok_or_else(|| {
            let message = ["None of these media types are available: ", &values.join(", ")].concat();
            Refusal::new("PGRST107", message)
        })
    }

    pub(super) const fn content_type(self) -> &'static str {
        match self {
            Self::Array => "application/json; charset=utf-8",
            Self::Object => "application/vnd.pgrst.object+json; charset=utf-8",
            Self::Csv => "text/csv; charset=utf-8",
        }
    }
}

impl Sent {
    /// The form that the header `Content-Type` names; JSON without it.
    pub(super) fn read(headers: &HeaderMap) -> Result<Self, Refusal> {
        let value = headers
            .get(header::CONTENT_TYPE)
            .map_or("application/json", |value| value.to_str().unwrap_or_default());
        let media_type = value
            .split(';')
            .next()
            .unwrap_or_default()
            .trim()
            .to_ascii_lowercase();
        match media_type.as_str() {
            "application/json" | "application/vnd.pgrst.array+json" | "application/vnd.pgrst.object+json" => {
                Ok(Self::Json)
            }
            "text/csv" => Ok(Self::Csv),
            "application/x-www-form-urlencoded" => Ok(Self::Form),
            other => Err(Refusal::new(
                "PGRST102",
                ["Content-Type not acceptable: ", other].concat(),
            )),
        }
    }
}
