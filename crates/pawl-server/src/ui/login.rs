//! `/login`: signing up, logging in, logging out.

use askama::Template;
use axum::Form;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Redirect, Response};
use axum_extra::extract::CookieJar;
use pawl_engine::EngineError;
use pawl_engine::auth::{AuthError, EmailAddress, NewAccount, NewBrowserSession, SecretString, SignUp};
use serde::Deserialize;

use super::page::{Page, refused};
use super::session::{self, Guest};
use super::shell::{Theme, local_path};
use super::{assets, number};
use crate::AppState;
use crate::auth::{Attempt, TooMany};
use crate::problem::Problem;

/// Where somebody goes who has logged in and did not come from anywhere.
const HOME: &str = "/dashboard";

/// The page on which people sign up and log in.
#[derive(Template)]
#[template(path = "login.html")]
struct LogInPage {
    way: Way,
    email: String,
    next: String,
    /// Nobody has signed up yet: whoever does so now owns the instance.
    is_first: bool,
    can_sign_up: bool,
    refusal: Option<Refusal>,
    theme: Theme,
}

/// One of the two ways in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    LogIn,
    SignUp,
}

/// What was wrong with what somebody filled in.
struct Refusal {
    status: StatusCode,
    field: Field,
    message: String,
}

/// A field of the form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    Email,
    Password,
    /// Not one of them alone.
    Form,
}

impl LogInPage {
    fn asset(&self, name: &str) -> String {
        assets::url(name)
    }

    fn is_sign_up(&self) -> bool {
        self.way == Way::SignUp
    }

    fn message(&self, field: Field) -> Option<&str> {
        let refusal = self.refusal.as_ref().filter(|refusal| refusal.field == field)?;
        Some(&refusal.message)
    }

    fn email_message(&self) -> Option<&str> {
        self.message(Field::Email)
    }

    fn password_message(&self) -> Option<&str> {
        self.message(Field::Password)
    }

    fn form_message(&self) -> Option<&str> {
        self.message(Field::Form)
    }

    /// The other way in, keeping where to go.
    fn other_way(&self) -> String {
        let path = match self.way {
            Way::LogIn => "/sign-up",
            Way::SignUp => "/login",
        };
        if self.next.is_empty() {
            return path.to_owned();
        }
        let query = form_urlencoded::Serializer::new(String::new())
            .append_pair("next", &self.next)
            .finish();
        [path, "?", &query].concat()
    }
}

/// Where to go from here.
#[derive(Deserialize)]
pub(super) struct LogInQuery {
    #[serde(default)]
    next: String,
}

/// What somebody filled in.
#[derive(Deserialize)]
pub(super) struct LogInForm {
    #[serde(default)]
    email: String,
    #[serde(default)]
    password: SecretString,
    #[serde(default)]
    next: String,
}

/// `/`: to the first page of whoever has logged in.
pub(super) async fn home(Guest(session): Guest) -> Redirect {
    Redirect::to(match session {
        Some(_) => HOME,
        None => "/login",
    })
}

/// The form to log in by.
pub(super) async fn show(
    State(state): State<AppState>,
    guest: Guest,
    theme: Theme,
    Query(query): Query<LogInQuery>,
) -> Result<Response, Problem> {
    open(&state, Way::LogIn, (guest, theme), query.next).await
}

/// The form to sign up by.
pub(super) async fn show_sign_up(
    State(state): State<AppState>,
    guest: Guest,
    theme: Theme,
    Query(query): Query<LogInQuery>,
) -> Result<Response, Problem> {
    open(&state, Way::SignUp, (guest, theme), query.next).await
}

async fn open(
    state: &AppState,
    way: Way,
    (guest, theme): (Guest, Theme),
    next: String,
) -> Result<Response, Problem> {
    if guest.0.is_some() {
        return Ok(Redirect::to(local_path(&next).unwrap_or(HOME)).into_response());
    }
    let form = LogInForm {
        email: String::new(),
        password: SecretString::default(),
        next,
    };
    Ok(Page(page(state, way, form, theme).await?).into_response())
}

/// The page with what somebody has filled in already, but for the password.
async fn page(state: &AppState, way: Way, form: LogInForm, theme: Theme) -> Result<LogInPage, Problem> {
    let is_first = !state.engine.has_users().await.map_err(EngineError::from)?;
    let can_sign_up = is_first || state.engine.sign_up_policy() == SignUp::Open;
    Ok(LogInPage {
        // Before there is anybody, nobody can log in.
        way: if is_first { Way::SignUp } else { way },
        email: form.email,
        next: form.next,
        is_first,
        can_sign_up,
        refusal: None,
        theme,
    })
}

