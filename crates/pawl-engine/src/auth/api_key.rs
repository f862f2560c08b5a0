//! Keys of programs: a text that speaks for one user within one scope until it is revoked.

use pawl_model::{ApiKey, ApiKeyId, KeyScope, UserId};
use pawl_store::{Actor, api_keys};
use secrecy::{ExposeSecret as _, SecretString};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

use super::{AuthError, random};
use crate::Engine;

/// What the text of a key begins with, for people and for scanners of leaked secrets.
const PREFIX: &str = "pawl_";
/// Bytes that are looked up: more than any key has.
const MAX_KEY: usize = 200;
/// The most keys of a user.
const MOST: u64 = 100;

/// A key that was made just now: the only time that its text is known.
#[derive(Clone, Debug)]
pub struct NewApiKey {
    /// What is kept of it.
    pub key: ApiKey,
    /// What to present.
    pub text: SecretString,
}

impl Engine {
    /// Makes a key that speaks for a user.
    ///
    /// # Errors
    /// [`AuthError::TooManyApiKeys`]; otherwise when the database fails.
    pub async fn create_api_key(&self, user: UserId, scope: KeyScope) -> Result<NewApiKey, AuthError> {
        let random = random::text()?;
        let text = [PREFIX, random.expose_secret()].concat();
        let key = ApiKey {
            id: ApiKeyId(self.clock.fresh_id()),
            user_id: user,
            scope,
            last_four: text[text.len() - 4..].to_owned(),
            created_at: self.clock.now(),
        };
        let mut writing = self.store.write(Actor::Service).await?;
        if api_keys::count(&mut writing, user).await? >= MOST {
            return Err(AuthError::TooManyApiKeys { most: MOST });
        }
        api_keys::insert(&mut writing, &key, &hash(&text)).await?;
        writing.commit().await?;
        Ok(NewApiKey {
            key,
            text: text.into(),
        })
    }

    /// The keys of a user, oldest first.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn api_keys(&self, user: UserId) -> Result<Vec<ApiKey>, AuthError> {
        let mut scope = self.store.read(Actor::Service).await?;
        Ok(api_keys::list(&mut scope, user).await?)
    }

    /// Revokes a key of a user, at once; says whether there was one.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn revoke_api_key(&self, user: UserId, id: ApiKeyId) -> Result<bool, AuthError> {
        let mut scope = self.store.write(Actor::Service).await?;
        let was_there = api_keys::delete(&mut scope, user, id).await?;
        scope.commit().await?;
        Ok(was_there)
    }

    /// Whether a text has the form of an API key.
    #[must_use]
    pub fn is_api_key(presented: &str) -> bool {
        presented.starts_with(PREFIX) && presented.len() <= MAX_KEY
    }

    /// For whom a key speaks, and what for; none for anything that is no key of ours.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn api_key(&self, presented: &str) -> Result<Option<(UserId, KeyScope)>, AuthError> {
        if !Self::is_api_key(presented) {
            return Ok(None);
        }
        let presented = hash(presented);
        let mut scope = self.store.read(Actor::Service).await?;
        let found = api_keys::find(&mut scope, &presented).await?;
        Ok(found
            .filter(|(_, kept)| bool::from(kept.as_slice().ct_eq(&presented)))
            .map(|(key, _)| (key.user_id, key.scope)))
    }
}

/// A hash without salt is enough for what is random: there is no dictionary of it.
fn hash(text: &str) -> [u8; 32] {
    Sha256::digest(text.as_bytes()).into()
}
