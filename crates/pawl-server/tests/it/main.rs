//! The real server over both engines, asked over HTTP.

#![allow(
    clippy::unwrap_used,
    reason = "an unwrap is an assertion here, in the helpers of tests too"
)]

mod access;
mod auth;
mod eval_tests;
mod intake;
mod lineage;
mod manual;
mod operations;
mod optimizations;
mod pages;
mod prompts;
mod rest;
mod review;
mod runs;
mod suggestions;
mod traces;
