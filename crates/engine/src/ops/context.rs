//! Everything about one file, issue, merge request, person or other thing.

use clap::Args;
use hark_core::Entity;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::scope::ReadScope;
use super::view::MemoryView;
use crate::engine::{Caller, Engine};
use crate::error::EngineError;

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Request {
    /// `src/auth.rs`, `#12`, `group/proj!7`, `@ann`, `getUser`, `library:axum`
    #[arg(value_name = "REF")]
    pub reference: String,
    /// At most this many
    #[arg(long, short = 'n', value_name = "N")]
    #[schemars(skip)]
    pub limit: Option<usize>,
    #[command(flatten)]
    #[serde(flatten)]
    pub scope: ReadScope,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Response {
    /// What the reference was understood as.
    pub entity: String,
    pub memories: Vec<MemoryView>,
}

pub fn run(engine: &mut Engine, caller: &Caller, request: &Request) -> Result<Response, EngineError> {
    let entity = Entity::from_reference(&request.reference).ok_or_else(|| {
        EngineError::invalid("the reference is empty", "name a file, `#12`, `!7` or `@ann`")
    })?;
    let now = engine.now();
    engine.store.refresh(now)?;
    let visible = request.scope.resolve(engine, caller)?;
    let limit = request.limit.unwrap_or(20).min(1_000);
    let found = engine.store.mentioning(&entity, visible.projects.as_deref(), limit)?;
    Ok(Response {
        entity: entity.label(),
        memories: found.iter().map(|s| MemoryView::of(engine, s, now)).collect(),
    })
}
