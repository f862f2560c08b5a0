//! What is remembered: SQLite and PostgreSQL behind one door.
//!
//! The door is a [`Scope`]: an actor and an open transaction. Every function that reads or writes a tenant's rows
//! takes one, and every statement is given the actor's tenant as `$1`.

pub mod api_keys;
mod array;
pub mod browser_sessions;
pub mod cases;
pub mod drafts;
mod error;
pub mod evolution;
mod insert;
pub mod intake;
pub mod interactions;
pub mod jobs;
pub mod lineage;
mod location;
mod migrate;
pub mod mining;
mod news;
pub mod policies;
mod postgres;
pub mod prompts;
pub mod query;
pub mod refresh_tokens;
pub mod response_cache;
pub mod rollups;
mod row;
pub mod runs;
pub mod schedules;
mod scope;
pub mod search;
pub mod secrets;
pub mod sessions;
mod sqlite;
mod statement;
mod status;
mod store;
pub mod suggestions;
pub mod traces;
pub mod users;
mod value;

pub use error::{Result, StoreError};
pub use location::Location;
pub use migrate::{MigratedPostgres, RuntimeRole, migrate_postgres, postgres_migrations};
pub use news::JobNews;
pub use row::{Column, Columns, Row};
pub use scope::{Actor, Scope};
pub use statement::{Statement, statements};
pub use status::DatabaseStatus;
pub use store::Store;
pub use value::Value;
