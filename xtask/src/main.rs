//! Repository chores.

use std::io;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

mod tidy;

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Repository chores")]
struct Arguments {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Check what the compiler does not: layers, licences, file lengths, names, SQL files, the code map.
    Tidy,
}

fn main() -> anyhow::Result<ExitCode> {
    match Arguments::parse().chore {
        Chore::Tidy => tidy::run(&mut io::stdout().lock()),
    }
}
