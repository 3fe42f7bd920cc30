//! One or more memories, whole.

use clap::Args;
use hark_core::IdRef;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::view::MemoryView;
use crate::engine::{Caller, Engine};
use crate::error::EngineError;

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Request {
    /// Ids of memories
    #[arg(value_name = "ID", required = true)]
    pub ids: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Response {
    pub memories: Vec<MemoryView>,
}

pub fn run(engine: &mut Engine, _caller: &Caller, request: &Request) -> Result<Response, EngineError> {
    let now = engine.now();
    let mut shown = Vec::with_capacity(request.ids.len());
    let mut memories = Vec::with_capacity(request.ids.len());
    for text in &request.ids {
        let id: IdRef = text.parse()?;
        let stored = engine.store.find_fresh(&id, now)?;
        shown.push(stored.memory.id);
        memories.push(MemoryView::of(engine, &stored, now));
    }
    engine.store.note_use(&shown, now);
    Ok(Response { memories })
}
