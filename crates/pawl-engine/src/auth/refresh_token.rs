//! Refresh tokens. The first one of a session is random; each further one is a function of the one that it replaces
//! and of the secret of the instance (HMAC-SHA-256). So whoever presents a token twice within the grace period, a
//! browser with two tabs say, is given the same successor both times, although only hashes are kept; and a thief
//! cannot branch off a line of tokens of their own: sooner or later one of the two presents a token that is spent.

use secrecy::{ExposeSecret as _, SecretString};
use sha2::{Digest as _, Sha256};

use super::instance::Signer;
use super::{AuthError, random};

/// Has blanks, which no signing input of a JWT has, so that no signature of one kind is one of the other.
const PURPOSE: &str = "successor of refresh token ";

/// A refresh token.
#[derive(Clone, Debug)]
pub(super) struct RefreshToken(SecretString);

impl RefreshToken {
    /// The first one of a session.
    pub(super) fn fresh() -> Result<Self, AuthError> {
        random::text().map(Self)
    }

    /// One that was presented.
    pub(super) const fn presented(text: SecretString) -> Self {
        Self(text)
    }

    /// The one that replaces it.
    pub(super) fn successor(&self, signer: &Signer) -> Result<Self, AuthError> {
        let message = [PURPOSE, self.0.expose_secret()].concat();
        signer.authenticate(&message).map(Self)
    }

    /// What is kept of it.
    pub(super) fn hash(&self) -> [u8; 32] {
        Sha256::digest(self.0.expose_secret().as_bytes()).into()
    }

    /// The text that the user is given.
    pub(super) fn into_text(self) -> SecretString {
        self.0
    }
}
