//! Rebuilds the index from the files alone, including the encoder's vectors.

use std::time::{Duration, Instant};

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::embed;
use crate::embed::Embedder;
use crate::engine::{Caller, Engine};
use crate::error::EngineError;

use crate::operation::Progress;
use crate::operation::text::count;
use crate::operation::{Call, Code, EVERYWHERE, Effect, Group, Operate, Operation, Page, Reply, Tool, Who};

/// Making new vectors takes longer than everything else. The worker makes the rest.
const LONGEST: u64 = 10 * 60;

#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
pub struct Request {
    /// Stop making vectors after this many seconds (default: 600); the worker makes the rest
    #[arg(long, value_name = "N")]
    pub max_seconds: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Response {
    pub memories: usize,
    pub unreadable_files: i64,
    pub millis: u64,
    /// The encoder's vectors, if one is in use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vectors: Option<Vectors>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Vectors {
    /// Passages that have one.
    pub embedded: usize,
    pub passages: usize,
    /// Passages left because time ran out.
    pub left: usize,
}

pub fn run(
    engine: &mut Engine,
    _caller: &Caller,
    request: &Request,
    tell: &mut dyn FnMut(Progress),
) -> Result<Response, EngineError> {
    let started = Instant::now();
    let memories = match engine.store.take_rebuilt() {
        // There was no index to open: this call has just built it.
        Some(memories) => memories,
        None => engine.store.reindex_telling(engine.now(), &mut |done, total| {
            tell(Progress { what: "indexing files", done: done as u64, total: total as u64 });
        })?,
    };
    let vectors = vectors(engine, request, started, tell)?;
    let unreadable_files = engine.store.stats()?.unreadable_files;
    Ok(Response { memories, unreadable_files, millis: started.elapsed().as_millis() as u64, vectors })
}

/// A rebuilt index keeps its vectors. A lost index has none: then this makes them, so that recall gives the same
/// answers as before.
fn vectors(
    engine: &mut Engine,
    request: &Request,
    started: Instant,
    tell: &mut dyn FnMut(Progress),
) -> Result<Option<Vectors>, EngineError> {
    let Some(encoder) = engine.encoder() else { return Ok(None) };
    let owed = engine.store.owes_vectors()?;
    let before = engine.store.coverage(encoder.id())?;
    let missing = before.passages - before.embedded;
    if owed && missing > 0 {
        let until = started + Duration::from_secs(request.max_seconds.unwrap_or(LONGEST));
        embed::fill(engine, &encoder, Some(until), &mut |made| {
            tell(Progress { what: "making vectors", done: made as u64, total: missing as u64 });
        })?;
    }
    let after = engine.store.coverage(encoder.id())?;
    let left = if owed { after.passages - after.embedded } else { 0 };
    Ok(Some(Vectors { embedded: after.embedded, passages: after.passages, left }))
}

pub const OPERATION: Operation = Operation {
    name: "reindex",
    also: &[],
    summary: "Rebuild the index from the files",
    help: "",
    examples: &[("hark reindex", "Rebuild the index; the files stay as they are")],
    group: Group::Store,
    effect: Effect::Write,
    who: Who::Anyone,
    tool: Tool::Off("the index rebuilds itself when it has to"),
    surfaces: EVERYWHERE,
    code: Code::on_store::<Request>(),
};

impl Operate for Request {
    type Response = Response;

    fn run(&self, engine: &mut Engine, call: &mut Call<'_>) -> Result<Response, EngineError> {
        run(engine, call.caller, self, call.progress)
    }
}

impl Reply for Response {
    fn print(&self, page: &mut Page) {
        page.print(&format!(
            "indexed {} in {} ms\n",
            count(self.memories, "memory", "memories"),
            self.millis
        ));
        if let Some(vectors) = self.vectors.as_ref().filter(|vectors| vectors.left > 0) {
            page.note(&format!(
                "{} of {} passages have no vector yet, so recall may rank differently for now; the worker makes them, or run: \
                 hark model embed\n",
                vectors.left, vectors.passages
            ));
        }
        if self.unreadable_files > 0 {
            page.note(&format!(
                "skipped {} that cannot be read; see `hark doctor`\n",
                count(self.unreadable_files, "file", "files")
            ));
        }
    }
}
