//! Accounts: reading and changing what is known of a user, by themselves and by administrators.

use pawl_model::{Account, Json, User, UserId};
use pawl_store::users::{self, Page};
use pawl_store::{Actor, Scope, StoreError};
use secrecy::SecretString;
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::session::{LogIn, end_others, live_session, set_password, still_live};
use super::{AuthError, Claims, EmailAddress};
use crate::Engine;

/// The most bytes of each kind of metadata: both travel in every access token, and so in a header.
const MOST_METADATA: usize = 4_096;
/// Said by us alone.
const OWNER: &str = "owner";

/// A user to add.
#[derive(Clone, Debug)]
pub struct NewAccount {
    /// The id; none for a fresh one. Whoever signs up has no choice.
    pub id: Option<UserId>,
    /// The address to log in by.
    pub email: EmailAddress,
    /// The password; without one the user cannot log in.
    pub password: Option<SecretString>,
    /// What the user says of themselves.
    pub user_metadata: Map<String, Value>,
    /// What administrators say of them.
    pub app_metadata: Map<String, Value>,
}

impl NewAccount {
    /// A user of whom nothing is known but the address.
    #[must_use]
    pub fn of(email: EmailAddress) -> Self {
        Self {
            id: None,
            email,
            password: None,
            user_metadata: Map::new(),
            app_metadata: Map::new(),
        }
    }
}

/// What to change of an account; metadata is merged key by key, and null takes a key away.
#[derive(Clone, Debug, Default)]
pub struct AccountChange {
    /// A new address.
    pub email: Option<EmailAddress>,
    /// A new password.
    pub password: Option<SecretString>,
    /// What the user says of themselves.
    pub user_metadata: Map<String, Value>,
    /// What administrators say of them.
    pub app_metadata: Map<String, Value>,
}

impl Engine {
    /// The account of the user whose token this is.
    ///
    /// # Errors
    /// [`AuthError::NoUser`], [`AuthError::SessionNotFound`], [`AuthError::UnknownUser`].
    pub async fn own_account(&self, claims: Claims) -> Result<Account, AuthError> {
        let mut scope = self.store.read(Actor::Service).await?;
        let (user, _) = live_session(&mut scope, claims).await?;
        let account = users::account(&mut scope, user).await?;
        account.ok_or(AuthError::UnknownUser)
    }

    /// Changes the account of the user whose token this is. A new password ends all other log-ins.
    ///
    /// # Errors
    /// As [`Engine::own_account`], [`AuthError::SamePassword`], or what is wrong with the change.
    pub async fn change_own_account(
        &self,
        claims: Claims,
        change: &AccountChange,
    ) -> Result<Account, AuthError> {
        let user = self.own_account(claims).await?.id;
        if let Some(password) = &change.password
            && self.is_password_of(user, password).await?
        {
            return Err(AuthError::SamePassword);
        }
        self.change(user, change, LogIn::Token(claims.session)).await
    }

    /// The account of a user, for an administrator.
    ///
    /// # Errors
    /// [`AuthError::UnknownUser`].
    pub async fn account(&self, id: UserId) -> Result<Account, AuthError> {
        let mut scope = self.store.read(Actor::Service).await?;
        let account = users::account(&mut scope, id).await?;
        account.ok_or(AuthError::UnknownUser)
    }

