//! Hooks of Kilo, which runs OpenCode's plugins.

pub(crate) use crate::opencode::hook::DIALECT;
