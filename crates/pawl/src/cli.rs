//! The command line.

mod access;
mod evolve;
mod export;
mod lineage;
mod mine;
mod reference;
mod review;
mod run;
mod simulation;
mod traces;
mod values;

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

pub(crate) use self::access::{
    KeyCommand, KeyCreateArgs, KeyListArgs, KeyRevokeArgs, KeysArgs, UserAddArgs, UserCommand, UserListArgs,
    UserPasswdArgs,
};
pub(crate) use self::evolve::{
    EvolveArgs, PromoteArgs, PromptAddArgs, PromptCommand, PromptListArgs, PromptShowArgs, RollbackArgs,
};
pub(crate) use self::export::{ExportCommand, ExportFormat, ExportInteractionsArgs};
pub(crate) use self::lineage::{LineageArgs, VerifyArgs};
pub(crate) use self::mine::{
    DraftArgs, JobsCommand, JobsListArgs, JobsRetryArgs, MineArgs, ScheduleArgs, SchedulesArgs, Since,
    WorkArgs,
};
pub(crate) use self::reference::{CompletionsArgs, ManArgs, Reference, ReferenceArgs};
pub(crate) use self::review::{
    ReviewApproveArgs, ReviewCommand, ReviewEditArgs, ReviewExportArgs, ReviewListArgs, ReviewRejectArgs,
    ReviewShowArgs, ReviewerArgs,
};
pub(crate) use self::run::{Baseline, CompareArgs, RunArgs};
pub(crate) use self::simulation::{SeedArgs, SimulateArgs};
pub(crate) use self::traces::{
    ImportCommand, ImportTracesArgs, OnlineChecksArgs, OnlineChecksCommand, OnlineChecksSetArgs, TraceFormat,
};
use self::values::listened;

const EXIT_CODES: &str = "\
Begin with `pawl demo`. `pawl help COMMAND` shows a command's options and examples.

Exit codes:
  0  done, or passed
  1  the gate failed
  2  usage or configuration
  3  infrastructure, or coverage under its floor";

/// Evaluation loop for AI agents: what failed becomes a test, the tests run, nothing slips back.
#[derive(Debug, Parser)]
#[command(version, about, after_help = EXIT_CODES, propagate_version = true, arg_required_else_help = true)]
pub(crate) struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Execute suites: ask the target for each case, check its output, store the run, gate on the result
    Run(Box<RunArgs>),
    /// Compare two runs case by case: rates with intervals, flips, and what could have been seen
    Compare(CompareArgs),
    /// Show every stage of the loop on bundled data, with the embedded database
    Demo(DemoArgs),
    /// Serve pages, manual, intake and APIs over HTTP, and work on jobs
    Serve(ServeArgs),
    /// Work on jobs, beside the servers over the same database
    Work(WorkArgs),
    /// List and retry the jobs of workers, and change what is done again and again
    #[command(subcommand)]
    Jobs(JobsCommand),
    /// Make failure patterns of failing interactions, and suggestions of what is alike
    Mine(MineArgs),
    /// Draft regression tests for suggestions, and try them on what went wrong and what went well
    Draft(DraftArgs),
    /// Look at suggestions and their drafts, edit them, and decide about them
    #[command(subcommand)]
    Review(ReviewCommand),
    /// Evolve a prompt over a suite: a model proposes better texts, which are tried and compared
    Evolve(Box<EvolveArgs>),
    /// Add prompts, and show what is live and why
    #[command(subcommand)]
    Prompt(PromptCommand),
    /// Compare a candidate with the live prompt, and make it live where it passes the gate
    Promote(PromoteArgs),
    /// Make an earlier version of a prompt live again
    Rollback(RollbackArgs),
    /// Show what led to anything in the loop, and what it led to
    Lineage(LineageArgs),
    /// Verify that the lineage, and the rows that it names, are as they were written
    Verify(VerifyArgs),
    /// Store a made-up history of interactions, to try things out with
    Seed(SeedArgs),
    /// Have a made-up agent hand interactions in to a server, under its tenant's policy
    Simulate(SimulateArgs),
    /// Write what is stored to files
    #[command(subcommand)]
    Export(ExportCommand),
    /// Store what other tools have exported
    #[command(subcommand)]
    Import(ImportCommand),
    /// Set, show or clear the checks that score arriving traces
    #[command(subcommand)]
    OnlineChecks(OnlineChecksCommand),
    /// Show what is configured, where it comes from, and whether the database is well
    Doctor(DoctorArgs),
    /// Print what clients need to reach this instance: URL, public key, service key, ingestion secret
    Keys(KeysArgs),
    /// Add and list users, and set their passwords
    #[command(subcommand)]
    User(UserCommand),
    /// Make, list and revoke keys of programs
    #[command(subcommand)]
    Key(KeyCommand),
    /// Make or update the tables of PostgreSQL, and the role that servers and commands connect as
    Migrate(MigrateArgs),
    /// Print completions for a shell
    Completions(CompletionsArgs),
    /// Write a man page of every command
    Man(ManArgs),
    /// Print a reference of the manual as Markdown
    #[command(hide = true)]
    Reference(ReferenceArgs),
    /// The story writer of the demo, as a target: reads cases as JSON lines, writes user stories
    #[command(hide = true)]
    StoryAgent(AgentArgs),
    /// The support agent of the demo, as a target: answers the questions that it knows
    #[command(hide = true)]
    SupportAgent(SupportAgentArgs),
}

