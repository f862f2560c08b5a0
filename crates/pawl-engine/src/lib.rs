//! What the product does, one folder per stage.

mod clock;
mod engine;
mod error;
pub mod run;

pub use clock::Clock;
pub use engine::{Engine, MigratedDatabase};
pub use error::{EngineError, Fault};
pub use pawl_store::Actor;
