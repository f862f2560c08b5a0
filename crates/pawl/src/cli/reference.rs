//! What the command line says of itself: `pawl completions`, `pawl man`, `pawl reference`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use clap_complete::Shell;

/// `pawl completions`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pawl completions bash > ~/.local/share/bash-completion/completions/pawl
  pawl completions zsh > ~/.zfunc/_pawl
  pawl completions fish > ~/.config/fish/completions/pawl.fish")]
pub(crate) struct CompletionsArgs {
    /// Which shell
    #[arg(value_enum, value_name = "SHELL")]
    pub(crate) shell: Shell,
}

/// `pawl man`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pawl man ~/.local/share/man/man1
  man pawl-run")]
pub(crate) struct ManArgs {
    /// The folder, such as one named man1; it is made where there is none
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
}

/// `pawl reference`.
#[derive(Debug, Args)]
pub(crate) struct ReferenceArgs {
    /// Of what
    #[arg(value_enum)]
    pub(crate) of: Reference,
}

/// A reference of the manual.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Reference {
    /// The command line
    Cli,
    /// The HTTP API
    Http,
}
