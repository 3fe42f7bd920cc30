//! A memory as a markdown file: YAML front matter that a person can edit, then the body verbatim.
//!
//! Reading is forgiving (missing keys get defaults, unknown keys are kept), writing is canonical.
//! Everything read passes the redactor again, because a person may have typed a secret.

mod front_matter;
mod parse;
mod render;

pub use parse::{ParseError, parse};
pub use render::{file_name, render};

#[cfg(test)]
mod tests;
