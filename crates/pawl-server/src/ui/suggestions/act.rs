//! What a reviewer does: edits, drafts, approves and rejects.

use askama::Template;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Redirect, Response};
use pawl_engine::draft::{DraftRequest, Overwrite};
use pawl_engine::intake::received::FieldError;
use pawl_engine::mine::Mode;
use pawl_engine::review::{Base, DraftEdit, Drafted, Review, ReviewError, Verdict};
use pawl_model::{DraftOutcomeStatus, EditSource, EvalTestDraft, ExportFormat, Suggestion, TriggeredBy};
use serde_json::Value;

use super::detail::page;
use super::form::DraftForm;
use super::proof::ShownProof;
use super::versions::{Offer, Versions};
use crate::AppState;
use crate::parameters::Path;
use crate::problem::{ErrorCode, Problem};
use crate::ui::page::{Page, refused};
use crate::ui::session::Visitor;

/// What an edit would come to.
#[derive(Template)]
#[template(path = "suggestions/preview.html")]
pub(in crate::ui) struct Preview {
    problems: Vec<FieldError>,
    proof: ShownProof,
}

fn review<'a>(visitor: &'a Visitor, id: &'a str) -> Review<'a> {
    Review {
        user_id: visitor.user(),
        suggestion_id: id,
        by: visitor.session.account.email.as_deref().unwrap_or("a user"),
    }
}

/// Says what an edit would come to, while it is written.
pub(in crate::ui) async fn preview(
    State(state): State<AppState>,
    visitor: Visitor,
    Path(id): Path<String>,
    body: Bytes,
) -> Result<Page<Preview>, Problem> {
    let form = DraftForm::read(&body);
    let base = form.base().ok_or(ReviewError::Changed)?;
    let (problems, card) = state
        .engine
        .preview_edit(review(&visitor, &id), form.edit(&base))
        .await?;
    Ok(Page(Preview {
        problems,
        proof: ShownProof::of(&card),
    }))
}

/// Saves an edit.
pub(in crate::ui) async fn save(
    State(state): State<AppState>,
    visitor: Visitor,
    Path(id): Path<String>,
    body: Bytes,
) -> Result<Response, Problem> {
    let form = DraftForm::read(&body);
    let Some(base) = form.base() else {
        return Err(ReviewError::Changed.into());
    };
    let edit = form.edit(&base);
    let on = Base::UpdatedAt(base.updated_at);
    match state
        .engine
        .edit_draft(review(&visitor, &id), edit.clone(), on)
        .await
    {
        Ok(_) => Ok(Redirect::to(&format!("/suggestions/{id}?done=saved#test")).into_response()),
        Err(ReviewError::Invalid(problems)) => {
            let (mut page, _) = page(&state, &visitor, &id).await?;
            page.problems = problems;
            Ok(refused(StatusCode::UNPROCESSABLE_ENTITY, page.with_form(form)))
        }
        Err(ReviewError::Changed) => {
            let (mut page, suggestion) = page(&state, &visitor, &id).await?;
            let Some(current) = draft_of(&suggestion) else {
                return Err(ReviewError::Changed.into());
            };
            let what = "Somebody has changed the test since you opened it. Yours is not saved: it stands in the form, and \
                        saving it again puts it in place of theirs, which is kept in the history.";
            page.versions = Some(Versions::of(
                what,
                &[
                    ("When you opened it", &DraftEdit::from(&base)),
                    ("Theirs, saved", &DraftEdit::from(&current)),
                    ("Yours", &edit),
                ],
            ));
            let form = DraftForm {
                base: DraftForm::of(&current).base,
                ..form
            };
            Ok(refused(StatusCode::CONFLICT, page.with_form(form)))
        }
        Err(error) => Err(error.into()),
    }
}

fn draft_of(suggestion: &Suggestion) -> Option<EvalTestDraft> {
    Drafted::of(suggestion)
        .ok()
        .flatten()
        .map(|drafted| drafted.draft)
}

