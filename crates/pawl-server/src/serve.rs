//! Accepting connections until told to stop.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::ConnectInfo;
use axum::http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tower::Service as _;

use crate::linger::linger;
use crate::{AppState, router};

/// Connections at once, idle ones included.
const CONNECTIONS: usize = 4_096;
/// Bytes of the request line and all headers together.
const HEADER_LIMIT: usize = 32 * 1024;
/// How long a connection may take to send them, or say nothing between two requests.
const HEADER_TIMEOUT: Duration = Duration::from_secs(30);
/// How long to wait where the system cannot give us one more connection.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Answers requests until `stop` is cancelled, then lets those under way end, within the settings' `drain`.
pub async fn serve(listener: TcpListener, state: AppState, stop: CancellationToken) {
    let drain = state.settings.drain;
    let live = state.live.stop.clone();
    // Pages that are told what happens would hold the server up until they are cut off.
    let end_live = async {
        stop.cancelled().await;
        live.cancel();
    };
    tokio::join!(answer(listener, router(state), stop.clone(), drain), end_live);
}

pub(crate) async fn answer(listener: TcpListener, routes: Router, stop: CancellationToken, drain: Duration) {
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    let connections = GracefulShutdown::new();
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIMEOUT)
        .max_header_size(HEADER_LIMIT);
    while let Some((stream, peer, place)) = next(&listener, &places, &stop).await {
        // Answers are small: waiting to fill a packet costs more than it saves.
        let _ = stream.set_nodelay(true);
        let routes = routes.clone();
        let service = service_fn(move |request: Request<Incoming>| {
            let mut request = request.map(linger);
            request.extensions_mut().insert(ConnectInfo(peer));
            routes.clone().call(request)
        });
        let connection = connections.watch(http.serve_connection(TokioIo::new(stream), service));
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(error = &error as &dyn std::error::Error, "a connection broke");
            }
            drop(place);
        });
    }
    drop(listener);
    if tokio::time::timeout(drain, connections.shutdown()).await.is_err() {
        tracing::warn!(
            "requests were still under way after {} s and are cut off",
            drain.as_secs()
        );
    }
}

type Accepted = (TcpStream, SocketAddr, tokio::sync::OwnedSemaphorePermit);

/// The next connection; none when it is time to stop.
async fn next(listener: &TcpListener, places: &Arc<Semaphore>, stop: &CancellationToken) -> Option<Accepted> {
    let accept = async {
        // It fails only if the semaphore is closed, and it never is.
        let place = Arc::clone(places).acquire_owned().await.ok()?;
        loop {
            match listener.accept().await {
                Ok((stream, peer)) => return Some((stream, peer, place)),
                Err(error) => {
                    tracing::warn!(
                        error = &error as &dyn std::error::Error,
                        "cannot accept a connection"
                    );
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            }
        }
    };
    tokio::select! {
        accepted = accept => accepted,
        () = stop.cancelled() => None,
    }
}
