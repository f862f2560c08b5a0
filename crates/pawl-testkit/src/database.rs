//! A database per test: a SQLite file, or a PostgreSQL database cloned from a migrated template.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use pawl_store::{Actor, Location, RuntimeRole, Store, migrate_postgres, users};
use sqlx::postgres::{PgConnectOptions, PgConnection, PgRow};
use sqlx::sqlite::{SqliteConnection, SqliteRow};
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, FromRow};
use tempfile::TempDir;
use uuid::Uuid;

use crate::samples;

/// One of the two engines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// The embedded one.
    Sqlite,
    /// A server, at `PAWL_TEST_POSTGRES_URL` as its superuser.
    Postgres,
}

/// Where the test server is; `scripts/test` starts one and sets it.
const SERVER: &str = "PAWL_TEST_POSTGRES_URL";
const OWNER: &str = "pawl_owner";
const RUNTIME: &str = "pawl_app";
/// Both roles live on a throw-away server on this machine alone.
const PASSWORD: &str = "for-tests-only";
/// Keeps processes of one test run from making roles and template at once.
const TEMPLATE_LOCK: i64 = 7_297_281_040_182_461;

/// An empty, migrated database that nobody else uses.
pub struct TestDatabase {
    /// Its engine.
    pub engine: Engine,
    /// Where it is, as the product is told it.
    pub location: Location,
    /// The database, open.
    pub store: Store,
    /// What keeps suggestions instead of it, where something does.
    #[cfg(feature = "firestore")]
    pub firestore: Option<crate::FirestoreEmulator>,
    folder: TempDir,
    /// Dropped behind the rest.
    _clone: Option<Cloned>,
}

/// A database of PostgreSQL that goes when its test is over; hundreds of them fill a disk.
struct Cloned(String);

impl Drop for Cloned {
    fn drop(&mut self) {
        // What a test that failed left is for whoever looks into it.
        if std::thread::panicking() {
            return;
        }
        let statement = ["drop database if exists ", &self.0, " with (force)"].concat();
        // The test's own runtime may be at its end.
        let dropped = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.expect("a runtime").block_on(async {
                let connection = PgConnection::connect_with(&server()).await;
                run(&mut connection.expect("the test server answers"), statement).await;
            });
        });
        assert!(dropped.join().is_ok(), "the database of a test cannot be dropped");
    }
}

impl TestDatabase {
    /// Makes one.
    ///
    /// # Panics
    /// When it cannot be made: a test without its database has failed.
    pub async fn new(engine: Engine) -> Self {
        let folder = TempDir::new().expect("a temporary folder");
        let clone = match engine {
            Engine::Sqlite => None,
            Engine::Postgres => Some(Cloned(clone_of_template().await)),
        };
        let location = match &clone {
            None => Location::in_folder(folder.path()),
            Some(Cloned(name)) => Location::Postgres(url(RUNTIME, name)),
        };
        let store = Store::open(&location).await.expect("a test database opens");
        Self {
            engine,
            location,
            store,
            #[cfg(feature = "firestore")]
            firestore: None,
            folder,
            _clone: clone,
        }
    }

    /// With a Firestore that keeps suggestions.
    ///
    /// # Panics
    /// As [`crate::FirestoreEmulator::start`].
    #[cfg(feature = "firestore")]
    #[must_use]
    pub async fn with_firestore(mut self) -> Self {
        self.firestore = Some(crate::FirestoreEmulator::start().await);
        self
    }

    /// A folder that lives as long as the database.
    #[must_use]
    pub fn folder(&self) -> &std::path::Path {
        self.folder.path()
    }

    /// Adds the first `count` sample users.
    ///
    /// # Panics
    /// When they are there already.
    pub async fn add_users(&self, count: u32) {
        let mut scope = self.store.write(Actor::Service).await.expect("a transaction");
        for n in 1..=count {
            users::insert(&mut scope, &samples::user(n))
                .await
                .expect("a new user");
        }
        scope.commit().await.expect("the commit");
    }

    /// Adds one more sample user.
    ///
    /// # Panics
    /// When it is there already.
    pub async fn add_user(&self, n: u32) {
        let mut scope = self.store.write(Actor::Service).await.expect("a transaction");
        users::insert(&mut scope, &samples::user(n))
            .await
            .expect("a new user");
        scope.commit().await.expect("the commit");
    }

    /// The one number that a query gives, asked as the service.
    ///
    /// # Panics
    /// When the query fails.
    pub async fn number(&self, query: &'static str) -> i64 {
        self.value(query).await.expect("a query for a number")
    }

    /// The one text that a query gives, asked as the service.
    ///
    /// # Panics
    /// When the query fails.
    pub async fn text(&self, query: &'static str) -> String {
        self.value(query).await.expect("a query for a text")
    }

