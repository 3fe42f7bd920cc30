//! Memories and sessions as markdown files: YAML front matter that a person can edit, then text.
//!
//! Reading is lenient (missing keys get defaults, unknown keys are kept), writing is canonical. Everything
//! read passes the redactor again, because a person may have typed a secret.

mod front_matter;
mod guidance;
mod parse;
mod render;
pub mod session;

pub use parse::{ParseError, parse};
pub use render::{file_name, render};

#[cfg(test)]
mod tests;
