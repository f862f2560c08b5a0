//! `pawl completions`.

use std::io::Write as _;

use clap::CommandFactory as _;

use crate::cli::{Cli, CompletionsArgs};
use crate::exit::Exit;

/// Prints what a shell completes the command line by.
pub(crate) fn completions(args: &CompletionsArgs) -> anyhow::Result<Exit> {
    // Into memory first: the generator panics where a pipe is closed.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "pawl", &mut script);
    std::io::stdout().lock().write_all(&script)?;
    Ok(Exit::Passed)
}
