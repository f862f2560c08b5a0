//! Interactions under their tenants' policies, over both engines.

mod history;
mod queries;
mod storing;

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use pawl_engine::intake::{Outcome, Terms};
use pawl_engine::{Actor, Clock, Engine};
use pawl_model::{NewInteraction, Policy, Score, UserId};
use pawl_store::Store;
use pawl_testkit::{TestDatabase, samples};

/// An engine over a database with users, whose clock stands until it is moved.
pub(crate) struct Rig {
    pub(crate) engine: Engine,
    pub(crate) database: TestDatabase,
    seconds: Arc<AtomicI64>,
}

impl Rig {
    pub(crate) async fn new(database: TestDatabase) -> Self {
        database.add_users(2).await;
        let seconds = Arc::new(AtomicI64::new(0));
        let hand = Arc::clone(&seconds);
        let clock = Clock::new(move || samples::time(hand.load(Ordering::Relaxed)));
        let engine = Engine::new(database.store.clone(), clock);
        Self {
            engine,
            database,
            seconds,
        }
    }

    /// Another engine over the same database, as another server has it.
    pub(crate) async fn beside(rig: &Self) -> Engine {
        let store = Store::open(&rig.database.location).await.unwrap();
        let hand = Arc::clone(&rig.seconds);
        Engine::new(
            store,
            Clock::new(move || samples::time(hand.load(Ordering::Relaxed))),
        )
    }

    pub(crate) fn pass(&self, seconds: i64) {
        self.seconds.fetch_add(seconds, Ordering::Relaxed);
    }

    pub(crate) async fn store(&self, interactions: Vec<NewInteraction>, terms: Terms) -> Vec<Outcome> {
        self.engine.ingest(interactions, terms).await.unwrap()
    }

    pub(crate) async fn policy(&self, change: impl FnOnce(&mut Policy)) {
        let mut policy = Policy::default_of(user(1));
        change(&mut policy);
        self.engine
            .set_policy(Actor::Tenant(user(1)), policy)
            .await
            .unwrap();
    }
}

pub(crate) fn user(n: u32) -> UserId {
    samples::user(n).id
}

/// The interaction of the first user with this id.
pub(crate) fn interaction(id: &str) -> NewInteraction {
    NewInteraction {
        prompt: "What is the capital of France?".to_owned(),
        response: "The capital of France is Paris.".to_owned(),
        score: Score::parse("0.95"),
        latency_ms: Some(120),
        ..samples::interaction(user(1), id)
    }
}
