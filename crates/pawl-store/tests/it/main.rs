//! One suite for two engines.

#![allow(
    clippy::unwrap_used,
    reason = "an unwrap is an assertion here, in the helpers of tests too"
)]

mod cases;
mod credentials;
mod lineage;
mod ownership;
mod query;
mod refusals;
mod runs;
mod schema;
mod search;
mod traces;
