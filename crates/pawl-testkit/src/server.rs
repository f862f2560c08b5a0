//! The real server over a database of its own, and clients of it by who they are.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use pawl_engine::auth::{EmailAddress, ExposeSecret as _, NewAccount};
use pawl_engine::evolve::Named;
use pawl_engine::mine::{MineReport, MineRequest, Mode};
use pawl_engine::{Actor, Clock, Engine};
use pawl_model::{CaseRecord, Run, TriggeredBy, UserId};
use pawl_server::{AppState, ServerSettings};
use pawl_store::{cases, runs};
use time::OffsetDateTime;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::http::{Client, Method, RequestBuilder};
use crate::{TestDatabase, samples};

/// A clock that stands still until it is told to go on.
#[derive(Clone)]
pub struct FakeClock(Arc<AtomicI64>);

impl FakeClock {
    /// Standing at this second since 1970.
    fn at(time: OffsetDateTime) -> Self {
        Self(Arc::new(AtomicI64::new(time.unix_timestamp())))
    }

    /// Lets whole seconds pass.
    pub fn advance(&self, by: Duration) {
        let seconds = i64::try_from(by.as_secs()).expect("a time that a test can wait");
        self.0.fetch_add(seconds, Ordering::SeqCst);
    }

    /// The clock, for an engine.
    #[must_use]
    pub fn clock(&self) -> Clock {
        let seconds = Arc::clone(&self.0);
        Clock::new(move || {
            OffsetDateTime::from_unix_timestamp(seconds.load(Ordering::SeqCst)).expect("a time that there is")
        })
    }
}

/// Who asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Identity {
    /// Somebody without any key.
    Nobody,
    /// Somebody with the public key alone.
    Anonymous,
    /// The first user, who owns the instance.
    UserA,
    /// Another user.
    UserB,
    /// The service key.
    Service,
}

impl Identity {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Nobody,
        Self::Anonymous,
        Self::UserA,
        Self::UserB,
        Self::Service,
    ];
}

/// A user of the server.
#[derive(Clone, Debug)]
pub struct TestUser {
    /// The id.
    pub id: UserId,
    /// The address that it logs in by, with [`TestServer::PASSWORD`].
    pub email: String,
    /// An access token of an hour.
    pub access_token: String,
}

/// The real server, answering on a free port of this machine.
pub struct TestServer {
    /// Where it answers, without a slash at the end.
    pub url: String,
    /// What it stands on.
    pub database: TestDatabase,
    /// The engine that it uses.
    pub engine: Engine,
    /// What its time is.
    pub clock: FakeClock,
    /// The first user.
    pub user_a: TestUser,
    /// Another one.
    pub user_b: TestUser,
    /// The public key.
    pub anon_key: String,
    /// The service key.
    pub service_key: String,
    /// What programs show that hand in interactions.
    pub ingestion_secret: String,
    client: Client,
    stop: CancellationToken,
    task: JoinHandle<()>,
}

impl TestServer {
    /// The password of its users.
    pub const PASSWORD: &str = "correct horse battery staple";

    /// Starts one over this database.
    ///
    /// # Panics
    /// When it cannot be started: a test without its server has failed.
    pub async fn new(database: TestDatabase) -> Self {
        Self::with(database, ServerSettings::default()).await
    }

    /// Starts one with these settings.
    ///
    /// # Panics
    /// As [`TestServer::new`].
    pub async fn with(database: TestDatabase, settings: ServerSettings) -> Self {
        Self::start(database, settings, Named::default()).await
    }

    /// Starts one whose callers may name these targets.
    ///
    /// # Panics
    /// As [`TestServer::new`].
    pub async fn with_named(database: TestDatabase, named: Named) -> Self {
        Self::start(database, ServerSettings::default(), named).await
    }

