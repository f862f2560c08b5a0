//! Access tokens of Google Cloud: for service accounts, for users who logged in with gcloud, and for machines in its
//! cloud ([application default credentials](https://cloud.google.com/docs/authentication/application-default-credentials)).

use std::fs;
use std::io;
use std::path::Path;
use std::time::Duration;

use jsonwebtoken::{Algorithm, EncodingKey, Header};
use reqwest::header::HeaderValue;
use reqwest::{Client, RequestBuilder};
use secrecy::{ExposeSecret as _, SecretString};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use tokio::sync::Mutex;
use tokio::time::Instant;

use super::ModelError;
use super::endpoint::{Refusal, broke, refused, secret_header};
use super::failure::ModelFailureKind;
use super::settings::{ModelSettings, VertexSettings};
use crate::attempt::Failed;
use crate::client::read;

const SCOPE: &str = "https://www.googleapis.com/auth/cloud-platform";

/// Where tokens come from, and the audience of every request for one, wherever the file says that it is sent to.
const TOKEN_ENDPOINT: &str = "https://oauth2.googleapis.com/token";

/// How long a signed request for a token is good for, in seconds: the most that Google allows.
const ASSERTION_LIFETIME: i64 = 3_600;

/// A token is replaced so long before it ends.
const MARGIN: Duration = Duration::from_secs(60);

/// Bytes of an answer with a token.
const MAX_ANSWER: usize = 64 * 1024;

/// Where tokens come from.
#[derive(Debug)]
enum Credentials {
    ServiceAccount(ServiceAccount),
    User(User),
    /// The metadata server of the machine.
    Machine {
        url: String,
    },
}

#[derive(Debug, Deserialize)]
struct ServiceAccount {
    client_email: String,
    private_key: SecretString,
    token_uri: String,
    project_id: Option<String>,
}

#[derive(Debug, Deserialize)]
struct User {
    client_id: String,
    client_secret: SecretString,
    refresh_token: SecretString,
    token_uri: Option<String>,
    quota_project_id: Option<String>,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum CredentialsFile {
    ServiceAccount(ServiceAccount),
    AuthorizedUser(User),
}

/// What a request for a token of a service account claims (RFC 7523).
#[derive(Serialize)]
struct Assertion<'a> {
    iss: &'a str,
    scope: &'a str,
    aud: &'a str,
    iat: i64,
    exp: i64,
}

#[derive(Deserialize)]
struct Token {
    access_token: SecretString,
    expires_in: u64,
}

/// A source of tokens that keeps the last one as long as it is good.
pub(crate) struct GoogleTokens {
    client: Client,
    credentials: Credentials,
    now: fn() -> OffsetDateTime,
    kept: Mutex<Option<(HeaderValue, Instant)>>,
}

impl GoogleTokens {
    /// The source that the settings name: the file of `GOOGLE_APPLICATION_CREDENTIALS`, else the one that gcloud
    /// wrote, else the machine.
    pub(crate) fn new(settings: &ModelSettings, client: Client) -> Result<Self, ModelError> {
        Ok(Self {
            client,
            credentials: Credentials::find(&settings.vertex)?,
            now: settings.now,
            kept: Mutex::default(),
        })
    }

    /// The project that the credentials belong to.
    pub(crate) fn project(&self) -> Option<&str> {
        match &self.credentials {
            Credentials::ServiceAccount(account) => account.project_id.as_deref(),
            Credentials::User(user) => user.quota_project_id.as_deref(),
            Credentials::Machine { .. } => None,
        }
    }

    /// The value of an `Authorization` header. Callers that come together wait for one token.
    pub(crate) async fn bearer(&self) -> Result<HeaderValue, Failed<Refusal>> {
        let mut kept = self.kept.lock().await;
        if let Some((value, until)) = &*kept
            && *until > Instant::now()
        {
            return Ok(value.clone());
        }
        let asked = Instant::now();
        let token = self.fetch().await?;
        let value = ["Bearer ", token.access_token.expose_secret()].concat();
        let value = secret_header(&value).ok_or_else(|| no_token("it cannot be sent"))?;
        let lifetime = Duration::from_secs(token.expires_in.min(24 * 60 * 60));
        *kept = Some((value.clone(), asked + lifetime.saturating_sub(MARGIN)));
        Ok(value)
    }

