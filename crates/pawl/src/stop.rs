//! Ctrl-C and SIGTERM: the first one asks to stop, the second one quits.

use std::io::Write as _;

use tokio_util::sync::CancellationToken;

/// What signals ask for.
#[derive(Clone, Default)]
pub(crate) struct Stop {
    /// Finish what is begun.
    pub(crate) soon: CancellationToken,
    /// Leave everything as it is.
    pub(crate) now: CancellationToken,
}

impl Stop {
    /// Cancelled by the signals of this process from now on.
    pub(crate) fn on_signals() -> Self {
        let stop = Self::default();
        let Self { soon, now } = stop.clone();
        tokio::spawn(async move {
            signal().await;
            // Where standard error is gone there is nobody to tell.
            let _ = writeln!(anstream::stderr(), "stopping; press Ctrl-C again to quit at once");
            soon.cancel();
            signal().await;
            now.cancel();
        });
        stop
    }
}

#[cfg(unix)]
async fn signal() {
    use tokio::signal::unix::{SignalKind, signal};
    match signal(SignalKind::terminate()) {
        Ok(mut terminate) => tokio::select! {
            _ = tokio::signal::ctrl_c() => {}
            _ = terminate.recv() => {}
        },
        Err(_) => drop(tokio::signal::ctrl_c().await),
    }
}

#[cfg(not(unix))]
async fn signal() {
    drop(tokio::signal::ctrl_c().await);
}
