//! The instance: how it lets people in, its secrets and keys.

use std::fmt;
use std::sync::Arc;

use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation};
use pawl_store::secrets::{self, Secrets};
use secrecy::{ExposeSecret as _, SecretString};
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;
use time::OffsetDateTime;
use tokio::sync::OnceCell;

use super::password::Hasher;
use super::token::{self, Key};
use super::{AuthError, Claims, Identity, random};
use crate::Engine;

/// The fewest bytes of the secret that signs tokens: as many as the hash has (RFC 7518, section 3.2).
const LEAST_BYTES: usize = 32;

/// Who may sign up. The first user always may.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SignUp {
    /// Everybody.
    #[default]
    Open,
    /// Nobody: administrators add users.
    Closed,
}

/// How people are let in.
#[derive(Clone, Debug, Default)]
pub struct AuthSettings {
    /// Signs tokens and keys, in place of the secret that is kept with the data.
    pub jwt_secret: Option<SecretString>,
    /// What programs show that hand in interactions, in place of the secret that is kept with the data.
    pub ingestion_secret: Option<SecretString>,
    /// Who may sign up.
    pub sign_up: SignUp,
}

/// What clients of this instance are given.
#[derive(Clone, Debug)]
pub struct InstanceKeys {
    /// The public key: it opens nothing that is anybody's.
    pub anon_key: String,
    /// The key that may do everything.
    pub service_role_key: SecretString,
    /// What programs show that hand in interactions.
    pub ingestion_secret: SecretString,
}

/// What letting people in needs beside store and clock; shared by the clones of an engine.
#[derive(Clone, Default)]
pub(crate) struct Auth {
    pub(super) settings: AuthSettings,
    shared: Arc<Shared>,
}

struct Shared {
    hasher: Hasher,
    instance: OnceCell<Instance>,
}

impl Default for Shared {
    fn default() -> Self {
        Self {
            hasher: Hasher::new(),
            instance: OnceCell::new(),
        }
    }
}

/// The secrets in force.
struct Instance {
    signer: Signer,
    ingestion: SecretString,
    created_at: OffsetDateTime,
}

/// Signs and checks what bears the secret of the instance.
pub(super) struct Signer {
    signing: EncodingKey,
    checking: DecodingKey,
    validation: Validation,
}

impl Signer {
    fn new(secret: &SecretString) -> Self {
        let bytes = secret.expose_secret().as_bytes();
        // The one algorithm that is taken, whatever a token's header says. Times are compared by the engine's clock.
        let mut validation = Validation::new(Algorithm::HS256);
        validation.validate_exp = false;
        validation.validate_aud = false;
        Self {
            signing: EncodingKey::from_secret(bytes),
            checking: DecodingKey::from_secret(bytes),
            validation,
        }
    }

    pub(super) fn sign(&self, claims: &impl Serialize) -> Result<String, AuthError> {
        jsonwebtoken::encode(&Header::new(Algorithm::HS256), claims, &self.signing).map_err(AuthError::Sign)
    }

    pub(super) fn open<T: DeserializeOwned>(&self, token: &str) -> Result<T, AuthError> {
        match jsonwebtoken::decode(token, &self.checking, &self.validation) {
            Ok(token) => Ok(token.claims),
            Err(_) => Err(AuthError::InvalidToken),
        }
    }

    /// The HMAC-SHA-256 of a message, in 43 characters.
    pub(super) fn authenticate(&self, message: &str) -> Result<SecretString, AuthError> {
        jsonwebtoken::crypto::sign(message.as_bytes(), &self.signing, Algorithm::HS256)
            .map(Into::into)
            .map_err(AuthError::Sign)
    }
}

#[cfg(test)]
impl Signer {
    pub(super) fn of_secret(secret: &str) -> Self {
        Self::new(&secret.into())
    }
}

impl fmt::Debug for Auth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Auth")
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

impl Auth {
    pub(super) fn hasher(&self) -> &Hasher {
        &self.shared.hasher
    }
}

