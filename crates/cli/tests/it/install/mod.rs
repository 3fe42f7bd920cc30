//! `hark install` and `hark uninstall`, seen from outside: files before, between and after.

mod commands;
mod edits;
pub(crate) mod layouts;
mod lifecycle;
pub(crate) mod machine;
mod over_http;
mod trees;
