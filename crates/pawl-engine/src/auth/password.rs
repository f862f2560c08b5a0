//! Passwords: argon2id with the parameters that OWASP's password storage cheat sheet names (19 MiB, two passes, one
//! lane), on threads of their own and few at a time, so that log-ins can fill neither memory nor the async threads.

use std::sync::Arc;

use argon2::{Argon2, PasswordHash, PasswordHasher as _, PasswordVerifier as _};
use secrecy::{ExposeSecret as _, SecretString};
use tokio::sync::Semaphore;

use super::AuthError;

/// The fewest characters of a password.
pub(super) const LEAST: usize = 8;
/// The most characters of a password.
pub(super) const MOST: usize = 256;
/// Passwords hashed at once, of 19 MiB each.
const AT_ONCE: usize = 4;

/// The hash that is looked at where there is none, so that it takes as long; no password is known that has it.
const NOBODY: &str = "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA\
                      $AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// A password that somebody may choose.
#[derive(Clone, Debug)]
pub(super) struct Password(SecretString);

impl Password {
    /// Takes a password of 8 to 256 characters.
    pub(super) fn parse(text: &SecretString) -> Result<Self, AuthError> {
        match text.expose_secret().chars().count() {
            ..LEAST => Err(AuthError::WeakPassword { least: LEAST }),
            LEAST..=MOST => Ok(Self(text.clone())),
            _ => Err(AuthError::LongPassword { most: MOST }),
        }
    }
}

/// Hashes passwords, a few at a time.
pub(super) struct Hasher {
    places: Arc<Semaphore>,
}

impl Hasher {
    pub(super) fn new() -> Self {
        Self {
            places: Arc::new(Semaphore::new(AT_ONCE)),
        }
    }

    /// The hash of a password, as a PHC string with a salt of its own.
    pub(super) async fn hash(&self, password: Password) -> Result<String, AuthError> {
        self.blocking(move || {
            let hash = Argon2::default().hash_password(password.0.expose_secret().as_bytes());
            hash.map(|hash| hash.to_string()).map_err(AuthError::Hash)
        })
        .await?
    }

    /// Whether the hash is this password's. No hash is nobody's, which takes as long to find out.
    pub(super) async fn verify(
        &self,
        password: SecretString,
        hash: Option<String>,
    ) -> Result<bool, AuthError> {
        self.blocking(move || {
            let parsed = PasswordHash::new(hash.as_deref().unwrap_or(NOBODY));
            let parsed = parsed.map_err(|error| AuthError::Hash(error.into()))?;
            let is_theirs = Argon2::default().verify_password(password.expose_secret().as_bytes(), &parsed);
            Ok(is_theirs.is_ok() && hash.is_some())
        })
        .await?
    }

    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, AuthError> {
        // Never closed, so that no place is an impossible answer; it would mean no limit.
        let place = self.places.clone().acquire_owned().await.ok();
        tokio::task::spawn_blocking(move || {
            let done = work();
            drop(place);
            done
        })
        .await
        .map_err(AuthError::Worker)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Password, AuthError> {
        Password::parse(&text.into())
    }

    #[tokio::test]
    async fn a_password_has_its_own_hash_and_nobody_has_none() {
        let hasher = Hasher::new();
        let hash = hasher.hash(parse("correct horse").unwrap()).await.unwrap();
        assert!(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{hash}");
        let again = hasher.hash(parse("correct horse").unwrap()).await.unwrap();
        assert_ne!(hash, again, "each has a salt of its own");
        for (password, hash, is_theirs) in [
            ("correct horse", Some(hash.clone()), true),
            ("correct hors", Some(hash.clone()), false),
            ("", Some(hash), false),
            ("correct horse", None, false),
        ] {
            assert_eq!(
                hasher.verify(password.into(), hash).await.unwrap(),
                is_theirs,
                "{password}"
            );
        }
    }

    /// The stand-in costs what a real hash costs, or the time of an answer would tell who has an account.
    #[test]
    fn nobodys_hash_costs_what_a_real_one_costs() {
        let nobody = PasswordHash::new(NOBODY).unwrap();
        let real = Argon2::default().hash_password(b"correct horse").unwrap();
        assert_eq!(
            (nobody.algorithm, nobody.version, nobody.params),
            (real.algorithm, real.version, real.params)
        );
        assert_eq!(
            nobody.hash.map(|hash| hash.len()),
            real.hash.map(|hash| hash.len())
        );
    }

    #[test]
    fn passwords_have_a_length() {
        assert!(matches!(
            parse("1234567"),
            Err(AuthError::WeakPassword { least: 8 })
        ));
        assert!(parse("12345678").is_ok() && parse(&"ä".repeat(MOST)).is_ok());
        assert!(matches!(
            parse(&"a".repeat(MOST + 1)),
            Err(AuthError::LongPassword { most: 256 })
        ));
    }

    #[test]
    fn a_password_does_not_show() {
        let shown = format!("{:?}", parse("correct horse").unwrap());
        assert!(!shown.contains("horse"), "{shown}");
    }
}
