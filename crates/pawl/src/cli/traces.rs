//! `pawl import` and `pawl online-checks`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::TenantArgs;

/// `pawl import`.
#[derive(Debug, Subcommand)]
pub(crate) enum ImportCommand {
    /// Store traces from files, as if they were handed in now
    Traces(ImportTracesArgs),
}

/// `pawl import traces`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pawl import traces spans.json --format datadog
  pawl export interactions --format otlp | pawl import traces - --user other@example.org

A file holds one document, or several one after the other, such as one on each line. What is stored already is left as \
it is, so that the same file can be imported again.")]
pub(crate) struct ImportTracesArgs {
    /// Files with traces; `-` for standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// What wrote them
    #[arg(long, value_enum, default_value_t = TraceFormat::Otlp)]
    pub(crate) format: TraceFormat,
    #[command(flatten)]
    pub(crate) tenant: TenantArgs,
}

/// How traces are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TraceFormat {
    /// Traces of OpenTelemetry: OTLP in JSON
    Otlp,
    /// Answers of the Export API of Datadog LLM Observability
    Datadog,
}

/// `pawl online-checks`.
#[derive(Debug, Subcommand)]
pub(crate) enum OnlineChecksCommand {
    /// Score arriving traces by the checks of a file, from now on
    Set(OnlineChecksSetArgs),
    /// Print the checks, as they were set
    Show(OnlineChecksArgs),
    /// Score no more traces
    Clear(OnlineChecksArgs),
}

/// `pawl online-checks set`.
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  pawl online-checks set checks.yaml

The file is a list of checks, as such or under `assert`, as suites have it: see \"Checks\" in the manual. Its content is \
kept with the policy.")]
pub(crate) struct OnlineChecksSetArgs {
    /// YAML with a list of checks
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) tenant: TenantArgs,
}

/// `pawl online-checks show` and `clear`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pawl online-checks show > checks.yaml
  pawl online-checks clear")]
pub(crate) struct OnlineChecksArgs {
    #[command(flatten)]
    pub(crate) tenant: TenantArgs,
}
