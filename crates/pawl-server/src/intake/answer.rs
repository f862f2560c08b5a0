//! What `/api/evals/ingest` answers: one thing of one interaction, a result for each of many.

use std::borrow::Cow;

use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use pawl_engine::intake::received::{FieldError, Unreadable};
use pawl_engine::intake::{Outcome, Receipt};
use pawl_model::InteractionId;
use serde::Serialize;
use time::format_description::well_known::Rfc3339;
use time::{Duration, OffsetDateTime};
use utoipa::ToSchema;

use crate::problem::{ErrorCode, Problem, ProblemDocument};

/// Bytes that the results of lines may have.
const MAX_RESULTS: usize = 16 * 1024 * 1024;

/// What came of an interaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct Ingested {
    /// `created`; `duplicate` where it was stored before; `sampled_out` where it is not in the sample.
    status: &'static str,
    /// The row, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<uuid::Uuid>)]
    id: Option<InteractionId>,
}

/// What came of many interactions.
#[derive(Serialize, ToSchema)]
pub(crate) struct BatchAnswer {
    /// One for each interaction, in their order.
    results: Vec<ItemResult>,
    /// Of lines: why the results end before the lines do. What has no result was not looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    stopped: Option<ProblemDocument>,
}

/// Everything that was handed in is stored.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "it is there for its shape")]
pub(crate) enum AllCreated {
    /// One interaction.
    One(Ingested),
    /// Many.
    Many(BatchAnswer),
}

/// What came of one of many.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ItemResult {
    /// The status that it would have been answered with alone.
    status_code: u16,
    /// `created`, `duplicate`, `sampled_out`, or `refused`.
    status: &'static str,
    /// The row, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<uuid::Uuid>)]
    id: Option<InteractionId>,
    /// Why it was refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<ProblemDocument>,
}

/// What an interaction is answered with.
pub(super) type Answer = Result<(StatusCode, Ingested), Problem>;

/// The answer for a receipt of this moment.
pub(super) fn of(receipt: Receipt, now: OffsetDateTime) -> Answer {
    let stored = |code, status, id| Ok((code, Ingested { status, id }));
    match receipt? {
        Outcome::Created { id } => stored(StatusCode::CREATED, "created", Some(id)),
        Outcome::Duplicate { id } => stored(StatusCode::OK, "duplicate", Some(id)),
        Outcome::SampledOut => stored(StatusCode::ACCEPTED, "sampled_out", None),
        Outcome::Conflict { id, fields } => Err(conflict(id, fields)),
        Outcome::OverCap { next_day } => Err(over_cap(next_day, now)),
        // What is received goes separately, and its tenant is among its fields.
        Outcome::UnknownTenant | Outcome::Withheld => Err(Problem::new(ErrorCode::Internal)),
    }
}

fn conflict(id: InteractionId, fields: Vec<&'static str>) -> Problem {
    let differs = |field| FieldError {
        field: Cow::Borrowed(field),
        message: Cow::Borrowed("differs from what is stored"),
    };
    Problem::new(ErrorCode::Conflict)
        .because(format!("another interaction is stored under this id, as {id}"))
        .with_errors(fields.into_iter().map(differs).collect())
}

fn over_cap(next_day: OffsetDateTime, now: OffsetDateTime) -> Problem {
    let left = next_day - now + Duration::SECOND - Duration::NANOSECOND;
    let problem = Problem::new(ErrorCode::OverCap)
        .retry_after(u64::try_from(left.whole_seconds()).map_or(1, |seconds| seconds.max(1)));
    match next_day.format(&Rfc3339) {
        Ok(next_day) => problem.because(format!("the tenant's next day begins at {next_day}")),
        Err(_) => problem,
    }
}

impl From<Unreadable> for Problem {
    fn from(unreadable: Unreadable) -> Self {
        match unreadable {
            Unreadable::Malformed { .. } => Self::new(ErrorCode::InvalidJson).because(unreadable.to_string()),
            Unreadable::TooLarge { .. } => Self::new(ErrorCode::BodyTooLarge).because(unreadable.to_string()),
            Unreadable::Fields { errors, .. } => Self::new(ErrorCode::Unprocessable).with_errors(errors),
        }
    }
}

/// The results of many, as they are written.
pub(super) struct Results {
    json: Vec<u8>,
    are_all_created: bool,
}

const OPEN: &[u8] = b"{\"results\":[";

impl Results {
    pub(super) fn new() -> Self {
        Self {
            json: OPEN.to_vec(),
            are_all_created: true,
        }
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.json.len() == OPEN.len()
    }

    pub(super) fn add(&mut self, answer: Answer) {
        let result = match answer {
            Ok((code, Ingested { status, id })) => ItemResult {
                status_code: code.as_u16(),
                status,
                id,
                error: None,
            },
            Err(problem) => ItemResult {
                status_code: problem.code.status().as_u16(),
                status: "refused",
                id: None,
                error: Some(problem.document(None)),
            },
        };
        self.are_all_created &= result.status_code == StatusCode::CREATED;
        if !self.is_empty() {
            self.json.push(b',');
        }
        self.write(&result);
    }

    /// That there is no room for further ones, where there is none.
    pub(super) fn full(&self) -> Option<Problem> {
        (self.json.len() > MAX_RESULTS).then(|| {
            Problem::new(ErrorCode::BodyTooLarge).because(format!("results may have {MAX_RESULTS} bytes"))
        })
    }

    /// The answer: 201 where every one was stored now, else 207.
    pub(super) fn finish(mut self, stopped: Option<Problem>) -> Response {
        let are_all_created = self.are_all_created && !self.is_empty() && stopped.is_none();
        self.json.push(b']');
        if let Some(problem) = stopped {
            self.json.extend_from_slice(b",\"stopped\":");
            self.write(&problem.document(None));
        }
        self.json.push(b'}');
        let mut response = Response::new(Body::from(self.json));
        *response.status_mut() = if are_all_created {
            StatusCode::CREATED
        } else {
            StatusCode::MULTI_STATUS
        };
        let json = HeaderValue::from_static("application/json");
        response.headers_mut().insert(header::CONTENT_TYPE, json);
        response
    }

    fn write(&mut self, value: &impl Serialize) {
        // Texts and numbers alone, into memory: there is nothing in it that cannot be written.
        let _ = serde_json::to_writer(&mut self.json, value);
    }
}
