//! `pawl serve`.

use std::io::{self, Write as _};
use std::net::SocketAddr;

use anyhow::Context as _;
use pawl_server::{AppState, LogFormat};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::cli::ServeArgs;
use crate::config::Settings;
use crate::exit::{Exit, Usage};

/// Answers requests until it is told to stop, then lets those under way end.
pub(crate) async fn serve(args: ServeArgs, stop: &CancellationToken) -> anyhow::Result<Exit> {
    let settings = Settings::resolve(&args.database, args.listen)?;
    let format = match std::env::var("PAWL_LOG").as_deref() {
        Ok("json") => LogFormat::Json,
        Err(_) | Ok("") => LogFormat::Text,
        Ok(other) => return Err(Usage(format!("PAWL_LOG={other}: only `json` is known")).into()),
    };
    pawl_server::start_logging(format).map_err(|error| Usage(format!("RUST_LOG: {error}")))?;
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
    let upkeep = tokio::spawn({
        let (engine, stop, no_worker) = (engine.clone(), stop.clone(), args.no_worker);
        async move {
            if !no_worker {
                engine.keep_up(&stop, pawl_server::log_failure).await;
            }
        }
    });
    pawl_server::serve(
        listener,
        AppState::new(engine.clone(), settings.server()),
        stop.clone(),
    )
    .await;
    upkeep.await.context("the upkeep of the data died")?;
    engine.close().await;
    Ok(Exit::Passed)
}

async fn listen(address: SocketAddr) -> anyhow::Result<TcpListener> {
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
