//! The SQL texts: one statement a file, shared by both engines or in a pair.

/// A statement of `queries/`.
#[derive(Clone, Copy, Debug)]
pub struct Statement {
    /// Noun and verb, as the file's path says them.
    pub name: &'static str,
    /// The text for SQLite.
    pub sqlite: &'static str,
    /// The text for PostgreSQL.
    pub postgres: &'static str,
}

/// The statement of `queries/NAME.sql`.
macro_rules! shared {
    ($name:literal) => {{
        const TEXT: &str = include_str!(concat!("../queries/", $name, ".sql"));
        $crate::Statement {
            name: $name,
            sqlite: TEXT,
            postgres: TEXT,
        }
    }};
}

/// The statement of `queries/NAME.sqlite.sql` and `queries/NAME.postgres.sql`.
macro_rules! pair {
    ($name:literal) => {
        $crate::Statement {
            name: $name,
            sqlite: include_str!(concat!("../queries/", $name, ".sqlite.sql")),
            postgres: include_str!(concat!("../queries/", $name, ".postgres.sql")),
        }
    };
}

pub(crate) use {pair, shared};

/// Every statement there is, for the test that prepares each of them on both engines.
#[must_use]
pub fn statements() -> Vec<Statement> {
    [
        crate::runs::STATEMENTS,
        crate::cases::STATEMENTS,
        crate::users::STATEMENTS,
        crate::sessions::STATEMENTS,
        crate::refresh_tokens::STATEMENTS,
        crate::api_keys::STATEMENTS,
    ]
    .concat()
}
