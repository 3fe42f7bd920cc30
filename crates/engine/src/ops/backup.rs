//! Snapshots of the files, and bringing files back from one.

use clap::Args;
use hark_core::Timestamp;
use hark_core::time::parse_span;
use hark_store::{Restored, Snapshot};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::engine::{Caller, Engine};
use crate::error::EngineError;

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Response {
    pub made: Snapshot,
    /// How many there are now.
    pub kept: usize,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ListResponse {
    /// Newest first.
    pub snapshots: Vec<Snapshot>,
}

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct RestoreRequest {
    /// Which snapshot; the newest if absent
    #[arg(value_name = "NAME")]
    pub name: Option<String>,
    /// Everything as it was then: files that differ are replaced, newer ones go
    #[arg(long)]
    #[serde(default)]
    pub exact: bool,
    /// Really do it; without this only show what would be done
    #[arg(long)]
    #[serde(default)]
    pub yes: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct RestoreResponse {
    pub applied: bool,
    #[serde(flatten)]
    pub files: Restored,
    /// The snapshot of how it was before, to go back to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    pub memories: usize,
}

pub fn run(engine: &mut Engine, _caller: &Caller) -> Result<Response, EngineError> {
    let now = engine.now();
    engine.store.refresh_fully(now)?;
    let made = engine.store.back_up(engine.config.backup.keep, now, true)?;
    let kept = engine.store.snapshots().len();
    match made {
        Some(made) => Ok(Response { made, kept }),
        None => Err(EngineError::invalid("nothing was backed up", "try again")),
    }
}

pub fn list(engine: &mut Engine, _caller: &Caller) -> Result<ListResponse, EngineError> {
    Ok(ListResponse { snapshots: engine.store.snapshots() })
}

/// Brings back what is missing or damaged, or everything. The state before is a snapshot too.
pub fn restore(
    engine: &mut Engine,
    _caller: &Caller,
    request: &RestoreRequest,
) -> Result<RestoreResponse, EngineError> {
    let now = engine.now();
    let Some(path) = engine.store.snapshot_path(request.name.as_deref()) else {
        return Err(match &request.name {
            Some(name) => EngineError::invalid(format!("there is no snapshot `{name}`"), "hark backup list"),
            None => EngineError::invalid("there is no snapshot yet", "make one: hark backup"),
        });
    };
    let mut before = None;
    if request.yes {
        // One more than usual, so that the one asked for is not rotated away.
        let keep = engine.config.backup.keep.max(engine.store.snapshots().len()) + 1;
        before = engine.store.back_up(keep, now, true)?.map(|snapshot| snapshot.name);
    }
    let files = engine
        .store
        .write(now, |writer| writer.restore(&path, request.exact, request.yes).map_err(EngineError::from))?;
    let memories = if request.yes { engine.store.reindex(now)? } else { 0 };
    Ok(RestoreResponse { applied: request.yes, files, before, memories })
}

/// Makes a snapshot if the last one is old enough and something changed since.
pub(crate) fn in_background(engine: &mut Engine, now: Timestamp) -> Result<bool, EngineError> {
    let every = parse_span(&engine.config.backup.every).unwrap_or(0);
    // A snapshot from a time to come was made under a clock that was ahead.
    let is_recent = |at: Timestamp| (0..every).contains(&(now.as_millis() - at.as_millis()));
    let due = !engine.store.last_backup().is_some_and(is_recent);
    if every <= 0 || !due {
        return Ok(false);
    }
    Ok(engine.store.back_up(engine.config.backup.keep, now, false)?.is_some())
}
