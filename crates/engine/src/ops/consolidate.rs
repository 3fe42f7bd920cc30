//! Finds memories that say the same thing or may replace an older one, and merges duplicates. A merged
//! memory stays in the history as superseded; `hark undo` restores it.

use std::collections::HashSet;

use clap::Args;
use hark_core::likeness::{Difference, Likeness};
use hark_core::{Kind, Link, Memory, MemoryId, Relation, Status, Timestamp};
use hark_store::{ListFilter, ListOrder, Writer};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::remember::retire;
use super::scope::ReadScope;
use crate::engine::{Caller, Engine};
use crate::error::EngineError;
use crate::operation::text::{count, words};
use crate::operation::{
    Code, DIM, EVERYWHERE, Effect, Family, Group, ID, Operation, Page, Reply, Tool, Who, operate,
};
use crate::repeat;

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Request {
    /// Merge duplicates; without this, only show them
    #[arg(long)]
    #[serde(default)]
    pub apply: bool,
    #[command(flatten)]
    #[serde(flatten)]
    pub scope: ReadScope,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct Response {
    pub applied: bool,
    /// The number of memories compared.
    pub looked_at: usize,
    /// Pairs that say the same thing; `--apply` merges them.
    pub repeats: Vec<Pair>,
    /// Pairs whose newer memory may replace the older one. They are only reported.
    pub possible_updates: Vec<Pair>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Pair {
    /// The memory that stays, or the newer one.
    pub keep: End,
    pub other: End,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub differences: Vec<Difference>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct End {
    pub id: String,
    pub title: String,
}

const MOST: usize = 1_000_000;

pub fn run(engine: &mut Engine, caller: &Caller, request: &Request) -> Result<Response, EngineError> {
    let now = engine.now();
    engine.store.refresh(now)?;
    let visible = request.scope.resolve(engine, caller)?;
    let filter =
        ListFilter { projects: visible.projects, statuses: vec![Status::Active], ..ListFilter::default() };
    let origin = caller.origin.unwrap_or(hark_core::Origin::Assistant);
    let memories = engine.store.list(&filter, ListOrder::OldestFirst, MOST)?;
    let mut response = Response { applied: request.apply, looked_at: memories.len(), ..Response::default() };
    let mut merged: HashSet<MemoryId> = HashSet::new();
    // One transaction for each pair, so that other writers do not wait for all of them.
    for stored in &memories {
        let memory = &stored.memory;
        let strange = memory.origin == hark_core::Origin::Repository;
        if strange || merged.contains(&memory.id) || matches!(memory.kind, Kind::Event | Kind::Episode) {
            continue;
        }
        let found = engine
            .store
            .write(now, |writer| pairs_of(writer, memory, &merged, request.apply.then_some(origin), now))?;
        for (pair, gone) in found.repeats {
            merged.insert(gone);
            response.repeats.push(pair);
        }
        response.possible_updates.extend(found.updates);
    }
    Ok(response)
}

#[derive(Default)]
struct Found {
    repeats: Vec<(Pair, MemoryId)>,
    updates: Vec<Pair>,
}

/// Newer memories that repeat or may replace `memory`. Each pair occurs once.
fn pairs_of(
    writer: &mut Writer<'_>,
    memory: &Memory,
    merged: &HashSet<MemoryId>,
    apply: Option<hark_core::Origin>,
    now: Timestamp,
) -> Result<Found, EngineError> {
    let mut found = Found::default();
    let Some(mut current) = crate::chain::find(writer, memory.id)?.filter(|m| m.status == Status::Active)
    else {
        return Ok(found);
    };
    for other in writer.alike(&current)? {
        if merged.contains(&other.id) || (other.created, other.id) < (current.created, current.id) {
            continue;
        }
        match repeat::likeness(writer, &current, &other) {
            Likeness::Same | Likeness::More | Likeness::Less => {
                // A caller who may not speak for the user may not merge the user's words.
                if !may_merge(apply, &current, &other) {
                    continue;
                }
                let pair = Pair { keep: end(&current), other: end(&other), differences: Vec::new() };
                if apply.is_some() {
                    match merge(writer, &current, &other, now)? {
                        Some(after) => current = after,
                        None => continue,
                    }
                }
                found.repeats.push((pair, other.id));
            }
            Likeness::Changed(differences) => {
                found.updates.push(Pair { keep: end(&other), other: end(&current), differences });
            }
            Likeness::Other => {}
        }
    }
    Ok(found)
}

fn may_merge(apply: Option<hark_core::Origin>, a: &Memory, b: &Memory) -> bool {
    apply
        .is_none_or(|origin| origin.may_supersede(a.kind, a.origin) && origin.may_supersede(b.kind, b.origin))
}

/// Merges the newer memory into the older one, which then supersedes it.
fn merge(
    writer: &mut Writer<'_>,
    keep: &Memory,
    other: &Memory,
    now: Timestamp,
) -> Result<Option<Memory>, EngineError> {
    let longer = other.body.len() > keep.body.len();
    let Some(mut after) = repeat::united(keep, other, longer, now) else { return Ok(None) };
    let origin = hark_core::Origin::User;
    after.links.retain(|link| link.to != other.id);
    after.links.push(Link { to: other.id, relation: Relation::Supersedes, weight: 1.0, origin });
    after.touch(now);
    writer.update(keep, &after, "merged")?;
    retire(writer, other, &Memory { origin, ..after.clone() }, now)?;
    Ok(Some(after))
}

fn end(memory: &Memory) -> End {
    End { id: memory.id.short(), title: memory.title.to_string() }
}

pub const OPERATION: Operation = Operation {
    name: "consolidate",
    also: &[],
    summary: "Find and merge memories that say the same thing",
    help: "",
    examples: &[
        ("hark consolidate", "Show duplicates and possible updates"),
        ("hark consolidate --apply", "Merge the duplicates"),
    ],
    group: Group::Store,
    effect: Effect::Write,
    who: Who::Anyone,
    tool: Tool::On {
        name: "memory_consolidate",
        family: Family::Admin,
        description: "Find memories that say the same; merge them with apply. The user's own words are left alone.",
    },
    surfaces: EVERYWHERE,
    code: Code::on_store::<Request>(),
};

operate!(Request => Response, run);

impl Reply for Response {
    fn print(&self, page: &mut Page) {
        let word = if self.applied { "merged" } else { "would merge" };
        for pair in &self.repeats {
            page.print(&format!(
                "{word} {ID}{}{ID:#} into {ID}{}{ID:#} {}\n",
                pair.other.id,
                pair.keep.id,
                words(&pair.keep.title)
            ));
        }
        for pair in &self.possible_updates {
            page.print(&format!(
                "{ID}{}{ID:#} possibly supersedes {ID}{}{ID:#} {}\n",
                pair.keep.id,
                pair.other.id,
                words(&pair.other.title)
            ));
        }
        page.note(&format!("{DIM}compared {}{DIM:#}\n", count(self.looked_at, "memory", "memories")));
        if !self.applied && !self.repeats.is_empty() {
            page.note("nothing was changed; add --apply to merge\n");
        } else if self.applied && !self.repeats.is_empty() {
            page.note("undo a merge with `hark undo ID`\n");
        }
        if !self.possible_updates.is_empty() {
            page.note("to replace an older memory: hark relate NEWER OLDER --as supersedes\n");
        }
    }
}