    /// Some accounts, newest first, and how many there are, for an administrator.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn accounts(&self, page: Page) -> Result<(Vec<Account>, u64), AuthError> {
        let mut scope = self.store.read(Actor::Service).await?;
        let accounts = users::accounts(&mut scope, page).await?;
        Ok((accounts, users::count(&mut scope).await?))
    }

    /// Adds a user, for an administrator, even where nobody may sign up.
    ///
    /// # Errors
    /// [`AuthError::UserExists`], or what is wrong with the password or the metadata.
    pub async fn add_account(&self, new: &NewAccount) -> Result<Account, AuthError> {
        let hash = match &new.password {
            Some(password) => Some(self.new_password(password).await?),
            None => None,
        };
        let (mut scope, now) = (self.store.write(Actor::Service).await?, self.clock.now());
        let user = User {
            id: new.id.unwrap_or_else(|| UserId(Uuid::new_v4())),
            email: Some(new.email.as_str().to_owned()),
            created_at: now,
        };
        self.insert_account(&mut scope, &user, new).await?;
        if let Some(hash) = hash {
            set_password(&mut scope, user.id, &hash, now).await?;
        }
        let account = users::account(&mut scope, user.id).await?;
        scope.commit().await?;
        account.ok_or(AuthError::UnknownUser)
    }

    /// Changes an account, for an administrator. A new password ends all log-ins.
    ///
    /// # Errors
    /// [`AuthError::UnknownUser`], [`AuthError::UserExists`], or what is wrong with the change.
    pub async fn change_account(&self, id: UserId, change: &AccountChange) -> Result<Account, AuthError> {
        self.change(id, change, LogIn::None).await
    }

    /// Deletes a user with everything that is theirs, for an administrator.
    ///
    /// # Errors
    /// [`AuthError::UnknownUser`].
    pub async fn delete_account(&self, id: UserId) -> Result<(), AuthError> {
        let mut scope = self.store.write(Actor::Service).await?;
        if !users::delete(&mut scope, id).await? {
            return Err(AuthError::UnknownUser);
        }
        scope.commit().await?;
        Ok(())
    }

    /// Writes the row of a user and says whether they are the first.
    pub(super) async fn insert_account(
        &self,
        scope: &mut Scope,
        user: &User,
        new: &NewAccount,
    ) -> Result<bool, AuthError> {
        let nothing = Json::empty_object();
        let account = Account {
            id: user.id,
            email: user.email.clone(),
            created_at: user.created_at,
            updated_at: user.created_at,
            last_sign_in_at: None,
            app_metadata: merged(&nothing, &new.app_metadata)?,
            user_metadata: merged(&nothing, &new.user_metadata)?,
            is_owner: false,
        };
        let is_first = users::insert(scope, user).await.map_err(taken)?;
        users::update(scope, &account).await?;
        Ok(is_first)
    }

    /// Changes an account; a new password ends all log-ins but the one that asks.
    pub(super) async fn change(
        &self,
        id: UserId,
        change: &AccountChange,
        asking: LogIn,
    ) -> Result<Account, AuthError> {
        let hash = match &change.password {
            Some(password) => Some(self.new_password(password).await?),
            None => None,
        };
        let (mut scope, now) = (self.store.write(Actor::Service).await?, self.clock.now());
        users::hold(&mut scope, id).await?;
        if let LogIn::Token(session) = asking {
            still_live(&mut scope, id, session).await?;
        }
        let account = users::account(&mut scope, id)
            .await?
            .ok_or(AuthError::UnknownUser)?;
        let account = Account {
            email: match &change.email {
                Some(email) => Some(email.as_str().to_owned()),
                None => account.email,
            },
            app_metadata: merged(&account.app_metadata, &change.app_metadata)?,
            user_metadata: merged(&account.user_metadata, &change.user_metadata)?,
            updated_at: now,
            ..account
        };
        users::update(&mut scope, &account).await.map_err(taken)?;
        if let Some(hash) = hash {
            set_password(&mut scope, id, &hash, now).await?;
            end_others(&mut scope, id, asking).await?;
        }
        scope.commit().await?;
        Ok(account)
    }
}

/// What administrators said of a user, and what is known without them.
#[must_use]
pub fn shown_app_metadata(account: &Account) -> Value {
    let mut shown = json!({"provider": "email", "providers": ["email"]});
    if let (Some(shown), Value::Object(said)) = (shown.as_object_mut(), account.app_metadata.to_value()) {
        shown.extend(said);
        if account.is_owner {
            shown.insert(OWNER.to_owned(), Value::Bool(true));
        }
    }
    shown
}

fn merged(before: &Json, change: &Map<String, Value>) -> Result<Json, AuthError> {
    let Value::Object(mut after) = before.to_value() else {
        return Err(AuthError::MetadataNoObject);
    };
    for (key, value) in change.iter().filter(|(key, _)| *key != OWNER) {
        match value {
            Value::Null => after.shift_remove(key),
            value => after.insert(key.clone(), value.clone()),
        };
    }
    let after = Json::from_serialize(&after).map_err(|_| AuthError::MetadataNoObject)?;
    if after.as_str().len() > MOST_METADATA {
        return Err(AuthError::MetadataTooLarge { limit: MOST_METADATA });
    }
    Ok(after)
}

fn taken(error: StoreError) -> AuthError {
    match error {
        StoreError::Duplicate(_) => AuthError::UserExists,
        other => other.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(value: &Value) -> Map<String, Value> {
        value.as_object().cloned().unwrap()
    }

    #[test]
    fn metadata_is_merged_key_by_key() {
        let before = Json::parse(r#"{"a": 1, "b": {"x": 1}, "c": 3}"#).unwrap();
        let after = merged(
            &before,
            &object(&json!({"a": null, "b": {"y": 2}, "d": [4], "owner": true})),
        )
        .unwrap();
        assert_eq!(
            after,
            Json::parse(r#"{"b": {"y": 2}, "c": 3, "d": [4]}"#).unwrap()
        );
    }

    #[test]
    fn metadata_has_a_limit_and_no_nul() {
        let nothing = Json::empty_object();
        let long = object(&json!({"a": "x".repeat(MOST_METADATA)}));
        assert!(matches!(
            merged(&nothing, &long),
            Err(AuthError::MetadataTooLarge { limit: 4_096 })
        ));
        let nul = object(&json!({"a": "x\0"}));
        assert!(matches!(merged(&nothing, &nul), Err(AuthError::MetadataNoObject)));
    }
}
