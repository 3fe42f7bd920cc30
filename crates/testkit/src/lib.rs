//! Shared test support: a temporary home, a runner for the binary, raw MCP clients, a scripted model, the
//! search corpus, and ways to inspect files on disk. For tests only; none of it ships.
//!
//! Only the tests of the crate that builds the binary know its path, so they pass it in:
//! `Home::new(env!("CARGO_BIN_EXE_hark"))`.

pub mod corpus;
pub mod disk;
pub mod events;
pub mod git;
mod home;
pub mod hooks;
pub mod mcp;
pub mod model;
pub mod note;
pub mod pairs;
mod run;
mod seeded;
mod serve;
mod skip;
#[cfg(feature = "sqlite")]
pub mod sqlite;
pub mod tool;
pub mod transcripts;

pub use home::{Home, TESTED_BINARY};
pub use mcp::Mcp;
pub use run::{Hark, Outcome};
pub use seeded::Seeded;
pub use serve::{Answer, Serve};
pub use skip::{SKIPPED, is_ci, shared, skip};

use std::time::{Duration, Instant};

/// Far longer than anything takes even on a busy machine; only a hang reaches it.
pub const PATIENCE: Duration = Duration::from_secs(180);

/// Polls until `condition` is true; panics with `what` after [`PATIENCE`].
pub fn eventually(what: &str, mut condition: impl FnMut() -> bool) {
    let started = Instant::now();
    while !condition() {
        assert!(started.elapsed() < PATIENCE, "never happened: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}
