//! Runs of the whole library, in worlds that are made up.

#![allow(
    clippy::unwrap_used,
    reason = "an unwrap is an assertion here, in the helpers of tests too"
)]

#[path = "../../../../bench/evolve/world/mod.rs"]
mod world;

mod fault;
mod invariant;
mod letters;
mod parity;
mod resume;
mod spending;
mod watch;
