//! Errors of a server, for the person who started it.

use std::io;
use std::net::SocketAddr;

/// Why a server could not start or had to stop.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    #[error("cannot start the async runtime: {0}")]
    Runtime(#[source] io::Error),

    #[error(
        "port {} on {} is already in use; choose another with --port, or stop the server that uses it",
        .0.port(), .0.ip()
    )]
    PortInUse(SocketAddr),

    #[error("cannot listen on {addr}: {source}")]
    Bind {
        addr: SocketAddr,
        #[source]
        source: io::Error,
    },
}
