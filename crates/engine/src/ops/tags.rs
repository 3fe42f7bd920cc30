//! Tags in use, most used first.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::scope::ReadScope;
use crate::engine::{Caller, Engine};
use crate::error::EngineError;

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Request {
    #[command(flatten)]
    #[serde(flatten)]
    pub scope: ReadScope,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Response {
    pub tags: Vec<TagCount>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct TagCount {
    pub tag: String,
    pub memories: i64,
}

pub fn run(engine: &mut Engine, caller: &Caller, request: &Request) -> Result<Response, EngineError> {
    let now = engine.now();
    engine.store.refresh(now)?;
    let visible = request.scope.resolve(engine, caller)?;
    let tags = engine.store.tags(visible.projects.as_deref())?;
    Ok(Response { tags: tags.into_iter().map(|(tag, memories)| TagCount { tag, memories }).collect() })
}
