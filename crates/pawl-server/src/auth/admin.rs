//! Users in the hands of the service key.

use axum::Json;
use axum::extract::{FromRequestParts, Path, Query, State};
use axum::http::request::Parts;
use axum::http::{HeaderName, StatusCode, header};
use axum::response::{IntoResponse, Response};
use pawl_engine::auth::{AccountChange, EmailAddress, Identity, NewAccount, Page, SecretString};
use pawl_model::UserId;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use utoipa::{IntoParams, ToSchema};

use super::answer::{AUTHENTICATED, UserAnswer};
use super::body::{Body, OptionalBody};
use super::error::{Refusal, code};
use super::responses::Refused;
use super::token::refuse_phone;
use crate::AppState;
use crate::caller::Caller;

const TOTAL_COUNT: HeaderName = HeaderName::from_static("x-total-count");
const DEFAULT_PER_PAGE: u32 = 50;
const MOST_PER_PAGE: u32 = 1_000;

/// The holder of the service key.
pub(super) struct Admin;

impl FromRequestParts<AppState> for Admin {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, Refusal> {
        match Caller::from_request_parts(parts, state).await?.identity {
            Identity::Service => Ok(Self),
            Identity::Anonymous | Identity::User(_) => Err(Refusal::not_admin()),
        }
    }
}

/// A user by the id in the path.
pub(super) struct Named(UserId);

impl FromRequestParts<AppState> for Named {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, Refusal> {
        match Path::<UserId>::from_request_parts(parts, state).await {
            Ok(Path(id)) => Ok(Self(id)),
            Err(_) => {
                let message = "user_id must be an UUID";
                Err(Refusal::new(
                    StatusCode::NOT_FOUND,
                    code::VALIDATION_FAILED,
                    message,
                ))
            }
        }
    }
}

/// Which users.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct PageQuery {
    /// From 1 on.
    #[param(value_type = Option<u64>, default = 1)]
    page: Option<String>,
    /// At most 1,000.
    #[param(value_type = Option<u32>, default = 50)]
    per_page: Option<String>,
}

impl PageQuery {
    /// Number and length of the page. Clients send empty values for what they do not care about.
    fn read(&self) -> Result<(u64, u32), Refusal> {
        let number = |text: &Option<String>, default: u64| match text.as_deref() {
            None | Some("") => Some(default),
            Some(text) => text.parse().ok().filter(|number| *number > 0),
        };
        let page = number(&self.page, 1);
        let per_page = number(&self.per_page, DEFAULT_PER_PAGE.into()).and_then(|per_page| {
            u32::try_from(per_page)
                .ok()
                .filter(|per_page| *per_page <= MOST_PER_PAGE)
        });
        page.zip(per_page).ok_or_else(|| {
            let message = "Bad Pagination Parameters: page is 1 or more, per_page is 1 to 1000";
            Refusal::bad_request(code::VALIDATION_FAILED, message)
        })
    }
}

/// A page of users.
#[derive(Serialize, ToSchema)]
#[schema(as = AuthUsers)]
pub(super) struct UsersAnswer {
    users: Vec<UserAnswer>,
    aud: &'static str,
}

/// List users, newest first
#[utoipa::path(
    get, path = "/auth/v1/admin/users", tag = "auth", operation_id = "list_users",
    security(("service" = [])),
    params(PageQuery),
    responses((status = 200, body = UsersAnswer), Refused),
)]
pub(super) async fn list(
    State(state): State<AppState>,
    _: Admin,
    Query(query): Query<PageQuery>,
) -> Result<Response, Refusal> {
    let (page, per_page) = query.read()?;
    let wanted = Page {
        limit: per_page,
        offset: (page - 1).saturating_mul(per_page.into()),
    };
    let (accounts, total) = state.engine.accounts(wanted).await?;
    let last = total.div_ceil(per_page.into()).max(1);
    // Clients take `page` for the first parameter.
    let link = |page: u64, which: &str| {
        format!("</auth/v1/admin/users?page={page}&per_page={per_page}>; rel=\"{which}\"")
    };
    let links = if page < last {
        [link(page + 1, "next"), link(last, "last")].join(", ")
    } else {
        link(last, "last")
    };
    let headers = [(header::LINK, links), (TOTAL_COUNT, total.to_string())];
    let users = UsersAnswer {
        users: accounts.into_iter().map(Into::into).collect(),
        aud: AUTHENTICATED,
    };
    Ok((headers, Json(users)).into_response())
}