/// Makes a draft, or makes it anew. Where a person has edited it, what would be made is shown beside what they wrote, and
/// nothing is overwritten.
pub(in crate::ui) async fn draft(
    State(state): State<AppState>,
    visitor: Visitor,
    Path(id): Path<String>,
) -> Result<Response, Problem> {
    let (mut page, suggestion) = page(&state, &visitor, &id).await?;
    let yours = draft_of(&suggestion).filter(|draft| draft.edit_source == EditSource::Human);
    let request = DraftRequest {
        user_id: visitor.user(),
        suggestion_ids: Some(vec![id.clone()]),
        batch_size: 1,
        overwrite: if yours.is_some() {
            Overwrite::Force
        } else {
            Overwrite::Keep
        },
        mode: if yours.is_some() {
            Mode::DryRun
        } else {
            Mode::Store
        },
        triggered_by: TriggeredBy::Manual,
    };
    let mut report = crate::eval_tests::drafted(&state, request).await?;
    let outcome = report.run.suggestion_outcomes.pop();
    let is_generated = outcome.is_some_and(|outcome| outcome.status == DraftOutcomeStatus::Generated);
    let word = if is_generated { "drafted" } else { "failed" };
    let (Some(yours), Some((new, _))) = (yours, report.drafts.pop()) else {
        return Ok(Redirect::to(&format!("/suggestions/{id}?done={word}#test")).into_response());
    };
    let generated = generated_before(&suggestion);
    let (yours, new) = (DraftEdit::from(&yours), DraftEdit::from(&new));
    let mut versions: Vec<(&'static str, &DraftEdit)> = Vec::new();
    versions.extend(generated.as_ref().map(|draft| ("Generated before", draft)));
    versions.extend([("Yours, saved", &yours), ("Generated now", &new)]);
    let what = "This is what would be generated now, beside what you wrote. Nothing is overwritten: take over what you \
                want, or all of it; what stands there before is kept in the history.";
    let mut versions = Versions::of(what, &versions);
    versions.offer = page.draft_base().map(|base| Offer {
        name: "Take all that is generated now",
        form: DraftForm {
            base,
            ..DraftForm::of_edit(&new)
        },
    });
    page.versions = Some(versions);
    Ok(Page(page).into_response())
}

/// The latest draft in the history that nobody had edited.
fn generated_before(suggestion: &Suggestion) -> Option<DraftEdit> {
    let history = suggestion.version_history.to_value();
    let drafts = history.as_array()?.iter().rev().filter_map(|entry| {
        let draft: &Value = entry.get("previous_eval_test")?;
        serde_json::from_value::<EvalTestDraft>(draft.clone()).ok()
    });
    let mut generated = drafts.filter(|draft| draft.edit_source == EditSource::Generated);
    generated.next().map(|draft| DraftEdit::from(&draft))
}

/// The test of an approved suggestion, for another tool.
pub(in crate::ui) async fn export(
    State(state): State<AppState>,
    visitor: Visitor,
    Path((id, format)): Path<(String, String)>,
) -> Result<Response, Problem> {
    let format = ExportFormat::parse(&format).ok_or(Problem::new(ErrorCode::NotFound))?;
    let test = state.engine.approved_test(visitor.actor(), &id).await?;
    crate::suggestions::review::file(format, test)
}

/// Approves.
pub(in crate::ui) async fn approve(
    State(state): State<AppState>,
    visitor: Visitor,
    Path(id): Path<String>,
    body: Bytes,
) -> Result<Response, Problem> {
    let form = DraftForm::read(&body);
    let notes = Some(form.words.as_str()).filter(|notes| !notes.trim().is_empty());
    decide((&state, &visitor, &id), Verdict::Approve { notes }).await
}

/// Rejects.
pub(in crate::ui) async fn reject(
    State(state): State<AppState>,
    visitor: Visitor,
    Path(id): Path<String>,
    body: Bytes,
) -> Result<Response, Problem> {
    let form = DraftForm::read(&body);
    decide((&state, &visitor, &id), Verdict::Reject { reason: &form.words }).await
}

async fn decide(
    (state, visitor, id): (&AppState, &Visitor, &str),
    verdict: Verdict<'_>,
) -> Result<Response, Problem> {
    let (form, word) = match verdict {
        Verdict::Approve { .. } => ("approve", "approved"),
        Verdict::Reject { .. } => ("reject", "rejected"),
    };
    let error = match state.engine.decide(review(visitor, id), verdict).await {
        Ok(_) => return Ok(Redirect::to(&format!("/suggestions?done={word}")).into_response()),
        Err(error) => error,
    };
    let (status, message) = match &error {
        ReviewError::Invalid(problems) => {
            let message = problems.first().map(|problem| problem.message.to_string());
            (StatusCode::UNPROCESSABLE_ENTITY, message.unwrap_or_default())
        }
        ReviewError::NoteNeeded { .. } => (StatusCode::UNPROCESSABLE_ENTITY, error.to_string()),
        ReviewError::Engine(_) | ReviewError::NotFound => return Err(error.into()),
        _ => (StatusCode::CONFLICT, error.to_string()),
    };
    let (mut page, _) = page(state, visitor, id).await?;
    page.problems = vec![FieldError {
        field: form.into(),
        message: message.into(),
    }];
    Ok(refused(status, page))
}
