//! `pawl export`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::TenantArgs;
use super::values::rate;

/// `pawl export`.
#[derive(Debug, Subcommand)]
pub(crate) enum ExportCommand {
    /// Write interactions, the oldest first, masked as the policy says
    Interactions(ExportInteractionsArgs),
    /// Write the suite of approved tests as a file of another tool; the same as `pawl review export`
    Suite(super::ReviewExportArgs),
}

/// `pawl export interactions`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pawl export interactions > interactions.jsonl
  pawl export interactions --format csv --from 2026-03-01 --until 2026-03-31 --output march.csv
  pawl export interactions --flag hallucination --max-score 0.5 --search 'refund \"order number\"'

Days are the tenant's own, in the time zone of the policy; --until is the last one.")]
pub(crate) struct ExportInteractionsArgs {
    /// How they are written
    #[arg(long, value_enum, default_value_t = ExportFormat::Jsonl)]
    pub(crate) format: ExportFormat,
    /// A file in place of standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// From this day on
    #[arg(long, value_name = "YYYY-MM-DD", value_parser = day)]
    pub(crate) from: Option<time::Date>,
    /// Up to this day
    #[arg(long, value_name = "YYYY-MM-DD", value_parser = day)]
    pub(crate) until: Option<time::Date>,
    /// Only those with this flag; may be given several times, for those with any of them
    #[arg(long = "flag", value_name = "FLAG")]
    pub(crate) flags: Vec<String>,
    /// Only those with at least this score, from 0 to 1
    #[arg(long, value_name = "SCORE", value_parser = rate)]
    pub(crate) min_score: Option<f64>,
    /// Only those with at most this score, from 0 to 1
    #[arg(long, value_name = "SCORE", value_parser = rate)]
    pub(crate) max_score: Option<f64>,
    /// Only those in which all these words and "phrases" stand
    #[arg(long, value_name = "TEXT")]
    pub(crate) search: Option<String>,
    #[command(flatten)]
    pub(crate) tenant: TenantArgs,
}

/// How rows are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportFormat {
    /// A JSON object a line
    Jsonl,
    /// A table for spreadsheets
    Csv,
    /// A document of OTLP a line: the trace of each, with an event for its score
    Otlp,
}

fn day(text: &str) -> Result<time::Date, String> {
    time::Date::parse(text, &time::format_description::well_known::Iso8601::DATE)
        .map_err(|_| "a day such as 2026-03-01 is expected".to_owned())
}
