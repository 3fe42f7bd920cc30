//! Shows everything about one file, issue, merge request, person or other entity.

use clap::Args;
use hark_core::Entity;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::scope::ReadScope;
use super::view::MemoryView;
use super::view::line;
use crate::engine::{Caller, Engine};
use crate::error::EngineError;
use crate::operation::tell;
use crate::operation::text::safe;
use crate::operation::{
    Answer, Code, EVERYWHERE, Effect, Family, Group, Operation, Page, Reply, Tool, Who, operate,
};
use serde_json::{Value, json};

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Request {
    /// `src/auth.rs`, `#12`, `group/proj!7`, `@ann`, `getUser`, `library:axum`
    #[schemars(description = "src/auth.rs, #12, group/proj!7, @ann, getUser, library:axum")]
    #[arg(value_name = "REF")]
    pub reference: String,
    /// Maximum number of results
    #[arg(long, short = 'n', value_name = "N")]
    #[schemars(skip)]
    pub limit: Option<usize>,
    #[command(flatten)]
    #[serde(flatten)]
    pub scope: ReadScope,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Response {
    /// The entity that the reference was parsed as.
    pub entity: String,
    pub memories: Vec<MemoryView>,
}

pub fn run(engine: &mut Engine, caller: &Caller, request: &Request) -> Result<Response, EngineError> {
    let entity = Entity::from_reference(&request.reference).ok_or_else(|| {
        EngineError::invalid("the reference is empty", "pass a file, `#12`, `!7` or `@ann`")
    })?;
    let now = engine.now();
    engine.store.refresh(now)?;
    let visible = request.scope.resolve(engine, caller)?;
    let limit = request.limit.unwrap_or(20).min(1_000);
    let found = engine.store.mentioning(&entity, visible.projects.as_deref(), limit)?;
    Ok(Response {
        entity: entity.label(),
        memories: found.iter().map(|s| MemoryView::of(engine, s, now)).collect(),
    })
}

pub const OPERATION: Operation = Operation {
    name: "context",
    also: &[],
    summary: "Show everything about a file, issue, person or symbol",
    help: "",
    examples: &[
        ("hark context src/auth.rs", "What is known about a file"),
        ("hark context '#12'", "What is known about an issue"),
        ("hark context @ann --all-projects", "What is known about a person, in every project"),
    ],
    group: Group::Memories,
    effect: Effect::Read,
    who: Who::Anyone,
    tool: Tool::On {
        name: "memory_context",
        family: Family::Core,
        description: "Everything remembered about one file, symbol, issue, merge request or person.",
    },
    surfaces: EVERYWHERE,
    code: Code::on_store::<Request>(),
};

operate!(Request => Response, run);

impl Reply for Response {
    fn print(&self, page: &mut Page) {
        for memory in &self.memories {
            page.print(&line(memory, page));
        }
        if self.memories.is_empty() {
            page.note(&format!("nothing is known about {}; try `hark recall`\n", safe(&self.entity)));
        }
    }

    fn answer(&self) -> Result<Answer, EngineError> {
        let lines: Vec<String> = self.memories.iter().map(tell::line).collect();
        let text = if lines.is_empty() {
            format!("Nothing is known about {}.", self.entity)
        } else {
            lines.join("\n")
        };
        let memories: Vec<Value> = self.memories.iter().map(tell::brief).collect();
        tell::answer(&text, json!({ "entity": self.entity, "memories": memories }))
    }
}