/// Logs a user in.
pub(super) async fn log_in(
    State(state): State<AppState>,
    attempt: Attempt,
    theme: Theme,
    Form(form): Form<LogInForm>,
) -> Result<Response, Problem> {
    let let_in = match attempt.log_in(&form.email) {
        Ok(()) => state
            .engine
            .browser_log_in(&form.email, &form.password)
            .await
            .map_err(Refusal::of),
        Err(too_many) => Err(Ok(Refusal::from(too_many))),
    };
    answer(&state, Way::LogIn, form, (let_in, theme)).await
}

/// Adds a user and logs them in.
pub(super) async fn sign_up(
    State(state): State<AppState>,
    attempt: Attempt,
    theme: Theme,
    Form(form): Form<LogInForm>,
) -> Result<Response, Problem> {
    let let_in = match attempt.sign_up() {
        Ok(()) => signed_up(&state, &form).await.map_err(Refusal::of),
        Err(too_many) => Err(Ok(Refusal::from(too_many))),
    };
    answer(&state, Way::SignUp, form, (let_in, theme)).await
}

async fn signed_up(state: &AppState, form: &LogInForm) -> Result<NewBrowserSession, AuthError> {
    let new = NewAccount {
        password: Some(form.password.clone()),
        ..NewAccount::of(EmailAddress::parse(&form.email)?)
    };
    state.engine.browser_sign_up(&new).await
}

/// Let in, or what was wrong; an outer error is ours.
type LetIn = Result<NewBrowserSession, Result<Refusal, Problem>>;

async fn answer(
    state: &AppState,
    way: Way,
    form: LogInForm,
    (let_in, theme): (LetIn, Theme),
) -> Result<Response, Problem> {
    match let_in {
        Ok(new) => {
            let cookies = CookieJar::new().add(session::cookie_of(state, &new.secret));
            let to = local_path(&form.next).unwrap_or(HOME);
            Ok((cookies, Redirect::to(to)).into_response())
        }
        Err(refusal) => {
            let refusal = refusal?;
            let status = refusal.status;
            let page = LogInPage {
                refusal: Some(refusal),
                ..page(state, way, form, theme).await?
            };
            Ok(refused(status, page))
        }
    }
}

impl Refusal {
    /// What to tell somebody who is not let in; an error of ours is none of theirs.
    fn of(error: AuthError) -> Result<Self, Problem> {
        let (field, message) = match error {
            AuthError::InvalidCredentials => (
                Field::Form,
                "That address and password do not belong together. Check both and try again.".to_owned(),
            ),
            AuthError::InvalidEmail => (
                Field::Email,
                "Enter an e-mail address, such as ann@example.org.".to_owned(),
            ),
            AuthError::WeakPassword { least } => (
                Field::Password,
                ["Use at least ", &least.to_string(), " characters."].concat(),
            ),
            AuthError::LongPassword { most } => (
                Field::Password,
                ["Use at most ", &most.to_string(), " characters."].concat(),
            ),
            AuthError::UserExists => (
                Field::Email,
                "Somebody has signed up with this address already. If it was you, log in instead.".to_owned(),
            ),
            AuthError::SignUpClosed => (
                Field::Form,
                "Nobody can sign up here. Ask whoever runs this instance to add you.".to_owned(),
            ),
            other => return Err(EngineError::from(other).into()),
        };
        Ok(Self {
            status: StatusCode::UNPROCESSABLE_ENTITY,
            field,
            message,
        })
    }
}

impl From<TooMany> for Refusal {
    fn from(too_many: TooMany) -> Self {
        let wait = number::counted(too_many.retry_after, "second");
        Self {
            status: StatusCode::TOO_MANY_REQUESTS,
            field: Field::Form,
            message: ["Too many attempts. Try again in ", &wait, "."].concat(),
        }
    }
}

/// Logs the browser out.
pub(super) async fn log_out(
    State(state): State<AppState>,
    Guest(session): Guest,
) -> Result<Response, Problem> {
    if let Some(session) = session {
        state
            .engine
            .end_browser_session(session.id)
            .await
            .map_err(EngineError::from)?;
    }
    let cookies = CookieJar::new().add(session::empty_cookie(&state));
    Ok((cookies, Redirect::to("/login")).into_response())
}
