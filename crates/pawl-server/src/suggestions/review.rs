//! What people write and decide: the draft, approval, rejection.

use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse as _, Response};
use pawl_engine::review::approved::{self, ApprovedTest};
use pawl_engine::review::{Base, DraftEdit, Review, ReviewError, Verdict};
use pawl_model::{DraftAssertions, DraftInput, ExportFormat, Suggestion};
use serde::Deserialize;
use serde::de::IgnoredAny;
use time::OffsetDateTime;
use utoipa::{IntoParams, ToSchema};

use crate::AppState;
use crate::eval_tests::{Artifact, read_body};
use crate::openapi::{NotExported, NotReviewed};
use crate::parameters::{Path, Query};
use crate::problem::{ErrorCode, Problem};
use crate::tenant::{Reviewer, Tenant, TenantQuery};

/// A draft as a person wants it. What people do not write may be there, so that a draft can be sent back as it was read.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DraftBody {
    title: String,
    rationale: String,
    #[schema(value_type = Object)]
    input: DraftInput,
    #[schema(value_type = Object)]
    assertions: DraftAssertions,
    /// The version that this is an edit of: where it is there, another version is a conflict.
    #[serde(default, with = "time::serde::rfc3339::option")]
    #[schema(value_type = Option<String>, format = DateTime)]
    updated_at: Option<OffsetDateTime>,
    /// Who writes, with the service key [default: service]; a user writes in their own name.
    by: Option<String>,
    #[serde(default, rename = "eval_test_id")]
    #[schema(ignore)]
    _eval_test_id: IgnoredAny,
    #[serde(default, rename = "source")]
    #[schema(ignore)]
    _source: IgnoredAny,
    #[serde(default, rename = "status")]
    #[schema(ignore)]
    _status: IgnoredAny,
    #[serde(default, rename = "edit_source")]
    #[schema(ignore)]
    _edit_source: IgnoredAny,
    #[serde(default, rename = "generated_at")]
    #[schema(ignore)]
    _generated_at: IgnoredAny,
    #[serde(default, rename = "generator_meta")]
    #[schema(ignore)]
    _generator_meta: IgnoredAny,
}

/// An approval.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Approval {
    /// For whoever reads the history; needed where the proof is refuted or unproven.
    notes: Option<String>,
    /// Who decides, with the service key [default: service]; a user decides in their own name.
    by: Option<String>,
}

/// A rejection.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Rejection {
    /// Why it is not wanted.
    #[schema(required)]
    reason: String,
    /// Who decides, with the service key [default: service]; a user decides in their own name.
    by: Option<String>,
}

/// Write the draft of a pending suggestion, and have it proven anew
#[utoipa::path(
    put, path = "/api/suggestions/{id}/eval-test", tag = "suggestions", operation_id = "edit_draft",
    security(("user" = []), ("service" = [])),
    params(("id" = String, Path, description = "The suggestion"), TenantQuery), request_body = DraftBody,
    responses((status = 200, body = Artifact), NotReviewed),
)]
pub(crate) async fn edit(
    State(state): State<AppState>,
    reviewer: Reviewer,
    Path(id): Path<String>,
    body: Bytes,
) -> Result<Json<Artifact>, Problem> {
    let body: DraftBody = read_body(&body)?;
    let by = name(&reviewer, body.by)?;
    let edit = DraftEdit {
        title: body.title,
        rationale: body.rationale,
        input: body.input,
        assertions: body.assertions,
    };
    let base = body.updated_at.map_or(Base::Any, Base::UpdatedAt);
    let review = Review {
        user_id: reviewer.user_id,
        suggestion_id: &id,
        by: &by,
    };
    artifact(&state.engine.edit_draft(review, edit, base).await?)
}

/// Approve a pending suggestion
#[utoipa::path(
    post, path = "/api/suggestions/{id}/approve", tag = "suggestions", operation_id = "approve_suggestion",
    security(("user" = []), ("service" = [])),
    params(("id" = String, Path, description = "The suggestion"), TenantQuery), request_body = Approval,
    responses((status = 200, body = super::schema::SuggestionSchema), NotReviewed),
)]
pub(crate) async fn approve(
    State(state): State<AppState>,
    reviewer: Reviewer,
    Path(id): Path<String>,
    body: Bytes,
) -> Result<Json<Suggestion>, Problem> {
    let body: Approval = if body.is_empty() {
        Approval::default()
    } else {
        read_body(&body)?
    };
    let by = name(&reviewer, body.by)?;
    let review = Review {
        user_id: reviewer.user_id,
        suggestion_id: &id,
        by: &by,
    };
    let notes = body.notes.as_deref();
    Ok(Json(
        state.engine.decide(review, Verdict::Approve { notes }).await?,
    ))
}

