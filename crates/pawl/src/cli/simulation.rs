//! Interactions that are made up: `pawl seed`, `pawl simulate`.

use clap::Args;
use pawl_engine::auth::SecretString;
use pawl_model::UserId;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use super::TenantArgs;
use super::values::user_id;

/// `pawl seed`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pawl seed --user ann@example.org
  pawl seed --rows 1000 --days 7 --random-seed 42 --json

The history is that of a support agent in five languages, busier by day and on working days of the tenant's time zone, \
with two hours in which things go wrong. It ends where the tenant's present hour begins, or that of --until, and goes \
back so many days of 24 hours. It is masked and added up as the policy says, but neither sampled nor counted in the \
day's cap. The same random seed gives the same texts, scores and flags; within the hour also the same ids and times, so \
that nothing is stored twice.")]
pub(crate) struct SeedArgs {
    /// How many interactions
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = clap::value_parser!(u32).range(1..=100_000_000))]
    pub(crate) rows: u32,
    /// Over how many days
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u16).range(1..=400))]
    pub(crate) days: u16,
    /// When it ends, such as 2026-05-04T12:00:00Z [default: now]
    #[arg(long, value_name = "TIME", value_parser = rfc3339)]
    pub(crate) until: Option<OffsetDateTime>,
    /// Decides everything but the times
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) random_seed: u64,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) tenant: TenantArgs,
}

/// `pawl simulate`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  export $(pawl keys --env | grep INGESTION_API_SECRET)
  pawl simulate --user 476b56c5-d886-4896-a5e0-ab0b56a5b3dd
  pawl simulate --url https://pawl.example.org --user UUID --interactions 5000 --rate 20 --json

The agent fetches the tenant's policy, keeps what the sample and the failures ask for, masks personal data where the \
policy says so, hands in one interaction after the other, and ceases at the day's cap. Without --random-seed every call \
is another agent; with one, the same again is a duplicate.

Exit codes:
  0  done, whether or not the cap was reached
  2  usage or configuration: no such user, or another ingestion secret
  3  the server cannot be reached, stays busy, or refuses what it is sent")]
pub(crate) struct SimulateArgs {
    /// Where the server is
    #[arg(
        long,
        env = "PAWL_URL",
        value_name = "URL",
        default_value = "http://127.0.0.1:8787",
        hide_env_values = true
    )]
    pub(crate) url: String,
    /// Whose agent it is, by the id that `pawl user list` shows
    #[arg(long, value_name = "UUID", value_parser = user_id)]
    pub(crate) user: UserId,
    /// How many interactions the agent has
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) interactions: u32,
    /// How many of them a second [default: as fast as the server takes them]
    #[arg(long, value_name = "N", value_parser = per_second)]
    pub(crate) rate: Option<f64>,
    /// The ingestion secret of the instance, as `pawl keys` shows it
    #[arg(
        long,
        env = "INGESTION_API_SECRET",
        value_name = "SECRET",
        // One in 64 begins with a hyphen.
        allow_hyphen_values = true,
        hide_env_values = true
    )]
    pub(crate) secret: Option<SecretString>,
    /// Decides everything, ids included [default: another one each time]
    #[arg(long, value_name = "N")]
    pub(crate) random_seed: Option<u64>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

fn per_second(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(rate) if (0.001..=100_000.0).contains(&rate) => Ok(rate),
        _ => Err("must be a number from 0.001 to 100,000".to_owned()),
    }
}

fn rfc3339(text: &str) -> Result<OffsetDateTime, String> {
    let expected = |_| "expected a time such as 2026-05-04T12:00:00Z".to_owned();
    OffsetDateTime::parse(text, &Rfc3339).map_err(expected)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_out_of_range_are_refused() {
        assert!(per_second("0").is_err() && per_second("NaN").is_err() && per_second("inf").is_err());
        assert_eq!(per_second("0.5"), Ok(0.5));
    }
}
