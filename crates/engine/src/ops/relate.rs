//! Links two memories.

use clap::Args;
use hark_core::{IdRef, Link, Memory, Origin, Relation, Status, Timestamp};
use hark_store::{StoreError, Writer};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::remember::retire;
use crate::engine::{Caller, Engine};
use crate::error::EngineError;
use crate::operation::{Code, EVERYWHERE, Effect, Group, ID, Operation, Page, Reply, Tool, Who, operate};
use crate::voice::ASK_USER;

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
    /// Strength, 0 to 1
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
        return Err(EngineError::invalid("the weight must be between 0 and 1", "omit it for 1"));
    }
    let now = engine.now();
    let origin = caller.origin.unwrap_or(Origin::Assistant);
    engine.store.refresh(now)?;
    let relation = request.relation;
    engine.store.write(now, |writer| {
        let before = writer.load(&from)?;
        let target = writer.load(&to)?;
        if before.id == target.id {
            return Err(EngineError::invalid(
                "a memory cannot be linked to itself",
                "pass two different ids",
            ));
        }
        let superseding = relation == Relation::Supersedes && !request.remove;
        if superseding && before.status == Status::Proposed {
            return Err(EngineError::invalid(
                format!("{} is a proposal and replaces nothing until the user accepts it", before.id),
                ASK_USER,
            ));
        }
        let mut after = before.clone();
        let revived = superseding && replaced_through(writer, &before, &target)?;
        if revived {
            release(writer, &before, &target, origin, now)?;
            after.set_status(Status::Active, now);
        }
        after.links.retain(|link| !(link.to == target.id && link.relation == relation));
        if !request.remove {
            after.links.push(Link { to: target.id, relation, weight: request.weight, origin });
        }
        if after != before {
            after.touch(now);
            writer.update(&before, &after, if request.remove { "unlinked" } else { "linked" })?;
        }
        if superseding {
            let speaker = Memory { origin, ..after.clone() };
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

/// Whether `target` replaced `old`, directly or in several steps.
fn replaced_through(writer: &Writer<'_>, old: &Memory, target: &Memory) -> Result<bool, EngineError> {
    let mut seen = vec![old.id];
    let mut next = old.superseded_by;
    while let Some(id) = next.filter(|id| !seen.contains(id)) {
        if id == target.id {
            return Ok(true);
        }
        seen.push(id);
        next = match writer.load(&IdRef::Full(id)) {
            Ok(memory) => memory.superseded_by,
            Err(StoreError::NotFound { .. }) => None,
            Err(e) => return Err(e.into()),
        };
    }
    Ok(false)
}

/// Removes the link that replaced `old`: if two memories replaced each other, neither would be active.
/// `target` is about to be retired, which removes its own link.
fn release(
    writer: &mut Writer<'_>,
    old: &Memory,
    target: &Memory,
    origin: Origin,
    now: Timestamp,
) -> Result<(), EngineError> {
    let Some(successor) = old.superseded_by.filter(|id| *id != target.id) else { return Ok(()) };
    let before = writer.load(&IdRef::Full(successor))?;
    if !origin.may_supersede(before.kind, before.origin) {
        return Err(EngineError::invalid(
            format!("{} was replaced by the {}'s {}", old.id, before.origin, before.kind),
            ASK_USER,
        ));
    }
    let mut after = before.clone();
    after.links.retain(|link| !(link.relation == Relation::Supersedes && link.to == old.id));
    if after != before {
        after.touch(now);
        writer.update(&before, &after, "unlinked")?;
    }
    Ok(())
}

pub const OPERATION: Operation = Operation {
    name: "relate",
    also: &[],
    summary: "Link two memories",
    help: "",
    examples: &[
        ("hark relate m-2p8w4n6c m-7k3q9x2d --as supersedes", "Replace an older memory with a newer one"),
        ("hark relate m-2p8w4n6c m-7k3q9x2d --remove", "Remove the link"),
    ],
    group: Group::Change,
    effect: Effect::Write,
    who: Who::Anyone,
    tool: Tool::Within("memory_update"),
    surfaces: EVERYWHERE,
    code: Code::on_store::<Request>(),
};

operate!(Request => Response, run);

impl Reply for Response {
    fn print(&self, page: &mut Page) {
        let word = if self.removed { "no longer " } else { "" };
        page.print(&format!("{ID}{}{ID:#} {word}{} {ID}{}{ID:#}\n", self.from, self.relation, self.to));
    }
}
