//! Models: conversations and embeddings, with what they cost.
//!
//! A [`ModelSpec`] is what a person wrote, [`ModelSettings`] say where its provider is, and [`Models`] make both into a
//! [`ChatModel`] or an [`Embedder`]. All calls share one HTTP client and, per model, one limiter that adapts to what
//! the provider can take.

mod chat;
mod embed;
mod endpoint;
mod failure;
mod google_auth;
mod prices;
mod settings;
mod spec;
mod wire;

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{Client, Url};
use secrecy::{ExposeSecret as _, SecretString};

pub use chat::{
    ChatModel, ChatReply, ChatRequest, Finish, MAX_CHAT_ANSWER_BYTES, Message, OutputSchema, Role,
};
pub use embed::{Embedder, EmbeddingReply};
pub use failure::{ModelError, ModelFailure, ModelFailureKind};
pub use settings::ModelSettings;
pub use spec::{ModelSpec, ModelSpecError, Provider};

#[cfg(feature = "firestore")]
pub(crate) use endpoint::Refusal;
pub(crate) use google_auth::GoogleTokens;

use endpoint::{Endpoint, secret_header};

use crate::attempt::Limiter;
use crate::client::user_agent;

/// How many requests may be under way to one model at once. Fewer are, once its provider asks to slow down.
const MAX_CONCURRENT_REQUESTS: usize = 64;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

const ANTHROPIC_VERSION: &str = "2023-06-01";

/// All models that the settings reach.
#[derive(Clone)]
pub struct Models(Arc<Shared>);

struct Shared {
    /// Made when the first model is asked for: without one, nobody needs the root certificates that it reads.
    client: OnceLock<Client>,
    settings: ModelSettings,
    limiters: Mutex<HashMap<(ModelSpec, Purpose), Arc<Limiter>>>,
    tokens: Mutex<Option<Arc<GoogleTokens>>>,
}

/// The HTTP client of what is asked with keys.
pub(crate) fn http_client() -> Result<Client, ModelError> {
    Client::builder()
        .user_agent(user_agent())
        .redirect(Policy::none())
        .connect_timeout(CONNECT_TIMEOUT)
        .build()
        .map_err(ModelError::Client)
}

/// What a model is asked for. Providers count the two apart.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Purpose {
    Chat,
    Embedding,
}

impl Models {
    /// Models as these settings reach them. Nothing is set up or connected yet.
    #[must_use]
    pub fn new(settings: ModelSettings) -> Self {
        Self(Arc::new(Shared {
            client: OnceLock::new(),
            settings,
            limiters: Mutex::default(),
            tokens: Mutex::default(),
        }))
    }

    /// The same models, with those of one provider at another base URL.
    ///
    /// # Errors
    /// When it is no `http` or `https` URL.
    pub fn at(&self, provider: Provider, base: &str) -> Result<Self, ModelError> {
        Ok(Self::new(self.0.settings.at(provider, base)?))
    }

    /// What is configured of them.
    #[must_use]
    pub fn settings(&self) -> &ModelSettings {
        &self.0.settings
    }

    /// A model to talk to.
    ///
    /// # Errors
    /// When something is missing to reach it; the error names the variable. When the HTTP client does not start.
    pub fn chat(&self, spec: &ModelSpec) -> Result<ChatModel, ModelError> {
        Ok(ChatModel {
            spec: spec.clone(),
            endpoint: self.0.endpoint(spec, Purpose::Chat)?,
            price: prices::price(spec),
        })
    }

    /// A model that turns texts into vectors.
    ///
    /// # Errors
    /// As [`Models::chat`], and where the provider has no such models.
    pub fn embedder(&self, spec: &ModelSpec) -> Result<Embedder, ModelError> {
        if spec.provider() == Provider::Anthropic {
            return Err(ModelError::NoEmbeddings(spec.clone()));
        }
        Ok(Embedder {
            spec: spec.clone(),
            endpoint: self.0.endpoint(spec, Purpose::Embedding)?,
            price: prices::price(spec),
        })
    }
}

/// The settings, whose secrets are masked.
impl fmt::Debug for Models {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Models").field(&self.0.settings).finish()
    }
}

impl Shared {
    fn client(&self) -> Result<Client, ModelError> {
        if let Some(client) = self.client.get() {
            return Ok(client.clone());
        }
        let client = http_client()?;
        Ok(self.client.get_or_init(|| client).clone())
    }

