//! `pawl simulate`.

use pawl_engine::simulation::{WavePlan, run_wave};
use tokio_util::sync::CancellationToken;

use crate::cli::SimulateArgs;
use crate::exit::{Exit, Usage};
use crate::output;
use crate::progress::Counter;

/// Has an agent that is made up hand interactions in to a server.
pub(crate) async fn simulate(args: SimulateArgs, stop: &CancellationToken) -> anyhow::Result<Exit> {
    let secret = args.secret.ok_or_else(|| {
        Usage(
            "no ingestion secret: give it by --secret or INGESTION_API_SECRET, `pawl keys` shows it"
                .to_owned(),
        )
    })?;
    let plan = WavePlan {
        url: args.url,
        secret,
        user: args.user,
        interactions: args.interactions,
        rate: args.rate,
        random_seed: args.random_seed.unwrap_or_else(fresh_seed),
    };
    let counter = Counter::new("interactions", Some(u64::from(plan.interactions)));
    let wave = run_wave(&plan, stop, &|seen| counter.reach(u64::from(seen))).await;
    counter.clear();
    let wave = wave?;
    let mut stdout = anstream::stdout().lock();
    if args.json {
        output::write_json(&output::wave_document(&plan, &wave), &mut stdout)?;
    } else {
        output::write_wave(&plan, &wave, &mut stdout)?;
    }
    Ok(if wave.seen == plan.interactions {
        Exit::Passed
    } else {
        Exit::Infrastructure
    })
}

/// Another one each millisecond.
pub(super) fn fresh_seed() -> u64 {
    let milliseconds = super::machine_clock().now().unix_timestamp_nanos() / 1_000_000;
    u64::try_from(milliseconds).unwrap_or(0)
}
