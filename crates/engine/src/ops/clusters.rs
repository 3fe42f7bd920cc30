//! Groups the memories of a project by what they mention most, and shows how the groups are connected.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use clap::Args;
use hark_core::Status;
use hark_store::{ListFilter, ListOrder};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::scope::ReadScope;
use crate::engine::{Caller, Engine};
use crate::error::EngineError;
use crate::operation::text::{count, words};
use crate::operation::{
    BOLD, Code, DIM, EVERYWHERE, Effect, Group, ID, Operation, Page, Reply, Tool, Who, operate,
};

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Request {
    /// Maximum number of groups
    #[arg(long, short = 'n', value_name = "N")]
    pub limit: Option<usize>,
    #[command(flatten)]
    #[serde(flatten)]
    pub scope: ReadScope,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Response {
    /// The largest first.
    pub clusters: Vec<Cluster>,
    /// Pairs of groups that memories mention together.
    pub links: Vec<Pair>,
    /// Memories in no group.
    pub alone: usize,
}

/// Memories that mention the same thing.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Cluster {
    /// What they mention: a file, library, person…
    pub name: String,
    pub kind: String,
    pub memories: usize,
    /// The newest of them.
    pub newest: Vec<Member>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Member {
    pub id: String,
    pub kind: String,
    pub title: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Pair {
    /// Positions in `clusters`.
    pub from: usize,
    pub to: usize,
    /// Memories that mention both.
    pub shared: usize,
}

const DEFAULT_LIMIT: usize = 12;
const MAX_LIMIT: usize = 100;
/// The newest memories; older ones would not change the picture.
const LOOKED_AT: usize = 2_000;
const LISTED: usize = 4;
/// One memory is no group.
const SMALLEST: usize = 2;

type Key = (String, String);

pub fn run(engine: &mut Engine, caller: &Caller, request: &Request) -> Result<Response, EngineError> {
    let now = engine.now();
    engine.store.refresh(now)?;
    let visible = request.scope.resolve(engine, caller)?;
    let filter = ListFilter {
        projects: visible.projects,
        statuses: vec![Status::Active, Status::Resolved],
        ..ListFilter::default()
    };
    let found = engine.store.list(&filter, ListOrder::NewestChange, LOOKED_AT)?;
    let mut mentions: Vec<BTreeSet<Key>> = Vec::with_capacity(found.len());
    for one in &found {
        let entities = engine.store.entities_of(one.num)?;
        mentions.push(entities.into_iter().map(|e| (e.kind, e.name)).collect());
    }
    let limit = request.limit.unwrap_or(DEFAULT_LIMIT).clamp(1, MAX_LIMIT);
    let groups = groups(&mentions, limit);
    let mut pairs: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    for keys in &mentions {
        let here: Vec<usize> =
            groups.iter().enumerate().filter(|(_, g)| keys.contains(&g.0)).map(|(at, _)| at).collect();
        for (at, from) in here.iter().enumerate() {
            for to in &here[at + 1..] {
                *pairs.entry((*from, *to)).or_default() += 1;
            }
        }
    }
    let grouped: BTreeSet<usize> = groups.iter().flat_map(|(_, members)| members.iter().copied()).collect();
    let cluster = |((kind, name), members): &(Key, Vec<usize>)| Cluster {
        name: name.clone(),
        kind: kind.clone(),
        memories: members.len(),
        newest: members
            .iter()
            .take(LISTED)
            .filter_map(|at| found.get(*at))
            .map(|one| Member {
                id: one.memory.id.short(),
                kind: one.memory.kind.to_string(),
                title: one.memory.title.to_string(),
            })
            .collect(),
    };
    Ok(Response {
        clusters: groups.iter().map(cluster).collect(),
        links: pairs.into_iter().map(|((from, to), shared)| Pair { from, to, shared }).collect(),
        alone: found.len() - grouped.len(),
    })
}

/// Takes what most memories mention, then what most of the others mention, and so on. A group holds every memory that
/// mentions its subject.
fn groups(mentions: &[BTreeSet<Key>], limit: usize) -> Vec<(Key, Vec<usize>)> {
    let mut members: HashMap<&Key, Vec<usize>> = HashMap::new();
    for (at, keys) in mentions.iter().enumerate() {
        keys.iter().for_each(|key| members.entry(key).or_default().push(at));
    }
    let mut taken: BTreeSet<usize> = BTreeSet::new();
    let mut chosen: Vec<(Key, Vec<usize>)> = Vec::new();
    while chosen.len() < limit {
        let news = |of: &[usize]| of.iter().filter(|at| !taken.contains(at)).count();
        let best = members
            .iter()
            .filter(|(key, _)| chosen.iter().all(|(known, _)| known != **key))
            .max_by(|a, b| news(a.1).cmp(&news(b.1)).then_with(|| b.0.cmp(a.0)));
        let Some((key, of)) = best.filter(|(_, of)| news(of) >= SMALLEST) else { break };
        taken.extend(of);
        chosen.push(((*key).clone(), of.clone()));
    }
    chosen.sort_by(|a, b| b.1.len().cmp(&a.1.len()).then_with(|| a.0.cmp(&b.0)));
    chosen
}

pub const OPERATION: Operation = Operation {
    name: "clusters",
    also: &[],
    summary: "Group memories by what they mention",
    help: "",
    examples: &[
        ("hark clusters", "Show what this project's memories are about"),
        ("hark clusters --all-projects -n 20", "Show up to 20 groups over all projects"),
    ],
    group: Group::Memories,
    effect: Effect::Read,
    who: Who::Anyone,
    tool: Tool::Off("memory_context and memory_links answer about one thing at less cost"),
    surfaces: EVERYWHERE,
    code: Code::on_store::<Request>(),
};

operate!(Request => Response, run);

impl Reply for Response {
    fn print(&self, page: &mut Page) {
        for cluster in &self.clusters {
            let memories = count(cluster.memories, "memory", "memories");
            page.print(&format!(
                "{BOLD}{}{BOLD:#} {DIM}{}, {memories}{DIM:#}\n",
                words(&cluster.name),
                cluster.kind
            ));
            for member in &cluster.newest {
                page.print(&format!("  {ID}{}{ID:#} {}\n", member.id, words(&member.title)));
            }
        }
        if self.clusters.is_empty() {
            page.note("no two memories here mention the same thing\n");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_group_adds_memories_that_no_group_had() {
        let keys = |names: &[&str]| -> BTreeSet<Key> {
            names.iter().map(|name| ("file".to_owned(), (*name).to_owned())).collect()
        };
        let mentions = [keys(&["a", "b"]), keys(&["a", "b"]), keys(&["a"]), keys(&["c"]), keys(&["c", "a"])];
        let found = groups(&mentions, 5);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0], (("file".to_owned(), "a".to_owned()), vec![0, 1, 2, 4]));
        let apart = [keys(&["a"]), keys(&["a"]), keys(&["c"]), keys(&["c"])];
        assert_eq!(groups(&apart, 5).len(), 2);
    }
}
