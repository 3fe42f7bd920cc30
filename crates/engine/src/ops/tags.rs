//! Lists tags, most used first.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::scope::ReadScope;
use crate::engine::{Caller, Engine};
use crate::error::EngineError;
use crate::operation::text::safe;
use crate::operation::{
    Code, DIM, EVERYWHERE, Effect, Family, Group, Operation, Page, Reply, Tool, Who, operate,
};

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

pub const OPERATION: Operation = Operation {
    name: "tags",
    also: &[],
    summary: "List tags in use",
    help: "",
    examples: &[
        ("hark tags", "List tags of this project with their counts"),
        ("hark list --tag auth", "List the memories with a tag"),
    ],
    group: Group::Memories,
    effect: Effect::Read,
    who: Who::Anyone,
    tool: Tool::On {
        name: "memory_tags",
        family: Family::Admin,
        description: "Tags in use with their counts.",
    },
    surfaces: EVERYWHERE,
    code: Code::on_store::<Request>(),
};

operate!(Request => Response, run);

impl Reply for Response {
    fn print(&self, page: &mut Page) {
        for tag in &self.tags {
            page.print(&format!("{DIM}{:>6}{DIM:#}  {}\n", tag.memories, safe(&tag.tag)));
        }
        if self.tags.is_empty() {
            page.note("no tags yet; add one with `hark remember … --tag auth`\n");
        }
    }
}
