//! The SQL texts: one statement a file, shared by both engines or in a pair.

use pawl_model::Json;
use serde::Serialize;

use crate::{Result, StoreError};

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
        const TEXT: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/queries/", $name, ".sql"));
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
            sqlite: include_str!(concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/queries/",
                $name,
                ".sqlite.sql"
            )),
            postgres: include_str!(concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/queries/",
                $name,
                ".postgres.sql"
            )),
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
        crate::response_cache::STATEMENTS,
        crate::users::STATEMENTS,
        crate::sessions::STATEMENTS,
        crate::refresh_tokens::STATEMENTS,
        crate::browser_sessions::STATEMENTS,
        crate::api_keys::STATEMENTS,
        crate::policies::STATEMENTS,
        crate::interactions::STATEMENTS,
        crate::intake::STATEMENTS,
        crate::rollups::STATEMENTS,
        crate::search::STATEMENTS,
        crate::jobs::STATEMENTS,
        crate::schedules::STATEMENTS,
        crate::mining::STATEMENTS,
        crate::mining::PATTERN_STATEMENTS,
        crate::mining::RUN_STATEMENTS,
        crate::suggestions::STATEMENTS,
        crate::drafts::STATEMENTS,
        crate::evolution::STATEMENTS,
        crate::evolution::CANDIDATE_STATEMENTS,
        crate::evolution::JOURNAL_STATEMENTS,
        crate::evolution::SERVICE_STATEMENTS,
        crate::prompts::STATEMENTS,
        crate::traces::STATEMENTS,
        crate::lineage::STATEMENTS,
    ]
    .concat()
}

/// What has a form of ours, as one value.
///
/// # Errors
/// [`StoreError::Nul`] when a text in it holds NUL.
pub(crate) fn document(value: &impl Serialize) -> Result<Json> {
    Json::from_serialize(value).map_err(|_| StoreError::Nul)
}

/// An array of what a statement takes several of, as one value.
///
/// # Errors
/// [`StoreError::Nul`] when a text in it holds NUL.
pub(crate) fn documents(documents: impl Iterator<Item = serde_json::Value>) -> Result<Json> {
    document(&documents.collect::<Vec<_>>())
}
