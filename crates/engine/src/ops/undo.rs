//! Undoes the last change of a memory, or restores an earlier revision. That is a change too, and can be
//! undone.

use clap::Args;
use hark_core::{IdRef, Memory, MemoryId, Origin, Status, Timestamp};
use hark_store::{Revision, Writer};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::view::MemoryView;
use super::view::line;
use crate::chain;
use crate::engine::{Caller, Engine};
use crate::error::EngineError;
use crate::operation::{Code, EVERYWHERE, Effect, Group, ID, Operation, Page, Reply, Tool, Who, operate};
use crate::voice::ASK_USER;

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Request {
    /// Id of the memory
    #[arg(value_name = "ID")]
    pub id: String,
    /// Revision to restore, see `hark history`; default: the previous one
    #[arg(long = "to", value_name = "REVISION")]
    pub revision: Option<u32>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Response {
    /// The change that was undone.
    pub undone: String,
    pub memory: MemoryView,
    /// Memories that are active again because this one no longer replaces them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub restored: Vec<String>,
}

pub fn run(engine: &mut Engine, caller: &Caller, request: &Request) -> Result<Response, EngineError> {
    let id: IdRef = request.id.parse()?;
    let origin = caller.origin.unwrap_or(Origin::Assistant);
    let now = engine.now();
    let stored = engine.store.find_fresh(&id, now)?;
    let history = engine.store.history(&stored.memory.id)?;
    let (undone, after, restored) = engine.store.write(now, |writer| {
        let before = writer.load(&IdRef::Full(stored.memory.id))?;
        if !origin.may_supersede(before.kind, before.origin) {
            return Err(EngineError::invalid(
                format!("only the user may change the {}'s {}", before.origin, before.kind),
                ASK_USER,
            ));
        }
        match chosen(&history, request.revision, &before)? {
            Some(revision) => go_back(writer, &before, revision, now),
            None => take_back_replacement(writer, &before, now),
        }
    })?;
    Ok(Response {
        undone,
        memory: MemoryView::new(&after, now),
        restored: restored.iter().map(MemoryId::short).collect(),
    })
}

type Undone = (String, Memory, Vec<MemoryId>);

fn chosen<'h>(
    history: &'h [Revision],
    wanted: Option<u32>,
    memory: &Memory,
) -> Result<Option<&'h Revision>, EngineError> {
    match wanted {
        None => Ok(history.last()),
        Some(number) => {
            history.iter().rev().find(|r| r.before.revision == number).map(Some).ok_or_else(|| {
                EngineError::invalid(
                    format!("{} has no revision {number}", memory.id),
                    format!("`hark history {}` lists them", memory.id),
                )
            })
        }
    }
}

fn go_back(
    writer: &mut Writer<'_>,
    before: &Memory,
    revision: &Revision,
    now: Timestamp,
) -> Result<Undone, EngineError> {
    let mut after = revision.before.clone();
    after.revision = before.revision;
    // Drop links to memories that no longer exist.
    let mut links = Vec::with_capacity(after.links.len());
    for link in after.links {
        if chain::find(writer, link.to)?.is_some() {
            links.push(link);
        }
    }
    after.links = links;
    if let Some(by) = after.superseded_by
        && chain::find(writer, by)?.is_none()
    {
        after.set_status(Status::Active, now);
    }
    after.updated = before.updated;
    after.touch(now);
    writer.update(before, &after, "undone")?;
    if after.scope != before.scope {
        writer.move_to_its_store(&after.id)?;
    }
    if before.superseded_by.is_some() && after.superseded_by != before.superseded_by {
        chain::unclaim(writer, before, now)?;
    }
    let mut restored = Vec::new();
    let still = chain::replaced_by(&after);
    for old in chain::replaced_by(before).into_iter().filter(|id| !still.contains(id)) {
        if chain::revive(writer, old, before.id, now)? {
            restored.push(old);
        }
    }
    for old in still {
        retire_again(writer, &after, old, now)?;
    }
    Ok((revision.change.to_string(), after, restored))
}

fn retire_again(
    writer: &mut Writer<'_>,
    newer: &Memory,
    old: MemoryId,
    now: Timestamp,
) -> Result<(), EngineError> {
    match chain::find(writer, old)? {
        Some(old) if old.superseded_by.is_none() => super::remember::retire(writer, &old, newer, now),
        _ => Ok(()),
    }
}

/// It was never changed, but it replaced others: reactivates them and archives it.
fn take_back_replacement(
    writer: &mut Writer<'_>,
    before: &Memory,
    now: Timestamp,
) -> Result<Undone, EngineError> {
    let replaced = chain::replaced_by(before);
    if replaced.is_empty() {
        return Err(EngineError::invalid(
            format!("{} was never changed", before.id),
            format!("to remove it: hark archive {} or hark forget {}", before.id, before.id),
        ));
    }
    let mut after = before.clone();
    after.links.retain(|link| link.relation != hark_core::Relation::Supersedes);
    after.set_status(Status::Archived, now);
    after.touch(now);
    writer.update(before, &after, "undone")?;
    let mut restored = Vec::new();
    for old in replaced {
        if chain::revive(writer, old, before.id, now)? {
            restored.push(old);
        }
    }
    Ok(("supersedes".to_owned(), after, restored))
}

pub const OPERATION: Operation = Operation {
    name: "undo",
    also: &[],
    summary: "Undo the last change of a memory",
    help: "",
    examples: &[
        ("hark undo m-7k3q9x2d", "Undo the last change"),
        ("hark undo m-7k3q9x2d --to 2", "Go back to revision 2"),
    ],
    group: Group::Change,
    effect: Effect::Write,
    who: Who::Anyone,
    tool: Tool::Off("a change by an assistant is for the user to undo"),
    surfaces: EVERYWHERE,
    code: Code::on_store::<Request>(),
};

operate!(Request => Response, run);

impl Reply for Response {
    fn print(&self, page: &mut Page) {
        page.print(&line(&self.memory, page));
        page.note(&format!("undid: {}; run `hark undo {}` again to redo it\n", self.undone, self.memory.id));
        for id in &self.restored {
            page.note(&format!("{ID}{id}{ID:#} is active again\n"));
        }
    }
}
