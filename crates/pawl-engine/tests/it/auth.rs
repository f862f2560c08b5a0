//! Log-ins, keys and accounts over both engines.

mod accounts;
mod browser_sessions;
mod keys;
mod sessions;

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use pawl_engine::auth::{
    AuthSettings, EmailAddress, ExposeSecret as _, IssuedSession, NewAccount, SecretString,
};
use pawl_engine::{Clock, Engine};
use pawl_testkit::{TestDatabase, samples};

pub(crate) const PASSWORD: &str = "correct horse";

/// An engine whose clock stands until it is moved.
pub(crate) struct Rig {
    pub(crate) engine: Engine,
    pub(crate) database: TestDatabase,
    seconds: Arc<AtomicI64>,
}

impl Rig {
    pub(crate) fn new(database: TestDatabase) -> Self {
        Self::with(database, AuthSettings::default())
    }

    pub(crate) fn with(database: TestDatabase, settings: AuthSettings) -> Self {
        let seconds = Arc::new(AtomicI64::new(0));
        let hand = Arc::clone(&seconds);
        let clock = Clock::new(move || samples::time(hand.load(Ordering::Relaxed)));
        let engine = Engine::new(database.store.clone(), clock)
            .with_auth(settings)
            .unwrap();
        Self {
            engine,
            database,
            seconds,
        }
    }

    pub(crate) fn pass(&self, seconds: i64) {
        self.seconds.fetch_add(seconds, Ordering::Relaxed);
    }

    pub(crate) async fn sign_up(&self, email: &str) -> IssuedSession {
        self.engine.sign_up(&person(email)).await.unwrap()
    }

    pub(crate) async fn log_in(&self, email: &str) -> IssuedSession {
        self.engine.log_in(email, &PASSWORD.into()).await.unwrap()
    }
}

pub(crate) fn person(email: &str) -> NewAccount {
    NewAccount {
        password: Some(PASSWORD.into()),
        ..NewAccount::of(EmailAddress::parse(email).unwrap())
    }
}

pub(crate) fn text(secret: &SecretString) -> String {
    secret.expose_secret().to_owned()
}
