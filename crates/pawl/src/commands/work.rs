//! `pawl work`: a worker beside those of the servers.

use std::io::Write as _;
use std::time::Duration;

use pawl_engine::worker::WorkerSettings;
use tokio_util::sync::CancellationToken;

use crate::cli::WorkArgs;
use crate::config::Settings;
use crate::exit::Exit;

/// Jobs at once of a server's own worker.
const BESIDE_SERVER: usize = 2;
/// How long after its last sign of life a worker is taken for dead.
const LEASE: Duration = Duration::from_secs(15);

/// Works until it is told to stop, then brings what is under way to the end of its part.
pub(crate) async fn work(args: WorkArgs, stop: &CancellationToken) -> anyhow::Result<Exit> {
    let settings = Settings::resolve(&args.database, None)?;
    super::start_logging()?;
    let engine = super::open_configured(&settings).await?;
    let location = settings.location()?;
    writeln!(anstream::stderr(), "pawl works on jobs of {location}")?;
    engine.run_worker(worker(args.concurrency.get()), stop).await;
    engine.close().await;
    Ok(Exit::Passed)
}

/// How the worker of a server works.
pub(super) fn beside_server() -> WorkerSettings {
    worker(BESIDE_SERVER)
}

fn worker(concurrency: usize) -> WorkerSettings {
    WorkerSettings {
        concurrency,
        lease: LEASE,
        failed: pawl_server::log_failure,
    }
}
