//! The signals by which a process is asked to end.

/// Returns at SIGINT (Ctrl-C) or SIGTERM.
pub(crate) async fn told_to_stop() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = terminate.recv() => return,
                Ok(()) = tokio::signal::ctrl_c() => return,
                else => {}
            }
        }
    }
    match tokio::signal::ctrl_c().await {
        Ok(()) => {}
        Err(_) => std::future::pending().await,
    }
}