    /// Makes suggestions of all that failed of the first user.
    ///
    /// # Panics
    /// When it cannot be mined.
    pub async fn mine(&self) -> MineReport {
        let request = MineRequest {
            user_id: self.user_a.id,
            since: OffsetDateTime::UNIX_EPOCH,
            triggered_by: TriggeredBy::Manual,
            mode: Mode::Store,
        };
        self.engine
            .mine(request, &CancellationToken::new(), |_| {})
            .await
            .expect("what failed is mined")
    }

    async fn start(database: TestDatabase, settings: ServerSettings, named: Named) -> Self {
        let clock = FakeClock::at(samples::time(999));
        let engine = Engine::new(database.store.clone(), clock.clock()).with_named(named);
        #[cfg(feature = "firestore")]
        let engine = match &database.firestore {
            Some(emulator) => engine.with_suggestions(emulator.suggestions()),
            None => engine,
        };
        let user_a = sign_up(&engine, "a@example.org").await;
        clock.advance(Duration::from_secs(1));
        let user_b = sign_up(&engine, "b@example.org").await;
        let keys = engine.keys().await.expect("the instance has keys");
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("the port has an address");
        let stop = CancellationToken::new();
        let state = AppState::new(engine.clone(), settings);
        let task = tokio::spawn(pawl_server::serve(listener, state, stop.clone()));
        Self {
            url: ["http://", &address.to_string()].concat(),
            database,
            engine,
            clock,
            user_a,
            user_b,
            anon_key: keys.anon_key,
            service_key: keys.service_role_key.expose_secret().to_owned(),
            ingestion_secret: keys.ingestion_secret.expose_secret().to_owned(),
            client: Client::new(),
            stop,
            task,
        }
    }

    /// A request with the keys and tokens that this client has, as Supabase's clients send them.
    pub fn request(&self, who: Identity, method: Method, path: &str) -> RequestBuilder {
        let request = self.client.request(method, [&*self.url, path].concat());
        let (key, token) = match who {
            Identity::Nobody => return request,
            Identity::Anonymous => (&self.anon_key, &self.anon_key),
            Identity::UserA => (&self.anon_key, &self.user_a.access_token),
            Identity::UserB => (&self.anon_key, &self.user_b.access_token),
            Identity::Service => (&self.service_key, &self.service_key),
        };
        request.header("apikey", key).bearer_auth(token)
    }

    /// As [`TestServer::request`], to read.
    pub fn get(&self, who: Identity, path: &str) -> RequestBuilder {
        self.request(who, Method::GET, path)
    }

    /// Puts a run and its cases into the database, as the run's owner.
    ///
    /// # Panics
    /// When they cannot be stored.
    pub async fn store_run(&self, run: &Run, rows: &[CaseRecord]) {
        let owner = run.user_id.map_or(Actor::Service, Actor::Tenant);
        let mut scope = self.database.store.write(owner).await.expect("a transaction");
        runs::insert(&mut scope, run).await.expect("the run is stored");
        cases::insert(&mut scope, rows)
            .await
            .expect("its cases are stored");
        scope.commit().await.expect("both are kept");
    }

    /// Asks it to stop: it takes no more connections and lets requests under way end.
    pub fn begin_stop(&self) {
        self.stop.cancel();
    }

    /// Waits until it has stopped, and gives the database back.
    ///
    /// # Panics
    /// When it died.
    pub async fn stopped(self) -> TestDatabase {
        self.stop.cancel();
        self.task.await.expect("the server ends by itself");
        self.database
    }
}

async fn sign_up(engine: &Engine, email: &str) -> TestUser {
    let account = NewAccount {
        password: Some(TestServer::PASSWORD.into()),
        ..NewAccount::of(EmailAddress::parse(email).expect("an address"))
    };
    let session = engine.sign_up(&account).await.expect("a user signs up");
    TestUser {
        id: session.account.id,
        email: email.to_owned(),
        access_token: session.access_token.expose_secret().to_owned(),
    }
}
