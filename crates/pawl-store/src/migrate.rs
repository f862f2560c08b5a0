//! Making and checking the schema.

use std::borrow::Cow;

use sqlx::migrate::{Migration, MigrationType, Migrator};
use sqlx::postgres::PgConnection;
use sqlx::{Connection as _, SqlSafeStr as _, SqliteConnection};

use crate::{Location, Result, StoreError, postgres};

/// Number and name, the text for SQLite, the text for PostgreSQL.
const MIGRATIONS: &[(i64, &str, &str, &str)] = &[
    (
        1,
        "runs",
        include_str!("../migrations/sqlite/0001_runs.sql"),
        include_str!("../migrations/postgres/0001_runs.sql"),
    ),
    (
        2,
        "auth",
        include_str!("../migrations/sqlite/0002_auth.sql"),
        include_str!("../migrations/postgres/0002_auth.sql"),
    ),
    (
        3,
        "intake",
        include_str!("../migrations/sqlite/0003_intake.sql"),
        include_str!("../migrations/postgres/0003_intake.sql"),
    ),
    (
        4,
        "browser_sessions",
        include_str!("../migrations/sqlite/0004_browser_sessions.sql"),
        include_str!("../migrations/postgres/0004_browser_sessions.sql"),
    ),
    (
        5,
        "jobs",
        include_str!("../migrations/sqlite/0005_jobs.sql"),
        include_str!("../migrations/postgres/0005_jobs.sql"),
    ),
    (
        6,
        "traces",
        include_str!("../migrations/sqlite/0006_traces.sql"),
        include_str!("../migrations/postgres/0006_traces.sql"),
    ),
    (
        7,
        "response_cache",
        include_str!("../migrations/sqlite/0007_response_cache.sql"),
        include_str!("../migrations/postgres/0007_response_cache.sql"),
    ),
    (
        8,
        "mining",
        include_str!("../migrations/sqlite/0008_mining.sql"),
        include_str!("../migrations/postgres/0008_mining.sql"),
    ),
    (
        9,
        "drafts",
        include_str!("../migrations/sqlite/0009_drafts.sql"),
        include_str!("../migrations/postgres/0009_drafts.sql"),
    ),
    (
        10,
        "scheduled_drafts",
        include_str!("../migrations/sqlite/0010_scheduled_drafts.sql"),
        include_str!("../migrations/postgres/0010_scheduled_drafts.sql"),
    ),
    (
        11,
        "evolution",
        include_str!("../migrations/sqlite/0011_evolution.sql"),
        include_str!("../migrations/postgres/0011_evolution.sql"),
    ),
    (
        12,
        "pattern_suggestions",
        include_str!("../migrations/sqlite/0012_pattern_suggestions.sql"),
        include_str!("../migrations/postgres/0012_pattern_suggestions.sql"),
    ),
    (
        13,
        "lineage",
        include_str!("../migrations/sqlite/0013_lineage.sql"),
        include_str!("../migrations/postgres/0013_lineage.sql"),
    ),
    (
        14,
        "search",
        include_str!("../migrations/sqlite/0014_search.sql"),
        include_str!("../migrations/postgres/0014_search.sql"),
    ),
];

const TABLE: &str = "_pawl_migrations";
const VERSION: &str = include_str!("../queries/schema/version.sql");
const RUNTIME_ROLE: &str = include_str!("../queries/schema/runtime_role.postgres.sql");

fn newest() -> i64 {
    MIGRATIONS.iter().map(|(version, ..)| *version).max().unwrap_or(0)
}

enum Engine {
    Sqlite,
    Postgres,
}

fn migrator(engine: &Engine) -> Migrator {
    let migrations = MIGRATIONS
        .iter()
        .map(|(version, name, sqlite, postgres)| {
            let text = match engine {
                Engine::Sqlite => *sqlite,
                Engine::Postgres => *postgres,
            };
            Migration::new(
                *version,
                Cow::Borrowed(*name),
                MigrationType::Simple,
                text.into_sql_str(),
                false,
            )
        })
        .collect();
    let mut migrator = Migrator::with_migrations(migrations);
    migrator.dangerous_set_table_name(TABLE);
    migrator
}

/// What a version found in a database means.
fn judge(found: Option<i64>) -> Result<Standing> {
    let known = newest();
    match found {
        Some(found) if found > known => Err(StoreError::Newer { found, known }),
        Some(found) if found == known => Ok(Standing::Current),
        _ => Ok(Standing::Old),
    }
}

enum Standing {
    Current,
    Old,
}

