//! Every command that a document shows, against the command line as it is.

use std::path::{Path, PathBuf};

use clap::Parser as _;
use clap::error::ErrorKind;

use super::Cli;

/// The Markdown files of the repository that speak of commands.
fn documents() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = vec![root.join("README.md"), root.join("ARCHITECTURE.md")];
    let mut folders = vec![root.join("docs"), root.join("examples")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && !path.ends_with("node_modules") {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                found.push(path);
            }
        }
    }
    found
}

/// The commands of ours in blocks of code, up to what a shell takes for itself.
fn shown(document: &str) -> Vec<String> {
    let document = document.replace("\\\n", " ");
    let mut in_fence = false;
    let mut commands = Vec::new();
    for line in document.lines() {
        in_fence ^= line.starts_with("```");
        let code = if in_fence {
            Some(line)
        } else {
            line.strip_prefix("    ")
        };
        // In the help of a command, `<FILE>` and `[OPTIONS]` stand for what is to be written.
        let commands_of_ours = code.into_iter().flat_map(|code| code.split(" | ")).map(str::trim);
        commands.extend(
            commands_of_ours
                .filter(|command| command.starts_with("pawl ") && !command.contains(['<', '[']))
                .map(|command| command.split("  #").next().unwrap_or_default())
                .map(|command| command.split(" >").next().unwrap_or_default())
                .map(|command| command.trim_end_matches('&').trim_end().to_owned()),
        );
    }
    commands
}

/// The commands of ours between backticks, which may leave out what has to follow.
fn mentioned(document: &str) -> Vec<String> {
    let lines = document
        .lines()
        .filter(|line| !line.starts_with("    ") && !line.starts_with("```"));
    let spans = lines.flat_map(|line| line.split('`').skip(1).step_by(2));
    let commands = spans.filter(|span| span.starts_with("pawl ") && !span.contains(['…', '<', '[']));
    commands.map(str::to_owned).collect()
}

/// What is wrong with a command; values are placeholders, as often as not.
fn fault(command: &str, may_be_short: bool) -> Option<String> {
    let words = shlex::split(command)?;
    let error = Cli::try_parse_from(words).err()?;
    match error.kind() {
        ErrorKind::ValueValidation | ErrorKind::InvalidValue => None,
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => None,
        ErrorKind::MissingRequiredArgument | ErrorKind::MissingSubcommand if may_be_short => None,
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand if may_be_short => None,
        _ => Some(format!("{command}\n{error}")),
    }
}

#[test]
fn every_command_of_the_documents_exists() {
    let mut faults = Vec::new();
    let mut commands = 0;
    for path in documents() {
        let document = std::fs::read_to_string(&path).unwrap();
        let shown = shown(&document).into_iter().filter_map(|command| {
            commands += 1;
            fault(&command, false)
        });
        let wrong: Vec<String> = shown.collect();
        let mentioned = mentioned(&document)
            .into_iter()
            .filter_map(|command| fault(&command, true));
        let wrong = wrong.into_iter().chain(mentioned);
        faults.extend(wrong.map(|fault| format!("{}: {fault}", path.display())));
    }
    assert!(commands > 100, "{commands}");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
