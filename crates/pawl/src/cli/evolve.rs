//! Evolving prompts, and what is live: `pawl evolve`, `pawl prompt`, `pawl promote`, `pawl rollback`.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};
use pawl_engine::ModelSpec;
use pawl_model::Usd;

use super::TenantArgs;
use super::values::seconds;

/// `pawl evolve`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pawl evolve suite.yaml --prompt prompt.txt --target openai:gpt-5.4-mini --reflector openai:gpt-5.4
  pawl evolve approved --prompt support --target 'exec:python3 agent.py' --max-metric-calls 600
  pawl evolve suite.yaml --prompt support --target http://127.0.0.1:9000/answer --resume aor_…

The cases of the suite are split by a hash of their ids, once and for all: of ten, four to learn from, three to compare \
candidates on, three that the search never sees and that `pawl promote` compares on. A target is given the texts of a \
candidate as `prompt`; to a model they are the system message. Nothing becomes live by this.

Exit codes:
  0  a limit is reached, or there is nothing left to learn
  2  usage or configuration
  3  infrastructure, or stopped: --resume goes on")]
pub(crate) struct EvolveArgs {
    /// The suite: a file, or `approved`
    #[arg(value_name = "SUITE")]
    pub(crate) suite: PathBuf,
    /// The prompt to begin with: a file with its text, or the name of one that is live
    #[arg(long, value_name = "FILE|NAME")]
    pub(crate) prompt: String,
    /// What runs candidates, as for `pawl run`
    #[arg(long, value_name = "TARGET")]
    pub(crate) target: String,
    /// Further checks for every case: a preset (user-story) or a file with a list of them
    #[arg(long, value_name = "PRESET|FILE")]
    pub(crate) checks: Option<String>,
    /// The model that proposes texts [default: the first provider that there is a key for]
    #[arg(long, value_name = "MODEL")]
    pub(crate) reflector: Option<ModelSpec>,
    /// How often a candidate is tried on a case, at most: calls of the target
    #[arg(long, value_name = "N", default_value_t = 500)]
    pub(crate) max_metric_calls: u64,
    /// What models and target may cost together, in US dollars [default: no limit]
    #[arg(long, value_name = "USD", value_parser = dollars)]
    pub(crate) max_cost: Option<Usd>,
    /// With --max-cost: what one call of the target may cost at most, its judges included, in US dollars; so much is set
    /// aside before each
    #[arg(long, value_name = "USD", value_parser = dollars, default_value = "0.10", requires = "max_cost")]
    pub(crate) max_call_cost: Usd,
    /// Decides the choices by chance: with the same seed, suite and answers the search is the same
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Steps that are under way at once; more keep more workers busy, but each knows less of the others
    #[arg(long, value_name = "L", default_value = "1")]
    pub(crate) look_ahead: NonZeroUsize,
    /// Calls at once
    #[arg(long, value_name = "N", default_value = "8")]
    pub(crate) workers: NonZeroUsize,
    /// How long the target may take for a case, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    pub(crate) timeout: Duration,
    /// How much a kind of check counts, by its name or metric; may be given several times [default: the suite's own
    /// weights]
    #[arg(long = "weight", value_name = "NAME=WEIGHT", value_parser = weight)]
    pub(crate) weights: Vec<(String, f64)>,
    /// Ask everything anew, also what an earlier search asked: for a target that has changed behind its name
    #[arg(long)]
    pub(crate) fresh: bool,
    /// Go on with an optimisation that was stopped or killed
    #[arg(long, value_name = "RUN")]
    pub(crate) resume: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) tenant: TenantArgs,
}

fn weight(text: &str) -> Result<(String, f64), String> {
    let parts = text.rsplit_once('=');
    let read = parts.and_then(|(name, weight)| Some((name.to_owned(), weight.parse().ok()?)));
    read.ok_or_else(|| "expected a name and a number, such as tone=2".to_owned())
}

fn dollars(text: &str) -> Result<Usd, String> {
    Usd::parse(text).ok_or_else(|| "expected an amount of US dollars, such as 2.50".to_owned())
}

/// `pawl prompt`.
#[derive(Debug, Subcommand)]
pub(crate) enum PromptCommand {
    /// Add a prompt: its first version, live at once
    Add(PromptAddArgs),
    /// List prompts and their live versions
    List(PromptListArgs),
    /// Show a prompt: its live text, its versions, and what was decided
    Show(PromptShowArgs),
}

/// `pawl prompt add`.
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  pawl prompt add support prompt.txt

After the first version one becomes live only through the gate: see `pawl promote`.")]
pub(crate) struct PromptAddArgs {
    /// Its name: letters, digits, `.`, `_` and `-`
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    /// A file with its text; `-` for standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) tenant: TenantArgs,
}

/// `pawl prompt list`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pawl prompt list
  pawl prompt list --json | jq -r .name")]
pub(crate) struct PromptListArgs {
    /// Print JSON, a line each
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) tenant: TenantArgs,
}

/// `pawl prompt show`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pawl prompt show support
  pawl prompt show support --json | jq .live.version")]
pub(crate) struct PromptShowArgs {
    /// Its name
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) tenant: TenantArgs,
}

/// `pawl promote`.
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  pawl promote apc_… --prompt support --by Ada --reason 'the refund tests pass'

The candidate is compared with the live prompt on the cases that the search never saw; every approved test has to \
pass, and no control (a case with `metadata: {control: true}`) that the live prompt passes may fail. What was found is \
recorded, refusals too.

Exit codes:
  0  it is live
  1  it was refused
  2  usage or configuration
  3  infrastructure")]
pub(crate) struct PromoteArgs {
    /// The candidate, as `pawl evolve` shows it
    #[arg(value_name = "CANDIDATE")]
    pub(crate) candidate: String,
    /// The prompt that it is to become
    #[arg(long, value_name = "NAME")]
    pub(crate) prompt: String,
    /// Who decides, as the history names them
    #[arg(long, value_name = "NAME")]
    pub(crate) by: String,
    /// Why, for whoever reads the history
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: String,
    /// Make it live though the gate refuses it; that is recorded
    #[arg(long)]
    pub(crate) r#override: bool,
    /// Calls at once
    #[arg(long, value_name = "N", default_value = "8")]
    pub(crate) workers: NonZeroUsize,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) tenant: TenantArgs,
}

/// `pawl rollback`.
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  pawl rollback --prompt support --by Ada --reason 'too chatty'")]
pub(crate) struct RollbackArgs {
    /// The prompt
    #[arg(long, value_name = "NAME")]
    pub(crate) prompt: String,
    /// The version to go back to [default: the one before the live one]
    #[arg(long, value_name = "N")]
    pub(crate) to: Option<i64>,
    /// Who decides, as the history names them
    #[arg(long, value_name = "NAME")]
    pub(crate) by: String,
    /// Why, for whoever reads the history
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: String,
    #[command(flatten)]
    pub(crate) tenant: TenantArgs,
}
