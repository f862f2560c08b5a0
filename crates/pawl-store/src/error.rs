//! What can go wrong in the store.

use std::path::PathBuf;

/// The store's result.
pub type Result<T, E = StoreError> = std::result::Result<T, E>;

/// What a driver reports.
type Source = Box<dyn std::error::Error + Send + Sync>;

/// What can go wrong in the store. The texts are for operators; what a database said is in the source alone.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The URL names no database that we know.
    #[error("`{given}` is not a database URL: use postgres://… or sqlite:PATH")]
    Url {
        /// The URL, without its password.
        given: String,
    },
    /// The file cannot be opened, or is no SQLite database.
    #[error("cannot open the database file {path}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system or SQLite said.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The file that holds the secrets of the instance cannot be read or written.
    #[error("cannot use the file of secrets {path}")]
    Secrets {
        /// The file.
        path: PathBuf,
        /// What the system or the parser said.
        #[source]
        source: std::io::Error,
    },
    /// The database cannot be reached.
    #[error("cannot reach the database")]
    Unreachable(#[source] sqlx::Error),
    /// The schema was made by a newer version of the program.
    #[error(
        "the database's schema is at version {found}, which is newer than this program knows ({known}): \
         use a newer pawl"
    )]
    Newer {
        /// Version in the database.
        found: i64,
        /// Newest version that we know.
        known: i64,
    },
    /// The schema is missing or older than the program needs, and PostgreSQL is migrated only by its owner.
    #[error(
        "the database's schema is {}, this program needs version {known}: \
         run `pawl migrate --database-url OWNER_URL` with the URL of the database's owner",
        found.map_or_else(|| "missing".to_owned(), |found| ["at version ", &found.to_string()].concat())
    )]
    Old {
        /// Version in the database; none without our tables.
        found: Option<i64>,
        /// Version that is needed.
        known: i64,
    },
    /// A migration failed or was changed after it had been applied.
    #[error("cannot migrate the database")]
    Migrate(#[source] sqlx::migrate::MigrateError),
    /// The role sees past row level security.
    #[error(
        "the role `{role}` {reason}, so row level security would not hold: connect as a plain role. \
         `pawl migrate --database-url OWNER_URL --runtime-role pawl_app` makes one; or, as a superuser: {fix}"
    )]
    Role {
        /// The role we connected as.
        role: String,
        /// Why it is refused.
        reason: &'static str,
        /// SQL that mends it.
        fix: String,
    },
    /// A text holds NUL, which PostgreSQL cannot store; refused for both engines.
    #[error("a text holds the NUL character, which cannot be stored")]
    Nul,
    /// NaN or an infinity.
    #[error("NaN and infinities cannot be stored as numbers")]
    NotFinite,
    /// A stored value does not read as what its column should hold.
    #[error("column {column} does not hold {expected}")]
    Corrupt {
        /// Index of the column in the statement's answer, from 0.
        column: usize,
        /// What was expected.
        expected: &'static str,
    },
    /// A row with this key is there already.
    #[error("a row with this key exists already")]
    Duplicate(#[source] Source),
    /// A row that is referred to does not exist.
    #[error("a row that is referred to does not exist")]
    Reference(#[source] Source),
    /// A column's rule refused the value.
    #[error("a value breaks a rule of its column")]
    Rule(#[source] Source),
    /// A tenant tried to write a row of another.
    #[error("a tenant cannot write rows of another")]
    ForeignRow,
    /// Another worker has taken up the job.
    #[error("the job is no longer held")]
    LostLease,
    /// More was asked for than one answer may hold.
    #[error("the answer would be too large")]
    AnswerTooLarge,
    /// A request has more values than one statement may hold.
    #[error("a statement would have too many values")]
    TooManyValues,
    /// Anything else that the database refused.
    #[error("the database refused a statement")]
    Query(#[source] Source),
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        use sqlx::error::ErrorKind;
        let kind = error.as_database_error().map(|database| database.kind());
        let code = error.as_database_error().and_then(|database| database.code());
        let code = code.as_deref().unwrap_or_default();
        // Connection exceptions, and a server that is being stopped, has crashed, or is starting.
        let is_gone = code.starts_with("08") || matches!(code, "57P01" | "57P02" | "57P03");
        let is_out_of_range = code == "22003";
        match (kind, &error) {
            (Some(ErrorKind::UniqueViolation), _) => Self::Duplicate(error.into()),
            (Some(ErrorKind::ForeignKeyViolation), _) => Self::Reference(error.into()),
            (Some(ErrorKind::CheckViolation | ErrorKind::NotNullViolation), _) => Self::Rule(error.into()),
            (
                _,
                sqlx::Error::Io(_)
                | sqlx::Error::PoolTimedOut
                | sqlx::Error::PoolClosed
                | sqlx::Error::Tls(_),
            ) => Self::Unreachable(error),
            _ if is_gone => Self::Unreachable(error),
            // On SQLite a CHECK.
            _ if is_out_of_range => Self::Rule(error.into()),
            _ => Self::Query(error.into()),
        }
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::ffi;
        let kind: fn(Source) -> Self = match error.sqlite_error().map(|error| error.extended_code) {
            Some(ffi::SQLITE_CONSTRAINT_UNIQUE | ffi::SQLITE_CONSTRAINT_PRIMARYKEY) => Self::Duplicate,
            Some(ffi::SQLITE_CONSTRAINT_FOREIGNKEY) => Self::Reference,
            Some(ffi::SQLITE_CONSTRAINT_CHECK | ffi::SQLITE_CONSTRAINT_NOTNULL) => Self::Rule,
            _ => Self::Query,
        };
        kind(error.into())
    }
}