    fn endpoint(&self, spec: &ModelSpec, purpose: Purpose) -> Result<Endpoint, ModelError> {
        let mut headers = HeaderMap::new();
        let mut tokens = None;
        let url = match spec.provider() {
            provider @ (Provider::OpenAi | Provider::Google | Provider::Anthropic) => {
                let (key, base) = self.settings.keyed(provider)?;
                if let Some(key) = key {
                    let (name, value) = key_header(provider, key)?;
                    headers.insert(name, value);
                }
                if provider == Provider::Anthropic {
                    headers.insert("anthropic-version", HeaderValue::from_static(ANTHROPIC_VERSION));
                }
                with_path(base, &path(spec, purpose))
            }
            Provider::Ollama => with_path(self.settings.ollama.clone(), &path(spec, purpose)),
            Provider::Vertex => {
                let source = self.tokens()?;
                let settings = &self.settings.vertex;
                let project = settings.project(source.project())?;
                let resource = ["v1", "projects", project, "locations", &settings.location];
                let model = path(spec, purpose);
                let segments: Vec<&str> = resource.into_iter().chain(model.iter().map(|s| &**s)).collect();
                let url = with_path(settings.base()?, &segments);
                tokens = Some(source);
                url
            }
        };
        Ok(Endpoint {
            client: self.client()?,
            url,
            shown: spec.to_string(),
            headers,
            tokens,
            limiter: self.limiter(spec, purpose),
        })
    }

    fn limiter(&self, spec: &ModelSpec, purpose: Purpose) -> Arc<Limiter> {
        let mut limiters = self.limiters.lock().unwrap_or_else(PoisonError::into_inner);
        let limiter = limiters
            .entry((spec.clone(), purpose))
            .or_insert_with(|| Arc::new(Limiter::new(MAX_CONCURRENT_REQUESTS)));
        Arc::clone(limiter)
    }

    /// One source for all models, so that they share its token.
    fn tokens(&self) -> Result<Arc<GoogleTokens>, ModelError> {
        let mut tokens = self.tokens.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(tokens) = &*tokens {
            return Ok(Arc::clone(tokens));
        }
        let source = Arc::new(GoogleTokens::new(&self.settings, self.client()?)?);
        *tokens = Some(Arc::clone(&source));
        Ok(source)
    }
}

fn key_header(provider: Provider, key: &SecretString) -> Result<(HeaderName, HeaderValue), ModelError> {
    let key = key.expose_secret();
    let (name, value) = match provider {
        Provider::Google => (HeaderName::from_static("x-goog-api-key"), secret_header(key)),
        Provider::Anthropic => (HeaderName::from_static("x-api-key"), secret_header(key)),
        _ => (AUTHORIZATION, secret_header(&["Bearer ", key].concat())),
    };
    Ok((name, value.ok_or(ModelError::Key { provider })?))
}

/// The parts of a path under the provider's base URL.
fn path(spec: &ModelSpec, purpose: Purpose) -> Vec<String> {
    let model = spec.model();
    let parts: &[&str] = match (spec.provider(), purpose) {
        (Provider::OpenAi, Purpose::Chat) => &["chat", "completions"],
        (Provider::OpenAi, Purpose::Embedding) => &["embeddings"],
        (Provider::Google, Purpose::Chat) => &["v1beta", "models", &[model, ":generateContent"].concat()],
        (Provider::Google, Purpose::Embedding) => {
            &["v1beta", "models", &[model, ":batchEmbedContents"].concat()]
        }
        (Provider::Vertex, Purpose::Chat) => &[
            "publishers",
            "google",
            "models",
            &[model, ":generateContent"].concat(),
        ],
        (Provider::Vertex, Purpose::Embedding) => {
            &["publishers", "google", "models", &[model, ":predict"].concat()]
        }
        (Provider::Anthropic, _) => &["v1", "messages"],
        (Provider::Ollama, Purpose::Chat) => &["api", "chat"],
        (Provider::Ollama, Purpose::Embedding) => &["api", "embed"],
    };
    parts.iter().map(|part| (*part).to_owned()).collect()
}

/// The base URL with these parts behind its path, whether that ends with a slash or not.
fn with_path(mut base: Url, parts: &[impl AsRef<str>]) -> Url {
    // Only URLs that cannot be a base have no path, and the settings take none of those.
    if let Ok(mut path) = base.path_segments_mut() {
        path.pop_if_empty().extend(parts);
    }
    base
}
