//! Guarantees for any input from outside: one function per entry point, called with arbitrary bytes.
//!
//! Two callers use them. `tests/` mutates real inputs ([`seeds`], [`mutate`]) for a short time in every test
//! run; `fuzz/` passes the same functions to `cargo fuzz`, which runs as long as you like. A function panics
//! when a promise is broken and returns otherwise.

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

/// An entry point, with the name of its corpus and fuzz target.
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
