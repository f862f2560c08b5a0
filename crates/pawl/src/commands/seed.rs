//! `pawl seed`.

use pawl_engine::simulation::HistoryPlan;
use tokio_util::sync::CancellationToken;

use crate::cli::SeedArgs;
use crate::exit::Exit;
use crate::output;
use crate::progress::Counter;

/// Makes up a history and stores it.
pub(crate) async fn seed(args: SeedArgs, stop: &CancellationToken) -> anyhow::Result<Exit> {
    let (engine, user) = super::open_for(&args.tenant).await?;
    let plan = HistoryPlan {
        user,
        rows: args.rows,
        days: args.days,
        until: args.until,
        random_seed: args.random_seed,
    };
    let counter = Counter::new("interactions", Some(u64::from(args.rows)));
    let history = engine
        .write_history(plan, stop, &|stored| counter.reach(u64::from(stored)))
        .await;
    counter.clear();
    let history = history?;
    engine.close().await;
    let mut stdout = anstream::stdout().lock();
    if args.json {
        output::write_json(&output::history_document(&plan, &history), &mut stdout)?;
    } else {
        output::write_history(&plan, &history, &mut stdout)?;
    }
    Ok(if history.is_whole {
        Exit::Passed
    } else {
        Exit::Infrastructure
    })
}
