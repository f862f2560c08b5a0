//! Log-ins: a session begins with a password, goes on by refresh tokens, and ends by log-out, by the second use of a
//! refresh token, or when nobody has refreshed it for long.

use pawl_model::{Account, BrowserSessionId, SessionId, User, UserId};
use pawl_store::refresh_tokens::{self, NewRefreshToken};
use pawl_store::sessions::{self, Kept, Session};
use pawl_store::users::{self, Login};
use pawl_store::{Actor, Scope, StoreError, browser_sessions};
use secrecy::SecretString;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use super::instance::Signer;
use super::password::Password;
use super::refresh_token::RefreshToken;
use super::{AuthError, Claims, EmailAddress, Identity, NewAccount, SignUp, token};
use crate::Engine;

/// For so long a refresh token that was used gives its successor once more: the answer may have been lost, or two
/// tabs may have asked at once.
const GRACE: Duration = Duration::seconds(10);
/// A session ends that nobody has refreshed for so long. Used tokens are remembered as long.
const IDLE: Duration = Duration::days(60);
/// So many sessions a user has at most; further ones end those refreshed longest ago.
const MOST_SESSIONS: u32 = 100;

/// What a user is given who is let in.
#[derive(Clone, Debug)]
pub struct IssuedSession {
    /// A JWT.
    pub access_token: SecretString,
    /// Buys the next pair, once.
    pub refresh_token: SecretString,
    /// Seconds until the access token expires.
    pub expires_in: i64,
    /// When it does.
    pub expires_at: OffsetDateTime,
    /// Who was let in.
    pub account: Account,
}

/// Which log-ins end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogOut {
    /// All of the user's.
    Global,
    /// The one that asks.
    Local,
    /// All but the one that asks.
    Others,
}

impl Engine {
    /// Adds a user who asks for it, and lets them in. The first user becomes the owner of what was there before.
    ///
    /// # Errors
    /// [`AuthError::SignUpClosed`], [`AuthError::UserExists`], or what is wrong with the password.
    pub async fn sign_up(&self, new: &NewAccount) -> Result<IssuedSession, AuthError> {
        // Before the transaction, which on SQLite nobody else can write beside: the secrets may have to be made.
        let signer = self.signer().await?;
        let (mut scope, user) = self.signed_up(new).await?;
        let issued = self.issue(&mut scope, user, signer).await?;
        scope.commit().await?;
        Ok(issued)
    }

    /// Adds a user who asks for it; what they are let in by is written in the same transaction.
    pub(super) async fn signed_up(&self, new: &NewAccount) -> Result<(Scope, UserId), AuthError> {
        let is_closed = self.auth.settings.sign_up == SignUp::Closed;
        if is_closed && self.has_users().await? {
            return Err(AuthError::SignUpClosed);
        }
        let hash = self
            .new_password(new.password.as_ref().unwrap_or(&"".into()))
            .await?;
        let (mut scope, now) = (self.store.write(Actor::Service).await?, self.clock.now());
        let user = User {
            id: UserId(Uuid::new_v4()),
            email: Some(new.email.as_str().to_owned()),
            created_at: now,
        };
        let is_first = self.insert_account(&mut scope, &user, new).await?;
        if is_closed && !is_first {
            return Err(AuthError::SignUpClosed);
        }
        set_password(&mut scope, user.id, &hash, now).await?;
        Ok((scope, user.id))
    }

    /// Lets a user in who knows their password. That there is no such user takes as long to find out as that the
    /// password is wrong.
    ///
    /// # Errors
    /// [`AuthError::InvalidCredentials`].
    pub async fn log_in(&self, email: &str, password: &SecretString) -> Result<IssuedSession, AuthError> {
        let signer = self.signer().await?;
        let (mut scope, user) = self.logged_in(email, password).await?;
        let issued = self.issue(&mut scope, user, signer).await?;
        scope.commit().await?;
        Ok(issued)
    }

