//! Mining and the work behind it: `pawl mine`, `pawl work`, `pawl jobs`.

use std::num::NonZeroUsize;
use std::str::FromStr;

use clap::{Args, Subcommand};
use pawl_engine::ModelSpec;
use pawl_model::{JobId, JobState, Usd};

use super::{DatabaseArgs, TenantArgs};

/// `pawl mine`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pawl mine
  pawl mine --since 30d --dry-run
  pawl mine --since 2026-05-01T00:00:00Z --json

An interaction is failing with a score below the tenant's (0.5 where nothing else is set), with one of the tenant's \
failure flags, or with an error in a tool call or span. Each becomes a failure pattern; patterns that are alike become \
one suggestion. What has a pattern is not mined again, so the same command twice changes nothing.")]
pub(crate) struct MineArgs {
    /// Interactions that happened since then: 30m, 24h, 7d, all, or a time (RFC 3339)
    #[arg(long, value_name = "TIME", default_value = "24h")]
    pub(crate) since: Since,
    /// The model that makes patterns, such as openai:gpt-4o-mini; also PAWL_MINING_MODEL [default: rules]
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: Option<ModelSpec>,
    /// The model that makes vectors of them, to tell what is alike; also PAWL_EMBEDDING_MODEL [default: none, words are
    /// compared]
    #[arg(long, value_name = "MODEL")]
    pub(crate) embedding_model: Option<ModelSpec>,
    /// What models may cost in this run, in US dollars; also PAWL_MINING_MAX_COST [default: 2]
    #[arg(long, value_name = "USD", value_parser = dollars)]
    pub(crate) max_cost: Option<Usd>,
    /// Tell what would come of it, and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) tenant: TenantArgs,
}

fn dollars(text: &str) -> Result<Usd, String> {
    Usd::parse(text).ok_or_else(|| "expected an amount of US dollars, such as 2.50".to_owned())
}

/// How far back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Since {
    /// So long before now.
    Ago(time::Duration),
    /// This time.
    At(time::OffsetDateTime),
}

impl FromStr for Since {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "all" {
            return Ok(Self::At(time::OffsetDateTime::UNIX_EPOCH));
        }
        let well_known = time::format_description::well_known::Rfc3339;
        if let Ok(at) = time::OffsetDateTime::parse(text, &well_known) {
            return Ok(Self::At(at));
        }
        let (number, unit) = text.split_at(text.len() - text.chars().next_back().map_or(0, char::len_utf8));
        let seconds = match unit {
            "m" => 60,
            "h" => 3_600,
            "d" => 86_400,
            _ => 0,
        };
        match number.parse::<u32>() {
            Ok(number) if seconds > 0 && number > 0 => {
                Ok(Self::Ago(time::Duration::seconds(i64::from(number) * seconds)))
            }
            _ => Err("expected 30m, 24h, 7d, all, or a time such as 2026-05-01T00:00:00Z".to_owned()),
        }
    }
}

/// `pawl draft`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pawl draft
  pawl draft --batch-size 50 --dry-run
  pawl draft --suggestion sugg_3f2a9c1b7d40 --force-overwrite --json

A suggestion of a test gets a draft by the model of mining (PAWL_MINING_MODEL), or without one a template that a \
person has to finish. A draft is tried before it is written: on what went wrong, which it has to fail, and on what went \
well and is like it, which it has to pass. What a person edited is overwritten only for suggestions that are named, and \
kept in their history.

Exit codes:
  0  done
  2  usage or configuration
  3  infrastructure, or a draft failed: it is listed with its error")]
pub(crate) struct DraftArgs {
    /// The most suggestions, up to 200
    #[arg(long, value_name = "N", default_value_t = pawl_engine::draft::DEFAULT_BATCH, value_parser = clap::value_parser!(u32).range(1..=i64::from(pawl_engine::draft::MAX_BATCH)))]
    pub(crate) batch_size: u32,
    /// This suggestion; may be given several times [default: those that wait for a draft, newest first]
    #[arg(long = "suggestion", value_name = "ID")]
    pub(crate) suggestions: Vec<String>,
    /// Overwrite what a person edited; it stays in the history
    #[arg(long, requires = "suggestions")]
    pub(crate) force_overwrite: bool,
    /// Make the drafts, and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) tenant: TenantArgs,
}

