//! Lists the links of a memory in both directions, and the entities it mentions.

use clap::Args;
use hark_core::{IdRef, Relation};
use hark_store::EntityCount;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::engine::{Caller, Engine};
use crate::error::EngineError;
use crate::operation::text::words;
use crate::operation::{
    BOLD, Code, DIM, EVERYWHERE, Effect, Family, Group, ID, Operation, Page, Reply, Tool, Who, operate,
};

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Request {
    /// Id of the memory
    #[arg(value_name = "ID")]
    pub id: String,
    /// Only these relations: fixes (in both directions), fixed_by (in one)…
    #[arg(long = "as", value_name = "RELATION")]
    #[serde(default)]
    pub relations: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Response {
    pub id: String,
    pub title: String,
    pub links: Vec<LinkView>,
    pub entities: Vec<EntityCount>,
    #[serde(skip)]
    pub filtered: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct LinkView {
    /// As seen from this memory: `supersedes`, `superseded_by`, …
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
    let wanted = request.relations.iter().map(|word| wish(word)).collect::<Result<Vec<_>, _>>()?;
    let is_wanted = |relation: Relation, outgoing: bool| {
        wanted.is_empty()
            || wanted.iter().any(|(one, way)| *one == relation && way.is_none_or(|way| way == outgoing))
    };
    let found = engine.store.neighbours(&stored.memory.id)?.into_iter();
    let links =
        found.filter(|neighbour| is_wanted(neighbour.relation, neighbour.outgoing)).map(|neighbour| {
            LinkView {
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
            }
        });
    Ok(Response {
        id: stored.memory.id.short(),
        title: stored.memory.title.to_string(),
        links: links.collect(),
        entities: match request.relations.is_empty() {
            true => engine.store.entities_of(stored.num)?,
            false => Vec::new(),
        },
        filtered: !request.relations.is_empty(),
    })
}

/// A relation by either name. The name seen from the other end chooses incoming links.
fn wish(word: &str) -> Result<(Relation, Option<bool>), EngineError> {
    if let Ok(relation) = word.parse() {
        return Ok((relation, None));
    }
    let lower = word.trim().to_ascii_lowercase().replace(['-', ' '], "_");
    let inverse = Relation::ALL.iter().copied().find(|relation| relation.inverse_name() == lower);
    inverse.map(|relation| (relation, Some(false))).ok_or_else(|| {
        let names: Vec<&str> = Relation::ALL.iter().map(|relation| relation.name()).collect();
        let shown: String = word.chars().take(40).collect();
        EngineError::invalid(
            format!("`{shown}` is not a relation"),
            format!("use one of {}", names.join(", ")),
        )
    })
}

pub const OPERATION: Operation = Operation {
    name: "links",
    also: &[],
    summary: "Show what a memory is linked to",
    help: "",
    examples: &[
        ("hark links m-7k3q9x2d", "List links in both directions, and what the memory mentions"),
        ("hark links m-7k3q9x2d --as fixes", "List only fixes, and what they fix"),
    ],
    group: Group::Memories,
    effect: Effect::Read,
    who: Who::Anyone,
    tool: Tool::On {
        name: "memory_links",
        family: Family::Graph,
        description: "Links of a memory in both directions, and the entities it mentions.",
    },
    surfaces: EVERYWHERE,
    code: Code::on_store::<Request>(),
};

operate!(Request => Response, run);

impl Reply for Response {
    fn print(&self, page: &mut Page) {
        page.print(&format!("{ID}{}{ID:#} {BOLD}{}{BOLD:#}\n", self.id, words(&self.title)));
        for link in &self.links {
            let title = link.title.as_deref().map_or_else(|| "(removed)".to_owned(), words);
            let age = link.age.as_deref().unwrap_or("?");
            page.print(&format!("  {:<14} {ID}{}{ID:#} {title} {DIM}{age}{DIM:#}\n", link.relation, link.id));
        }
        for entity in &self.entities {
            let shared = match entity.memories {
                0 | 1 => String::new(),
                n => format!(" · in {n} memories"),
            };
            page.print(&format!(
                "  {DIM}mentions{DIM:#}       {} {DIM}{}{shared}{DIM:#}\n",
                words(&entity.name),
                entity.kind
            ));
        }
        if self.links.is_empty() && self.filtered {
            page.note("no links of these relations; omit --as to list all\n");
        } else if self.links.is_empty() {
            page.note(&format!("no links; add one with `hark relate {} OTHER --as extends`\n", self.id));
        }
    }
}