    /// Finds a user who knows their password; what they are let in by is written in the same transaction.
    pub(super) async fn logged_in(
        &self,
        email: &str,
        password: &SecretString,
    ) -> Result<(Scope, UserId), AuthError> {
        let known = match EmailAddress::parse(email) {
            Ok(email) => self.password_of(Login::Email(email.as_str())).await?,
            Err(_) => None,
        };
        let (user, hash) = known.map_or((None, None), |(user, hash)| (Some(user), hash));
        let is_theirs = self.auth.hasher().verify(password.clone(), hash.clone()).await?;
        let user = user.filter(|_| is_theirs).ok_or(AuthError::InvalidCredentials)?;

        let mut scope = self.store.write(Actor::Service).await?;
        users::hold(&mut scope, user).await?;
        // Whoever changed the password in the meantime ended all sessions; this one must not begin after that.
        if users::password(&mut scope, Login::Id(user)).await? != Some((user, hash)) {
            return Err(AuthError::InvalidCredentials);
        }
        Ok((scope, user))
    }

    /// Exchanges a refresh token for the next pair of tokens. Within ten seconds of its first use a token gives the
    /// same successor again, however often it is presented; after that its session is ended, for somebody else may
    /// hold it.
    ///
    /// # Errors
    /// [`AuthError::RefreshTokenNotFound`], [`AuthError::RefreshTokenAlreadyUsed`], [`AuthError::SessionExpired`].
    pub async fn refresh(&self, token: SecretString) -> Result<IssuedSession, AuthError> {
        let presented = RefreshToken::presented(token);
        let signer = self.signer().await?;
        let successor = presented.successor(signer)?;
        let (mut scope, now) = (self.store.write(Actor::Service).await?, self.clock.now());
        // Spent before it is looked at: of many who present it at once, one spends it and the others wait for that.
        let is_first_use = refresh_tokens::spend(&mut scope, &presented.hash(), now).await?;
        let found = refresh_tokens::find(&mut scope, &presented.hash()).await?;
        let found = found.ok_or(AuthError::RefreshTokenNotFound)?;
        let is_too_late = !is_first_use && found.used_at.is_none_or(|used_at| now - used_at > GRACE);
        let refusal = match () {
            () if now - found.refreshed_at > IDLE => Some(AuthError::SessionExpired),
            () if is_too_late => Some(AuthError::RefreshTokenAlreadyUsed),
            () => None,
        };
        if let Some(refusal) = refusal {
            sessions::delete(&mut scope, found.session.id).await?;
            scope.commit().await?;
            return Err(refusal);
        }
        if is_first_use {
            let next = NewRefreshToken {
                session: found.session,
                hash: &successor.hash(),
                created_at: now,
            };
            refresh_tokens::insert(&mut scope, next).await?;
            refresh_tokens::forget_used(&mut scope, found.session.id, now - IDLE).await?;
            sessions::refreshed(&mut scope, found.session.id, now).await?;
        }
        let account = users::account(&mut scope, found.session.user_id).await?;
        let account = account.ok_or(AuthError::RefreshTokenNotFound)?;
        scope.commit().await?;
        self.issued(signer, found.session.id, account, successor)
    }

    /// Ends log-ins of the user whose token this is. Access tokens stay good for the data API until they expire,
    /// within the hour, since they are not looked up there; the auth API refuses them from now on.
    ///
    /// # Errors
    /// [`AuthError::NoUser`], [`AuthError::SessionNotFound`].
    pub async fn log_out(&self, claims: Claims, which: LogOut) -> Result<(), AuthError> {
        let mut scope = self.store.write(Actor::Service).await?;
        let (user, session) = live_session(&mut scope, claims).await?;
        match (which, session) {
            (LogOut::Local, Some(session)) => sessions::delete(&mut scope, session).await?,
            (LogOut::Others, Some(_)) => {
                end_others(&mut scope, user, LogIn::Token(session)).await?;
            }
            (LogOut::Global, _) | (_, None) => end_others(&mut scope, user, LogIn::None).await?,
        }
        scope.commit().await?;
        Ok(())
    }

