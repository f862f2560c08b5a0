//! Why somebody was not let in.

use pawl_store::StoreError;

/// Why somebody was not let in, or an account not changed.
#[derive(Debug, thiserror::Error)]
pub enum AuthError {
    /// No such user, or not their password: which of the two is not said.
    #[error("the e-mail address or the password is wrong")]
    InvalidCredentials,
    /// Not an e-mail address.
    #[error("an e-mail address has one `@` with something on both sides, and at most 320 characters")]
    InvalidEmail,
    /// The password is too short.
    #[error("a password has at least {least} characters")]
    WeakPassword {
        /// So many characters are needed.
        least: usize,
    },
    /// The password is too long.
    #[error("a password has at most {most} characters")]
    LongPassword {
        /// So many characters are taken.
        most: usize,
    },
    /// The new password is the old one.
    #[error("the new password is the old one")]
    SamePassword,
    /// Somebody has this address or id.
    #[error("there is a user with this e-mail address or id already")]
    UserExists,
    /// Only administrators add users here.
    #[error("this instance lets nobody sign up")]
    SignUpClosed,
    /// There is no such user.
    #[error("there is no such user")]
    UnknownUser,
    /// Metadata is larger than a token can carry.
    #[error("the metadata of a user takes at most {limit} bytes")]
    MetadataTooLarge {
        /// Bytes of JSON.
        limit: usize,
    },
    /// Metadata that is no JSON object.
    #[error("the metadata of a user is a JSON object")]
    MetadataNoObject,
    /// Not a token of ours: malformed, or signed by somebody else.
    #[error("the token is not valid")]
    InvalidToken,
    /// A token of ours whose time is over.
    #[error("the token has expired")]
    ExpiredToken,
    /// A valid token, but of no user.
    #[error("the token names no user")]
    NoUser,
    /// The session that the access token names has ended.
    #[error("the session has ended")]
    SessionNotFound,
    /// There is no such refresh token, or its session has ended.
    #[error("there is no such refresh token")]
    RefreshTokenNotFound,
    /// The refresh token was used before: its session has been ended, since somebody may have stolen it.
    #[error("the refresh token was used already; its session has been ended")]
    RefreshTokenAlreadyUsed,
    /// The session was not refreshed for too long.
    #[error("the session has expired")]
    SessionExpired,
    /// More keys than a user can have.
    #[error("a user has at most {most} keys: revoke one by `pawl key revoke`")]
    TooManyApiKeys {
        /// So many.
        most: u64,
    },
    /// The secret that signs tokens is too short to be one.
    #[error("{name} has {bytes} bytes; it needs {least} or more, such as `openssl rand -base64 32` prints")]
    ShortSecret {
        /// Where it was given or is kept.
        name: &'static str,
        /// Its length.
        bytes: usize,
        /// The least length.
        least: usize,
    },
    /// The system gave no random bytes.
    #[error("the system gives no random numbers")]
    Random(#[source] getrandom::Error),
    /// A password could not be hashed.
    #[error("a password could not be hashed")]
    Hash(#[source] argon2::password_hash::Error),
    /// A token could not be signed.
    #[error("a token could not be signed")]
    Sign(#[source] jsonwebtoken::errors::Error),
    /// A task of ours died.
    #[error("a worker thread died")]
    Worker(#[source] tokio::task::JoinError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}
