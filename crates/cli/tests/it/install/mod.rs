//! `hark install` and `hark uninstall`, seen from outside: files before, between and after.

mod commands;
mod edits;
mod layouts;
mod lifecycle;
mod machine;
mod over_http;
mod trees;