    /// Begins a session.
    async fn issue(
        &self,
        scope: &mut Scope,
        user_id: UserId,
        signer: &Signer,
    ) -> Result<IssuedSession, AuthError> {
        let now = self.clock.now();
        let session = Session {
            id: SessionId(Uuid::new_v4()),
            user_id,
        };
        let refresh = RefreshToken::fresh()?;
        sessions::insert(scope, session, now).await?;
        let first = NewRefreshToken {
            session,
            hash: &refresh.hash(),
            created_at: now,
        };
        refresh_tokens::insert(scope, first).await?;
        let kept = Kept {
            since: now - IDLE,
            most: MOST_SESSIONS,
        };
        sessions::prune(scope, user_id, kept).await?;
        users::signed_in(scope, user_id, now).await?;
        let account = users::account(scope, user_id).await?;
        self.issued(
            signer,
            session.id,
            account.ok_or(AuthError::UnknownUser)?,
            refresh,
        )
    }

    /// The pair of tokens that goes on with a session.
    fn issued(
        &self,
        signer: &Signer,
        session: SessionId,
        account: Account,
        refresh: RefreshToken,
    ) -> Result<IssuedSession, AuthError> {
        let now = self.clock.now();
        let access = token::access(signer, &account, session, now)?;
        Ok(IssuedSession {
            access_token: access.into(),
            refresh_token: refresh.into_text(),
            expires_in: token::LIFETIME.whole_seconds(),
            expires_at: now + token::LIFETIME,
            account,
        })
    }

    /// The hash of a password that somebody chose.
    pub(super) async fn new_password(&self, password: &SecretString) -> Result<String, AuthError> {
        self.auth.hasher().hash(Password::parse(password)?).await
    }

    /// Whether this is the password that a user has.
    pub(super) async fn is_password_of(
        &self,
        user: UserId,
        password: &SecretString,
    ) -> Result<bool, AuthError> {
        let known = self.password_of(Login::Id(user)).await?;
        let hash = known.and_then(|(_, hash)| hash);
        self.auth.hasher().verify(password.clone(), hash).await
    }

    async fn password_of(&self, login: Login<'_>) -> Result<Option<(UserId, Option<String>)>, AuthError> {
        let mut scope = self.store.read(Actor::Service).await?;
        Ok(users::password(&mut scope, login).await?)
    }

    /// Whether anybody has signed up or was added.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn has_users(&self) -> Result<bool, AuthError> {
        let mut scope = self.store.read(Actor::Service).await?;
        Ok(!users::list(&mut scope, 1).await?.is_empty())
    }
}

/// The log-in that asks for something.
#[derive(Clone, Copy, Debug)]
pub(super) enum LogIn {
    /// None of the user's: an administrator.
    None,
    /// The one that an access token names, if it names one.
    Token(Option<SessionId>),
    /// That of a browser.
    Browser(BrowserSessionId),
}

/// Ends all log-ins of a user but the one that asks.
pub(super) async fn end_others(scope: &mut Scope, user: UserId, asking: LogIn) -> Result<(), StoreError> {
    let (session, browser) = match asking {
        LogIn::None => (None, None),
        LogIn::Token(session) => (session, None),
        LogIn::Browser(browser) => (None, Some(browser)),
    };
    sessions::delete_others(scope, user, session).await?;
    browser_sessions::delete_others(scope, user, browser).await
}

/// The user and the log-in that a token was issued in, if it has not ended.
pub(super) async fn live_session(
    scope: &mut Scope,
    claims: Claims,
) -> Result<(UserId, Option<SessionId>), AuthError> {
    let Identity::User(user_id) = claims.identity else {
        return Err(AuthError::NoUser);
    };
    still_live(scope, user_id, claims.session).await?;
    Ok((user_id, claims.session))
}

/// Refuses a log-in that has ended; tokens that others signed with our secret may name none.
pub(super) async fn still_live(
    scope: &mut Scope,
    user_id: UserId,
    session: Option<SessionId>,
) -> Result<(), AuthError> {
    if let Some(id) = session {
        let session = sessions::refreshed_at(scope, Session { id, user_id }).await?;
        session.ok_or(AuthError::SessionNotFound)?;
    }
    Ok(())
}

pub(super) async fn set_password(
    scope: &mut Scope,
    user_id: UserId,
    hash: &str,
    now: OffsetDateTime,
) -> Result<(), StoreError> {
    let credentials = users::Credentials {
        user_id,
        password_hash: hash,
        changed_at: now,
    };
    users::set_password(scope, credentials).await
}
