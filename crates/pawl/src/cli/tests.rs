//! What the command line takes and refuses.

use super::*;
use clap::CommandFactory as _;

#[test]
fn the_command_line_is_consistent() {
    Cli::command().debug_assert();
}

#[test]
fn a_slip_in_an_id_or_an_address_is_told_in_words() {
    for (words, told) in [
        (&["pawl", "jobs", "retry", "7"][..], "`pawl jobs list` shows it"),
        (&["pawl", "key", "revoke", "7"], "`pawl key list` shows it"),
        (
            &["pawl", "simulate", "--user", "ann"],
            "`pawl user list` shows them",
        ),
        (&["pawl", "serve", "--listen", "8787"], "such as 127.0.0.1:8787"),
        (
            &["pawl", "export", "interactions", "--min-score", "good"],
            "a number from 0 to 1",
        ),
    ] {
        let error = Cli::try_parse_from(words).unwrap_err().to_string();
        assert!(error.contains(told), "{error}");
    }
}
