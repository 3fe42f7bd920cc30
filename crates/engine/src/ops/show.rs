//! Shows memories in full.

use clap::Args;
use hark_core::IdRef;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::view::{MemoryView, whole};
use crate::engine::{Caller, Engine};
use crate::error::EngineError;
use crate::operation::tell;
use crate::operation::{
    Answer, Code, EVERYWHERE, Effect, Family, Group, Operation, Page, Reply, Tool, Who, operate,
};
use serde_json::json;

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Request {
    /// Ids of memories
    #[arg(value_name = "ID", required = true)]
    pub ids: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Response {
    pub memories: Vec<MemoryView>,
}

pub fn run(engine: &mut Engine, _caller: &Caller, request: &Request) -> Result<Response, EngineError> {
    let now = engine.now();
    let mut shown = Vec::with_capacity(request.ids.len());
    let mut memories = Vec::with_capacity(request.ids.len());
    for text in &request.ids {
        let id: IdRef = text.parse()?;
        let stored = engine.store.find_fresh(&id, now)?;
        shown.push(stored.memory.id);
        memories.push(MemoryView::of(engine, &stored, now));
    }
    engine.store.note_use(&shown, now);
    Ok(Response { memories })
}

pub const OPERATION: Operation = Operation {
    name: "show",
    also: &[],
    summary: "Show memories in full",
    help: "",
    examples: &[
        ("hark show m-7k3q9x2d", "Show one memory with its reason, tags and files"),
        ("hark show m-7k3q9x2d m-2p8w4n6c --json", "Print two memories as JSON"),
    ],
    group: Group::Memories,
    effect: Effect::Read,
    who: Who::Anyone,
    tool: Tool::On { name: "memory_get", family: Family::Core, description: "Read whole memories by id." },
    surfaces: EVERYWHERE,
    code: Code::on_store::<Request>(),
};

operate!(Request => Response, run);

impl Reply for Response {
    fn print(&self, page: &mut Page) {
        let texts: Vec<String> = self.memories.iter().map(|memory| whole(memory, page)).collect();
        page.print(&texts.join("\n"));
    }

    fn answer(&self) -> Result<Answer, EngineError> {
        let text = self.memories.iter().map(tell::whole).collect::<Vec<_>>().join("\n");
        tell::answer(&text, json!({ "memories": self.memories.iter().map(tell::brief).collect::<Vec<_>>() }))
    }
}
