//! The signals by which a process is asked to end.

/// The same for a program without a runtime. If none can be made, it waits for ever: such signals then end it at once.
pub fn until_told_to_stop() {
    match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime.block_on(told_to_stop()),
        Err(_) => loop {
            std::thread::park();
        },
    }
}

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
