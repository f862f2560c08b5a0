//! `pawl lineage` and `pawl verify`.

use clap::Args;

use super::TenantArgs;

/// `pawl lineage`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pawl lineage sugg_4f1c2d3e4a5b
  pawl lineage support@2
  pawl lineage 01935d1e-8a4c-7def-9abc-def012345678 --json | jq '.led_to_it[] | {kind, id}'

What has a place there: interactions that a pattern cites, patterns, suggestions with their drafts and what was \
decided about them, finished runs, candidates, verdicts, versions of prompts (NAME@NUMBER) and prompts (NAME). A \
suggestion, its draft and its approval share an id.")]
pub(crate) struct LineageArgs {
    /// The id of anything in the loop; of an interaction also the one that the agent gave it
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    /// Show every node; else of many of a kind the first three, and how many more there are
    #[arg(long)]
    pub(crate) all: bool,
    /// Print JSON, with every node
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) tenant: TenantArgs,
}

/// `pawl verify`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pawl verify
  pawl verify --json | jq -r .head

Every entry has to follow from the one before it, and every row has to be what its newest entry says. The first link \
that is broken is named. Whoever may write to the database could write all of it anew: note the hash at the end of the \
chain elsewhere, and compare.

Exit codes:
  0  whole
  1  broken
  2  usage or configuration
  3  infrastructure")]
pub(crate) struct VerifyArgs {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) tenant: TenantArgs,
}