/// `pawl work`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pawl work
  pawl work --database-url postgres://pawl_app:…@db/pawl --concurrency 8

`pawl serve` has a worker of its own; this is one more, over the same database. A worker that is killed loses nothing: \
what it had committed stays, and the rest is taken up by another when its lease is over, after 15 seconds.")]
pub(crate) struct WorkArgs {
    /// Jobs at once
    #[arg(long, value_name = "N", default_value = "4")]
    pub(crate) concurrency: NonZeroUsize,
    #[command(flatten)]
    pub(crate) database: DatabaseArgs,
}

/// `pawl jobs`.
#[derive(Debug, Subcommand)]
pub(crate) enum JobsCommand {
    /// List jobs, newest first: those that wait, run, are finished, or were given up
    List(JobsListArgs),
    /// Queue again a job that was given up
    Retry(JobsRetryArgs),
    /// List what is done again and again, and when next
    Schedules(SchedulesArgs),
    /// Change how often something is done, or pause it
    Schedule(ScheduleArgs),
}

/// `pawl jobs list`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pawl jobs list
  pawl jobs list --state dead --json")]
pub(crate) struct JobsListArgs {
    /// Only those in this state: queued, running, finished or dead
    #[arg(long, value_name = "STATE", value_parser = job_state)]
    pub(crate) state: Option<JobState>,
    /// At most so many
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) limit: u32,
    /// Print JSON, a line each
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) database: DatabaseArgs,
}

fn job_state(word: &str) -> Result<JobState, String> {
    JobState::parse(word).ok_or_else(|| "expected queued, running, finished or dead".to_owned())
}

fn job_id(text: &str) -> Result<JobId, String> {
    text.parse()
        .map_err(|_| "a job is named by its id, as `pawl jobs list` shows it".to_owned())
}

/// `pawl jobs retry`.
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  pawl jobs retry 01935d1e-8a4c-7def-9abc-def012345678")]
pub(crate) struct JobsRetryArgs {
    /// The job, as `pawl jobs list --state dead` shows it
    #[arg(value_name = "ID", value_parser = job_id)]
    pub(crate) id: JobId,
    #[command(flatten)]
    pub(crate) database: DatabaseArgs,
}

/// `pawl jobs schedules`.
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  pawl jobs schedules")]
pub(crate) struct SchedulesArgs {
    /// Print JSON, a line each
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) database: DatabaseArgs,
}

/// `pawl jobs schedule`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pawl jobs schedule mine --every 3600
  pawl jobs schedule mine --off")]
pub(crate) struct ScheduleArgs {
    /// Its name, as `pawl jobs schedules` shows it
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    /// How many seconds apart, 10 at least
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(i64).range(10..=31_536_000))]
    pub(crate) every: Option<i64>,
    /// Pause it
    #[arg(long, conflicts_with = "on")]
    pub(crate) off: bool,
    /// Go on with it
    #[arg(long)]
    pub(crate) on: bool,
    #[command(flatten)]
    pub(crate) database: DatabaseArgs,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_and_times_are_read() {
        assert_eq!("24h".parse(), Ok(Since::Ago(time::Duration::hours(24))));
        assert_eq!("7d".parse(), Ok(Since::Ago(time::Duration::days(7))));
        assert_eq!("all".parse(), Ok(Since::At(time::OffsetDateTime::UNIX_EPOCH)));
        assert!(matches!("2026-05-01T00:00:00Z".parse(), Ok(Since::At(_))));
        for wrong in ["", "h", "0h", "-1h", "1.5h", "24", "24 h", "1µ", "yesterday"] {
            assert!(wrong.parse::<Since>().is_err(), "{wrong}");
        }
    }
}
