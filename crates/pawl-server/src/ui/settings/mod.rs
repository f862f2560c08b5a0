//! `/settings`: how a tenant wants interactions evaluated, what agents need to hand them in, keys, password, and all
//! that is known of the tenant, to take along or to delete.

mod account;
mod export;
mod form;
mod keys;
mod meaning;
mod policy;
mod preview;
mod server_url;

use askama::Template;
use axum::extract::{Query, State};
use axum::response::{IntoResponse as _, Response};
use pawl_engine::EngineError;
use pawl_engine::intake::PolicyToday;
use pawl_engine::intake::received::FieldError;
use pawl_model::{KeyScope, UserId};
use serde::Deserialize;

pub(super) use self::account::{change_password, delete};
pub(super) use self::export::everything;
use self::form::PolicyForm;
use self::keys::{KeyRow, ShownKey};
pub(super) use self::keys::{create as create_key, revoke as revoke_key};
use self::meaning::Meaning;
pub(super) use self::policy::save as save_policy;
use self::preview::Preview;
pub(super) use self::preview::show as show_preview;
use self::server_url::ServerUrl;
use super::moment::Moments;
use super::page::Page;
use super::session::Visitor;
use super::shell::{Section, Shell};
use crate::AppState;
use crate::problem::{ErrorCode, Problem};

/// All settings.
#[derive(Template)]
#[template(path = "settings.html")]
struct SettingsPage {
    shell: Shell,
    user: UserId,
    url: String,
    policy: PolicyForm,
    problems: Vec<FieldError>,
    meaning: Meaning,
    preview: Preview,
    keys: Vec<KeyRow>,
    new_key: Option<ShownKey>,
    /// What was done just now.
    done: Option<&'static str>,
}

impl SettingsPage {
    /// What is wrong with a field.
    fn problem(&self, field: &str) -> Option<&str> {
        let found = self.problems.iter().find(|problem| problem.field == field);
        found.map(|problem| &*problem.message)
    }

    fn scopes(&self) -> [KeyScope; 3] {
        [KeyScope::Ingest, KeyScope::Read, KeyScope::Write]
    }

    /// The key that the command shows: the one that was made just now, or a place for one.
    fn key_text(&self) -> &str {
        let key = self.new_key.as_ref().filter(|key| key.scope == KeyScope::Ingest);
        key.map_or("YOUR_INGEST_KEY", |key| &key.text)
    }
}

/// What was done just now.
#[derive(Deserialize)]
pub(super) struct Done {
    done: Option<String>,
}

/// All settings.
pub(super) async fn show(
    State(state): State<AppState>,
    visitor: Visitor,
    url: ServerUrl,
    Query(done): Query<Done>,
) -> Result<Response, Problem> {
    let mut page = page(&state, &visitor, url).await?;
    page.done = match done.done.as_deref() {
        Some("policy") => Some("The settings are saved, and in force from now on."),
        Some("revoked") => Some("The key is revoked: nothing is taken from whoever has it."),
        Some("password") => Some("The password is changed. All your other log-ins have ended."),
        _ => None,
    };
    Ok(Page(page).into_response())
}

/// The page as it is before anybody changes anything.
async fn page(state: &AppState, visitor: &Visitor, url: ServerUrl) -> Result<SettingsPage, Problem> {
    let today = today(state, visitor).await?;
    let moments = Moments::new(&today.policy.timezone, state.engine.now());
    let meaning = Meaning::of(state, visitor, (&today, &moments)).await?;
    let keys = state
        .engine
        .api_keys(visitor.user())
        .await
        .map_err(EngineError::from)?;
    Ok(SettingsPage {
        shell: visitor.shell(Section::Settings, "Settings"),
        user: visitor.user(),
        url: url.0,
        policy: PolicyForm::of(&today.policy),
        problems: Vec::new(),
        meaning,
        preview: Preview::default(),
        keys: keys.iter().map(|key| KeyRow::new(key, &moments)).collect(),
        new_key: None,
        done: None,
    })
}

async fn today(state: &AppState, visitor: &Visitor) -> Result<PolicyToday, Problem> {
    let today = state.engine.policy_today(visitor.user()).await?;
    today.ok_or(Problem::new(ErrorCode::NotFound))
}

fn field_error(field: &'static str, message: impl Into<String>) -> FieldError {
    FieldError {
        field: field.into(),
        message: message.into().into(),
    }
}
