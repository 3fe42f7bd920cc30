//! What Hark learns from sessions that are over, a step at a time, in the worker: never in a hook, and nothing that it
//! proposes is believed before the user accepts it.

pub(crate) mod episodes;
pub(crate) mod evidence;
pub(crate) mod insights;
mod procedures;
pub(crate) mod skills;

use std::time::{Duration, Instant};

use crate::engine::Engine;
use crate::error::EngineError;
use crate::rules;

/// Sessions per batch, so that no session waits forever behind the others.
pub(crate) const BATCH: usize = 200;

/// Runs every step until the time is up. Returns how many proposals it made.
pub(crate) fn in_background(
    engine: &mut Engine,
    started: Instant,
    limit: Duration,
) -> Result<usize, EngineError> {
    rules::close::in_background(engine, started, limit)?;
    engine.store.settle_tool_rules()?;
    if !engine.config.learning.enabled || started.elapsed() >= limit {
        return Ok(0);
    }
    let mut proposals = 0;
    if evidence::gather(engine, started, limit)? > 0 {
        proposals += insights::run(engine)?.proposed.len();
    }
    proposals += procedures::in_background(engine, started, limit)?;
    proposals += episodes::in_background(engine, started, limit)?;
    Ok(proposals)
}
