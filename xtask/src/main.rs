//! Repository chores.

use std::io;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

mod docs;
mod tidy;
mod vendor;

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Repository chores")]
struct Arguments {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Fetch the files of others that web pages load, from npm.
    Assets,
    /// Write the generated documents of the manual anew: docs/CLI.md and docs/HTTP.md.
    Docs,
    /// Check what the compiler does not: layers, licences, file lengths, names, SQL files, the code map.
    Tidy,
}

fn main() -> anyhow::Result<ExitCode> {
    match Arguments::parse().chore {
        Chore::Assets => {
            let metadata = cargo_metadata::MetadataCommand::new().no_deps().exec()?;
            let scratch = metadata.target_directory.join("assets");
            vendor::fetch(metadata.workspace_root.as_std_path(), scratch.as_std_path())?;
            Ok(ExitCode::SUCCESS)
        }
        Chore::Docs => docs::generate(),
        Chore::Tidy => tidy::run(&mut io::stdout().lock()),
    }
}
