//! Background work, once: store events that wait, close sessions that nobody ended, read what live
//! transcripts tell, put old events in short, put aside what has aged, make a snapshot.

use std::time::Duration;

use clap::Args;
use hark_hosts::Surroundings;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::engine::{Caller, Engine};
use crate::error::EngineError;
use crate::worker;

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Request {
    /// End when nothing is left to do (always so for now)
    #[arg(long)]
    #[serde(default)]
    pub until_idle: bool,
    /// End after this time at the latest: `60s`, `5m`
    #[arg(long, value_name = "TIME", default_value = "60s")]
    #[serde(default)]
    pub max: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Response {
    /// Another worker is at it already.
    pub busy: bool,
    /// Waiting events that were stored.
    pub events: usize,
    /// Sessions that were given up.
    pub expired: usize,
    /// Memories that retention put aside or removed.
    pub retired: usize,
    /// A snapshot of the files was made.
    pub backed_up: bool,
    /// Events that transcripts told and no hook did.
    pub read: u64,
    /// Sessions whose events were put in short.
    pub digested: usize,
    /// Memories that were made of what was said in sessions.
    pub distilled: usize,
    /// Passages that got a vector of the chosen encoder.
    pub embedded: usize,
}

pub fn run(
    engine: &mut Engine,
    _caller: &Caller,
    request: &Request,
    around: Option<&Surroundings>,
) -> Result<Response, EngineError> {
    let text = if request.max.is_empty() { "60s" } else { &request.max };
    let span = hark_core::time::parse_span(text)
        .ok_or_else(|| EngineError::invalid(format!("`{text}` is no span of time"), "write 60s, 5m or 1h"))?;
    let limit = Duration::from_millis(u64::try_from(span).unwrap_or(0));
    let done = worker::run(engine, limit, around)?;
    Ok(Response {
        busy: done.busy,
        events: done.events,
        expired: done.expired,
        retired: done.retired,
        backed_up: done.backed_up,
        read: done.read,
        digested: done.digested,
        distilled: done.distilled,
        embedded: done.embedded,
    })
}
