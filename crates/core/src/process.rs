//! The process of the assistant behind a session, so that its other processes can be told to belong to it.

use serde::{Deserialize, Serialize};

/// A running program, named in a way that no later one shares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClientProcess {
    pub pid: u32,
    /// When it started, in ticks since the machine did: a pid is used again, with another start.
    pub start: u64,
    /// A hash of the boot and the namespace in which `pid` means anything: a store can be shared with a container.
    pub realm: u64,
}
