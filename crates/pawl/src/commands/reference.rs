//! `pawl reference`: the generated documents of the manual.

use std::fmt::Write as _;
use std::io::Write as _;

use clap::{Arg, Command, CommandFactory as _};

use crate::cli::{Cli, Reference, ReferenceArgs};
use crate::exit::Exit;

/// The heading of the options that say where the data is; they stand once, for all commands.
const DATABASE: &str = "Database";

/// Characters of a line at most.
const WIDTH: usize = 120;

const HEAD: &str = "\
# Command line

Every command, made from what its `--help` says by `cargo xtask docs`. Data goes to standard output, everything else
to standard error. Settings that are no flags stand in [configuration](CONFIGURATION.md).

| exit code | meaning |
|--:|---|
| 0 | done; of `pawl run` and `pawl promote`: passed |
| 1 | the gate failed; of `pawl verify`: the lineage is broken |
| 2 | usage or configuration |
| 3 | infrastructure, or coverage under its floor |
| 130 | ended at once by a second Ctrl-C |
";

/// Prints a reference.
pub(crate) fn reference(args: &ReferenceArgs) -> anyhow::Result<Exit> {
    let page = match args.of {
        Reference::Cli => command_line(),
        Reference::Http => pawl_server::reference(),
    };
    std::io::stdout().lock().write_all(page.as_bytes())?;
    Ok(Exit::Passed)
}

fn command_line() -> String {
    let mut root = Cli::command();
    root.build();
    let mut page = HEAD.to_owned();
    let mut commands = String::new();
    let mut shared = Vec::new();
    for command in visible(&root) {
        write_command(&mut commands, "##", command, &mut shared);
    }
    page.push_str("\n## The database\n\nCommands that read or write the database have these options, those of a tenant's data the last one as well.\n");
    write_arguments(&mut page, shared.iter());
    page.push_str(&commands);
    page
}

fn visible(command: &Command) -> impl Iterator<Item = &Command> {
    let commands = command.get_subcommands();
    commands.filter(|command| !command.is_hide_set() && command.get_name() != "help")
}

/// A command and those below it; options of the database are added to `shared`.
fn write_command(page: &mut String, level: &str, command: &Command, shared: &mut Vec<Arg>) {
    let name = command.get_bin_name().unwrap_or_else(|| command.get_name());
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    _ = write!(page, "\n{level} {name}\n\n{}.\n", plain(&about));
    if command.has_subcommands() {
        for command in visible(command) {
            write_command(page, "###", command, shared);
        }
        return;
    }
    let usage = command.clone().render_usage().to_string();
    _ = write!(page, "\n    {}\n", usage.trim_start_matches("Usage: "));
    let known = |arg: &&Arg| !["help", "version"].contains(&arg.get_id().as_str()) && !arg.is_hide_set();
    let arguments = command.get_arguments().filter(known);
    let (database, own): (Vec<&Arg>, Vec<&Arg>) =
        arguments.partition(|arg| arg.get_help_heading() == Some(DATABASE));
    if !own.is_empty() {
        write_arguments(page, own.into_iter());
    }
    if !database.is_empty() {
        let names: Vec<String> = database.iter().map(|arg| format!("`{}`", written(arg))).collect();
        _ = write!(page, "\n[The database](#the-database): {}.\n", names.join(", "));
    }
    for arg in database {
        if !shared.iter().any(|known| known.get_id() == arg.get_id()) {
            shared.push(arg.clone());
        }
    }
    if let Some(help) = command.get_after_help() {
        write_help(page, &help.to_string());
    }
}

fn write_arguments<'a>(page: &mut String, arguments: impl Iterator<Item = &'a Arg>) {
    page.push_str("\n| option | |\n|---|---|\n");
    for arg in arguments {
        let mut about = plain(&arg.get_help().map(ToString::to_string).unwrap_or_default());
        let values: Vec<String> = arg
            .get_possible_values()
            .iter()
            .filter(|value| !value.is_hide_set() && arg.get_action().takes_values())
            .map(|value| {
                let help = value
                    .get_help()
                    .map(|help| format!(" ({})", uncapitalised(&plain(&help.to_string()))));
                format!("`{}`{}", value.get_name(), help.unwrap_or_default())
            })
            .collect();
        if !values.is_empty() {
            _ = write!(about, ": {}", values.join(", "));
        }
        let defaults: Vec<_> = arg
            .get_default_values()
            .iter()
            .map(|value| value.to_string_lossy())
            .collect();
        if !defaults.is_empty() && arg.get_action().takes_values() {
            _ = write!(about, "; `{}` unless given", defaults.join(" "));
        }
        if let Some(variable) = arg.get_env() {
            _ = write!(about, "; also `{}`", variable.to_string_lossy());
        }
        if arg.is_required_set() {
            about.push_str("; required");
        }
        _ = writeln!(
            page,
            "| `{}` | {} |",
            written(arg).replace('|', "\\|"),
            about.replace('|', "\\|")
        );
    }
}

