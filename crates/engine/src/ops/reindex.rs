//! Rebuild the index from the files alone.

use std::time::Instant;

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::engine::{Caller, Engine};
use crate::error::EngineError;

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Request {}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Response {
    pub memories: usize,
    pub unreadable_files: i64,
    pub millis: u64,
}

pub fn run(engine: &mut Engine, _caller: &Caller, _request: &Request) -> Result<Response, EngineError> {
    let started = Instant::now();
    let memories = match engine.store.take_rebuilt() {
        // There was none to open: it has just been made.
        Some(memories) => memories,
        None => engine.store.reindex(engine.now())?,
    };
    let unreadable_files = engine.store.stats()?.unreadable_files;
    Ok(Response { memories, unreadable_files, millis: started.elapsed().as_millis() as u64 })
}
