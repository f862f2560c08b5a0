//! Saving the policy.

use axum::Form;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Redirect, Response};
use pawl_engine::EngineError;

use super::form::PolicyForm;
use super::server_url::ServerUrl;
use super::{SettingsPage, field_error, page, today};
use crate::AppState;
use crate::problem::Problem;
use crate::ui::page::refused;
use crate::ui::session::Visitor;

/// Saves the policy.
pub(in crate::ui) async fn save(
    State(state): State<AppState>,
    visitor: Visitor,
    url: ServerUrl,
    Form(form): Form<PolicyForm>,
) -> Result<Response, Problem> {
    let present = today(&state, &visitor).await?.policy;
    let (status, problems) = match form.applied_to(present) {
        Err(problems) => (StatusCode::UNPROCESSABLE_ENTITY, problems),
        Ok(policy) => match state.engine.replace_policy(policy).await {
            Ok(()) => return Ok(Redirect::to("/settings?done=policy#policy").into_response()),
            Err(EngineError::OutdatedPolicy) => {
                let message = "Somebody has changed the settings since you opened this page. Yours are not saved: \
                               open the page again to see theirs.";
                (StatusCode::CONFLICT, vec![field_error("version", message)])
            }
            Err(error) => return Err(error.into()),
        },
    };
    let page = SettingsPage {
        policy: form,
        problems,
        ..page(&state, &visitor, url).await?
    };
    Ok(refused(status, page))
}
