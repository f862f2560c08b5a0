//! `cargo xtask docs`: the documents of the manual that the binary writes.

use std::fs;
use std::process::{Command, ExitCode};

use anyhow::{Context as _, ensure};

/// What the binary is asked for, and the file that it becomes.
const DOCUMENTS: [(&str, &str); 2] = [("cli", "docs/CLI.md"), ("http", "docs/HTTP.md")];

/// Builds the binary and writes them.
///
/// # Errors
/// When it cannot be built, or a file cannot be written.
pub(crate) fn generate() -> anyhow::Result<ExitCode> {
    let metadata = cargo_metadata::MetadataCommand::new().no_deps().exec()?;
    // All before the first is written: they are in the binary, which is built anew where one changes.
    let mut written = Vec::new();
    for (of, file) in DOCUMENTS {
        let output = Command::new(env!("CARGO"))
            .args(["run", "--quiet", "--package", "pawl", "--", "reference", of])
            .current_dir(&metadata.workspace_root)
            .stderr(std::process::Stdio::inherit())
            .output()
            .context("cannot run cargo")?;
        ensure!(output.status.success(), "`pawl reference {of}` failed");
        written.push((file, output.stdout));
    }
    for (file, text) in written {
        fs::write(metadata.workspace_root.join(file), text)
            .with_context(|| format!("cannot write {file}"))?;
    }
    Ok(ExitCode::SUCCESS)
}
