//! Progress of reading transcripts, and when it must stop.

use std::time::Instant;

/// How far the run has come.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Progress {
    pub bytes: u64,
    pub total_bytes: u64,
    pub files: u64,
    pub total_files: u64,
}

pub(super) struct Watch<'w> {
    pub(super) progress: Progress,
    pub(super) tell: &'w mut dyn FnMut(&Progress),
    pub(super) until: Option<Instant>,
}

impl Watch<'_> {
    /// This many bytes need not be read.
    pub(super) fn passed(&mut self, bytes: u64) {
        self.progress.total_bytes = self.progress.total_bytes.saturating_sub(bytes);
    }

    pub(super) fn read(&mut self, bytes: u64) {
        self.progress.bytes += bytes;
        (self.tell)(&self.progress);
    }

    pub(super) fn is_over(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() >= until)
    }
}