/// Reject a pending suggestion
#[utoipa::path(
    post, path = "/api/suggestions/{id}/reject", tag = "suggestions", operation_id = "reject_suggestion",
    security(("user" = []), ("service" = [])),
    params(("id" = String, Path, description = "The suggestion"), TenantQuery), request_body = Rejection,
    responses((status = 200, body = super::schema::SuggestionSchema), NotReviewed),
)]
pub(crate) async fn reject(
    State(state): State<AppState>,
    reviewer: Reviewer,
    Path(id): Path<String>,
    body: Bytes,
) -> Result<Json<Suggestion>, Problem> {
    let body: Rejection = read_body(&body)?;
    let by = name(&reviewer, body.by)?;
    let review = Review {
        user_id: reviewer.user_id,
        suggestion_id: &id,
        by: &by,
    };
    let reason = &body.reason;
    Ok(Json(
        state.engine.decide(review, Verdict::Reject { reason }).await?,
    ))
}

/// What an export is written as.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct ExportQuery {
    /// `promptfoo`, `deepeval`, `pytest`, `jsonl` or `yaml` [default: deepeval].
    format: Option<String>,
}

/// Export the test of an approved suggestion to another tool
#[utoipa::path(
    get, path = "/api/suggestions/{id}/export", tag = "suggestions", operation_id = "export_suggestion",
    security(("user" = []), ("service" = []), ("api_key" = ["read"])),
    params(("id" = String, Path, description = "The suggestion"), ExportQuery, TenantQuery),
    responses((status = 200, description = "A file of the format", content_type = "text/plain", body = String), NotExported),
)]
pub(crate) async fn export(
    State(state): State<AppState>,
    Tenant(actor): Tenant,
    Path(id): Path<String>,
    Query(query): Query<ExportQuery>,
) -> Result<Response, Problem> {
    let format = match query.format.as_deref() {
        None => ExportFormat::DeepEval,
        Some(word) => ExportFormat::parse(word).ok_or_else(|| {
            let known: Vec<&str> = ExportFormat::ALL.iter().map(|format| format.as_str()).collect();
            let detail = format!("there is no format `{word}`: there are {}", known.join(", "));
            Problem::new(ErrorCode::Unprocessable).because(detail)
        })?,
    };
    file(format, state.engine.approved_test(actor, &id).await?)
}

/// A test as a file to keep.
pub(crate) fn file(format: ExportFormat, test: ApprovedTest) -> Result<Response, Problem> {
    let file = approved::export(format, &[test])
        .map_err(|error| Problem::new(ErrorCode::Unprocessable).because(error.to_string()))?;
    let disposition = format!("attachment; filename=\"{}\"", format.file_name());
    let headers = [
        (header::CONTENT_TYPE, format.media_type().to_owned()),
        (header::CONTENT_DISPOSITION, disposition),
    ];
    Ok((headers, file).into_response())
}

/// Who decides: a user always in their own name.
pub(crate) fn name(reviewer: &Reviewer, given: Option<String>) -> Result<String, Problem> {
    match (&reviewer.email, given) {
        (Some(email), None) => Ok(email.clone()),
        (Some(_), Some(_)) => {
            let detail = "`by` is for the service alone: a user decides in their own name";
            Err(Problem::new(ErrorCode::Unprocessable).because(detail))
        }
        (None, given) => Ok(given.unwrap_or_else(|| "service".to_owned())),
    }
}

fn artifact(suggestion: &Suggestion) -> Result<Json<Artifact>, Problem> {
    let artifact = Artifact::of(suggestion);
    artifact.map(Json).ok_or(Problem::new(ErrorCode::NotFound))
}

impl From<ReviewError> for Problem {
    fn from(error: ReviewError) -> Self {
        let code = match &error {
            ReviewError::NotFound => ErrorCode::NotFound,
            ReviewError::Decided { .. }
            | ReviewError::Changed
            | ReviewError::NoDraft
            | ReviewError::NeedsHumanInput
            | ReviewError::NotApproved
            | ReviewError::HistoryFull => ErrorCode::Conflict,
            ReviewError::NotATest
            | ReviewError::NoTest
            | ReviewError::Unreadable(_)
            | ReviewError::NoteNeeded { .. }
            | ReviewError::Invalid(_) => ErrorCode::Unprocessable,
            ReviewError::Engine(error) => return Self::from(error),
        };
        match error {
            ReviewError::Invalid(errors) => Self::new(code).with_errors(errors),
            error => Self::new(code).because(error.to_string()),
        }
    }
}
