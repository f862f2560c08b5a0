//! `pawl man`.

use std::fs;

use anyhow::Context as _;
use clap::CommandFactory as _;

use crate::cli::{Cli, ManArgs};
use crate::exit::Exit;

/// Writes a page of every command.
pub(crate) fn man(args: &ManArgs) -> anyhow::Result<Exit> {
    let folder = &args.folder;
    let cannot = || format!("cannot write man pages into {}", folder.display());
    fs::create_dir_all(folder).with_context(cannot)?;
    clap_mangen::generate_to(Cli::command(), folder).with_context(cannot)?;
    Ok(Exit::Passed)
}
