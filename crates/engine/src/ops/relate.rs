//! Link two memories.

use clap::Args;
use hark_core::{IdRef, Link, Origin, Relation};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::remember::retire;
use crate::engine::{Caller, Engine};
use crate::error::EngineError;

#[derive(Debug, Clone, Args, Deserialize, JsonSchema)]
pub struct Request {
    /// The memory the link starts from
    #[arg(value_name = "FROM")]
    pub from: String,
    /// The memory it leads to
    #[arg(value_name = "TO")]
    pub to: String,
    /// supersedes, extends, contradicts, caused_by, fixes, same_entity, sequence, context, related
    #[arg(long = "as", value_name = "RELATION", default_value = "related")]
    #[serde(default = "related")]
    #[schemars(with = "String")]
    pub relation: Relation,
    /// How strong, 0 to 1
    #[arg(long, value_name = "W", default_value_t = 1.0)]
    #[serde(default = "full")]
    pub weight: f32,
    /// Remove the link instead
    #[arg(long)]
    #[serde(default)]
    pub remove: bool,
}

fn related() -> Relation {
    Relation::Related
}

fn full() -> f32 {
    1.0
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Response {
    pub from: String,
    pub relation: String,
    pub to: String,
    pub removed: bool,
}

pub fn run(engine: &mut Engine, caller: &Caller, request: &Request) -> Result<Response, EngineError> {
    let (from, to): (IdRef, IdRef) = (request.from.parse()?, request.to.parse()?);
    if !(0.0..=1.0).contains(&request.weight) {
        return Err(EngineError::invalid("the weight must be between 0 and 1", "leave it out for 1"));
    }
    let now = engine.now();
    let origin = caller.origin.unwrap_or(Origin::Assistant);
    engine.store.refresh(now)?;
    let relation = request.relation;
    engine.store.write(now, |writer| {
        let before = writer.load(&from)?;
        let target = writer.load(&to)?;
        if before.id == target.id {
            return Err(EngineError::invalid("a memory cannot be linked to itself", "name two memories"));
        }
        let mut after = before.clone();
        after.links.retain(|link| !(link.to == target.id && link.relation == relation));
        if !request.remove {
            after.links.push(Link { to: target.id, relation, weight: request.weight, origin });
        }
        if after.links != before.links {
            after.revision += 1;
            after.updated = now;
            writer.update(&before, &after, if request.remove { "unlinked" } else { "linked" })?;
        }
        if relation == Relation::Supersedes && !request.remove {
            let speaker = hark_core::Memory { origin, ..after.clone() };
            retire(writer, &target, &speaker, now)?;
        }
        let response = Response {
            from: before.id.short(),
            relation: relation.to_string(),
            to: target.id.short(),
            removed: request.remove,
        };
        Ok(response)
    })
}