/// Brings a SQLite file up to date, under its write lock: two processes may open a new file at once.
pub(crate) async fn sqlite(writer: &mut SqliteConnection) -> Result<()> {
    if matches!(judge(sqlite_version(writer).await?)?, Standing::Current) {
        return Ok(());
    }
    let mut transaction = writer.begin_with("begin immediate").await?;
    migrator(&Engine::Sqlite)
        .run_direct(None, &mut *transaction, false)
        .await
        .map_err(StoreError::Migrate)?;
    transaction.commit().await?;
    Ok(())
}

async fn sqlite_version(writer: &mut SqliteConnection) -> Result<Option<i64>> {
    match sqlx::query_scalar(VERSION).fetch_one(writer).await {
        Ok(version) => Ok(version),
        Err(error)
            if error
                .as_database_error()
                .is_some_and(|e| e.message().contains("no such table")) =>
        {
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}

/// Refuses a PostgreSQL database whose schema is not the one that we know.
pub(crate) async fn check_postgres(connection: &mut PgConnection) -> Result<()> {
    let found = match sqlx::query_scalar(VERSION).fetch_one(connection).await {
        Ok(version) => version,
        // undefined_table, insufficient_privilege: not migrated, or not for this role.
        Err(error)
            if error
                .as_database_error()
                .and_then(|e| e.code())
                .is_some_and(|code| code == "42P01" || code == "42501") =>
        {
            None
        }
        Err(error) => return Err(error.into()),
    };
    match judge(found)? {
        Standing::Current => Ok(()),
        Standing::Old => Err(StoreError::Old {
            found,
            known: newest(),
        }),
    }
}

/// The role that servers and commands connect as.
#[derive(Clone, Copy, Debug)]
pub struct RuntimeRole<'a> {
    /// Its name.
    pub name: &'a str,
    /// The password it is given if it has to be made.
    pub password: &'a str,
}

/// What [`migrate_postgres`] did.
#[derive(Debug)]
pub struct MigratedPostgres {
    /// Version of the schema now.
    pub version: i64,
    /// The runtime URL where a role was asked for; it holds the password only if the role was made just now.
    pub runtime_url: Option<String>,
}

/// Brings a PostgreSQL database up to date as its owner; makes the runtime role and grants what it needs.
///
/// # Errors
/// When the database cannot be reached or the owner may not do it.
pub async fn migrate_postgres(owner_url: &str, role: Option<RuntimeRole<'_>>) -> Result<MigratedPostgres> {
    let Location::Postgres(_) = Location::parse(owner_url)? else {
        return Err(StoreError::Url {
            given: owner_url.to_owned(),
        });
    };
    let options = postgres::options(owner_url)?;
    let mut connection = PgConnection::connect_with(&options)
        .await
        .map_err(StoreError::Unreachable)?;
    migrator(&Engine::Postgres)
        .run_direct(None, &mut connection, false)
        .await
        .map_err(|error| match error {
            sqlx::migrate::MigrateError::VersionMissing(found) => StoreError::Newer {
                found,
                known: newest(),
            },
            other => StoreError::Migrate(other),
        })?;
    let runtime_url = match role {
        None => None,
        Some(role) => {
            let created = make_runtime_role(&mut connection, role).await?;
            Some(runtime_url(&options, role, created))
        }
    };
    connection.close().await?;
    Ok(MigratedPostgres {
        version: newest(),
        runtime_url,
    })
}

async fn make_runtime_role(connection: &mut PgConnection, role: RuntimeRole<'_>) -> Result<bool> {
    // DDL takes no parameters, so the names travel as settings and PostgreSQL itself quotes them.
    let mut transaction = connection.begin().await?;
    for (setting, value) in [
        ("pawl.runtime_role", role.name),
        ("pawl.runtime_password", role.password),
        ("pawl.created", "no"),
    ] {
        sqlx::query("select set_config($1, $2, true)")
            .bind(setting)
            .bind(value)
            .execute(&mut *transaction)
            .await?;
    }
    sqlx::raw_sql(RUNTIME_ROLE).execute(&mut *transaction).await?;
    let created: String = sqlx::query_scalar("select current_setting('pawl.created')")
        .fetch_one(&mut *transaction)
        .await?;
    transaction.commit().await?;
    Ok(created == "yes")
}

fn runtime_url(owner: &sqlx::postgres::PgConnectOptions, role: RuntimeRole<'_>, created: bool) -> String {
    let password = if created { role.password } else { "PASSWORD" };
    let port = owner.get_port().to_string();
    let database = owner.get_database().unwrap_or("postgres");
    [
        "postgres://",
        role.name,
        ":",
        password,
        "@",
        owner.get_host(),
        ":",
        &port,
        "/",
        database,
    ]
    .concat()
}

/// The texts that make PostgreSQL's schema, for whoever keeps a copy of their result.
pub fn postgres_migrations() -> impl Iterator<Item = &'static str> {
    MIGRATIONS
        .iter()
        .map(|(.., postgres)| *postgres)
        .chain([RUNTIME_ROLE])
}
