//! The password, and the end of an account.

use axum::Form;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Redirect, Response};
use axum_extra::extract::CookieJar;
use pawl_engine::EngineError;
use pawl_engine::auth::{AuthError, SecretString};
use pawl_engine::intake::received::FieldError;
use serde::Deserialize;

use super::server_url::ServerUrl;
use super::{SettingsPage, field_error, page};
use crate::AppState;
use crate::auth::Attempt;
use crate::problem::Problem;
use crate::ui::number;
use crate::ui::page::refused;
use crate::ui::session::{Visitor, empty_cookie};

/// A new password.
#[derive(Deserialize)]
pub(in crate::ui) struct PasswordForm {
    #[serde(default)]
    current: SecretString,
    #[serde(default)]
    new: SecretString,
}

/// Changes the password, which ends all other log-ins.
pub(in crate::ui) async fn change_password(
    State(state): State<AppState>,
    visitor: Visitor,
    attempt: Attempt,
    url: ServerUrl,
    Form(form): Form<PasswordForm>,
) -> Result<Response, Problem> {
    let changed = match may_try(&attempt, &visitor, "current") {
        Ok(()) => state
            .engine
            .change_password(&visitor.session, &form.current, form.new)
            .await
            .map_err(|error| problem_of(error, "current")),
        Err(problem) => Err(Ok(problem)),
    };
    match changed {
        Ok(()) => Ok(Redirect::to("/settings?done=password#password").into_response()),
        Err(problem) => refusal(&state, &visitor, url, problem?).await,
    }
}

/// Whose account is to be deleted, as a proof that it is meant.
#[derive(Deserialize)]
pub(in crate::ui) struct DeletionForm {
    #[serde(default)]
    email: String,
    #[serde(default)]
    password: SecretString,
}

/// Deletes the user with everything that is theirs.
pub(in crate::ui) async fn delete(
    State(state): State<AppState>,
    visitor: Visitor,
    attempt: Attempt,
    url: ServerUrl,
    Form(form): Form<DeletionForm>,
) -> Result<Response, Problem> {
    let account = &visitor.session.account;
    if Some(form.email.trim().to_lowercase()) != account.email {
        let problem = field_error(
            "deletion_email",
            "Enter your own e-mail address. Nothing was deleted.",
        );
        return refusal(&state, &visitor, url, problem).await;
    }
    let verified = match may_try(&attempt, &visitor, "deletion_password") {
        Ok(()) => state
            .engine
            .verify_password(&visitor.session, &form.password)
            .await
            .map_err(|error| problem_of(error, "deletion_password")),
        Err(problem) => Err(Ok(problem)),
    };
    if let Err(problem) = verified {
        return refusal(&state, &visitor, url, problem?).await;
    }
    state
        .engine
        .delete_account(account.id)
        .await
        .map_err(EngineError::from)?;
    let cookies = CookieJar::new().add(empty_cookie(&state));
    Ok((cookies, Redirect::to("/login")).into_response())
}

/// A log-in that somebody left open is no place to try passwords either.
fn may_try(attempt: &Attempt, visitor: &Visitor, field: &'static str) -> Result<(), FieldError> {
    let email = visitor.session.account.email.as_deref().unwrap_or_default();
    attempt.log_in(email).map_err(|too_many| {
        let wait = number::counted(too_many.retry_after, "second");
        field_error(field, ["Too many attempts. Try again in ", &wait, "."].concat())
    })
}

/// What is wrong with the passwords; an error of ours is none of theirs.
fn problem_of(error: AuthError, field: &'static str) -> Result<FieldError, Problem> {
    Ok(match error {
        AuthError::InvalidCredentials => {
            field_error(field, "This is not your password. Nothing was changed.")
        }
        AuthError::SamePassword => field_error("new", "This is the password that you have."),
        AuthError::WeakPassword { least } => field_error(
            "new",
            ["Use at least ", &least.to_string(), " characters."].concat(),
        ),
        AuthError::LongPassword { most } => field_error(
            "new",
            ["Use at most ", &most.to_string(), " characters."].concat(),
        ),
        other => return Err(EngineError::from(other).into()),
    })
}

async fn refusal(
    state: &AppState,
    visitor: &Visitor,
    url: ServerUrl,
    problem: FieldError,
) -> Result<Response, Problem> {
    let page = SettingsPage {
        problems: vec![problem],
        ..page(state, visitor, url).await?
    };
    Ok(refused(StatusCode::UNPROCESSABLE_ENTITY, page))
}
