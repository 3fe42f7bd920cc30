//! What must hold whatever comes in from outside: one function for each door, given any bytes.
//!
//! Used from two places. `tests/` mutates real inputs ([`seeds`], [`mutate`]) for a short time, with every test run;
//! `fuzz/` hands the same functions to `cargo fuzz`, which goes on for as long as it is let. A function panics when a
//! promise is broken, and returns in every other case.

mod hooks;
mod import;
mod markdown;
pub mod mutate;
mod redaction;
pub mod seeds;
mod settings;
mod transcripts;

pub use hooks::hooks;
pub use import::import;
pub use markdown::{memory_file, session_file};
pub use redaction::redaction;
pub use settings::settings;
pub use transcripts::transcripts;

/// A door, by the name that its corpus and its fuzz target have.
pub struct Target {
    pub name: &'static str,
    pub run: fn(&[u8]),
    pub seeds: fn() -> Vec<Vec<u8>>,
}

pub const TARGETS: &[Target] = &[
    Target { name: "hooks", run: hooks, seeds: seeds::hooks },
    Target { name: "memory_file", run: memory_file, seeds: seeds::memory_files },
    Target { name: "session_file", run: session_file, seeds: seeds::session_files },
    Target { name: "transcripts", run: transcripts, seeds: seeds::transcripts },
    Target { name: "settings", run: settings, seeds: seeds::settings },
    Target { name: "import", run: import, seeds: seeds::imports },
    Target { name: "redaction", run: redaction, seeds: seeds::redaction },
];
