//! `pawl run` and `pawl compare`.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use pawl_engine::run::CacheMode;
use pawl_model::RunId;

use super::TenantArgs;
use super::values::{concurrency, rate, run_id, seconds};
use crate::output::Format;

/// `pawl run`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pawl run stories.json --target 'exec:python3 agent.py' --checks user-story
  pawl run promptfooconfig.yaml --format junit --output results.xml
  pawl run cases.jsonl --outputs recorded.jsonl --checks checks.yaml --min-pass-rate 0.95
  pawl run suite.yaml --target http://localhost:9000/answer --trials 5 --baseline latest

Exit codes:
  0  passed
  1  the gate failed: the pass rate is under --min-pass-rate, or significantly under the baseline's
  2  usage or configuration
  3  infrastructure, or coverage under --min-coverage")]
pub(crate) struct RunArgs {
    /// Suites: promptfoo-style YAML, a file of inputs (JSON), cases as JSONL or CSV, or `approved`: the approved tests
    #[arg(required = true, value_name = "SUITE")]
    pub(crate) suites: Vec<PathBuf>,
    /// What produces the outputs, in place of what the suite names: exec:COMMAND, http(s)://…, openai:MODEL,
    /// google:MODEL, vertex:MODEL, anthropic:MODEL, ollama:MODEL, echo
    #[arg(long, value_name = "TARGET", conflicts_with = "outputs")]
    pub(crate) target: Option<String>,
    /// Grade outputs that were recorded before: JSON lines with `id` and `output`
    #[arg(long, value_name = "FILE")]
    pub(crate) outputs: Option<PathBuf>,
    /// Keep the processes of an exec: target alive; they read and write JSON lines
    #[arg(long, requires = "target")]
    pub(crate) persistent: bool,
    /// Checks for every case: a preset (user-story) or a file with a list of them
    #[arg(long, value_name = "PRESET|FILE")]
    pub(crate) checks: Option<String>,
    /// The model that judges where a check names none, in place of what the suite names, such as openai:MODEL
    #[arg(long, value_name = "MODEL")]
    pub(crate) judge: Option<String>,
    /// Whether to use what models, http(s):// targets and judges answered before, in the last 14 days
    #[arg(long, value_enum, default_value_t = Cache::Off)]
    pub(crate) cache: Cache,
    /// How often to run each case
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1_000))]
    pub(crate) trials: u16,
    /// How many cases to have under way at once [default: 8; more where nothing is waited for]
    #[arg(long, value_name = "N", value_parser = concurrency)]
    pub(crate) concurrency: Option<NonZeroUsize>,
    /// How long a target may take for one case, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    pub(crate) timeout: Duration,
    /// Compare with this run, and fail where the pass rate is lower by more than chance explains
    #[arg(long, value_name = "RUN|latest", help_heading = "Gate")]
    pub(crate) baseline: Option<Baseline>,
    /// The least share of all cases that has to pass, from 0 to 1
    #[arg(long, value_name = "RATE", default_value_t = 1.0, value_parser = rate, help_heading = "Gate")]
    pub(crate) min_pass_rate: f64,
    /// The least share of all cases that has to be judged (passed or failed), from 0 to 1
    #[arg(long, value_name = "RATE", default_value_t = 1.0, value_parser = rate, help_heading = "Gate")]
    pub(crate) min_coverage: f64,
    /// Go on with a run that was interrupted: cases that are stored are not run again
    #[arg(long, value_name = "RUN", value_parser = run_id)]
    pub(crate) resume: Option<RunId>,
    /// Name of the run [default: the suite's]
    #[arg(long, value_name = "TEXT", help_heading = "Labels")]
    pub(crate) name: Option<String>,
    /// Version of the data set [default: the file's, or its hash]
    #[arg(long, value_name = "TEXT", help_heading = "Labels")]
    pub(crate) dataset_version: Option<String>,
    /// The model behind the target, as the run is to name it
    #[arg(long, value_name = "TEXT", help_heading = "Labels")]
    pub(crate) model: Option<String>,
    /// The version of the prompt, as the run is to name it
    #[arg(long, value_name = "TEXT", help_heading = "Labels")]
    pub(crate) prompt_version: Option<String>,
    /// How to print the result
    #[arg(long, value_enum, default_value_t = Format::Table, help_heading = "Output")]
    pub(crate) format: Format,
    /// A file in place of standard output
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) tenant: TenantArgs,
}

/// Whether a run uses what was answered before.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Cache {
    /// Ask everything anew
    Off,
    /// Use what was answered before, ask the rest
    Use,
    /// Ask nothing: what was not answered before is an error
    Only,
}

impl From<Cache> for CacheMode {
    fn from(cache: Cache) -> Self {
        match cache {
            Cache::Off => Self::Off,
            Cache::Use => Self::Use,
            Cache::Only => Self::Only,
        }
    }
}

/// What to compare a run with.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Baseline {
    /// The newest completed run of the same suite.
    Latest,
    /// This run.
    Run(RunId),
}

impl std::str::FromStr for Baseline {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "latest" {
            Ok(Self::Latest)
        } else {
            run_id(text).map(Self::Run)
        }
    }
}

/// `pawl compare`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pawl compare 01935d1e-8a4c-7def-9abc-def012345678 01935d20-11aa-7f00-8000-0123456789ab
  pawl compare RUN_A RUN_B --json | jq .statistics.rates

The exit code is 0 whichever run is better: what gates is `pawl run --baseline`.")]
pub(crate) struct CompareArgs {
    /// The baseline
    #[arg(value_name = "RUN_A", value_parser = run_id)]
    pub(crate) a: RunId,
    /// The run to compare with it
    #[arg(value_name = "RUN_B", value_parser = run_id)]
    pub(crate) b: RunId,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) tenant: TenantArgs,
}
