//! What a memory is linked to, in both directions, and the entities it mentions.

use clap::Args;
use hark_core::IdRef;
use hark_store::EntityCount;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
    pub id: String,
    pub title: String,
    pub links: Vec<LinkView>,
    pub entities: Vec<EntityCount>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct LinkView {
    /// As it reads from the memory asked about: `supersedes`, `superseded_by`, …
    pub relation: String,
    pub id: String,
    pub title: Option<String>,
    pub status: Option<String>,
    pub age: Option<String>,
    pub weight: f32,
    pub origin: String,
}

pub fn run(engine: &mut Engine, _caller: &Caller, request: &Request) -> Result<Response, EngineError> {
    let id: IdRef = request.id.parse()?;
    let now = engine.now();
    let stored = engine.store.find_fresh(&id, now)?;
    let links = engine.store.neighbours(&stored.memory.id)?.into_iter().map(|neighbour| LinkView {
        relation: if neighbour.outgoing {
            neighbour.relation.name()
        } else {
            neighbour.relation.inverse_name()
        }
        .to_owned(),
        id: neighbour.id.short(),
        title: neighbour.memory.as_ref().map(|m| m.title.to_string()),
        status: neighbour.memory.as_ref().map(|m| m.status.to_string()),
        age: neighbour.memory.as_ref().map(|m| m.updated.age(now)),
        weight: neighbour.weight,
        origin: neighbour.origin.to_string(),
    });
    Ok(Response {
        id: stored.memory.id.short(),
        title: stored.memory.title.to_string(),
        links: links.collect(),
        entities: engine.store.entities_of(stored.num)?,
    })
}
