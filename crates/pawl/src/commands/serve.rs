//! `pawl serve`.

use std::io::{self, Write as _};
use std::net::SocketAddr;

use anyhow::Context as _;
use pawl_server::AppState;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::cli::ServeArgs;
use crate::config::Settings;
use crate::exit::{Exit, Usage};

/// Answers requests until it is told to stop, then lets those under way end.
pub(crate) async fn serve(args: ServeArgs, stop: &CancellationToken) -> anyhow::Result<Exit> {
    let settings = Settings::resolve(&args.database, args.listen)?;
    super::start_logging()?;
    // Before the database is touched: a second server over the same data should leave it alone.
    let listener = listen(settings.listen.value).await?;
    let address = listener
        .local_addr()
        .context("cannot tell where the server listens")?;
    let engine = super::open_configured(&settings).await?;
    let location = settings.location()?;
    writeln!(
        anstream::stderr(),
        "pawl answers at http://{address} · data in {location} · keys: `pawl keys`"
    )?;
    let worker = tokio::spawn({
        let (engine, stop, no_worker) = (engine.clone(), stop.clone(), args.no_worker);
        async move {
            if !no_worker {
                engine.run_worker(super::work::beside_server(), &stop).await;
            }
        }
    });
    pawl_server::serve(
        listener,
        AppState::new(engine.clone(), settings.server()),
        stop.clone(),
    )
    .await;
    worker.await.context("the worker died")?;
    engine.close().await;
    Ok(Exit::Passed)
}

pub(super) async fn listen(address: SocketAddr) -> anyhow::Result<TcpListener> {
    TcpListener::bind(address).await.map_err(|error| {
        let reason = match error.kind() {
            io::ErrorKind::AddrInUse => "another program listens there already",
            io::ErrorKind::AddrNotAvailable => "this machine does not have that address",
            io::ErrorKind::PermissionDenied => "ports below 1024 are for administrators",
            _ => return anyhow::Error::new(error).context(format!("cannot listen on {address}")),
        };
        Usage(format!(
            "cannot listen on {address}: {reason}; name another by --listen ADDRESS:PORT"
        ))
        .into()
    })
}