/// An argument as it is typed.
fn written(arg: &Arg) -> String {
    let values = arg.get_value_names().unwrap_or_default();
    let values: Vec<&str> = values.iter().map(|value| value.as_str()).collect();
    let values = if arg.get_action().takes_values() {
        values.join(" ")
    } else {
        String::new()
    };
    match arg.get_long() {
        Some(long) => ["--", long, " ", &values].concat().trim_end().to_owned(),
        None => values,
    }
}

/// Text as text, lines that are indented as code.
fn write_help(page: &mut String, help: &str) {
    let mut before = "";
    for line in help.lines() {
        if line.is_empty() {
            before = line;
            continue;
        }
        let code = line.strip_prefix("  ");
        let was_code = before.starts_with("  ");
        if before.is_empty() || was_code != code.is_some() {
            page.push('\n');
        }
        match code {
            Some(code) => _ = writeln!(page, "    {code}"),
            None => _ = writeln!(page, "{}", wrapped(&plain(line))),
        }
        before = line;
    }
}

/// A paragraph in lines of a readable length.
fn wrapped(text: &str) -> String {
    let mut wrapped = String::new();
    let mut length = 0;
    for word in text.split(' ') {
        let letters = word.chars().count();
        if length > 0 && length + letters >= WIDTH {
            wrapped.push('\n');
            length = 0;
        } else if length > 0 {
            wrapped.push(' ');
            length += 1;
        }
        wrapped.push_str(word);
        length += letters;
    }
    wrapped
}

/// A text on one line, without what Markdown would take for more; variables, and what stands in backticks, are code.
fn plain(text: &str) -> String {
    let mut in_code = false;
    let words = text.split_whitespace().map(|word| {
        let name = word
            .trim_matches(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_' && letter != '$');
        let is_name = name.contains('_') && !name.contains(|letter: char| letter.is_ascii_lowercase());
        let escaped = if is_name && !in_code && !word.contains('`') {
            word.replacen(name, &format!("`{name}`"), 1)
        } else {
            escaped(word, in_code)
        };
        in_code ^= word.matches('`').count() % 2 == 1;
        escaped
    });
    words.collect::<Vec<_>>().join(" ")
}

/// A word without markup, apart from what is code in it.
fn escaped(word: &str, mut in_code: bool) -> String {
    let mut escaped = String::new();
    for letter in word.chars() {
        in_code ^= letter == '`';
        if !in_code && matches!(letter, '<' | '*' | '_' | '[') {
            escaped.push('\\');
        }
        escaped.push(letter);
    }
    escaped
}

/// A text that begins in lower case, where it does not begin with a name.
fn uncapitalised(text: &str) -> String {
    let mut letters = text.chars();
    match (letters.next(), letters.clone().next()) {
        (Some(first), Some(second)) if second.is_lowercase() || second == ' ' => {
            first.to_lowercase().to_string() + letters.as_str()
        }
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_help_text_is_markup() {
        assert_eq!(
            plain("a <b>  [c]\nd_e `f_g <h>`"),
            "a \\<b> \\[c] d\\_e `f_g <h>`"
        );
    }

    #[test]
    fn hidden_commands_are_left_out_and_options_of_the_database_stand_once() {
        let page = command_line();
        assert!(
            page.contains("\n## pawl run\n") && page.contains("\n### pawl key create\n"),
            "{page}"
        );
        assert!(
            !page.contains("story-agent`") && !page.contains("## pawl reference"),
            "{page}"
        );
        assert_eq!(
            page.matches("| `--data DIR` | Folder of the embedded").count(),
            1,
            "{page}"
        );
    }
}
