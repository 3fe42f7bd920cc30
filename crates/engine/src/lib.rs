//! The use cases of Hark: everything the product does, implemented once for every surface.
//!
//! An operation is a file in [`ops`]: request, response, `run`. The command line, the MCP server and
//! everything else call operations and nothing below them.

pub mod activity;
mod chain;
pub mod clock;
pub mod config;
mod digest;
mod distil;
pub mod embed;
mod engine;
mod error;
pub mod eval;
mod failures;
mod hindsight;
mod home;
pub mod hooks;
pub mod ingest;
mod learning;
mod live;
pub mod machine;
pub mod operation;
pub mod ops;
mod particulars;
mod paths;
mod pause;
mod phrases;
mod program;
pub mod project;
pub mod project_store;
mod proof;
mod reach;
pub mod recall;
mod reflect;
mod repeat;
mod rules;
pub mod serve_address;
pub mod serve_token;
pub mod service;
mod sessions;
mod summarise;
mod summary;
pub mod trace;
pub mod transfer;
mod trust;
mod turns;
mod units;
mod voice;
pub mod worker;

pub use clock::Clock;
pub use config::Config;
pub use engine::{Caller, Connection, Engine};
pub use error::{EngineError, ErrorKind};
pub use hark_hosts::process;
pub use hark_store::{Layout, Pulse, StoreError, fold_beside};
pub use hark_store::{Told, Trust};
pub use home::Home;
pub use machine::Machine;
pub use operation::Operation;
pub use pause::is_enabled;
pub use sessions::session_in;
