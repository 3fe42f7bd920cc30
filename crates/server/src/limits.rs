//! The limits of a server: time, connections, sessions.

use std::time::Duration;

#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// From the connection, or from the last answer, to the end of the next request's headers. A client that sends
    /// them byte by byte and one that keeps its connection for later are cut off alike.
    pub headers: Duration,
    /// From the end of the headers to the end of the body.
    pub body: Duration,
    /// Connections at the same time.
    pub connections: usize,
    /// Connections beyond those, on which `/health` is answered and everything else refused.
    pub spare_connections: usize,
    /// How long a spare connection may last.
    pub spare: Duration,
    /// Sessions that are kept; the one used longest ago makes room.
    pub sessions: usize,
    /// A session ends when nothing has come for so long.
    pub session_idle: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            headers: Duration::from_secs(30),
            body: Duration::from_secs(30),
            connections: 256,
            spare_connections: 16,
            spare: Duration::from_secs(3),
            sessions: 256,
            session_idle: Duration::from_secs(30 * 60),
        }
    }
}
