//! What tests of Hark share: a throw-away home, a runner for the binary, raw MCP clients, a scripted model, the
//! search corpus, and looks at what is on disk. For tests only; nothing ships with it.
//!
//! The path of the binary is known only to the tests of the crate that builds it, so they pass it
//! in: `Home::new(env!("CARGO_BIN_EXE_hark"))`.

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

pub use home::Home;
pub use mcp::Mcp;
pub use run::{Hark, Outcome};
pub use seeded::Seeded;
pub use serve::{Answer, Serve};
pub use skip::{SKIPPED, is_ci, shared, skip};

use std::time::{Duration, Instant};

/// Far beyond what anything takes, even on a busy machine: only a hang reaches it.
pub const PATIENCE: Duration = Duration::from_secs(180);

/// Looks until `condition` holds; panics with `what` after [`PATIENCE`].
pub fn eventually(what: &str, mut condition: impl FnMut() -> bool) {
    let started = Instant::now();
    while !condition() {
        assert!(started.elapsed() < PATIENCE, "never happened: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}