/// Where the data is.
#[derive(Debug, Default, Args)]
pub(crate) struct DatabaseArgs {
    /// Folder of the embedded database [default: ~/.local/share/pawl]
    #[arg(
        long,
        env = "PAWL_DATA_DIR",
        value_name = "DIR",
        help_heading = "Database",
        hide_env_values = true
    )]
    pub(crate) data: Option<PathBuf>,
    /// PostgreSQL in place of the embedded database, as the runtime role; DATABASE_URL is read as well
    #[arg(
        long,
        env = "PAWL_DATABASE_URL",
        value_name = "URL",
        help_heading = "Database",
        hide_env_values = true
    )]
    pub(crate) database_url: Option<String>,
}

/// Whose data is meant, and where it is.
#[derive(Debug, Args)]
pub(crate) struct TenantArgs {
    #[command(flatten)]
    pub(crate) database: DatabaseArgs,
    /// Whose data: an e-mail address or UUID; needed where there are several users
    #[arg(
        long,
        env = "PAWL_USER",
        value_name = "EMAIL|UUID",
        help_heading = "Database",
        hide_env_values = true
    )]
    pub(crate) user: Option<String>,
}

/// `pawl demo`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pawl demo
  pawl demo --no-serve --data /tmp/demo
  pawl demo --json | jq .evolution.best_score

It needs no network, no model and no key: the agent, the model and the reviewer are scripted, and say so. One that was \
killed goes on where it was; one that is run again says the same. To begin anew, remove its folder.")]
pub(crate) struct DemoArgs {
    /// Folder of the demo's database [default: ~/.local/share/pawl/demo]
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// Address and port of its pages [default: 127.0.0.1:8787, or any port where that is taken]
    #[arg(long, value_name = "ADDRESS:PORT", value_parser = listened)]
    pub(crate) listen: Option<SocketAddr>,
    /// End with the report, and leave no pages open
    #[arg(long)]
    pub(crate) no_serve: bool,
    /// Print the report as JSON, and leave no pages open
    #[arg(long)]
    pub(crate) json: bool,
}

impl DemoArgs {
    /// Whether its pages stay open.
    pub(crate) const fn stays(&self) -> bool {
        !self.no_serve && !self.json
    }
}

/// `pawl serve`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pawl serve
  pawl serve --listen 0.0.0.0:8787 --database-url postgres://pawl_app:…@db/pawl

Logs go to standard error: RUST_LOG filters them, PAWL_LOG=json writes them as JSON lines.
Ctrl-C or SIGTERM lets requests under way end, for up to 10 seconds.")]
pub(crate) struct ServeArgs {
    /// Address and port to listen on; also PAWL_LISTEN [default: 127.0.0.1:8787]
    #[arg(long, value_name = "ADDRESS:PORT", value_parser = listened)]
    pub(crate) listen: Option<SocketAddr>,
    /// Only answer requests, and leave jobs and the upkeep of the data to other processes
    #[arg(long)]
    pub(crate) no_worker: bool,
    #[command(flatten)]
    pub(crate) database: DatabaseArgs,
}

/// `pawl doctor`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pawl doctor
  pawl doctor --json | jq '.checks[] | select(.state != \"passed\")'

Exit codes:
  0  all is well
  2  what is configured cannot be used
  3  the database, or what keeps suggestions, does not answer")]
pub(crate) struct DoctorArgs {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) database: DatabaseArgs,
}

/// `pawl migrate`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pawl migrate --database-url postgres://owner:…@db/pawl --runtime-role pawl_app

The runtime URL is printed on standard output; give it to every other command.
The embedded database migrates itself.")]
pub(crate) struct MigrateArgs {
    /// The database, as its owner
    #[arg(
        long,
        env = "PAWL_DATABASE_URL",
        value_name = "OWNER_URL",
        hide_env_values = true
    )]
    pub(crate) database_url: String,
    /// The role that servers and commands connect as; made where it does not exist
    #[arg(long, value_name = "NAME")]
    pub(crate) runtime_role: Option<String>,
}

/// `pawl story-agent` and `pawl support-agent`.
#[derive(Debug, Args)]
pub(crate) struct AgentArgs {
    /// Answer with flaws, on purpose
    #[arg(long)]
    pub(crate) flawed: bool,
}

/// `pawl support-agent`.
#[derive(Debug, Args)]
pub(crate) struct SupportAgentArgs {
    /// A file with what its prompt says, where a request does not say it
    #[arg(long, value_name = "FILE")]
    pub(crate) prompt: Option<PathBuf>,
}

#[cfg(test)]
mod documented;

#[cfg(test)]
mod tests;
