//! The async edge: MCP over stdio and over streamable HTTP.
//!
//! What the tools do is behind [`ToolBox`], which is plain synchronous Rust. This crate owns everything that
//! has to do with a connection: protocol versions and their differences, argument checking, the client's
//! roots, cancellation, who may call, how long and how many, and ending when nobody is left to serve.
//!
//! Deliberately absent: a tokio type in any signature (both entry points block and bring their own runtime),
//! an `rmcp` type outside `mcp/`, and any write to stdout other than protocol lines.

mod connections;
mod error;
mod guard;
mod http;
mod kept_memory;
mod limits;
mod mcp;
mod memory_tools;
mod parent;
mod signal;
mod stdio;
mod token;
mod toolbox;

pub use error::ServeError;
pub use http::{DEFAULT_PORT, HttpOptions, PROJECT_DIR_HEADER, serve_http};
pub use limits::Limits;
pub use memory_tools::{MemoryTools, Settings};
pub use stdio::serve_stdio;
pub use token::{BadToken, Token};
pub use toolbox::{
    Caller, FailureKind, PromptArgumentSpec, PromptSpec, ResourceSpec, ToolAnswer, ToolBox, ToolFailure,
    ToolSpec, Transport,
};

/// How the server names itself to clients.
pub const SERVER_NAME: &str = "hark";

/// Longest single message accepted, as one line on stdio or one body over HTTP.
pub const MAX_MESSAGE_BYTES: usize = 16 * 1024 * 1024;
