//! Exit codes: 0 pass, 1 the gate failed, 2 usage or configuration, 3 infrastructure or coverage.

use std::io::{self, Write as _};
use std::process::ExitCode;

use owo_colors::OwoColorize as _;
use pawl_engine::{EngineError, Fault};

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Exit {
    /// All is well.
    Passed,
    /// The gate failed.
    GateFailed,
    /// Something that we depend on did not work, or too little could be judged.
    Infrastructure,
    /// What was asked cannot be done as asked.
    Usage,
    /// Quit by a second Ctrl-C; the code that shells give.
    Interrupted,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Passed => 0,
            Exit::GateFailed => 1,
            Exit::Usage => 2,
            Exit::Infrastructure => 3,
            Exit::Interrupted => 130,
        })
    }
}

/// Something that was asked and cannot be done as asked.
#[derive(Debug)]
pub(crate) struct Usage(pub(crate) String);

impl std::fmt::Display for Usage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// Whether whoever read our output has gone.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let kind = |cause: &(dyn std::error::Error + 'static)| {
        let of_json = || cause.downcast_ref::<serde_json::Error>()?.io_error_kind();
        let of_csv = || match cause.downcast_ref::<csv::Error>()?.kind() {
            csv::ErrorKind::Io(error) => Some(error.kind()),
            _ => None,
        };
        cause
            .downcast_ref::<io::Error>()
            .map(io::Error::kind)
            .or_else(of_json)
            .or_else(of_csv)
    };
    error
        .chain()
        .any(|cause| kind(cause) == Some(io::ErrorKind::BrokenPipe))
}

/// An error and its causes, each told once: some end with the words of their own cause.
pub(crate) fn told(error: &anyhow::Error) -> Vec<String> {
    let mut told: Vec<String> = Vec::new();
    for cause in error.chain().map(ToString::to_string) {
        if !told.last().is_some_and(|before| before.ends_with(&cause)) {
            told.push(cause);
        }
    }
    told
}

/// Says on standard error what failed and why, and which exit code that is.
pub(crate) fn report(error: &anyhow::Error) -> ExitCode {
    if is_broken_pipe(error) {
        // Whoever read our output has had enough of it.
        return Exit::Infrastructure.into();
    }
    let mut stderr = anstream::stderr();
    // Where standard error is gone there is nobody left to tell.
    let _ = writeln!(stderr, "{} {error}", "error:".red().bold());
    for cause in told(error).iter().skip(1) {
        let _ = writeln!(stderr, "  because: {cause}");
    }
    if let Some(help) = error
        .chain()
        .find_map(|cause| cause.downcast_ref::<EngineError>()?.help())
    {
        let _ = writeln!(stderr, "  help: {help}");
    }
    of(error).into()
}

/// The exit code of an error.
pub(crate) fn of(error: &anyhow::Error) -> Exit {
    error
        .chain()
        .find_map(|cause| {
            if cause.is::<Usage>() {
                return Some(Exit::Usage);
            }
            cause
                .downcast_ref::<EngineError>()
                .map(|error| match error.fault() {
                    Fault::Usage => Exit::Usage,
                    Fault::Infrastructure => Exit::Infrastructure,
                })
        })
        .unwrap_or(Exit::Infrastructure)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_is_told_once() {
        let refused = anyhow::anyhow!("refused").context("cannot connect: refused");
        assert_eq!(
            told(&refused.context("no database")),
            ["no database", "cannot connect: refused"]
        );
    }

    #[test]
    fn a_reader_who_has_gone_is_known_by_whatever_was_written() {
        let broken = || io::Error::from(io::ErrorKind::BrokenPipe);
        assert!(is_broken_pipe(&broken().into()));
        assert!(is_broken_pipe(&anyhow::Error::new(csv::Error::from(broken()))));
        let full = io::Error::from(io::ErrorKind::StorageFull);
        assert!(!is_broken_pipe(&anyhow::Error::new(csv::Error::from(full))));
    }
}