impl Engine {
    /// This engine, letting people in like that.
    ///
    /// # Errors
    /// [`AuthError::ShortSecret`] for a secret that is too short to sign tokens, or an empty one for intake.
    pub fn with_auth(mut self, settings: AuthSettings) -> Result<Self, AuthError> {
        if let Some(secret) = &settings.jwt_secret {
            check_length("PAWL_JWT_SECRET", secret, LEAST_BYTES)?;
        }
        if let Some(secret) = &settings.ingestion_secret {
            check_length("INGESTION_API_SECRET", secret, 1)?;
        }
        self.auth = Auth {
            settings,
            shared: Arc::default(),
        };
        Ok(self)
    }

    /// Who may sign up.
    #[must_use]
    pub const fn sign_up_policy(&self) -> SignUp {
        self.auth.settings.sign_up
    }

    /// The keys that clients are given: the same ones each time, from each server.
    ///
    /// # Errors
    /// When the secrets can neither be read nor made.
    pub async fn keys(&self) -> Result<InstanceKeys, AuthError> {
        let instance = self.instance().await?;
        let key = |key| token::key(&instance.signer, key, instance.created_at);
        Ok(InstanceKeys {
            anon_key: key(Key::Anonymous)?,
            service_role_key: key(Key::Service)?.into(),
            ingestion_secret: instance.ingestion.clone(),
        })
    }

    /// What a token says: a key of the instance, or the access token of a user.
    ///
    /// # Errors
    /// [`AuthError::InvalidToken`] or [`AuthError::ExpiredToken`]; otherwise when the secrets cannot be read.
    pub async fn claims(&self, token: &str) -> Result<Claims, AuthError> {
        token::verify(self.signer().await?, token, self.clock.now())
    }

    /// Who holds a token.
    ///
    /// # Errors
    /// As [`Engine::claims`].
    pub async fn identify(&self, token: &str) -> Result<Identity, AuthError> {
        self.claims(token).await.map(|claims| claims.identity)
    }

    /// Whether this is the secret of programs that hand in interactions; how much of it is right does not show in
    /// the time it takes.
    ///
    /// # Errors
    /// When the secrets cannot be read.
    pub async fn is_ingestion_secret(&self, presented: &str) -> Result<bool, AuthError> {
        let kept = &self.instance().await?.ingestion;
        // Hashes have the same length, and so say nothing about that of the secret.
        let [kept, presented] = [kept.expose_secret(), presented].map(|text| Sha256::digest(text.as_bytes()));
        Ok(kept.ct_eq(&presented).into())
    }

    /// A key for a purpose of the instance, which tells nothing of the secret that it is made from.
    ///
    /// # Errors
    /// When the secrets cannot be read.
    pub(crate) async fn derived_key(&self, purpose: &str) -> Result<Vec<u8>, AuthError> {
        let key = self.signer().await?.authenticate(purpose)?;
        Ok(key.expose_secret().as_bytes().to_vec())
    }

    pub(super) async fn signer(&self) -> Result<&Signer, AuthError> {
        self.instance().await.map(|instance| &instance.signer)
    }

    async fn instance(&self) -> Result<&Instance, AuthError> {
        let make = || async {
            let fresh = Secrets {
                jwt: random::text()?,
                ingestion: random::text()?,
                created_at: self.clock.now(),
            };
            let kept = secrets::keep(&self.store, fresh).await?;
            let settings = &self.auth.settings;
            let jwt = settings.jwt_secret.as_ref().unwrap_or(&kept.jwt);
            check_length("the secret that is kept with the data", jwt, LEAST_BYTES)?;
            Ok(Instance {
                signer: Signer::new(jwt),
                ingestion: settings.ingestion_secret.clone().unwrap_or(kept.ingestion),
                created_at: kept.created_at,
            })
        };
        self.auth.shared.instance.get_or_try_init(make).await
    }
}

fn check_length(name: &'static str, secret: &SecretString, least: usize) -> Result<(), AuthError> {
    match secret.expose_secret().len() {
        bytes if bytes < least => Err(AuthError::ShortSecret { name, bytes, least }),
        _ => Ok(()),
    }
}
