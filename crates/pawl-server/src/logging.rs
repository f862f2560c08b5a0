//! The server's own log, on standard error.

use std::io;

use pawl_engine::EngineError;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::ParseError;

/// What is logged where `RUST_LOG` says nothing: what happens here, and what goes wrong elsewhere.
const DEFAULT: &str = "warn,pawl=info,pawl_server=info,pawl_engine=info,pawl_store=info";

/// How lines are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    Text,
    /// A JSON object a line.
    Json,
}

/// Starts to write the log of this process, as `RUST_LOG` filters it. A second start changes nothing.
///
/// # Errors
/// When `RUST_LOG` cannot be read.
pub fn start_logging(format: LogFormat) -> Result<(), ParseError> {
    let filter = match std::env::var(EnvFilter::DEFAULT_ENV) {
        Ok(directives) if !directives.is_empty() => EnvFilter::try_new(directives)?,
        _ => EnvFilter::try_new(DEFAULT)?,
    };
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(io::stderr)
        .with_target(false);
    // Fails only where a log was started before.
    let _ = match format {
        LogFormat::Text => log
            .with_ansi(io::IsTerminal::is_terminal(&io::stderr()))
            .try_init(),
        LogFormat::Json => log.json().flatten_event(true).with_current_span(false).try_init(),
    };
    Ok(())
}

/// Logs that something which nobody waits for went wrong.
pub fn log_failure(error: &EngineError) {
    tracing::error!(
        error = error as &dyn std::error::Error,
        "work in the background failed; it is tried again"
    );
}
