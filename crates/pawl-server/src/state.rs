//! What every handler is given.

use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use pawl_engine::Engine;
use tokio::sync::Semaphore;

use crate::auth::Limits;
use crate::caller::ApiKeys;
use crate::metrics::Metrics;
use crate::prompts::LivePrompts;
use crate::ui::dashboard::live::Live;

/// What every handler is given: each request is handed several, so that a clone of it is a pointer.
#[derive(Clone)]
pub struct AppState(Arc<Application>);

/// What the handlers share.
pub struct Application {
    /// What the product does.
    pub engine: Engine,
    /// How requests are bounded.
    pub settings: ServerSettings,
    /// For requests under way.
    pub(crate) places: Semaphore,
    pub(crate) metrics: Metrics,
    pub(crate) limits: Limits,
    pub(crate) live: Live,
    pub(crate) api_keys: ApiKeys,
    pub(crate) prompts: LivePrompts,
}

impl AppState {
    /// Of this engine, with counters of its own.
    #[must_use]
    pub fn new(engine: Engine, settings: ServerSettings) -> Self {
        Self(Arc::new(Application {
            engine,
            places: Semaphore::new(settings.concurrency.min(Semaphore::MAX_PERMITS)),
            settings,
            metrics: Metrics::new(),
            limits: Limits::new(),
            live: Live::new(),
            api_keys: ApiKeys::default(),
            prompts: LivePrompts::default(),
        }))
    }
}

impl Deref for AppState {
    type Target = Application;

    fn deref(&self) -> &Application {
        &self.0
    }
}

/// How requests are bounded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerSettings {
    /// The largest body of a request, in bytes, where its path does not take less.
    pub body_limit: usize,
    /// How long a request may take.
    pub request_timeout: Duration,
    /// Requests under way at once; further ones are turned away.
    pub concurrency: usize,
    /// How long requests under way may take to end when the server stops.
    pub drain: Duration,
    /// Proxies of ours in front of the server, each of which appends the address that called it to
    /// `X-Forwarded-For`; 0 where clients connect to us.
    pub trusted_proxies: usize,
    /// Where browsers and agents reach the server, without a slash at the end; none: where they say that they did.
    pub url: Option<String>,
}

impl Default for ServerSettings {
    fn default() -> Self {
        Self {
            body_limit: 16 * 1024 * 1024,
            request_timeout: Duration::from_secs(30),
            concurrency: 512,
            drain: Duration::from_secs(10),
            trusted_proxies: 0,
            url: None,
        }
    }
}
