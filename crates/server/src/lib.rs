//! The async edge: MCP over stdio and over streamable HTTP.
//!
//! What the tools do is the table of operations, run through a [`Pool`] of connections in plain synchronous Rust.
//! This crate owns everything about a connection: protocol versions and their differences, argument checking, the
//! client's roots, cancellation, who may call, how long and how many, and exiting when there is no client left.
//!
//! Deliberately absent: a tokio type in any signature (both entry points block and bring their own runtime),
//! an `rmcp` type outside `mcp/`, and any write to stdout other than protocol lines.

mod connections;
mod error;
mod guard;
mod http;
mod limits;
mod mcp;
mod parent;
mod pool;
mod signal;
mod stdio;
mod token;

pub use error::ServeError;
pub use http::{HttpOptions, PROJECT_DIR_HEADER, serve_http};
pub use limits::Limits;
pub use pool::Pool;
pub use stdio::serve_stdio;
pub use token::{BadToken, Token};

/// How the server names itself to clients.
pub const SERVER_NAME: &str = "hark";

/// Longest single message accepted, as one line on stdio or one body over HTTP.
pub const MAX_MESSAGE_BYTES: usize = 16 * 1024 * 1024;
