//! Remove memories for good: file, history, index, and links that lead to them.

use clap::Args;
use hark_core::{IdRef, Memory, MemoryId, Origin, Relation, Status, Timestamp};
use hark_store::{Passing, StoreError, Writer};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::engine::{Caller, Engine};
use crate::error::EngineError;

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Request {
    /// Ids of memories
    #[arg(value_name = "ID", required = true)]
    pub ids: Vec<String>,
    /// Really do it; without this only show what would go
    #[arg(long)]
    #[serde(default)]
    pub yes: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Response {
    pub forgotten: bool,
    pub memories: Vec<Gone>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Gone {
    pub id: String,
    pub title: String,
}

pub fn run(engine: &mut Engine, caller: &Caller, request: &Request) -> Result<Response, EngineError> {
    let ids = request.ids.iter().map(|text| text.parse::<IdRef>()).collect::<Result<Vec<_>, _>>()?;
    let now = engine.now();
    let origin = caller.origin.unwrap_or(Origin::Assistant);
    engine.store.refresh(now)?;
    let mut memories = Vec::with_capacity(ids.len());
    let mut doomed = Vec::with_capacity(ids.len());
    for id in &ids {
        let memory = engine.store.find(id)?.memory;
        if !origin.may_supersede(memory.kind, memory.origin) && request.yes {
            return Err(EngineError::invalid(
                format!("only the user may forget the {}'s {}", memory.origin, memory.kind),
                format!("ask the user to run: hark forget {} --yes", memory.id),
            ));
        }
        memories.push(Gone { id: memory.id.short(), title: memory.title.to_string() });
        doomed.push(memory.id);
    }
    if !request.yes {
        return Ok(Response { forgotten: false, memories });
    }
    engine.store.write(now, |writer| {
        for id in &doomed {
            for linking in writer.linked_from(id)? {
                if doomed.contains(&linking) {
                    continue;
                }
                let before = writer.load(&IdRef::Full(linking))?;
                let mut after = before.clone();
                after.links.retain(|link| link.to != *id);
                after.revision += 1;
                writer.update(&before, &after, "unlinked")?;
            }
            restore_replaced(writer, &writer.load(&IdRef::Full(*id))?, &doomed, now)?;
            let gone = writer.load(&IdRef::Full(*id))?;
            writer.bury(&gone, Passing::Forgotten)?;
            writer.remove(id)?;
        }
        Ok::<_, EngineError>(())
    })?;
    Ok(Response { forgotten: true, memories })
}

/// What the forgotten one had replaced holds again.
fn restore_replaced(
    writer: &mut Writer<'_>,
    gone: &Memory,
    doomed: &[MemoryId],
    now: Timestamp,
) -> Result<(), EngineError> {
    let replaced = gone.links.iter().filter(|link| link.relation == Relation::Supersedes).map(|link| link.to);
    for id in replaced.filter(|id| !doomed.contains(id)) {
        let before = match writer.load(&IdRef::Full(id)) {
            Ok(before) => before,
            Err(StoreError::NotFound { .. }) => continue,
            Err(e) => return Err(e.into()),
        };
        if before.superseded_by == Some(gone.id) {
            let mut after = before.clone();
            if before.status == Status::Superseded {
                after.set_status(Status::Active, now);
            }
            after.superseded_by = None;
            after.touch(now);
            writer.update(&before, &after, "restored")?;
        }
    }
    Ok(())
}
