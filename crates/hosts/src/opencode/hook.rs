//! Hooks of OpenCode, through the plugin that we install; it speaks our own protocol.

pub(crate) use crate::generic::hook::DIALECT;
