//! What the crate promises to those who use it.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "tests fail by panic, and print what they measured"
)]

mod mask;
