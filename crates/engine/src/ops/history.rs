//! What a memory was before each change.

use clap::Args;
use hark_core::IdRef;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::view::MemoryView;
use crate::engine::{Caller, Engine};
use crate::error::EngineError;

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Request {
    /// Id of the memory
    #[arg(value_name = "ID")]
    pub id: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Response {
    pub current: MemoryView,
    /// Oldest first.
    pub revisions: Vec<RevisionView>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct RevisionView {
    pub at: String,
    pub age: String,
    /// What happened to it then.
    pub change: String,
    /// What it was until then.
    pub before: MemoryView,
}

pub fn run(engine: &mut Engine, _caller: &Caller, request: &Request) -> Result<Response, EngineError> {
    let id: IdRef = request.id.parse()?;
    let now = engine.now();
    let stored = engine.store.find_fresh(&id, now)?;
    let revisions = engine.store.history(&stored.memory.id)?.into_iter().map(|revision| RevisionView {
        at: revision.at.to_string(),
        age: revision.at.age(now),
        change: revision.change.into_string(),
        before: MemoryView::new(&revision.before, now),
    });
    Ok(Response { revisions: revisions.collect(), current: MemoryView::of(engine, &stored, now) })
}