    /// Gives up the token that is kept: it was not taken.
    pub(crate) async fn forget(&self) {
        *self.kept.lock().await = None;
    }

    async fn fetch(&self) -> Result<Token, Failed<Refusal>> {
        let is_machine = matches!(self.credentials, Credentials::Machine { .. });
        let response = self.request()?.send().await.map_err(|error| {
            if is_machine && error.is_connect() {
                return no_token("there is no file with credentials, and no metadata server can be reached");
            }
            broke(&error)
        })?;
        if !response.status().is_success() {
            let mut failed = refused(response).await;
            if failed.again.is_none() {
                failed.error.kind = ModelFailureKind::Unauthorized;
            }
            failed.error.what = format!("no access token: {}", failed.error.what);
            return Err(failed);
        }
        let answer = read(response, MAX_ANSWER).await.map_err(|error| broke(&error))?;
        serde_json::from_slice(&answer).map_err(|_| no_token("the answer holds none"))
    }

    fn request(&self) -> Result<RequestBuilder, Failed<Refusal>> {
        Ok(match &self.credentials {
            Credentials::ServiceAccount(account) => {
                let assertion = account
                    .assertion((self.now)())
                    .map_err(|error| no_token(&format!("the private key cannot sign: {error}")))?;
                self.client.post(&account.token_uri).form(&[
                    ("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"),
                    ("assertion", &assertion),
                ])
            }
            Credentials::User(user) => {
                let url = user.token_uri.as_deref().unwrap_or(TOKEN_ENDPOINT);
                self.client.post(url).form(&[
                    ("grant_type", "refresh_token"),
                    ("client_id", &user.client_id),
                    ("client_secret", user.client_secret.expose_secret()),
                    ("refresh_token", user.refresh_token.expose_secret()),
                ])
            }
            Credentials::Machine { url } => self.client.get(url).header("metadata-flavor", "Google"),
        })
    }
}

impl ServiceAccount {
    fn assertion(&self, now: OffsetDateTime) -> Result<String, jsonwebtoken::errors::Error> {
        let key = EncodingKey::from_rsa_pem(self.private_key.expose_secret().as_bytes())?;
        let issued_at = now.unix_timestamp();
        let claims = Assertion {
            iss: &self.client_email,
            scope: SCOPE,
            aud: TOKEN_ENDPOINT,
            iat: issued_at,
            exp: issued_at + ASSERTION_LIFETIME,
        };
        jsonwebtoken::encode(&Header::new(Algorithm::RS256), &claims, &key)
    }
}

impl Credentials {
    fn find(settings: &VertexSettings) -> Result<Self, ModelError> {
        if let Some(path) = &settings.credentials {
            let read = fs::read(path).map_err(|source| ModelError::Credentials {
                path: path.clone(),
                source,
            })?;
            return Self::parse(path, &read);
        }
        if let Some(path) = &settings.default_credentials {
            match fs::read(path) {
                Ok(read) => return Self::parse(path, &read),
                Err(source) if source.kind() == io::ErrorKind::NotFound => {}
                Err(source) => {
                    let path = path.clone();
                    return Err(ModelError::Credentials { path, source });
                }
            }
        }
        let host = &settings.metadata_host;
        Ok(Self::Machine {
            url: format!("http://{host}/computeMetadata/v1/instance/service-accounts/default/token"),
        })
    }

    fn parse(path: &Path, file: &[u8]) -> Result<Self, ModelError> {
        let file = serde_json::from_slice(file).map_err(|source| ModelError::CredentialsForm {
            path: path.to_owned(),
            source,
        })?;
        Ok(match file {
            CredentialsFile::ServiceAccount(account) => Self::ServiceAccount(account),
            CredentialsFile::AuthorizedUser(user) => Self::User(user),
        })
    }
}

fn no_token(why: &str) -> Failed<Refusal> {
    Failed::for_good(Refusal {
        kind: ModelFailureKind::Unauthorized,
        what: format!("no access token: {why}"),
        said: None,
    })
}
