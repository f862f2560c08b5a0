//! Keys of programs: made, shown once, revoked.

use axum::Form;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Redirect, Response};
use pawl_engine::EngineError;
use pawl_engine::auth::{AuthError, ExposeSecret as _};
use pawl_model::{ApiKey, ApiKeyId, KeyScope};
use serde::Deserialize;

use super::form::sentence;
use super::server_url::ServerUrl;
use super::{SettingsPage, field_error, page};
use crate::AppState;
use crate::parameters::Path;
use crate::problem::{ErrorCode, Problem};
use crate::ui::moment::{Moment, Moments};
use crate::ui::page::{Page, refused};
use crate::ui::session::Visitor;

/// A key as it is listed.
pub(super) struct KeyRow {
    pub(super) id: ApiKeyId,
    pub(super) scope: &'static str,
    pub(super) last_four: String,
    pub(super) made: Moment,
}

/// A key that was made just now: the only time that it is shown.
pub(super) struct ShownKey {
    pub(super) scope: KeyScope,
    pub(super) text: String,
}

impl KeyRow {
    pub(super) fn new(key: &ApiKey, moments: &Moments) -> Self {
        Self {
            id: key.id,
            scope: key.scope.as_str(),
            last_four: key.last_four.clone(),
            made: moments.show(key.created_at),
        }
    }
}

/// What a key is for.
#[derive(Deserialize)]
pub(in crate::ui) struct KeyForm {
    #[serde(default)]
    scope: String,
}

/// Makes a key, and shows it.
pub(in crate::ui) async fn create(
    State(state): State<AppState>,
    visitor: Visitor,
    url: ServerUrl,
    Form(form): Form<KeyForm>,
) -> Result<Response, Problem> {
    let Some(scope) = KeyScope::parse(&form.scope) else {
        return Err(
            Problem::new(ErrorCode::Unprocessable).because("a key is for `ingest`, `read` or `write`")
        );
    };
    match state.engine.create_api_key(visitor.user(), scope).await {
        Ok(new) => {
            let new_key = ShownKey {
                scope,
                text: new.text.expose_secret().to_owned(),
            };
            let page = SettingsPage {
                new_key: Some(new_key),
                ..page(&state, &visitor, url).await?
            };
            Ok(Page(page).into_response())
        }
        Err(error @ AuthError::TooManyApiKeys { .. }) => {
            let page = SettingsPage {
                problems: vec![field_error("scope", sentence(&error.to_string()))],
                ..page(&state, &visitor, url).await?
            };
            Ok(refused(StatusCode::UNPROCESSABLE_ENTITY, page))
        }
        Err(error) => Err(EngineError::from(error).into()),
    }
}

/// Revokes a key, at once.
pub(in crate::ui) async fn revoke(
    State(state): State<AppState>,
    visitor: Visitor,
    Path(id): Path<ApiKeyId>,
) -> Result<Redirect, Problem> {
    let was_there = state
        .engine
        .revoke_api_key(visitor.user(), id)
        .await
        .map_err(EngineError::from)?;
    if !was_there {
        return Err(Problem::new(ErrorCode::NotFound));
    }
    Ok(Redirect::to("/settings?done=revoked#keys"))
}