/// A user, as an administrator wants them.
#[derive(Deserialize, ToSchema)]
#[schema(as = AuthAdminUser)]
pub(super) struct AdminBody {
    #[schema(value_type = Option<uuid::Uuid>)]
    id: Option<UserId>,
    email: Option<String>,
    #[schema(value_type = Option<String>)]
    password: Option<SecretString>,
    #[schema(value_type = Object)]
    user_metadata: Option<Map<String, Value>>,
    #[schema(value_type = Object)]
    app_metadata: Option<Map<String, Value>>,
    phone: Option<String>,
    role: Option<String>,
    ban_duration: Option<String>,
}

impl AdminBody {
    /// Refuses what would otherwise be asked for in vain.
    fn refuse_unsupported(&self) -> Result<(), Refusal> {
        refuse_phone(self.phone.as_deref())?;
        let says = |field: &Option<String>, nothing: &str| {
            field
                .as_deref()
                .is_some_and(|text| !text.is_empty() && text != nothing)
        };
        let unsupported = if says(&self.role, AUTHENTICATED) {
            "Users have the role authenticated"
        } else if says(&self.ban_duration, "none") {
            "Users cannot be banned on this instance"
        } else {
            return Ok(());
        };
        Err(Refusal::bad_request(code::VALIDATION_FAILED, unsupported))
    }
}

/// Add a user
#[utoipa::path(
    post, path = "/auth/v1/admin/users", tag = "auth", operation_id = "add_user",
    security(("service" = [])),
    request_body = AdminBody,
    responses((status = 200, body = UserAnswer), Refused),
)]
pub(super) async fn add(
    State(state): State<AppState>,
    _: Admin,
    Body(body): Body<AdminBody>,
) -> Result<Json<UserAnswer>, Refusal> {
    body.refuse_unsupported()?;
    let Some(email) = body.email.filter(|email| !email.is_empty()) else {
        let message = "Cannot create a user without either an email or phone";
        return Err(Refusal::bad_request(code::VALIDATION_FAILED, message));
    };
    let new = NewAccount {
        id: body.id,
        password: body.password,
        user_metadata: body.user_metadata.unwrap_or_default(),
        app_metadata: body.app_metadata.unwrap_or_default(),
        ..NewAccount::of(EmailAddress::parse(&email)?)
    };
    let account = state.engine.add_account(&new).await.map_err(Refusal::of_admin)?;
    Ok(Json(account.into()))
}

/// Show a user
#[utoipa::path(
    get, path = "/auth/v1/admin/users/{id}", tag = "auth", operation_id = "get_user_by_id",
    security(("service" = [])),
    params(("id" = uuid::Uuid, Path, description = "The user")),
    responses((status = 200, body = UserAnswer), Refused),
)]
pub(super) async fn get(
    State(state): State<AppState>,
    _: Admin,
    Named(id): Named,
) -> Result<Json<UserAnswer>, Refusal> {
    let account = state.engine.account(id).await.map_err(Refusal::of_admin)?;
    Ok(Json(account.into()))
}

/// Change a user
#[utoipa::path(
    put, path = "/auth/v1/admin/users/{id}", tag = "auth", operation_id = "change_user_by_id",
    security(("service" = [])),
    params(("id" = uuid::Uuid, Path, description = "The user")),
    request_body = AdminBody,
    responses((status = 200, body = UserAnswer), Refused),
)]
pub(super) async fn put(
    State(state): State<AppState>,
    _: Admin,
    Named(id): Named,
    Body(body): Body<AdminBody>,
) -> Result<Json<UserAnswer>, Refusal> {
    body.refuse_unsupported()?;
    let email = body.email.filter(|email| !email.is_empty());
    let change = AccountChange {
        email: email.map(|email| EmailAddress::parse(&email)).transpose()?,
        password: body.password,
        user_metadata: body.user_metadata.unwrap_or_default(),
        app_metadata: body.app_metadata.unwrap_or_default(),
    };
    let account = state
        .engine
        .change_account(id, &change)
        .await
        .map_err(Refusal::of_admin)?;
    Ok(Json(account.into()))
}

/// How a user is deleted.
#[derive(Default, Deserialize)]
pub(super) struct DeleteBody {
    should_soft_delete: Option<bool>,
}

/// Delete a user with everything that is theirs
#[utoipa::path(
    delete, path = "/auth/v1/admin/users/{id}", tag = "auth", operation_id = "delete_user",
    security(("service" = [])),
    params(("id" = uuid::Uuid, Path, description = "The user")),
    responses((status = 200), Refused),
)]
pub(super) async fn delete(
    State(state): State<AppState>,
    _: Admin,
    Named(id): Named,
    OptionalBody(body): OptionalBody<DeleteBody>,
) -> Result<Json<Value>, Refusal> {
    if body.should_soft_delete == Some(true) {
        let message = "Users are deleted with all their rows here, or not at all";
        return Err(Refusal::bad_request(code::VALIDATION_FAILED, message));
    }
    state.engine.delete_account(id).await.map_err(Refusal::of_admin)?;
    Ok(Json(json!({})))
}
