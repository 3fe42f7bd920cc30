//! Accepts connections, and limits their number and idle time.
//!
//! Every process on the machine may connect, with or without a token. So idle connections are closed, and when the
//! limit is reached a few spare connections still answer `/health` and ask other clients to retry.

use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::{sleep, timeout};

use crate::limits::Limits;

/// Longest request line and headers together.
const LONGEST_HEADERS: usize = 64 * 1024;

/// Said without reading the request, when there is no room even for that.
const FULL: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n";

/// The address that a request came from, in its extensions.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Peer(pub(crate) IpAddr);

pub(crate) struct Connections {
    seats: Arc<Semaphore>,
    spare: Arc<Semaphore>,
    limits: Limits,
    stop: watch::Sender<bool>,
}

impl Connections {
    pub(crate) fn new(limits: Limits) -> Self {
        Self {
            seats: Arc::new(Semaphore::new(limits.connections)),
            spare: Arc::new(Semaphore::new(limits.spare_connections)),
            limits,
            stop: watch::Sender::new(false),
        }
    }

    /// Serves `routes`, and `spare` on connections for which there is no seat, until [`Connections::stop`].
    pub(crate) async fn serve(&self, listener: TcpListener, routes: Router, spare: Router) {
        let mut stopped = self.stop.subscribe();
        loop {
            let accepted = tokio::select! {
                accepted = listener.accept() => accepted,
                _ = stopped.wait_for(|stop| *stop) => return,
            };
            match accepted {
                Ok((stream, peer)) => self.seat(stream, Peer(peer.ip()), &routes, &spare),
                Err(error) if is_about_one_connection(&error) => {}
                // Out of file descriptors, say: connections that end give some back.
                Err(_) => sleep(Duration::from_millis(100)).await,
            }
        }
    }

    fn seat(&self, stream: TcpStream, peer: Peer, routes: &Router, spare: &Router) {
        // Answers are small and come in two writes; waiting to fill packets would cost 40 ms each.
        let _ = stream.set_nodelay(true).is_ok();
        let stop = self.stop.subscribe();
        if let Ok(seat) = Arc::clone(&self.seats).try_acquire_owned() {
            tokio::spawn(converse(stream, peer, routes.clone(), self.limits.headers, stop, seat));
        } else if let Ok(seat) = Arc::clone(&self.spare).try_acquire_owned() {
            let limit = self.limits.spare;
            let conversation = converse(stream, peer, spare.clone(), limit, stop, seat);
            tokio::spawn(timeout(limit, conversation));
        } else {
            tokio::spawn(turn_away(stream));
        }
    }

    /// No more connections; those that are there end with the answer they are at.
    pub(crate) fn stop(&self) {
        self.stop.send_replace(true);
    }

    /// Returns when every connection has ended.
    pub(crate) async fn ended(&self) {
        let all = u32::try_from(self.limits.connections).unwrap_or(u32::MAX);
        let _ = self.seats.acquire_many(all).await.is_ok();
    }
}

async fn converse(
    stream: TcpStream,
    peer: Peer,
    routes: Router,
    headers: Duration,
    mut stop: watch::Receiver<bool>,
    seat: OwnedSemaphorePermit,
) {
    let routes = TowerToHyperService::new(routes);
    let service = service_fn(move |mut request: hyper::Request<hyper::body::Incoming>| {
        request.extensions_mut().insert(peer);
        routes.call(request)
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(headers)
        .max_buf_size(LONGEST_HEADERS)
        .serve_connection(TokioIo::new(stream), service);
    let mut connection = std::pin::pin!(connection);
    tokio::select! {
        // Ignore clients that disconnect early.
        ended = connection.as_mut() => return drop((ended, seat)),
        _ = stop.wait_for(|stop| *stop) => {}
    }
    connection.as_mut().graceful_shutdown();
    let _ = connection.await.is_ok();
    drop(seat);
}

async fn turn_away(mut stream: TcpStream) {
    let _ = timeout(Duration::from_secs(1), stream.write_all(FULL)).await.is_ok();
}

fn is_about_one_connection(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionRefused
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::Interrupted
    )
}
