//! The engine: a store and a clock, and what the stages make of them.

use std::path::Path;
use std::sync::Arc;

use pawl_model::{User, UserId};
use pawl_store::{Actor, DatabaseStatus, Location, RuntimeRole, Store, migrate_postgres, users};
use uuid::Uuid;

use crate::auth::Auth;
use crate::evolve::Named;
use crate::intake::Intake;
use crate::mine::MiningModels;
use crate::suggestions::SuggestionStore;
use crate::{Clock, EngineError};

/// How many users an error lists.
const LISTED_USERS: u32 = 20;

/// Everything that the stages need.
#[derive(Clone)]
pub struct Engine {
    pub(crate) store: Store,
    pub(crate) clock: Clock,
    pub(crate) auth: Auth,
    pub(crate) intake: Intake,
    pub(crate) mining: MiningModels,
    pub(crate) suggestions: SuggestionStore,
    pub(crate) named: Arc<Named>,
}

/// What [`Engine::migrate`] did.
#[derive(Debug)]
pub struct MigratedDatabase {
    /// Version of the schema now.
    pub version: i64,
    /// The URL that every other command takes, where a runtime role was asked for. It says `PASSWORD` where the role
    /// existed already.
    pub runtime_url: Option<String>,
}

impl Engine {
    /// Opens the database at this URL, or the embedded one of the data folder.
    ///
    /// # Errors
    /// When it cannot be opened, reached or used safely.
    pub async fn open(url: Option<&str>, data: &Path, clock: Clock) -> Result<Self, EngineError> {
        let location = match url {
            Some(url) => Location::parse(url)?,
            None => Location::in_folder(data),
        };
        Ok(Self::new(Store::open(&location).await?, clock))
    }

    /// Over a store that is open already.
    #[must_use]
    pub fn new(store: Store, clock: Clock) -> Self {
        Self {
            store,
            clock,
            auth: Auth::default(),
            intake: Intake::default(),
            mining: MiningModels::default(),
            suggestions: SuggestionStore::default(),
            named: Arc::default(),
        }
    }

    /// With models that mining asks.
    #[must_use]
    pub fn with_mining_models(mut self, models: MiningModels) -> Self {
        self.mining = models;
        self
    }

    /// Brings a database up to date: PostgreSQL as its owner, who may also have the runtime role made.
    ///
    /// # Errors
    /// When the database cannot be reached or the owner may not do it.
    pub async fn migrate(
        owner_url: &str,
        runtime_role: Option<&str>,
    ) -> Result<MigratedDatabase, EngineError> {
        let password = Uuid::new_v4().simple().to_string();
        let role = runtime_role.map(|name| RuntimeRole {
            name,
            password: &password,
        });
        let migrated = migrate_postgres(owner_url, role).await?;
        Ok(MigratedDatabase {
            version: migrated.version,
            runtime_url: migrated.runtime_url,
        })
    }

    /// Asks the database for a little, to see whether it answers.
    ///
    /// # Errors
    /// When it does not.
    pub async fn ping(&self) -> Result<(), EngineError> {
        Ok(self.store.ping().await?)
    }

    /// How the database is.
    ///
    /// # Errors
    /// When it does not answer.
    pub async fn database_status(&self) -> Result<DatabaseStatus, EngineError> {
        Ok(self.store.status().await?)
    }

    /// Closes the database.
    pub async fn close(&self) {
        self.store.close().await;
    }

    /// Who acts: the user that is named; of exactly one user, that one; before there is any, the service.
    ///
    /// # Errors
    /// When nobody is called that, or when several users leave it open.
    pub async fn actor(&self, named: Option<&str>) -> Result<Actor, EngineError> {
        let mut scope = self.store.read(Actor::Service).await?;
        if let Some(named) = named {
            let user = users::find(&mut scope, named).await?;
            return match user {
                Some(user) => Ok(Actor::Tenant(user.id)),
                None => Err(EngineError::UnknownUser {
                    named: named.to_owned(),
                }),
            };
        }
        let users = users::list(&mut scope, LISTED_USERS).await?;
        match users.as_slice() {
            [] => Ok(Actor::Service),
            [only] => Ok(Actor::Tenant(only.id)),
            _ => Err(EngineError::SeveralUsers {
                users: users.iter().map(shown).collect::<Vec<_>>().join("\n  "),
            }),
        }
    }

    /// Whom the service acts for: the tenant that it names; without one, the first user; before there is any, itself.
    ///
    /// # Errors
    /// When there is no such user, or the database fails.
    pub async fn actor_for_service(&self, named: Option<UserId>) -> Result<Actor, EngineError> {
        if let Some(named) = named {
            return self.actor(Some(&named.to_string())).await;
        }
        let mut scope = self.store.read(Actor::Service).await?;
        let first = users::list(&mut scope, 1).await?.pop();
        Ok(first.map_or(Actor::Service, |user| Actor::Tenant(user.id)))
    }
}

fn shown(user: &User) -> String {
    match &user.email {
        Some(email) => format!("{email}  {}", user.id),
        None => user.id.to_string(),
    }
}
