//! The binary, as its users run it.

#![allow(
    clippy::unwrap_used,
    reason = "an unwrap is an assertion here, in the helpers of tests too"
)]

mod agents;
mod configuration;
mod crash;
mod databases;
mod demo;
mod evolve;
mod firestore;
mod intake;
mod models;
mod reference;
mod refusals;
mod review;
mod rig;
mod samples;
mod serve;
mod stories;
mod tour;
mod traces;
mod work;
