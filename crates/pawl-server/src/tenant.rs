//! Whose rows are meant.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use pawl_engine::auth::Identity;
use pawl_engine::{Actor, EngineError};
use pawl_model::{KeyScope, UserId};
use serde::Deserialize;
use utoipa::IntoParams;

use crate::AppState;
use crate::caller::identity;
use crate::parameters::Query;
use crate::problem::{ErrorCode, Problem};

/// Whom the service acts for.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct TenantQuery {
    /// With the service key: whose rows are meant [default: the first user's].
    #[param(value_type = Option<uuid::Uuid>)]
    user_id: Option<UserId>,
}

/// Whose rows the handler works on: a user's own, or for the service those of the tenant that it names.
pub(crate) struct Tenant(pub(crate) Actor);

/// As [`Tenant`], for what changes something: by an API key only where it may write.
pub(crate) struct ActingTenant(pub(crate) Actor);

/// As [`ActingTenant`], for what people decide, and no program by a key: who it is that does.
pub(crate) struct Reviewer {
    /// Whose rows.
    pub(crate) user_id: UserId,
    /// The address of the user; none for the service, which names who decides.
    pub(crate) email: Option<String>,
}

impl FromRequestParts<AppState> for Reviewer {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, Problem> {
        let identity = identity(parts, state, None).await?;
        let actor = meant(identity, parts, state).await?;
        let user_id = actor.tenant().ok_or(Problem::new(ErrorCode::NotFound))?;
        let email = match identity {
            Identity::User(user) => state.engine.account(user).await.map_err(EngineError::from)?.email,
            Identity::Service | Identity::Anonymous => None,
        };
        Ok(Self { user_id, email })
    }
}

impl FromRequestParts<AppState> for Tenant {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, Problem> {
        let identity = identity(parts, state, Some(KeyScope::Read)).await?;
        meant(identity, parts, state).await.map(Self)
    }
}

impl FromRequestParts<AppState> for ActingTenant {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, Problem> {
        let identity = identity(parts, state, Some(KeyScope::Write)).await?;
        meant(identity, parts, state).await.map(Self)
    }
}

async fn meant(identity: Identity, parts: &mut Parts, state: &AppState) -> Result<Actor, Problem> {
    let Query(query) = Query::<TenantQuery>::from_request_parts(parts, state).await?;
    match (identity.actor(), query.user_id) {
        (Actor::Anonymous, _) => Err(Problem::new(ErrorCode::Unauthenticated)),
        (Actor::Service, named) => Ok(state.engine.actor_for_service(named).await?),
        (Actor::Tenant(user), Some(other)) if user != other => Err(Problem::new(ErrorCode::NotFound)),
        (actor @ Actor::Tenant(_), _) => Ok(actor),
    }
}
