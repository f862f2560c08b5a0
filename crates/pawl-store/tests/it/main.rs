//! One suite for two engines.

mod cases;
mod ownership;
mod refusals;
mod runs;
mod schema;
