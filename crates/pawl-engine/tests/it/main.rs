//! The stages over real databases of both engines.

#![allow(
    clippy::unwrap_used,
    reason = "an unwrap is an assertion here, in the helpers of tests too"
)]

mod approved;
mod auth;
mod cache;
mod compare;
mod draft;
mod evolve;
mod firestore;
mod intake;
mod judges;
mod lineage;
mod mine;
mod promote;
mod resume;
mod review;
mod rig;
mod run;
mod service;
mod traces;
mod worker;
