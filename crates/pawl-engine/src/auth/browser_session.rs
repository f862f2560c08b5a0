//! Log-ins by browsers. A cookie holds a random secret and the database its hash. While a session is in use its secret
//! is replaced once a day; each one is a function of the one before and of the secret of the instance (HMAC-SHA-256),
//! so that of several requests that bring the old one at once, or one whose answer was lost, each is given the same.

use pawl_model::{Account, BrowserSessionId, UserId};
use pawl_store::browser_sessions::{self, Kept, Rotation, Secret};
use pawl_store::{Actor, Scope, users};
use secrecy::{ExposeSecret as _, SecretString};
use sha2::{Digest as _, Sha256};
use time::Duration;
use uuid::Uuid;

use super::session::LogIn;
use super::{AccountChange, AuthError, NewAccount, random};
use crate::Engine;

/// A secret that is older is replaced when it is used.
const ROTATION: Duration = Duration::days(1);
/// For so long the one before is good, too.
const GRACE: Duration = Duration::minutes(1);
/// A session ends that nobody has used for so long, give or take the day between rotations.
const IDLE: Duration = Duration::days(14);
/// A session ends after so long however much it is used.
const LIFETIME: Duration = Duration::days(90);
/// So many sessions a user has at most; further ones end those used longest ago.
const MOST_SESSIONS: u32 = 100;

/// Has blanks, which no signing input of a JWT has, so that no signature of one kind is one of the other.
const PURPOSE: &str = "successor of browser secret ";

/// A log-in by a browser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrowserSession {
    /// What it is ended by.
    pub id: BrowserSessionId,
    /// Who logged in.
    pub account: Account,
}

/// A log-in that has begun.
#[derive(Clone, Debug)]
pub struct NewBrowserSession {
    /// The log-in.
    pub session: BrowserSession,
    /// What the cookie holds.
    pub secret: SecretString,
}

/// What a browser is that presented a secret.
#[derive(Clone, Debug)]
pub struct Presented {
    /// The log-in.
    pub session: BrowserSession,
    /// What the cookie holds from now on, where that is something else.
    pub next: Option<SecretString>,
}

impl Engine {
    /// For how long a browser keeps the cookie of a session from the time when it was given it.
    pub const BROWSER_SESSION_IDLE: Duration = IDLE;

    /// Adds a user who asks for it, and lets their browser in.
    ///
    /// # Errors
    /// As [`Engine::sign_up`].
    pub async fn browser_sign_up(&self, new: &NewAccount) -> Result<NewBrowserSession, AuthError> {
        let (scope, user) = self.signed_up(new).await?;
        self.begin_browser_session(scope, user).await
    }

    /// Lets the browser of a user in who knows their password.
    ///
    /// # Errors
    /// As [`Engine::log_in`].
    pub async fn browser_log_in(
        &self,
        email: &str,
        password: &SecretString,
    ) -> Result<NewBrowserSession, AuthError> {
        let (scope, user) = self.logged_in(email, password).await?;
        self.begin_browser_session(scope, user).await
    }

    /// The log-in of a browser that presents a secret; none where it is no secret of a session that goes on. A secret
    /// that comes back more than a minute after it was replaced ends its session, for somebody else may hold it.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn browser_session(&self, secret: &SecretString) -> Result<Option<Presented>, AuthError> {
        let (hash, now) = (hash(secret), self.clock.now());
        let mut scope = self.store.read(Actor::Service).await?;
        let Some(found) = browser_sessions::find(&mut scope, &hash).await? else {
            return Ok(None);
        };
        let unused = now - found.rotated_at;
        let is_over = unused > IDLE || now - found.created_at > LIFETIME;
        let is_stolen = found.found_by == Secret::Previous && unused > GRACE;
        if is_over || is_stolen {
            drop(scope);
            self.end_browser_session(found.id).await?;
            return Ok(None);
        }
        let account = users::account(&mut scope, found.user_id).await?;
        drop(scope);
        let next = match found.found_by {
            Secret::Current if unused <= ROTATION => None,
            _ => Some(self.successor(secret).await?),
        };
        if let (Some(next), Secret::Current) = (&next, found.found_by) {
            let mut scope = self.store.write(Actor::Service).await?;
            let rotation = Rotation {
                hash: &hash,
                next: &self::hash(next),
                at: now,
            };
            browser_sessions::rotate(&mut scope, rotation).await?;
            scope.commit().await?;
        }
        Ok(account.map(|account| Presented {
            session: BrowserSession {
                id: found.id,
                account,
            },
            next,
        }))
    }

    /// Ends a session.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn end_browser_session(&self, id: BrowserSessionId) -> Result<(), AuthError> {
        let mut scope = self.store.write(Actor::Service).await?;
        browser_sessions::delete(&mut scope, id).await?;
        scope.commit().await?;
        Ok(())
    }

    /// Changes the password of a user who knows it, which ends all their log-ins but this one.
    ///
    /// # Errors
    /// [`AuthError::InvalidCredentials`] where the current password is another one, [`AuthError::SamePassword`], or what
    /// is wrong with the new one.
    pub async fn change_password(
        &self,
        session: &BrowserSession,
        current: &SecretString,
        new: SecretString,
    ) -> Result<(), AuthError> {
        self.verify_password(session, current).await?;
        if current.expose_secret() == new.expose_secret() {
            return Err(AuthError::SamePassword);
        }
        let change = AccountChange {
            password: Some(new),
            ..AccountChange::default()
        };
        let asking = LogIn::Browser(session.id);
        self.change(session.account.id, &change, asking).await?;
        Ok(())
    }

    /// Refuses what is not the password of the user who is logged in: asked for before what cannot be undone.
    ///
    /// # Errors
    /// [`AuthError::InvalidCredentials`].
    pub async fn verify_password(
        &self,
        session: &BrowserSession,
        password: &SecretString,
    ) -> Result<(), AuthError> {
        match self.is_password_of(session.account.id, password).await? {
            true => Ok(()),
            false => Err(AuthError::InvalidCredentials),
        }
    }

    /// Begins a session in a transaction that has shown who the user is.
    async fn begin_browser_session(
        &self,
        mut scope: Scope,
        user_id: UserId,
    ) -> Result<NewBrowserSession, AuthError> {
        let (secret, now) = (random::text()?, self.clock.now());
        let new = browser_sessions::NewBrowserSession {
            id: BrowserSessionId(Uuid::new_v4()),
            user_id,
            hash: &hash(&secret),
            created_at: now,
        };
        browser_sessions::insert(&mut scope, new).await?;
        let kept = Kept {
            rotated_since: now - IDLE,
            created_since: now - LIFETIME,
            most: MOST_SESSIONS,
        };
        browser_sessions::prune(&mut scope, user_id, kept).await?;
        users::signed_in(&mut scope, user_id, now).await?;
        let account = users::account(&mut scope, user_id).await?;
        scope.commit().await?;
        let session = BrowserSession {
            id: new.id,
            account: account.ok_or(AuthError::UnknownUser)?,
        };
        Ok(NewBrowserSession { session, secret })
    }

    async fn successor(&self, secret: &SecretString) -> Result<SecretString, AuthError> {
        let message = [PURPOSE, secret.expose_secret()].concat();
        self.signer().await?.authenticate(&message)
    }
}

/// A hash without salt is enough for what is random: there is no dictionary of it.
fn hash(secret: &SecretString) -> [u8; 32] {
    Sha256::digest(secret.expose_secret().as_bytes()).into()
}