    async fn value<V>(&self, query: &'static str) -> sqlx::Result<V>
    where
        V: Send + Unpin,
        (V,): for<'r> FromRow<'r, SqliteRow> + for<'r> FromRow<'r, PgRow>,
    {
        match self.engine {
            Engine::Sqlite => {
                sqlx::query_scalar(query)
                    .fetch_one(&mut self.sqlite().await)
                    .await
            }
            Engine::Postgres => {
                sqlx::query_scalar(query)
                    .fetch_one(&mut self.postgres().await)
                    .await
            }
        }
    }

    /// Runs a statement as the service, behind the product's back.
    ///
    /// # Panics
    /// When it fails.
    pub async fn run(&self, statement: &str) {
        let statement = sqlx::raw_sql(AssertSqlSafe(statement.to_owned()));
        match self.engine {
            Engine::Sqlite => self.sqlite().await.execute(statement).await.map(drop),
            Engine::Postgres => self.postgres().await.execute(statement).await.map(drop),
        }
        .expect("a statement");
    }

    /// Runs statements as somebody whom no rule holds back: neither keys nor checks, on PostgreSQL neither policies nor
    /// triggers.
    ///
    /// # Panics
    /// When one fails.
    pub async fn tamper(&self, statements: &str) {
        let text = sqlx::raw_sql(AssertSqlSafe(statements.to_owned()));
        match self.engine {
            Engine::Sqlite => {
                let mut connection = self.sqlite().await;
                let unruly = "pragma foreign_keys = off; pragma ignore_check_constraints = on";
                connection.execute(unruly).await.expect("no rules");
                connection.execute(text).await.map(drop)
            }
            Engine::Postgres => {
                let name = self.url();
                let name = name.rsplit('/').next().unwrap_or_default();
                let connection = PgConnection::connect_with(&server().database(name)).await;
                let mut connection = connection.expect("the test server answers");
                let unruly = "set session_replication_role = replica";
                connection.execute(unruly).await.expect("no rules");
                connection.execute(text).await.map(drop)
            }
        }
        .expect("a statement");
    }

    async fn sqlite(&self) -> SqliteConnection {
        SqliteConnection::connect(&self.url())
            .await
            .expect("the file opens")
    }

    async fn postgres(&self) -> PgConnection {
        let mut connection = PgConnection::connect(&self.url())
            .await
            .expect("the test server answers");
        let claims = "set request.jwt.claims = '{\"role\":\"service_role\"}'";
        connection.execute(claims).await.expect("the claims are set");
        connection
    }

    /// The URL of the database for the product's own command line.
    #[must_use]
    pub fn url(&self) -> String {
        match &self.location {
            Location::Sqlite(path) => ["sqlite:", &path.to_string_lossy()].concat(),
            Location::Postgres(url) => url.clone(),
        }
    }
}

fn server() -> PgConnectOptions {
    let url = std::env::var(SERVER).unwrap_or_default();
    assert!(
        !url.is_empty(),
        "{SERVER} is not set: run ./scripts/test, or start a server by scripts/postgres start"
    );
    url.parse().expect("a URL of a PostgreSQL server")
}

/// The URL of the test server with this role and database.
fn url(role: &str, database: &str) -> String {
    let server = server();
    [
        "postgres://",
        role,
        ":",
        PASSWORD,
        "@",
        server.get_host(),
        ":",
        &server.get_port().to_string(),
        "/",
        database,
    ]
    .concat()
}

/// Runs statements of our own making: names in them are fixed words or hexadecimal digits.
async fn run(connection: &mut PgConnection, text: String) {
    connection
        .execute(sqlx::raw_sql(AssertSqlSafe(text)))
        .await
        .expect("a statement of the test kit");
}

/// The name of a fresh database.
async fn clone_of_template() -> String {
    let mut connection = PgConnection::connect_with(&server())
        .await
        .expect("the test server answers");
    let template = template(&mut connection).await;
    let database = ["pawl_test_", &Uuid::new_v4().simple().to_string()].concat();
    let create = [
        "create database ",
        &database,
        " template ",
        &template,
        " owner ",
        OWNER,
    ]
    .concat();
    run(&mut connection, create).await;
    connection.close().await.expect("the connection closes");
    database
}

/// The migrated template, made by the first test that needs it; its name changes with the migrations.
async fn template(connection: &mut PgConnection) -> String {
    let name = template_name();
    lock(connection, "select pg_advisory_lock($1)").await;
    let exists: bool = sqlx::query_scalar("select exists (select from pg_database where datname = $1)")
        .bind(&name)
        .fetch_one(&mut *connection)
        .await
        .expect("the list of databases");
    if !exists {
        make_template(connection, &name).await;
    }
    lock(connection, "select pg_advisory_unlock($1)").await;
    name
}

async fn lock(connection: &mut PgConnection, statement: &'static str) {
    sqlx::query(statement)
        .bind(TEMPLATE_LOCK)
        .execute(connection)
        .await
        .expect("the template's lock");
}

async fn make_template(connection: &mut PgConnection, name: &str) {
    let roles = "do $$ begin
        if not exists (select from pg_roles where rolname = 'OWNER') then
            create role OWNER login createrole createdb nosuperuser nobypassrls password 'PASSWORD';
        end if;
    end $$";
    run(
        connection,
        roles.replace("OWNER", OWNER).replace("PASSWORD", PASSWORD),
    )
    .await;
    // Under another name until it is complete: what a killed test left is replaced.
    let draft = [name, "_draft"].concat();
    run(
        connection,
        ["drop database if exists ", &draft, " with (force)"].concat(),
    )
    .await;
    run(
        connection,
        ["create database ", &draft, " owner ", OWNER].concat(),
    )
    .await;
    let role = RuntimeRole {
        name: RUNTIME,
        password: PASSWORD,
    };
    migrate_postgres(&url(OWNER, &draft), Some(role))
        .await
        .expect("the template migrates");
    run(
        connection,
        ["alter database ", &draft, " rename to ", name].concat(),
    )
    .await;
}

fn template_name() -> String {
    let mut hasher = DefaultHasher::new();
    for migration in pawl_store::postgres_migrations() {
        migration.hash(&mut hasher);
    }
    [
        "pawl_template_",
        &Uuid::from_u64_pair(0, hasher.finish()).simple().to_string()[16..],
    ]
    .concat()
}
