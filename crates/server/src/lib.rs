//! The async edge: MCP over stdio and over streamable HTTP.
//!
//! What the tools do is the table of operations, run through a [`Pool`] of connections in plain synchronous Rust.
//! This crate owns everything about a connection: protocol versions and their differences, argument checking, the
//! client's roots, cancellation, who may call, how long and how many, and exiting when there is no client left.
//!
//! Deliberately absent: a tokio type in any signature (both entry points block and bring their own runtime),
//! an `rmcp` type outside `mcp/`, and any write to stdout other than protocol lines.

mod calls;
mod connections;
mod door;
mod error;
mod events;
mod guard;
mod http;
mod limits;
mod mcp;
mod pages;
mod parent;
mod pool;
mod query;
mod rate;
mod rest;
mod signal;
mod status;
mod stdio;
mod tally;
mod token;
mod visits;

pub use error::ServeError;
pub use http::{DEFAULT_RATE, HttpOptions, PROJECT_DIR_HEADER, serve_http};
pub use limits::Limits;
pub use pool::Pool;
pub use signal::until_told_to_stop;
pub use stdio::serve_stdio;
pub use token::{BadToken, Token};

/// How the server names itself to clients.
pub const SERVER_NAME: &str = "hark";

/// Longest single message accepted, as one line on stdio or one body over HTTP.
pub const MAX_MESSAGE_BYTES: usize = 16 * 1024 * 1024;
