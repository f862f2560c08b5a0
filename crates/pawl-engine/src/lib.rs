//! What the product does, one folder per stage.

mod asking;
pub mod auth;
mod clock;
pub mod data;
pub mod draft;
mod engine;
mod error;
pub mod evolve;
mod examination;
pub mod intake;
pub mod lineage;
pub mod mine;
pub mod promote;
pub mod review;
pub mod run;
pub mod simulation;
mod suggestions;
pub mod trace;
pub mod worker;

pub use clock::Clock;
pub use engine::{Engine, MigratedDatabase};
pub use error::{EngineError, Fault};
pub use pawl_providers::{ModelError, ModelSettings, ModelSpec, ModelSpecError, Models, Provider};
pub use pawl_store::{Actor, DatabaseStatus, Location};
pub use suggestions::{SuggestionStore, SuggestionStoreError, Trouble};
