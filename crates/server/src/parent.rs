//! Detects that the client has died.
//!
//! End of input is the normal sign, but it does not come while any other process holds the write end of our
//! stdin (a sibling that inherited it is enough). A process whose parent dies gets a new parent, and that
//! change is what this module detects. The kernel's parent-death signal is no substitute: it fires when the
//! *thread* that started us ends, which in a client with a thread pool is any time.

use std::time::Duration;

const INTERVAL: Duration = Duration::from_millis(250);

/// Completes when the parent at the time of this call has exited; never, where that cannot be detected.
pub(crate) fn died() -> impl Future<Output = ()> + Send + 'static {
    let first = parent_id();
    async move {
        let Some(first) = first else {
            return std::future::pending().await;
        };
        loop {
            tokio::time::sleep(INTERVAL).await;
            if parent_id() != Some(first) {
                return;
            }
        }
    }
}

#[cfg(unix)]
fn parent_id() -> Option<u32> {
    Some(std::os::unix::process::parent_id())
}

#[cfg(not(unix))]
fn parent_id() -> Option<u32> {
    None
}
