//! Rebuild the index from the files alone, with the vectors of the encoder.

use std::time::{Duration, Instant};

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::embed;
use crate::embed::Embedder;
use crate::engine::{Caller, Engine};
use crate::error::EngineError;

/// Vectors that have to be made anew take longer than everything else. What is left then is the worker's.
const LONGEST: u64 = 10 * 60;

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Request {
    /// Stop making vectors of the encoder after this many seconds (600 by default); the worker makes the rest
    #[arg(long, value_name = "N")]
    pub max_seconds: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Response {
    pub memories: usize,
    pub unreadable_files: i64,
    pub millis: u64,
    /// Vectors of the encoder, if the settings choose one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vectors: Option<Vectors>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Vectors {
    /// Passages that have one.
    pub embedded: usize,
    pub passages: usize,
    /// Passages for which there was no time.
    pub left: usize,
}

/// `progress` is told how many vectors were made, of how many.
pub fn run(
    engine: &mut Engine,
    _caller: &Caller,
    request: &Request,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Response, EngineError> {
    let started = Instant::now();
    let memories = match engine.store.take_rebuilt() {
        // There was none to open: it has just been made.
        Some(memories) => memories,
        None => engine.store.reindex(engine.now())?,
    };
    let vectors = vectors(engine, request, started, progress)?;
    let unreadable_files = engine.store.stats()?.unreadable_files;
    Ok(Response { memories, unreadable_files, millis: started.elapsed().as_millis() as u64, vectors })
}

/// An index that is rebuilt has the vectors of before. One that was lost has none: then they are made, so that
/// recall gives the same answers as before.
fn vectors(
    engine: &mut Engine,
    request: &Request,
    started: Instant,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Option<Vectors>, EngineError> {
    let Some(encoder) = engine.encoder() else { return Ok(None) };
    let owed = engine.store.owes_vectors()?;
    let before = engine.store.coverage(encoder.id())?;
    let missing = before.passages - before.embedded;
    if owed && missing > 0 {
        let until = started + Duration::from_secs(request.max_seconds.unwrap_or(LONGEST));
        embed::fill(engine, &encoder, Some(until), &mut |made| progress(made, missing))?;
    }
    let after = engine.store.coverage(encoder.id())?;
    let left = if owed { after.passages - after.embedded } else { 0 };
    Ok(Some(Vectors { embedded: after.embedded, passages: after.passages, left }))
}
