//! `pawl review`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use pawl_model::{ExportFormat, Severity, SuggestionStatus, SuggestionType};

use super::TenantArgs;

/// `pawl review`.
#[derive(Debug, Subcommand)]
pub(crate) enum ReviewCommand {
    /// List suggestions: the worst first, and of those that are as bad the oldest
    List(ReviewListArgs),
    /// Show a suggestion: what went wrong, its draft, its proof and its history
    Show(ReviewShowArgs),
    /// Write the draft of a pending suggestion, in an editor or from a file, and prove it anew
    Edit(ReviewEditArgs),
    /// Approve pending suggestions: their tests belong to the suite `approved` from then on
    Approve(ReviewApproveArgs),
    /// Reject a pending suggestion
    Reject(ReviewRejectArgs),
    /// Write approved tests as a file of another tool
    Export(ReviewExportArgs),
}

/// `pawl review list`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pawl review list
  pawl review list --status approved --type eval --json")]
pub(crate) struct ReviewListArgs {
    /// Only those with this status: pending, approved, rejected or all
    #[arg(long, value_name = "STATUS", default_value = "pending", value_parser = status)]
    pub(crate) status: StatusChoice,
    /// Only those of this kind: eval, guardrail or runbook
    #[arg(long = "type", value_name = "TYPE", value_parser = suggestion_type)]
    pub(crate) suggestion_type: Option<SuggestionType>,
    /// Only those with this severity: low, medium, high or critical
    #[arg(long, value_name = "SEVERITY", value_parser = severity)]
    pub(crate) severity: Option<Severity>,
    /// At most so many
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) limit: u32,
    /// Print JSON, a line each
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) tenant: TenantArgs,
}

/// Which status; none for all.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StatusChoice(pub(crate) Option<SuggestionStatus>);

fn status(word: &str) -> Result<StatusChoice, String> {
    match (word, SuggestionStatus::parse(word)) {
        ("all", _) => Ok(StatusChoice(None)),
        (_, Some(status)) => Ok(StatusChoice(Some(status))),
        _ => Err("expected pending, approved, rejected or all".to_owned()),
    }
}

fn suggestion_type(word: &str) -> Result<SuggestionType, String> {
    SuggestionType::parse(word).ok_or_else(|| "expected eval, guardrail or runbook".to_owned())
}

fn severity(word: &str) -> Result<Severity, String> {
    Severity::parse(word).ok_or_else(|| "expected low, medium, high or critical".to_owned())
}

/// `pawl review show`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pawl review show sugg_3f2a9c1b7d40
  pawl review show sugg_3f2a9c1b7d40 --json | jq .suggestion_content.eval_test_proof")]
pub(crate) struct ReviewShowArgs {
    /// The suggestion, as `pawl review list` shows it
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) tenant: TenantArgs,
}

/// `pawl review edit`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pawl review edit sugg_3f2a9c1b7d40
  pawl review edit sugg_3f2a9c1b7d40 --file draft.json
  pawl review show sugg_3f2a9c1b7d40 --json | jq .suggestion_content.eval_test > draft.json

Without --file the draft opens in $VISUAL or $EDITOR. Sentences of these forms need no judge, and are proven at once:

  Must [not] call TOOL [before TOOL]
  Must [not] contain \"TEXT\"
  Must [not] match /RE/
  Must be valid JSON [with KEY]
  Must have at most N characters, words or calls
  Must [not] refuse")]
pub(crate) struct ReviewEditArgs {
    /// The suggestion
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    /// A file with the draft as JSON, in which what Pawl writes itself may be left out; `-` for standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) reviewer: ReviewerArgs,
    #[command(flatten)]
    pub(crate) tenant: TenantArgs,
}

/// Who decides.
#[derive(Debug, Args)]
pub(crate) struct ReviewerArgs {
    /// Who decides, as the history names them [default: the address of the user]
    #[arg(long, value_name = "NAME")]
    pub(crate) by: Option<String>,
}

/// `pawl review approve`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pawl review approve sugg_3f2a9c1b7d40
  pawl review approve sugg_3f2a9c1b7d40 --notes 'looked at by hand' --by Ada

A draft that needs human input has to be edited first. Where the proof is refuted or unproven, approving it all the \
same needs a note.")]
pub(crate) struct ReviewApproveArgs {
    /// The suggestions
    #[arg(value_name = "ID", required = true)]
    pub(crate) ids: Vec<String>,
    /// A note for whoever reads the history
    #[arg(long, value_name = "TEXT")]
    pub(crate) notes: Option<String>,
    #[command(flatten)]
    pub(crate) reviewer: ReviewerArgs,
    #[command(flatten)]
    pub(crate) tenant: TenantArgs,
}

/// `pawl review reject`.
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  pawl review reject sugg_3f2a9c1b7d40 --reason 'the policy has changed: this is right now'")]
pub(crate) struct ReviewRejectArgs {
    /// The suggestion
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    /// Why it is not wanted, for whoever reads the history
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: String,
    #[command(flatten)]
    pub(crate) reviewer: ReviewerArgs,
    #[command(flatten)]
    pub(crate) tenant: TenantArgs,
}

/// `pawl review export`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pawl review export --format promptfoo --output promptfooconfig.yaml
  pawl review export sugg_3f2a9c1b7d40 --format pytest > test_approved_drafts.py")]
pub(crate) struct ReviewExportArgs {
    /// Only these suggestions [default: all that are approved]
    #[arg(value_name = "ID")]
    pub(crate) ids: Vec<String>,
    /// As what: promptfoo, deepeval, pytest, jsonl or yaml
    #[arg(long, value_name = "FORMAT", default_value = "yaml", value_parser = export_format)]
    pub(crate) format: ExportFormat,
    /// A file in place of standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) tenant: TenantArgs,
}

fn export_format(word: &str) -> Result<ExportFormat, String> {
    ExportFormat::parse(word).ok_or_else(|| "expected promptfoo, deepeval, pytest, jsonl or yaml".to_owned())
}
